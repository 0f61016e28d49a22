# What does not compile: one case a line.
left_click(1, 2
left_click(1, 2))
left_click(1 2)
left_click 1, 2
left_click(1,, 2)
left_click(, 2)
left_click(1; 2)
print 'hello'
print "a", b
exec 'a'
x = 
x = 5 5
x == 
if x = 3: pass
while x = 3: pass
if x
if x == 3
for i in range(3)
for i range(3): pass
while True
def f()
def f(: pass
def (x): pass
else: pass
elif x: pass
except: pass
5 = x
'a' = x
x + 1 = 2
f() = 3
None = 1
True = 1
[1] = x
(a, 5) = x
x = 1 = 2
f() += 1
5 += 1
(a, b) += 1
[a] += 1
a + b += 1
del 5
del f()
del None
del x + 1
for 5 in x: pass
for f() in x: pass
return
return 5
break
continue
yield 1
await x
*a
x = *a
*a = [1]
a, *b, *c = x
def f(a, a): pass
lambda a, a: 0
def f(a=1, b): pass
def f(*): pass
def f(**k, a): pass
def f(*a, *b): pass
f(a=1, 2)
f(**a, 2)
f(**a, *b)
f(a=1, a=2)
f(1=2)
f(a.b=2)
f(a + b=2)
f(True=1)
f('a'=1)
f(x for x in y, 1)
f(1, x for x in y)
[x for x in y if]
[x for]
[for x in y]
{1: 2, 3}
{1, 2: 3}
{1:}
{: 1}
(1, 2
[1, 2
{1: 2
(1, 2]
[1, 2)
{1, 2)
)
]
}
'abc
"abc
type('abc
type("it's)
f'{'
f'{}'
f'{a'
f'}'
f'{a!x}'
f'{!r}'
1abc
1_
1__0
0777
0b12
0xg
1.5.5
5a = 3
$x
x = ?
x!
!x
a b
a.5
a..b
.a
a.
import
from x import
from import x
import a.b as
global x y
nonlocal x
global
del
pass 5
assert
raise from x
x = if
class = 5
def = 5
if = 3
lambda x
lambda: 
not
a and
a or
and b
a +
+ 
* 2
a ** 
x := 5
(x := 5) = 3
(a.b := 5)
x = yield
a = b := 3
print(a := 3)
try: pass
try: x except: y
with a
with a as: pass
with a as 5: pass
match x
x++
x--
++
x ? 1 : 2
x && y
x || y
!x
x <> y
if x then y
x => y
x -> y
function f() {}
var x = 5
let x = 5
“hello”
type(‘a’)
left_click(1， 2)
x = 5；
x = −5
a\
a \ b
\
	x = 5
 x = 5
for i in range(3): left_click(i, i) left_click(2, 2)
left_click(1, 1) left_click(2, 2)
left_click(1, 1) for i in range(3)
if x: pass else: pass
def f(): return 1 return 2
[i for i in range(5) for]
a if b
a if b else
{**}
f(*)
f(**)
x[]
x[1
x[1:2:3:4]
@
@f
a = [1, 2, 3
drag(100, 200, 300, 400
print("a" "b
