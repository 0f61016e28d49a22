//! Every builtin, method, operator and kind of expression is charged by the size of the data that it works on. Each new
//! one must be added to these tables, which a test next to the interpreter's own tables checks. Anything listed as
//! constant must not look at large values.

use std::sync::LazyLock;

use franz_python::{Limits, Work};

use super::recorder::{MOST_CALLS, Recorder};

/// Large values, one of each kind. Each of them is well over 50,000 bytes long.
const LARGE: &str = "s = 'ab c' * 50_000\nu = 'ab\u{e9}c' * 50_000\nw = s + 'z'\nl = list(range(8000))\nm = l + [1]\nt = tuple(l)\n\
d = {i: i for i in l}\ne = dict(d)\nz = set(l)\ny = set(m)\nn = 1 << 500_000\nk = n + 1\nb = s.encode()\nr = range(10 ** 6)\n\
f = '%s' * 8000\ng = '{}' * 2000\nq = ['ab'] * 8000\nx = 0.5\n";

/// Names, each with an expression that a large value makes expensive.
const LINEAR: &[(&str, &str)] = &[
    ("abs", "abs(-n)"),
    ("all", "all(l[1:])"),
    ("any", "any([0] * 8000)"),
    ("dict", "dict(d)"),
    ("divmod", "divmod(n, 7)"),
    ("enumerate", "list(enumerate(l))"),
    ("filter", "list(filter(None, l))"),
    ("float", "float(' ' * 100_000 + '1')"),
    ("format", "format(s, '5')"),
    ("hex", "hex(n)"),
    ("int", "int(' ' * 100_000 + '1')"),
    ("list", "list(t)"),
    ("map", "list(map(bool, l))"),
    ("max", "max(l)"),
    ("min", "min(l)"),
    ("oct", "oct(n)"),
    ("ord", "ord(s)"),
    ("pow", "pow(n, 2)"),
    ("print", "print(s)"),
    ("repr", "repr(s)"),
    ("repr", "repr(l)"),
    ("reversed", "reversed(s)"),
    ("round", "round(n, -1000)"),
    ("set", "set(l)"),
    ("sorted", "sorted(l)"),
    ("str", "str(l)"),
    ("sum", "sum(l)"),
    ("tuple", "tuple(l)"),
    ("zip", "list(zip(l, t))"),
    ("str.capitalize", "s.capitalize()"),
    ("str.casefold", "s.casefold()"),
    ("str.center", "s.center(9)"),
    ("str.center", "'a'.center(400_000)"),
    ("str.count", "s.count('z')"),
    ("str.encode", "s.encode()"),
    ("str.endswith", "s.endswith('z')"),
    ("str.endswith", "''.endswith(('z',) * 8000)"),
    ("str.expandtabs", "s.expandtabs()"),
    ("str.expandtabs", "'\\t'.expandtabs(400_000)"),
    ("str.find", "s.find('z')"),
    ("str.format", "s.format()"),
    ("str.format", "g.format(*l)"),
    ("str.format_map", "s.format_map({})"),
    ("str.index", "s.index('c')"),
    ("str.isalnum", "s.isalnum()"),
    ("str.isalpha", "s.isalpha()"),
    ("str.isascii", "s.isascii()"),
    ("str.isdecimal", "s.isdecimal()"),
    ("str.isdigit", "s.isdigit()"),
    ("str.isidentifier", "s.isidentifier()"),
    ("str.islower", "s.islower()"),
    ("str.isnumeric", "s.isnumeric()"),
    ("str.isprintable", "s.isprintable()"),
    ("str.isspace", "s.isspace()"),
    ("str.istitle", "s.istitle()"),
    ("str.isupper", "s.isupper()"),
    ("str.join", "s.join('ab')"),
    ("str.join", "''.join(q)"),
    ("str.ljust", "s.ljust(9)"),
    ("str.ljust", "'a'.ljust(400_000)"),
    ("str.lower", "s.lower()"),
    ("str.lstrip", "s.lstrip()"),
    ("str.partition", "s.partition('z')"),
    ("str.removeprefix", "s.removeprefix('a')"),
    ("str.removesuffix", "s.removesuffix('a')"),
    ("str.replace", "s.replace('z', '')"),
    ("str.replace", "''.replace('', s)"),
    ("str.rfind", "s.rfind('z')"),
    ("str.rindex", "s.rindex('a')"),
    ("str.rjust", "s.rjust(9)"),
    ("str.rpartition", "s.rpartition('z')"),
    ("str.rsplit", "s.rsplit()"),
    ("str.rstrip", "s.rstrip()"),
    ("str.split", "s.split()"),
    ("str.split", "s.split('z')"),
    ("str.splitlines", "s.splitlines()"),
    ("str.startswith", "s.startswith('z')"),
    ("str.strip", "s.strip()"),
    ("str.strip", "('ab' * 1000).strip('xyab' * 100)"),
    ("str.swapcase", "s.swapcase()"),
    ("str.title", "s.title()"),
    ("str.translate", "s[:8000].translate({})"),
    ("str.upper", "s.upper()"),
    ("str.zfill", "s.zfill(9)"),
    ("str.zfill", "'a'.zfill(400_000)"),
    ("str.maketrans", "str.maketrans('ab' * 9000, 'ba' * 9000)"),
    ("list.copy", "l.copy()"),
    ("list.count", "l.count(None)"),
    ("list.extend", "[].extend(l)"),
    ("list.index", "l.index(7999)"),
    ("list.insert", "l.insert(0, 1)"),
    ("list.pop", "l.pop(0)"),
    ("list.remove", "l.remove(7999)"),
    ("list.reverse", "l.reverse()"),
    ("list.sort", "l.sort()"),
    ("tuple.count", "t.count(None)"),
    ("tuple.index", "t.index(7999)"),
    ("range.count", "range(8000).count(None)"),
    ("range.index", "range(8000).index(7999)"),
    ("dict.copy", "d.copy()"),
    ("dict.fromkeys", "dict.fromkeys(l)"),
    ("dict.update", "{}.update(d)"),
    ("dict.get", "{}.get(t)"),
    ("dict.pop", "{}.pop(s, 0)"),
    ("dict.setdefault", "{}.setdefault(t)"),
    ("set.add", "set().add(t)"),
    ("set.copy", "z.copy()"),
    ("set.difference", "z.difference(l)"),
    ("set.difference_update", "z.difference_update(l)"),
    ("set.discard", "z.discard(t)"),
    ("set.intersection", "z.intersection(l)"),
    ("set.intersection_update", "z.intersection_update(l)"),
    ("set.isdisjoint", "z.isdisjoint(l)"),
    ("set.issubset", "z.issubset(l)"),
    ("set.issuperset", "z.issuperset(l)"),
    ("set.remove", "z.remove(0) or z.discard(t)"),
    ("set.symmetric_difference", "z.symmetric_difference(l)"),
    ("set.symmetric_difference_update", "z.symmetric_difference_update(l)"),
    ("set.union", "z.union(l)"),
    ("set.update", "z.update(l)"),
    ("int.as_integer_ratio", "n.as_integer_ratio()"),
    ("int.bit_count", "n.bit_count()"),
    ("int.bit_length", "n.bit_length()"),
    ("bytes.decode", "b.decode()"),
    ("bytes.hex", "b.hex()"),
    // Operators and kinds of expressions.
    ("+", "s + ''"),
    ("+", "l + []"),
    ("+", "t + ()"),
    ("+", "n + 1"),
    ("-", "n - 1"),
    ("-", "z - y"),
    ("-", "-n"),
    ("~", "~n"),
    ("*", "'a' * 400_000"),
    ("*", "[0] * 8000"),
    ("*", "(0,) * 8000"),
    ("*", "n * n"),
    ("/", "n / k"),
    ("//", "n // 3"),
    ("%", "n % 3"),
    ("%", "s % ()"),
    ("%", "f % t"),
    ("%", "'%400000d' % 1"),
    ("%", "'%.100000f' % 1"),
    ("**", "3 ** 500_000"),
    ("<<", "1 << 4_000_000"),
    (">>", "n >> 1"),
    ("&", "n & k"),
    ("&", "z & y"),
    ("|", "n | k"),
    ("|", "z | y"),
    ("|", "d | e"),
    ("^", "n ^ k"),
    ("^", "z ^ y"),
    ("==", "s + '' == s"),
    ("==", "l == list(l)"),
    ("==", "t == tuple(l)"),
    ("==", "d == e"),
    ("==", "z == set(l)"),
    ("==", "n + 1 == k"),
    ("==", "b == s.encode()"),
    ("is", "s + '' is s"),
    ("<", "s < w"),
    ("<", "l < m"),
    ("<", "z < y"),
    ("<", "n < k"),
    ("in", "'z' in s"),
    ("in", "None in l"),
    ("in", "None in d.values()"),
    ("in", "t in d"),
    ("in", "n in z"),
    ("[]", "s[1:]"),
    ("[]", "s[::-1]"),
    ("[]", "u[1]"),
    ("[]", "u[1:]"),
    ("[]", "l[1:]"),
    ("[]", "t[::2]"),
    ("[]", "b[1:]"),
    ("[]", "{0: 1}.get(s) or {0: 1}[0]"),
    ("f''", "f'{s}'"),
    ("f''", "f'{l}'"),
    ("f''", "f'{1:400000}'"),
    ("f''", "f'{n:b}'"),
    ("f''", "f'{n:,x}'[:0] if 0 else f'{n:_x}'"),
    ("f''", "f'{x:.100000f}'"),
    ("f''", "f'{s!r}'"),
    ("f''", "f'{u!a}'"),
    ("f''", "f'{d.items()}'"),
    ("f''", "f'{z}'"),
    ("*x", "[*l]"),
    ("*x", "print(*l[:7000])"),
    ("*x", "{**d}"),
    ("for", "[i for i in l]"),
    ("for", "{i for i in l}"),
    ("for", "{i: i for i in l}"),
    ("for", "sum(i for i in l)"),
    ("for", "[i for i in s[:8000]]"),
    ("exception", "str(ValueError(s))"),
    ("exception", "ValueError(l[:9]).args and repr(ValueError(s))"),
];

/// Names, each with an expression that costs the same whatever it is given.
const CONSTANT: &[(&str, &str)] = &[
    ("bool", "bool(s)"),
    ("chr", "chr(65)"),
    ("isinstance", "isinstance(s, str)"),
    ("iter", "iter(l)"),
    ("len", "len(s) + len(l) + len(d) + len(z) + len(r)"),
    ("next", "next(iter(l))"),
    ("range", "range(10 ** 9)"),
    ("reversed", "reversed(l)"),
    ("list.append", "l.append(1)"),
    ("list.clear", "l.clear()"),
    ("list.pop", "l.pop()"),
    ("dict.clear", "d.clear()"),
    ("dict.items", "d.items()"),
    ("dict.keys", "d.keys()"),
    ("dict.popitem", "d.popitem()"),
    ("dict.values", "d.values()"),
    ("set.clear", "z.clear()"),
    ("set.pop", "z.pop()"),
    ("float.as_integer_ratio", "x.as_integer_ratio()"),
    ("float.conjugate", "x.conjugate()"),
    ("float.is_integer", "x.is_integer()"),
    ("int.conjugate", "n.conjugate()"),
    ("in", "5 in d"),
    ("in", "5 in r"),
    ("[]", "s[9] + s[-1]"),
    ("[]", "l[9] + t[9] + d[9] + b[9]"),
    ("is", "l is m"),
    ("not", "not s"),
];

/// Returns the work that a source took. The source may fail only with Python's own errors.
fn work(source: &str) -> Work {
    let limits = Limits {
        steps: 100_000_000,
        seconds: 600.0,
        bytes: 1 << 30,
        ..Limits::default()
    };
    let (_, ran, told) = Recorder::run(limits, MOST_CALLS, source);
    assert!(
        !told.contains("LimitError") && !told.contains("SyntaxError"),
        "{source}\n{told}"
    );
    ran.work
}

/// Returns the steps that an expression adds to a block with the large values.
fn steps(expression: &str) -> u64 {
    static WITHOUT: LazyLock<u64> = LazyLock::new(|| work(LARGE).steps);
    work(&format!("{LARGE}{expression}")).steps - *WITHOUT
}

#[test]
fn every_operation_is_charged_for_its_work() {
    for (name, expression) in LINEAR {
        let steps = steps(expression);
        assert!(steps >= 250, "{name}: {expression} took {steps} steps");
    }
    for (name, expression) in CONSTANT {
        let steps = steps(expression);
        assert!(steps <= 60, "{name}: {expression} took {steps} steps");
    }
}

/// Twice the input takes about twice the steps or more, so nothing is charged only once.
#[test]
fn more_input_costs_more() {
    for (name, expression) in LINEAR.iter().filter(|(_, expression)| expression.contains("s.")) {
        let twice = expression.replace("s.", "(s + s).");
        let (once, twice) = (steps(expression), steps(&twice) - steps("s + s"));
        assert!(
            2 * twice >= 3 * once,
            "{name}: {expression} took {once}, then {twice} steps"
        );
    }
}
