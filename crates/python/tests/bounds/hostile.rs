//! Blocks that are meant to hang the program, to fill its memory or to end it.

use franz_python::Limits;

use super::bounded;

/// Blocks, each with text that the message about it must contain.
const BLOCKS: &[(&str, &str)] = &[
    // Shared structure: short to write, but endless to unfold.
    (
        "a = 1\nfor i in range(60): a = frozenset([(a, 1), (a, 2)])",
        "NameError: name 'frozenset' is not defined",
    ),
    (
        "a = 1\nfor i in range(50): a = ((a, 1), (a, 2))\nd = {a: 1}",
        "RecursionError",
    ),
    (
        "a = 1\nfor i in range(25): a = ((a, 1), (a, 2))\nd = {a: 1}\nprint(d[a], a in d)",
        "1 True",
    ),
    (
        "a = 1\nd = {}\nfor i in range(5000):\n    a = ((a, 1), (a, 2))\n    d[a] = i\nprint(len(d))",
        "5000",
    ),
    (
        "a = b = 1\nfor i in range(25):\n    a = ((a, 1), (a, 2))\n    b = ((b, 1), (b, 2))\na == b",
        "LimitError",
    ),
    (
        "a = b = 1\nfor i in range(25):\n    a = ((a, 1), (a, 2))\n    b = ((b, 1), (b, 2))\na < b",
        "LimitError",
    ),
    (
        "a = b = 1\nfor i in range(25):\n    a = ((a, 1), (a, 2))\n    b = ((b, 1), (b, 2))\nb in [a, a]",
        "LimitError",
    ),
    (
        "a = b = 1\nfor i in range(25):\n    a = {1: a, 2: a}\n    b = {1: b, 2: b}\na == b",
        "LimitError",
    ),
    (
        "a = 1\nfor i in range(29): a = ((a, 1), (a, 2))\nf'{a!r:>9}'",
        "LimitError",
    ),
    ("a = 1\nfor i in range(40): a = [a, a]\n'%s' % (a,)", "LimitError"),
    (
        "a = ValueError(1)\nfor i in range(50): a = ValueError(a, a)\nraise a",
        "ValueError: the message is too long",
    ),
    (
        "a = 'x'\nfor i in range(50): a = [a, a]\nsorted([a, a, a], key=str)",
        "LimitError",
    ),
    ("a = 1\nfor i in range(40): a = (a, a)\nisinstance(1, a)", "TypeError"),
    // Large keys that are equal.
    ("s = {'a' * 10 ** 7}\nfor i in range(10 ** 6): s - s", "LimitError"),
    (
        "s = 'a' * 10 ** 7\nd = {}\nfor i in range(10 ** 6): d[s[1:]] = i",
        "LimitError",
    ),
    (
        "d = {('k' * 10 ** 6) + str(i): i for i in range(40)}\ndef f(**k): pass\nfor i in range(10 ** 5): f(**d)",
        "LimitError",
    ),
    (
        "d = {'k' + str(i): i for i in range(9000)}\ndef f(**k): pass\nwhile True: f(**d)",
        "LimitError",
    ),
    ("a = 'x' * 10 ** 7\nb = 'x' * 10 ** 7\nwhile a is b: pass", "LimitError"),
    (
        "a = [('x' * 10 ** 6) + str(i) for i in range(9)]\nwhile True: sorted(a)",
        "LimitError",
    ),
    // Strings that grow.
    ("x = 'ab'\nwhile True: x = x.replace('', x)", "LimitError"),
    ("x = 'a' * 30_000_000\nx = f\"{x}{f'{x}{x}'}\"", "LimitError"),
    ("x = 'a,' * 20_000_000\nx.split(',')", "LimitError"),
    ("x = '\\n' * 30_000_000\nx.splitlines()", "LimitError"),
    ("x = '\\t' * 1000\nx.expandtabs(10 ** 6)", "LimitError"),
    ("x = 'a' * 10 ** 6\nx.translate({97: x})", "LimitError"),
    ("x = '\\x00' * 20_000_000\nrepr(x)", "LimitError"),
    ("x = '\u{149}' * 10 ** 7\nwhile True: x = x.upper()", "LimitError"),
    ("('a' * 10 ** 6).strip('b' * 10 ** 6 + 'a')", "LimitError"),
    (
        "x = ('a' * 1000 + 'b') * 1000\nwhile True: x.count('a' * 999 + 'c')",
        "LimitError",
    ),
    ("'%1000000000d' % 1", "LimitError"),
    ("'%*.*f' % (10 ** 9, 10 ** 9, 1)", "LimitError"),
    ("'{:{w}.{w}f}'.format(1, w=10 ** 8)", "LimitError"),
    ("f'{1:{f\"{10 ** 8}\"}}'", "LimitError"),
    ("'{0}' * 10_000_000 % ()", "LimitError"),
    ("('{0}' * 100_000).format('a' * 10 ** 5)", "LimitError"),
    // Large numbers.
    ("1 << 10 ** 8 << 10 ** 8 << 10 ** 9", "LimitError"),
    ("x = 1 << 100_000_000\nwhile True: x = -x", "LimitError"),
    ("x = 1 << 200_000_000\nf'{x:b}'", "LimitError"),
    ("x = 3 ** 10 ** 6\nwhile True: x // 7 ** 9999", "LimitError"),
    ("pow(3, -1, 10 ** 100_000)", "LimitError"),
    ("pow(7, 10 ** 5000, 10 ** 5000 + 1)", "LimitError"),
    ("while True: round(10 ** 100_000, -50_000)", "LimitError"),
    ("sum([1 << 10 ** 6] * 10 ** 5)", "LimitError"),
    ("x = 1 << 10 ** 7\ny = x + 1\nwhile x < y: pass", "LimitError"),
    // Sequences that grow, and intermediate results.
    ("x = [0] * 10 ** 6\nx = [*x, [*x, [*x, [*x]]]]", "LimitError"),
    (
        "x = [0] * 10 ** 5\nprint(*x, [*x, print(*x, [*x, print(*x, *x)])])",
        "LimitError",
    ),
    (
        "x = list(range(2 * 10 ** 5))\ndef f(i): return sorted(x, key=f)\nf(1)",
        "LimitError",
    ),
    ("x = [0] * 10 ** 6\nwhile True: x[::2] = x[1::2]", "LimitError"),
    ("x = [0] * 1000\nwhile True: x[500:500] = x", "LimitError"),
    ("x = [0] * 10 ** 5\nwhile True: x.insert(0, x.pop())", "LimitError"),
    ("x = list(range(10 ** 5))\nwhile True: del x[::3]; x += x", "LimitError"),
    (
        "d = dict.fromkeys(range(10 ** 5))\nfor i in range(99_000): del d[i]\nwhile True: next(iter(d))",
        "LimitError",
    ),
    ("z = set(range(10 ** 5))\nwhile z: z.pop()\nprint('empty')", "empty"),
    ("d = {}\nwhile True: d[len(d)] = d.items(); d == dict(d)", "LimitError"),
    (
        "x = range(10 ** 9)\nfor i in range(50): x = zip(x, x)\nnext(x)",
        "LimitError",
    ),
    (
        "x = iter([0] * 10 ** 6)\nfor i in range(60): x = (y for y in x)\nsum(x)",
        "LimitError",
    ),
    ("x = [0] * 10 ** 5\nwhile True: next(zip(*[x] * 10 ** 5))", "LimitError"),
    // Errors: what they say, and what they keep.
    ("raise ValueError('a' * 10 ** 7)", "ValueError: the message is too long"),
    ("raise ValueError('a' * 10 ** 5)", "aaa\u{2026}"),
    (
        "while True:\n    try: raise KeyError('a' * 10 ** 6)\n    except KeyError as e: str(e)",
        "LimitError",
    ),
    (
        "while True:\n    try: [].index('a' * 10 ** 6)\n    except ValueError: pass",
        "LimitError",
    ),
    (
        "e = ValueError()\nwhile True:\n    try: raise e\n    except ValueError: pass",
        "LimitError",
    ),
    // Depth.
    ("a = ()\nfor i in range(100_000): a = (a,)", "OK"),
    ("a = []\nfor i in range(100_000): a = [a]\nprint(len(a))", "1"),
    ("a = {}\nfor i in range(100_000): a = {0: a}", "OK"),
    (
        "a = iter(())\nfor i in range(20_000): a = iter(map(str, a))\nnext(a, 0)",
        "RecursionError",
    ),
    ("def f(*a): return f(*a, a)\nf()", "RecursionError"),
    ("f = lambda *a: [f(*a, *a)]\nf(1)", "LimitError"),
];

#[test]
fn hostile_blocks_end_within_the_limits() {
    let wrong: Vec<String> = BLOCKS
        .iter()
        .filter_map(|(source, wanted)| {
            let told = bounded(Limits::default(), source);
            let short: String = told.chars().take(300).collect();
            (!told.contains(wanted)).then(|| format!("{source}\n{short}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n======\n"));
}

/// A name as long as a source can be is charged by its length, and so are the errors that repeat it.
#[test]
fn long_names_do_not_bypass_the_limits() {
    let name = "n".repeat(60_000);
    for source in [
        format!("while True:\n    try: {name}\n    except NameError: pass"),
        format!("{name} = 1\nwhile {name}: pass"),
        format!("while True:\n    try: [].{name}\n    except AttributeError: pass"),
        format!("while True:\n    try: print({name}=1)\n    except TypeError: pass"),
        format!("def {name}(): {name}()\n{name}()"),
    ] {
        let told = bounded(Limits::default(), &source);
        assert!(told.contains("Error"), "{}", &told[..told.len().min(300)]);
    }
    let many = (0..9000).map(|n| format!("v{n}")).collect::<Vec<_>>().join(",");
    let source = format!("def f({many}):\n    pass\nwhile True: f(*range(9000))");
    assert!(bounded(Limits::default(), &source).contains("LimitError"));
}

/// The checks before a block runs handle sources of the maximum length, without looking at the whole source again for
/// every part of it.
#[test]
fn long_sources_are_checked_in_time() {
    let joined = |piece: fn(usize) -> String, separator: &str| {
        let pieces: Vec<String> = (0..7000).map(piece).collect();
        pieces.join(separator)
    };
    let names = joined(|n| format!("v{n}"), ",");
    let sources = [
        format!("f({})", joined(|n| format!("v{n}=1"), ",")),
        format!("def f({names}): pass"),
        format!("lambda {names}: 0"),
        format!("def f():\n    global {names}\n    v0 = 1"),
        format!(
            "def f():\n    {} = 1\n    def g():\n        nonlocal {names}\n        v0 = 1",
            joined(|n| format!("v{n}"), "=")
        ),
        format!("match x:\n    case [{names}]: pass"),
        format!("match x:\n    case {{{}}}: pass", joined(|n| format!("{n}:v{n}"), ",")),
        format!("match x:\n    case int({}): pass", joined(|n| format!("k{n}=_"), ",")),
        format!("match x:\n    case {}: pass", joined(|n| format!("{n}"), "|")),
        format!("del {names}"),
        format!("x = {{{}}}", joined(|n| format!("{n}:0"), ",")),
        format!("x = [{}]", joined(|_| "lambda:0".to_owned(), ",")),
        joined(|n| format!("def f{n}():0"), "\n"),
        format!(
            "def f():\n    {names} = 1\n    return [{}]",
            joined(|_| "lambda:v0".to_owned(), ",")
        ),
        joined(|n| format!("print('{n}"), "\n"),
        joined(|_| "f'{x}'".to_owned(), " "),
        joined(|_| "'a' b".to_owned(), "\n"),
        "[(".repeat(30_000),
        "'''\n".repeat(16_001),
        format!("x = {}", "1_".repeat(30_000)),
        format!("x = 0{}", "7".repeat(60_000)),
        format!("x = 1{}", "0".repeat(60_000)),
        "\t \n".repeat(20_000),
        "if x:\n\ty\n        z\n".repeat(3000),
        "\\\n".repeat(30_000),
        "# \u{149}\n".repeat(15_000),
    ];
    for source in sources {
        let limits = Limits {
            source_bytes: 128 << 10,
            ..Limits::default()
        };
        bounded(limits, &source);
    }
}
