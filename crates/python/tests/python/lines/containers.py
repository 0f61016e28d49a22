# Lists, tuples, dicts, sets, ranges: one case a line.
print([1, 2][0], [1, 2, 3][-1], [1, 2, 3][1:], [1, 2, 3][::-1], [1, 2, 3][::2], [1, 2, 3][5:], [1, 2] + [3], [0] * 3, 2 in [1, 2], [1, 2] == [1, 2], [1, 2] < [1, 3], [] < [0], [1, [2]] == [1, [2]])
x = [3, 1, 2]; x.sort(); print(x); x.sort(reverse=True); print(x); x.sort(key=lambda v: -v); print(x); x.reverse(); print(x); x.append(4); x.extend([5, 6]); x.insert(0, 9); x.insert(-1, 8); print(x)
x = [1, 2, 3, 2]; x.remove(2); print(x, x.pop(), x.pop(0), x, x.index(3), x.count(3)); x.clear(); print(x, x.copy())
x = [1, 2, 3, 4, 5]; x[1:3] = [9]; print(x); x[::2] = [0, 0]; print(x); del x[0]; print(x); del x[::2]; print(x); x[5:] = [7, 7]; print(x); x += [1]; x *= 2; print(x)
x = y = [1]; x += [2]; print(y, x is y); x = x + [3]; print(y); a = b = (1,); a += (2,); print(a, b)
print((1,), (), (1, 2)[0], (1, 2)[-1], (1, 2, 3)[1:], (1, 2) + (3,), (1, 2) * 2, 1 in (1, 2), (1, 2).index(2), (1, 1).count(1), (1, 2) < (1, 3), tuple([1]), tuple(range(3)), (1, [2]))
d = {'a': 1, 'b': 2}; print(d['a'], d.get('c'), d.get('c', 0), 'a' in d, len(d), list(d), d.keys(), d.values(), d.items(), sorted(d), d == {'b': 2, 'a': 1})
d = {}; d['x'] = 1; d.update({'y': 2}, z=3); d.setdefault('x', 9); d.setdefault('w', 9); print(d, d.pop('x'), d.pop('q', None), d.popitem()); del d['y']; print(d); d.clear(); print(d)
print({1: 'a', 1.0: 'b', True: 'c'}, {(1, 2): 3}, {**{'a': 1}, 'b': 2}, dict(a=1), dict([('a', 1)], b=2), dict({'a': 1}), dict.fromkeys('ab', 0), {'a': 1} | {'b': 2}, dict(zip('ab', (1, 2))))
print({1, 2} | {3}, {1, 2} & {2, 3}, {1, 2} - {2}, {1, 2} ^ {2, 3}, {1} < {1, 2}, {1, 2} == {2, 1}, 1 in {1}, len({1, 1}), set(), set([1]), {1, 2}.union([3], (4,)), {1}.issubset([1, 2]), {1, 2}.issuperset([1]), {1}.isdisjoint([2]))
s = {1, 2}; s.add(3); s.discard(1); s.discard(9); s.remove(2); s.update([5], [6]); print(s, s.copy(), s.pop()); s |= {7}; s &= {7, 8}; print(s); s -= {7}; s.clear(); print(s, s.difference([1]), {1, 2}.intersection([2]), {1, 2}.symmetric_difference([2, 3]))
print(range(5), range(1, 5), range(0, 10, 2), list(range(5, 0, -2)), len(range(10)), range(10)[2], range(10)[-1], range(10)[2:5], 3 in range(5), 5 in range(5), 2.0 in range(5), range(3) == range(0, 3), list(range(0)), range(10)[::-2], range(0, 10, 3).step, range(5).index(3), list(reversed(range(3))), range(10 ** 20)[5])
print([x * 2 for x in range(3)], [x for x in range(10) if x % 2 if x > 3], [(x, y) for x in 'ab' for y in (1, 2)], {x % 2 for x in range(4)}, {x: x ** 2 for x in range(3)}, list(x for x in range(3)), [[j for j in range(i)] for i in range(3)], sum(x for x in range(4)), tuple(x for x in 'ab'))
print(any([0, 1]), all([1, 0]), any([]), all([]), any(x > 2 for x in range(5)), sorted([3, 1, 2], reverse=True), sorted({'b': 1, 'a': 2}), sorted([(1, 'b'), (1, 'a')]), sorted(['bb', 'a'], key=len), list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, 2])), list(filter(lambda v: v > 1, [1, 2])))
print(list(zip([1, 2], 'ab', (True, False))), list(zip()), list(zip([1], [1, 2])), list(enumerate('ab', 1)), list(enumerate('ab', start=5)), list(reversed([1, 2])), list(reversed({'a': 1, 'b': 2})), next(iter([1])), next(iter([]), 'd'), list(iter('ab')), list(map(int, '123')), list(map(str, [1, 2])))
it = iter([1, 2, 3]); print(next(it), list(it), list(it)); g = (x for x in 'ab'); print(next(g), next(g), next(g, None)); print(list(g))
a, b = 1, 2; a, b = b, a; print(a, b); a, *b = [1, 2, 3]; print(a, b); *a, b = 'abc'; print(a, b); a, (b, c) = 1, (2, 3); print(a, b, c); [a, b] = {1: 2, 3: 4}; print(a, b); a, *b, c = 1, 2; print(a, b, c); (a, b), c = [1, 2], 3; print(a)
print([*range(3), *'ab'], (*[1], 2), {*[1, 1]}, {**{1: 2}, **{1: 3}}, [*[]], print(*[1, 2], sep='-'), [x := 3, x + 1])
print([1, 'a', None, True, 1.5, (1,), {'k': [2]}, {3}, range(2), b'x', ...], ['a\n'], {'a': "it's"})
x = []; x.append(x); print(x); d = {}; d['d'] = d; print(d)
print(1 if [] else 2, [] or 'x', 'a' and 'b', not [], None or 0 or 'z', 1 and 0 and 2, 1 < 2 < 3, 1 < 3 < 2, 1 == 1 != 2, not 1 == 2, 3 > 2 >= 2, 'a' < 'b' < 'c')
print(type.__name__, left_click.__name__, len.__name__, int.__name__, (lambda: 0).__name__, str.upper('x'), int, ValueError, len, int is int, None is None, 1 is not None)
print(enumerate([]).__name__ if False else 'ok', {}.keys() == set(), {1: 2}.keys() | {3}, {1: 2}.items() & {(1, 2)}, {1: 2}.keys() - [1], 2 in {1: 2}.values(), (1, 2) in {1: 2}.items(), len({1: 2}.keys()))
print([1, 2, 3].index(3, 1), [1, 2, 3].index(2, -2), [1, 2].copy() is [1, 2], list((1, 2)), list({1: 2}), list('ab'), [[]] * 2, sorted([[2], [1]]), [3, 1] > [2, 9], [1, 2] != [1], min([2, 1], [1, 2]))
print([1][5])
print([1][-5])
print([1]['a'])
print([1][None])
print((1,)[5])
print((1,)['a'])
print({}['a'])
print({'a': 1}[1])
print({}[[]])
print({[]: 1})
print({{}: 1})
print({1, []})
print(range(3)[5])
print(range('a'))
print(range())
print(range(1.5))
print(range(1, 2, 0))
print(range(1, 2, 3, 4))
print(range(3)['a'])
x = [1]; x[5] = 2
x = [1]; x['a'] = 2
x = [1]; del x[5]
x = (1,); x[0] = 2
x = (1,); del x[0]
x = 'a'; x[0] = 'b'
x = 'a'; del x[0]
x = {}; del x['a']
x = 5; x[0] = 1
x = 5; del x[0]
x = None; x.a = 1
x = [1]; x.append = 2
x = [1]; x.foo = 2
x = 'a'; del x.b
int.x = 5
x = [1, 2, 3]; x[::2] = [1]
x = [1]; x[0:1] = 5
x = [1]; x += 5
x = [1]; x -= [1]
x = 'a'; x += 1
x = 1; x += 'a'
x = {}; x += {}
x = 2; x **= 'a'
x = 2; x //= 0
[1].append()
[1].append(1, 2)
[1].foo()
[1].pop(5)
[].pop()
[1].pop('a')
[1].remove(5)
[1].index(5)
(1,).index(5)
[1].insert(1)
[1].extend(5)
[1].sort(1)
[1].sort(foo=1)
[1, 'a'].sort()
[1].sort(key=5)
sorted([1, 'a'])
sorted(5)
sorted([1], 2)
sorted([1], foo=2)
sorted()
sorted([1], key=len)
{}.pop('a')
{}.popitem()
{}.get()
{}.update(5)
{}.update([1])
{}.update([(1, 2, 3)])
{}.foo
{1}.remove(2)
set().pop()
{1}.add([])
{1} | [2]
{1} + {2}
set(5)
list(5)
list(1, 2)
list(x=1)
tuple(5)
dict(5)
dict([1])
dict([(1, 2, 3)])
dict(1, 2)
frozenset([1]).add(2)
a, b = 1
a, b = 1, 2, 3
a, b = [1]
a, *b, c = [1]
a, b = 'abc'
for a, b in [1, 2]: pass
for i in None: pass
for i in 3.5: pass
next([1])
next(iter([]))
next(5)
next()
iter(5)
iter()
iter(5, 1)
enumerate(5)
enumerate()
zip(5)
zip([1], 5)
list(zip([1], [1, 2], strict=True))
map(len)
map()
list(map(len, [1]))
list(map(5, [1]))
filter(None)
list(filter(5, [1]))
reversed(5)
reversed({1})
reversed()
all(5)
any()
isinstance(1)
isinstance(1, 5)
isinstance(1, 'int')
isinstance(1, (int, 5)), isinstance('a', (int, 5))
print([*5])
print(*5)
print({**5})
print({**[1]})
print(1, foo=2)
print(1, sep=5)
print(1, end=5)
d = {1: 2}; d[2] = [d.pop(1) for _ in d]
d = {1: 2}; [d.update({k + 1: 1}) for k in d]
s = {1}; [s.add(v + 1) for v in s]
hash([])
x = [3, 2]; x.sort(key=lambda v: x.append(v) or v)
print(range(10)[::3], range(10)[2:8:3], range(10)[::-2], range(10)[8:2:-1], range(10)[5:2], range(0)[1:], range(10)[-3:], range(0, 10, 3)[1:], range(10, 0, -3)[::2], range(10)[::-1][::-1])
print(b'abc'[1:], b'abc'[::-1], b'abc'[5:], b'abc'[-1], b''[::2])
print(1e39 in range(-5, 5), -1e300 in range(5), 2.0 in range(5), 2 ** 70 in range(5), -2 ** 70 in range(5), 1.5 in range(3))
print([1, 2, 3][2 ** 70:], [1, 2, 3][-2 ** 70:], [1, 2, 3][::2 ** 70], [1, 2, 3][::-2 ** 70], 'abc'[2 ** 63:], 'abc'[:-2 ** 63], (1, 2)[-2 ** 63::2 ** 62])
