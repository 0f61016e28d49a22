# Functions: each case starts with a line `#: name`.
#: defaults and keywords
def box(x, y, s=10, *, d=0):
    drag(x, y, x + s, y + s + d)
box(1, 2)
box(1, 2, 5)
box(1, y=2, d=5)
box(y=3, x=4, s=1)
#: rest and extra
def f(a, *rest, b=2, **extra):
    print(a, rest, b, extra)
f(1)
f(1, 2, 3, b=4, c=5)
f(*[1, 2], **{'z': 1})
f(a=1)
#: positional only
def f(a, b=2, /, c=3):
    print(a, b, c)
f(1)
f(1, 5, c=6)
f(1, b=2)
#: positional only with extra
def f(a, /, **k):
    print(a, k)
f(1, a=2)
#: missing two
def f(a, b, c=3):
    pass
f()
#: missing three
def f(a, b, c):
    pass
f()
#: missing keyword only
def f(*, a, b):
    pass
f()
#: too many
def f(a, b):
    pass
f(1, 2, 3)
#: too many with default
def f(a, b=1):
    pass
f(1, 2, 3)
#: too many for none
def f():
    pass
f(1)
#: too many and keyword only
def f(a, *, k=1):
    pass
f(1, 2, k=3)
#: unexpected keyword
def f(a):
    pass
f(1, z=2)
#: multiple values
def f(a):
    pass
f(1, a=2)
#: multiple keyword values
def f(**k):
    pass
f(a=1, **{'a': 2})
#: qualified names in messages
def outer():
    def inner(a):
        pass
    inner()
outer()
#: lambda messages
g = lambda a: a
g()
#: closures
def counter():
    n = 0
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step
a, b = counter(), counter()
print(a(), a(), b(5), a(10), b())
#: late binding
fs = [lambda: i for i in range(3)]
print([f() for f in fs])
gs = [lambda i=i: i for i in range(3)]
print([g() for g in gs])
#: global
n = 0
def f():
    global n, m
    n += 1
    m = 5
f()
f()
print(n, m)
#: recursion
def fact(n):
    return 1 if n < 2 else n * fact(n - 1)
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
print(fact(20), fact(30), fib(12))
#: mutable default
def f(x, acc=[]):
    acc.append(x)
    return acc
print(f(1), f(2), f(3, []))
#: decorators
def twice(f):
    def w(*a, **k):
        f(*a, **k)
        f(*a, **k)
    return w
def named(n):
    def deco(f):
        print('deco', n)
        return f
    return deco
@named(1)
@named(2)
@twice
def go(x):
    left_click(x, x)
go(4)
#: functions as values
def apply(f, *a):
    return f(*a)
print(apply(max, 1, 2), apply(lambda a, b: a * b, 3, 4), apply(str.upper, 'x'), apply(len, 'abc'))
apply(left_click, 1, 2)
#: return values
def f():
    return 1, 2
def g():
    pass
def h():
    return
print(f(), g(), h())
a, b = f()
print(a, b)
#: unbound local
x = 1
def f():
    print(x)
    x = 2
f()
#: free variable
def f():
    def g():
        return v
    g()
    v = 1
f()
#: deleted local
def f():
    a = 1
    del a
    del a
f()
#: deleted global
x = 1
del x
print(x)
#: undefined in function
def f(a):
    return a + undefined
def g():
    f(1)
g()
#: error in a tool call
def f(a):
    left_click(a)
f(1)
#: frames
def a(n):
    b(n)

def b(n):
    c(n,
      0)

def c(n, d):
    return n / d

left_click(1, 1)
a(5)
#: error in lambda
f = lambda v: v[0]
g = lambda v: f(v)
g(5)
#: error in key function
def key(v):
    return v['k']
sorted([1, 2], key=key)
#: error in comprehension
def f(v):
    return 1 / v
x = [f(i) for i in [1, 0]]
#: error in generator
g = (1 / i for i in [1, 0])
print(next(g))
print(next(g))
#: comprehension scope
x = 'outer'
y = [x for x in range(3)]
print(x, y)
#: walrus in a comprehension
y = [last := i for i in range(3)]
print(last, y)
if (n := len(y)) > 2:
    print(n)
while (n := n - 1) > 0:
    print(n)
#: comprehension in a function sees locals
def f(n):
    k = 2
    return [i * k for i in range(n) if i != k], {i: k for i in range(n)}, list(i + k for i in range(n))
print(f(4))
#: nested functions and comprehensions
def f(rows):
    def g(row):
        return [h(v) for v in row]
    h = lambda v: v * 10
    return [g(r) for r in rows]
print(f([[1], [2, 3]]))
#: annotations
def f(a: int, b: str = 'x', *c: int, **d: str) -> list:
    y: int = 5
    return [a, b, y]
z: int = 3
w: str
print(f(1), z)
#: docstring and ellipsis
def f():
    """Does nothing."""
    ...
print(f())
#: function attributes
def f():
    f.calls += 1
f.calls = 0
f()
f()
print(f.calls)
#: name and repr
def f():
    def g():
        pass
    return g
print(f.__name__, f().__name__, (lambda: 0).__name__)
#: not callable
x = 5
x()
#: not callable string
'a'()
#: not callable none
def f():
    pass
f()()
#: star unpacking in calls
def f(*a, **k):
    return a, k
print(f(*range(3), *'ab', x=1, **{'y': 2}), f(*[], **{}))
#: keyword named like a tool
def f(type, left_click=1):
    return type, left_click
print(f(5))
#: redefined tool
def left_click(x, y):
    type('fake')
left_click(1, 2)
#: shadowed builtin
def f():
    list = [1, 2]
    return list
print(f(), list('ab'))
#: conditional definition
if True:
    def f():
        return 'a'
else:
    def f():
        return 'b'
print(f())
#: higher order
compose = lambda f, g: lambda x: f(g(x))
inc = lambda x: x + 1
print(compose(inc, lambda x: x * 2)(5), (lambda *a: a)(1, 2), (lambda **k: k)(a=1))
#: mutual recursion
def even(n):
    return True if n == 0 else odd(n - 1)
def odd(n):
    return False if n == 0 else even(n - 1)
print(even(10), odd(7))
#: default evaluated once
n = 1
def f(a=n):
    return a
n = 2
print(f())
#: generator expression is lazy
seen = []
g = (seen.append(i) or i for i in range(3))
print(seen)
print(next(g), seen)
print(list(g), seen)
#: callable iterator
n = 0
def step():
    global n
    n += 1
    return n
print(list(iter(step, 4)))
#: nonlocal through two levels
def a():
    x = 1
    def b():
        def c():
            nonlocal x
            x += 1
        c()
    b()
    return x
print(a())

#: nonlocal of a name that is bound further down
def draw():
    def step():
        nonlocal n
        n += 1
    n = 4
    step()
    return n
print(draw())

#: nonlocal of a name that nothing binds
def draw():
    def step():
        nonlocal n
    step()
    m = 1
draw()

#: what a module declares global is its own
global x, y
x = 1
def f():
    global y
    y = x
f()
print(x, y)
