# What does not compile, over lines: each case starts with a line `#: name`.
#: missing block after def
left_click(1, 1)
def f():
#: missing block after if
if True:
left_click(1, 1)
#: missing block after for
for i in range(3):
left_click(1, 1)
#: missing block after while
while True:

x = 1
#: missing block after else
if x:
    pass
else:
y = 1
#: missing block after elif
if x:
    pass
elif y:
z = 1
#: missing block after try
try:
x = 1
except: pass
#: missing block after except
try:
    x = 1
except ValueError:
y = 2
#: missing block after finally
try:
    x = 1
finally:
y = 2
#: missing block after with
with x:
y = 1
#: missing block after match
match x:
case 1: pass
#: missing block after case
match x:
    case 1:
    y = 1
#: bad dedent
if True:
        left_click(1, 1)
    left_click(2, 2)
#: unexpected indent
left_click(1, 1)
    left_click(2, 2)
#: tabs and spaces
if True:
        x = 1
	y = 2
#: never closed
left_click(1, 1)
drag(1, 2,
left_click(2, 2)
#: never closed list
x = [1, 2,
y = 3
#: never closed string
left_click(1, 1)
type("meow)
left_click(2, 2)
#: never closed triple
left_click(1, 1)
type('''meow
#: mid line
left_click(1, 1)
left_click 2, 2
left_click(3, 3)
#: missing colon
for i in range(3)
    left_click(i, i)
#: missing colon if
if x == 3
    left_click(1, 1)
#: missing colon def
def f(x)
    pass
#: missing colon else
if x:
    pass
else
    pass
#: missing comma
drag(1, 2
     3, 4)
#: return at top
left_click(1, 1)
return
#: break in function outside loop
for i in x:
    def f():
        break
#: continue outside
if x:
    continue
#: nonlocal at top
nonlocal x
#: nonlocal without binding
def f():
    nonlocal x
#: global after use
def f():
    print(x)
    global x
#: global after assignment
def f():
    x = 1
    global x
#: global parameter
def f(x):
    global x
#: default except first
try:
    pass
except:
    pass
except ValueError:
    pass
#: try alone
try:
    pass
x = 1
#: walrus rebinds
[i := 0 for i in range(3)]
#: walrus in iterable
[x for x in (y := [1])]
#: unreachable case
match x:
    case _:
        pass
    case 1:
        pass
#: unreachable capture
match x:
    case y:
        pass
    case 1:
        pass
#: unreachable alternative
match x:
    case a | 1:
        pass
#: alternatives bind differently
match x:
    case [a] | [b]:
        pass
#: two stars in a pattern
match x:
    case [*a, *b]:
        pass
#: name bound twice in a pattern
match x:
    case [a, a]:
        pass
#: import star in a function
def f():
    from math import *
#: else without if
left_click(1, 1)
else:
    left_click(2, 2)
#: prose
I will click the button.
left_click(1, 1)
#: markdown
**bold**
left_click(1, 1)
#: unfinished
left_click(1, 1)
for i in range(
#: print statement
for i in x:
    print i
#: full width comma
left_click(1, 1)
left_click(1，2)
#: no-break space
left_click(1, 1)
left_click(1, 2)
#: smart quotes
type(“hi”)
