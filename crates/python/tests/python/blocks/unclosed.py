# Brackets left open, and what follows: each case starts with a line `#: name`.
#: call then call
left_click(1, 1)
left_click(2, 2
print(1)
#: call then calls
left_click(2, 2
left_click(3, 3)
left_click(4, 4)
#: call then assignment
left_click(2, 2
x = 5
#: call then for
left_click(2, 2
for i in x:
    pass
#: trailing comma then for
drag(1,
for i in x: pass
#: trailing comma then if
x = (1,
if a: pass
#: list then assignment
x = [1, 2
y = 3
#: trailing comma then name
left_click(2,

x
#: two open
left_click(max(1, 2, 3)
left_click(1, 1)
#: string inside
type("a"
left_click(1, 1)
#: dict
x = {'a': 1,
     'b': 2
left_click(1, 1)
#: def
def f(a, b
    pass
#: extra closing
left_click(1, 2))
left_click(3, 4)
#: wrong closing over lines
x = [1,
     2)
#: comma missing in a list
x = [1 2]
#: comma missing between strings and names
left_click(a b)
#: comma missing over lines
drag(100, 200,
     300
     400)
