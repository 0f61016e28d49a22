# Control flow and exceptions: each case starts with a line `#: name`.
#: if chain
for n in range(5):
    if n == 0:
        print('zero')
    elif n < 2:
        print('one')
    elif n == 3:
        pass
    else:
        print('more')
#: while else
i = 0
while i < 3:
    left_click(i, i)
    i += 1
else:
    type('done')
while True:
    i -= 1
    if i == 1:
        continue
    if i < 0:
        break
else:
    type('never')
print(i)
#: for else
for i in range(3):
    if i == 5:
        break
else:
    print('none')
for i in range(3):
    for j in range(3):
        if j == 1:
            break
        print(i, j)
#: loop variable stays
for i, (a, b) in enumerate([(1, 2), (3, 4)]):
    pass
print(i, a, b)
for x[0] in []:
    pass
#: list grows while iterated
x = [1]
for v in x:
    if v < 5:
        x.append(v + 1)
print(x)
#: try
try:
    left_click(1)
except TypeError as e:
    type(str(e))
else:
    print('no')
finally:
    print('finally')
#: try order
def f(v):
    try:
        print('try')
        if v == 1:
            raise ValueError('v')
        if v == 2:
            return 'returned'
    except ValueError as e:
        print('except', e, e.args)
        return 'handled'
    else:
        print('else')
    finally:
        print('finally')
    return 'end'
print(f(0), f(1), f(2))
#: finally overrides
def f():
    try:
        return 1
    finally:
        return 2
def g():
    for i in range(3):
        try:
            raise ValueError
        finally:
            break
    return i
print(f(), g())
#: except tuple and base
for v in (ValueError('a'), KeyError('k'), IndexError('i'), ZeroDivisionError('z')):
    try:
        raise v
    except (ValueError, KeyError) as e:
        print('first', e, repr(e))
    except LookupError as e:
        print('lookup', e)
    except Exception as e:
        print('other', repr(e))
#: reraise
try:
    try:
        1 / 0
    except ZeroDivisionError:
        print('seen')
        raise
except ArithmeticError as e:
    print('outer', e)
#: reraise line
try:
    1 / 0
except ZeroDivisionError:
    print('x')
    raise
#: raise the caught one
try:
    1 / 0
except ZeroDivisionError as e:
    raise e
#: raise another
try:
    {}['a']
except KeyError as e:
    raise ValueError('bad') from e
#: raise from none
try:
    int('x')
except ValueError:
    raise RuntimeError('no') from None
#: raise in a function
def check(v):
    if v < 0:
        raise ValueError(f'negative: {v}')
    return v
check(1)
left_click(check(5), 1)
check(-1)
#: the name is forgotten
try:
    1 / 0
except ZeroDivisionError as e:
    pass
print(e)
#: nothing to reraise
raise
#: raise a class
raise ValueError
#: raise an instance with two arguments
raise ValueError('a', 1)
#: raise a number
raise 5
#: raise a string
raise 'oops'
#: raise from a number
raise ValueError('a') from 5
#: catch a number
try:
    1 / 0
except 5:
    pass
#: catch nothing that fits
try:
    1 / 0
except ValueError:
    pass
#: catch an undefined name
try:
    1 / 0
except Nope:
    pass
#: key error text
try:
    {}['some key']
except KeyError as e:
    print(e, str(e), repr(e), e.args[0])
#: assertion with a message
assert 1 == 1
assert 1 == 2, 'nope'
#: assertion without
assert 0
#: assertion with a number
assert [], 42
#: exception values
e = ValueError('a', 2)
print(e.args, repr(e), str(e), repr(ValueError()), str(ValueError()), repr(KeyError('k')), isinstance(e, ValueError), ValueError('x').args)
print(str(StopIteration(5)), StopIteration(5).value, OSError is IOError, issubclass if False else 1)
#: stop iteration
it = iter([1])
try:
    while True:
        print(next(it))
except StopIteration:
    print('end')
#: nested try in a loop
for i in range(3):
    try:
        if i == 1:
            continue
        print(10 // (i - 2))
    except ZeroDivisionError:
        print('zero')
    finally:
        print('f', i)
#: exception in a handler
try:
    1 / 0
except ZeroDivisionError:
    undefined
#: exception in finally
try:
    1 / 0
finally:
    int('x')
#: exception in else
try:
    pass
except ValueError:
    print('no')
else:
    int('y')
#: actions before an error count
left_click(1, 1)
for i in range(2):
    drag(i, i, i, i)
foo(3)
left_click(2, 2)
#: multi line call
left_click(
    1,
    2,
)
drag(
    1, 2,
    3,
)
#: multi line argument
print(
    1,
    1 / 0,
)
#: multi line expression
x = (1 +
     2 +
     'a')
#: multi line list
x = [
    1,
    undefined,
]
#: multi line method chain
x = ('a'
     .upper()
     .foo())
#: semicolons
left_click(1, 1); left_click(2, 2); x = 3; left_click(x, x)
if x: left_click(4, 4); left_click(5, 5)
#: line continuation
left_click(1, \
    2)
x = 1 + \
    2
print(x)
#: comments and blank lines

# a comment
left_click(1, 1)  # another

    # an indented one
left_click(2, 2)
#: strings over lines
x = """a
  b
c"""
print(x)
type('one\
two')
#: chained assignment and swap
a = b = c = 5
a, b = b + 1, a + 2
x = y, z = 1, 2
print(a, b, c, x, y, z)
d = {}
d['a'], d['b'] = 1, 2
l = [1, 2, 3]
l[0], l[-1] = l[-1], l[0]
print(d, l)
#: augmented assignments
x = 5
x += 1
x -= 2
x *= 3
x //= 2
x **= 2
x %= 7
x <<= 3
x >>= 1
x |= 8
x &= 12
x ^= 5
x /= 2
print(x)
l = [1, [2]]
l[1] += [3]
l[0] += 5
d = {'a': {'b': 1}}
d['a']['b'] += 1
print(l, d)
#: match
def f(v):
    match v:
        case 0 | 1:
            return 'small'
        case int(n) if n > 100:
            return f'big {n}'
        case int() | float():
            return 'number'
        case 'a' | 'b' as letter:
            return letter
        case str(s):
            return s.upper()
        case []:
            return 'empty'
        case [x]:
            return f'one {x}'
        case [x, y]:
            return f'two {x} {y}'
        case [first, *rest]:
            return f'{first} and {rest}'
        case {'type': 'click', 'at': (x, y)}:
            return f'click {x} {y}'
        case {'type': t, **others}:
            return f'{t} {others}'
        case None:
            return 'none'
        case True:
            return 'true'
        case _:
            return 'other'
for v in (0, 1, 5, 500, 2.5, 'a', 'hello', [], [1], (1, 2), [1, 2, 3], {'type': 'click', 'at': (1, 2)}, {'type': 'x', 'k': 1}, None, False, {}, range(2)):
    print(f(v))
#: match negative and strings
for v in (-1, 2.5, 'x', b'y', (1, (2, 3)), {'a': [1, 2]}):
    match v:
        case -1:
            print('minus')
        case 2.5:
            print('half')
        case 'x':
            print('ex')
        case (a, (b, c)):
            print(a, b, c)
        case {'a': [*_, last]}:
            print(last)
        case _:
            print('none')
#: match without a case
match 5:
    case 6:
        print('six')
print('after')
#: match class pattern errors
match 5:
    case int(a, b):
        pass
#: match class pattern not a type
x = 5
match 5:
    case x():
        pass
#: match exception attributes
match ValueError('a'):
    case ValueError(args=(a,)):
        print(a)
#: short circuit
def t(v):
    print('t', v)
    return v
print(t(0) and t(1), t(1) or t(2), t(1) < t(0) < t(5), not t(0), t(1) if t(0) else t(2))
#: evaluation order
def t(v):
    print(v, end=' ')
    return v
t(1) + t(2) * t(3)
[t(4), t(5)][t(0)]
{t('k'): t('v')}
f = lambda *a, **k: None
f(t(6), *[t(7)], x=t(8))
d = {}
d[t('key')] = t('value')
print()
#: print options
print('hi', 3, sep='-', end='!')
print()
print(1, 2, 3, sep='')
print('a', 'b', sep='\n')
print(end='x')
print('', None)
print('flush', flush=True)
#: del
x = [1, 2, 3]
y = {'a': 1}
del x[0], y['a']
print(x, y)
a = b = 1
del (a, b)
print(a)
#: string building
s = ''
for c in 'abc':
    s += c * 2
    s = f'<{s}>'
print(s, len(s))
#: grid
for row in range(2):
    for col in range(3):
        left_click(100 + col * 50, 200 + row * 50)
points = [(i * 10, j * 10) for i in range(2) for j in range(2) if i != j]
for x, y in points:
    drag(x, y, x + 5, y + 5)
#: circle by table
table = {'cos': [1.0, 0.5, -0.5, -1.0], 'sin': [0.0, 0.866, 0.866, 0.0]}
for c, s in zip(table['cos'], table['sin']):
    left_click(500 + 100 * c, 400 + round(100 * s))
#: star in index and return
def f(*a):
    return *a, 0
print(f(1, 2), {(1, 2): 3}[1, 2], {(1, 2): 3}[*[1, 2]])
#: while with walrus and break
items = [1, 2, 3]
while items and (x := items.pop()):
    print(x)
    if x == 2:
        break
#: zip longest by hand
a, b = [1, 2, 3], ['x']
for i in range(max(len(a), len(b))):
    print(a[i] if i < len(a) else None, b[i] if i < len(b) else None)
#: sort is stable
rows = [('b', 1), ('a', 2), ('b', 0), ('a', 1)]
print(sorted(rows, key=lambda r: r[0]), sorted(rows, key=lambda r: r[0], reverse=True))
#: division of large numbers
print(10 ** 20 // 3, 10 ** 20 / 3, (10 ** 20) % 3, 2 ** 64 - 1, -(2 ** 63), 3 ** 40 // 2 ** 20)
#: identity
x = []
y = x
print(x is y, x is not [], None is None, () is (), True is True)
#: carriage returns
left_click(1, 1)
left_click(2, 2)

#: what came before an error stays
def item(i):
    if i == 2:
        raise ValueError(f'no item {i}')
    return i
a, d, s = [9], {}, {9}
for take in [a.extend, s.update, lambda items: d.update((item, 1) for item in items)]:
    try:
        take(item(i) for i in range(4))
    except ValueError as error:
        print(error, a, sorted(s), d)
try:
    a += (item(i) for i in range(4))
except ValueError as error:
    print(error, a)
a.extend(a)
a += a
s.update(s, [7], (8,))
print(a, sorted(s))
