//! Random mixtures of Python's own words, and every recorded case cut off anywhere. Each of them gets an answer.

use franz_python::Limits;
use proptest::prelude::*;

use super::recorded::{cases, text};
use super::run_within;

/// Returns limits that are small, so that many mixtures can be tried.
fn small() -> Limits {
    Limits {
        steps: 3_000,
        bytes: 1 << 20,
        ..Limits::default()
    }
}

const WORDS: &[&str] = &[
    "a",
    "b",
    "f",
    "x",
    "_",
    "1",
    "0",
    "-1",
    "2.5",
    "10**30",
    "'s'",
    "\"\"",
    "b'y'",
    "f'{a}'",
    "f'{a!r:>{b}}'",
    "None",
    "True",
    "...",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ";",
    ".",
    "=",
    "==",
    "<",
    ">",
    "!=",
    ":=",
    "+",
    "-",
    "*",
    "**",
    "/",
    "//",
    "%",
    "@",
    "&",
    "|",
    "^",
    "~",
    "<<",
    ">>",
    "+=",
    "->",
    "\\",
    "\n",
    "\n    ",
    "\n        ",
    "\t",
    " ",
    "#",
    "if ",
    "elif ",
    "else:",
    "for ",
    " in ",
    " not ",
    " is ",
    " and ",
    " or ",
    "while ",
    "def f(a, *b, c=1, **d):",
    "return ",
    "lambda a: ",
    "yield ",
    "await ",
    "class A:",
    "try:",
    "except:",
    "except E as e:",
    "finally:",
    "raise ",
    "assert ",
    "del ",
    "global a",
    "nonlocal a",
    "with ",
    " as ",
    "import ",
    "from ",
    "pass",
    "break",
    "continue",
    "match x:",
    "case _:",
    "case [a, *b]:",
    "case {'k': v}:",
    "case int(n):",
    "left_click",
    "left_click(1, 2)",
    "drag(1, 2, 3)",
    "type",
    "print(",
    "range(",
    "len(",
    "sorted(",
    "str",
    "int(",
    "list(",
    "dict(",
    "zip(",
    "map(",
    "sum(",
    "max(",
    ".append(",
    ".join(",
    ".format(",
    ".split()",
    ".items()",
    ".upper()",
    ".pop(",
    ".sort(key=",
    "[::-1]",
    "[1:2]",
    "{1: 2}",
    "{*a}",
    "(*a, b)",
    "[a for a in b]",
    "(a for a in b)",
    "{a: b for a in b}",
    "iter(",
    "next(",
    "\u{a0}",
    "\u{201c}",
    "\u{0}",
    "\u{feff}",
    "é",
    "```",
    "'''",
    "0x",
    "1e9",
    "1_0",
    "5a",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn soups_are_answered(words in prop::collection::vec(prop::sample::select(WORDS), 0..25)) {
        let source = words.concat();
        let (_, told) = run_within(small(), &source);
        prop_assert!(!told.contains("SystemError"), "{source:?}\n{told}");
    }

    #[test]
    fn lines_of_sensible_code_are_answered(
        lines in prop::collection::vec(prop::sample::select(SENSIBLE), 1..12),
    ) {
        let source = lines.join("\n");
        let (_, told) = run_within(small(), &source);
        prop_assert!(!told.contains("SystemError"), "{source}\n{told}");
    }
}

/// Lines that mostly run, in any order, on values of any type.
const SENSIBLE: &[&str] = &[
    "a = [1, 'b', 2.5, None, (1, 2), {'k': [3]}]",
    "b = {1: a if 'a' == 'b' else 2, 'x': (1,), (1, 2): 'y'}",
    "a = range(10)[::-2]",
    "a = 'h\u{e9}llo w\u{f6}rld'",
    "b = a",
    "a, b = b, a",
    "a = [a, a]",
    "a = (a,)",
    "a = {1, 2, 3} | {4}",
    "a.append(a)",
    "a += a",
    "a *= 3",
    "a = a[1:]",
    "a[0] = b",
    "del a[0]",
    "b = sorted(a, key=str)",
    "b = list(zip(a, a))",
    "b = [x for x in a for y in b if x]",
    "b = (x for x in a)",
    "a = iter(a)",
    "b = next(a)",
    "print(a, b, sep=b)",
    "print(f'{a!r:>30} {b}')",
    "a = '%s %r' % (a, b)",
    "a = '{0} {1!r}'.format(a, b)",
    "a = str(a)",
    "b = a == b",
    "b = a < b",
    "b = a in b",
    "d = {a: b}",
    "a = lambda x: b",
    "def f(*x, **k): return f(*x[1:], **k) if x else k",
    "b = f(1, 2, a, k=b)",
    "for i, x in enumerate(a): b = x",
    "while a: a = a and a[1:]",
    "try: b = a[b]\nexcept Exception as e: b = str(e)",
    "match a:\n    case [x, *y]: b = y\n    case {'k': v}: b = v\n    case str(s) | s: b = s",
    "left_click(a, b)",
    "type(a)",
    "a = a ** b",
    "a = -a",
    "a = a << b",
    "a = a // b",
    "a = 10 ** 40",
    "a = 1e300 * 1e10",
    "a = left_click",
    "a = a.upper",
    "a = a()",
    "a = max(a, default=b)",
    "a = sum(a)",
    "a = reversed(a)",
    "a = a.items()",
    "a.update(b)",
    "a.sort(reverse=True)",
    "assert a, b",
    "raise ValueError(a, b)",
];

#[test]
fn cut_cases_are_answered() {
    for case in cases() {
        let source = text(&case, "source");
        // Try every prefix of the short cases, and some prefixes of the long ones.
        let step = (source.len() / 40).max(1);
        for (end, _) in source.char_indices().step_by(step) {
            let (_, told) = run_within(small(), &source[..end]);
            assert!(!told.contains("SystemError"), "{:?}\n{told}", &source[..end]);
        }
    }
}
