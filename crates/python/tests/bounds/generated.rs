//! Generated blocks of shared and nested data, on which every builtin, method and operator is tested.

use std::fmt::Write;

use franz_python::Limits;
use proptest::prelude::*;

use super::bounded;

/// Returns limits that are small enough for many blocks, and large enough for memory use to show.
fn limits() -> Limits {
    Limits {
        steps: 100_000,
        bytes: 8 << 20,
        seconds: 60.0,
        ..Limits::default()
    }
}

/// Returns the name of everything that can be called. The tables of charges have all of these names, which the
/// interpreter's own tests check.
fn names() -> Vec<&'static str> {
    let lines = include_str!("../python/charges.rs").lines();
    let names = lines.filter_map(|line| line.trim().strip_prefix("(\"")?.split_once('"'));
    let mut names: Vec<_> = names.map(|(name, _)| name).collect();
    names.retain(|name| {
        name.chars()
            .all(|character| character.is_ascii_alphabetic() || character == '.')
    });
    names.retain(|name| !matches!(*name, "exception" | "for" | "in" | "is" | "not"));
    names.dedup();
    names
}

const VALUES: &[&str] = &[
    "a",
    "b",
    "c",
    "a",
    "b",
    "c",
    "0",
    "3",
    "-1",
    "2.5",
    "10 ** 30",
    "1 << 99999",
    "''",
    "'x'",
    "'a b\\tc\\n'",
    "'{0} {}'",
    "'%s'",
    "'\u{149}' * 999",
    "None",
    "[]",
    "()",
    "{}",
    "[a, b]",
    "(b, a)",
    "{b: a}",
    "a[::-1]",
    "range(9)",
    "range(10 ** 9)",
    "len",
    "str",
    "lambda *x: x",
    "lambda x: (x, a)",
    "(x for x in a)",
    "iter(b)",
];

const GROWTH: &[&str] = &[
    "a = (a, a)",
    "a = [a, b]",
    "a = {1: a, 2: a}",
    "a = ((a, 1), (a, 2))",
    "b = (b, a)",
    "b = [b, b]",
    "a = a + a",
    "a += a",
    "a *= 3",
    "a = f'{a}{b!r:>9}'",
    "a = '%s%r' % (a, b)",
    "a = '{0}{0!r}'.format(a)",
    "c = {a: b}",
    "c = {a, b}",
    "c = a == b",
    "c = a < b",
    "c = a in b",
    "c = sorted([a, b, a], key=repr)",
    "c = [x for x in a for y in b]",
    "a = [*a, *a]",
    "a.append(a)",
    "a[1:1] = a",
    "b = a[::2]",
    "c = str(a)",
    "raise ValueError(a, b)",
    "c = ValueError(a, c)",
    "a = -a",
    "a = a ** 3",
    "a = a << 999",
    "a = a * a",
    "del a[::2]",
    "a = tuple(b)",
    "a = b = c",
    "a, b = b, a",
    "a, *b = a",
    "c = a.__class__",
    "left_click(a, b)",
    "type(a)",
    "print(a)",
    "c = (x for x in a)",
    "a = map(str, a)",
    "a = zip(a, a)",
    "b = 'ab' * 9999",
    "b = list(range(999))",
    "b = dict(zip(range(99), a))",
    "b = 3 ** 9999",
    "a = a % b",
    "a = a // b",
    "f = lambda *x: f(*x, *x)\n        f(a)",
    "match a:\n            case [x, *y]: b = y\n            case {1: x}: b = x",
];

fn call() -> impl Strategy<Value = String> {
    let parts = (
        prop::sample::select(names()),
        prop::sample::select(VALUES),
        prop::collection::vec(prop::sample::select(VALUES), 0..4),
        prop::sample::select(&["a", "b", "c"][..]),
    );
    parts.prop_map(|(name, owner, arguments, target)| {
        let arguments = arguments.join(", ");
        match name.split_once('.') {
            Some((_, method)) => format!("{target} = ({owner}).{method}({arguments})"),
            None => format!("{target} = {name}({arguments})"),
        }
    })
}

/// Returns blocks whose lines run again and again. An error in one line does not affect the others.
fn block() -> impl Strategy<Value = String> {
    let line = prop_oneof![2 => call(), 3 => prop::sample::select(GROWTH).prop_map(str::to_owned)];
    let line = (prop::sample::select(&[1, 1, 2, 30, 1000][..]), line);
    prop::collection::vec(line, 1..12).prop_map(|lines| {
        let mut source = "a = [1, 'b', (2.5, None)]\nb = 'xyz'\nc = {1: 2}\n".to_owned();
        for (times, line) in lines {
            let _ = write!(
                source,
                "for i in range({times}):\n    try:\n        {line}\n    except Exception as e: c = e\n"
            );
        }
        source
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_blocks_end_within_the_limits(source in block()) {
        bounded(limits(), &source);
    }
}

#[test]
fn every_callable_stays_within_the_limits() {
    let names = names();
    assert!(names.len() > 120, "{names:?}");
    // Call everything on every value, in blocks that continue after errors.
    for owner in VALUES {
        let mut source = "a = ['x', (1, 2)] * 9\nb = 'xyz' * 99\nc = {1: 2}\n".to_owned();
        for name in &names {
            let call = match name.split_once('.') {
                Some((_, method)) => format!("({owner}).{method}"),
                None => (*name).to_owned(),
            };
            for arguments in ["", owner, "b", "10 ** 9", "'', 10 ** 9", "a, b"] {
                let _ = write!(source, "try: {call}({arguments})\nexcept Exception: pass\n");
            }
        }
        bounded(
            Limits {
                source_bytes: 1 << 20,
                ..limits()
            },
            &source,
        );
    }
}
