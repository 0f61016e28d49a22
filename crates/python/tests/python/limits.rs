//! Nothing that a block does hangs, overflows the stack or uses memory beyond its limits.

use franz_python::Limits;

use super::recorder::Recorder;
use super::{run, run_within};

#[test]
fn every_limit_ends_the_block_with_a_message() {
    let cases = [
        ("while True:\n    pass", "more than 1000000 steps"),
        (
            "while True:\n    try:\n        while True: pass\n    except:\n        pass",
            "more than 1000000 steps",
        ),
        (
            "while True:\n    try:\n        1 / 0\n    except:\n        pass\n    finally:\n        continue",
            "more than 1000000 steps",
        ),
        ("while True: left_click(1, 1)", "more than 500 actions"),
        ("sum(range(10 ** 11))", "more than 1000000 steps"),
        ("list(map(str, range(10 ** 11)))", "LimitError"),
        ("5 in (i for i in range(6, 10 ** 11))", "more than 1000000 steps"),
        ("max(range(10 ** 11))", "more than 1000000 steps"),
        ("any(0 for i in range(10 ** 11))", "more than 1000000 steps"),
        ("sorted(range(10 ** 6, 0, -1))", "LimitError"),
        ("set(range(10 ** 10))", "LimitError"),
        ("range(-2 ** 127)", "OverflowError: Python int too large for a range"),
        (
            "range(-5)[::2 ** 62][::2 ** 62]",
            "OverflowError: Python int too large for a range",
        ),
        ("x = 'a' * 10 ** 9", "67108864 bytes"),
        ("x = [0] * 10 ** 9", "67108864 bytes"),
        ("x = (0,) * 10 ** 9", "67108864 bytes"),
        ("x = [1]\nwhile True: x = x + x", "LimitError"),
        ("x = [1]\nwhile True: x += x", "LimitError"),
        ("x = [1]\nwhile True: x.extend(x)", "LimitError"),
        ("x = [1]\nwhile True: x *= 2", "LimitError"),
        ("x = 'ab'\nwhile True: x = x.replace('a', x)", "LimitError"),
        ("x = 'a'\nwhile True: x = f'{x}{x}'", "LimitError"),
        ("x = 'a'\nwhile True: x = '%s%s' % (x, x)", "LimitError"),
        ("x = 'a'\nwhile True: x = '{0}{0}'.format(x)", "LimitError"),
        ("x = 'a'\nwhile True: x = x.join([x, x, x])", "LimitError"),
        ("x = 'a' * 10 ** 6\nrepr([x] * 1000)", "LimitError"),
        ("x = 'a' * 10 ** 6\nx = ','.join([x] * 1000)", "LimitError"),
        ("x = 10 ** 10 ** 10", "LimitError"),
        ("x = 7 ** 10000000", "LimitError"),
        ("x = 1 << 10 ** 10", "67108864 bytes"),
        ("x = 3\nwhile True: x = x * x", "LimitError"),
        ("x = 3\nwhile True: x *= x", "LimitError"),
        ("pow(3, 10 ** 3000, 10 ** 3000)", "LimitError"),
        ("'a'.ljust(10 ** 10)", "67108864 bytes"),
        ("'a'.center(10 ** 10)", "67108864 bytes"),
        ("'a'.zfill(10 ** 10)", "67108864 bytes"),
        ("'\\t'.expandtabs(10 ** 10)", "67108864 bytes"),
        ("f'{1:1000000000}'", "67108864 bytes"),
        ("f'{1:.1000000000f}'", "67108864 bytes"),
        ("f'{1.5:,.1000000000f}'", "67108864 bytes"),
        ("'%1000000000d' % 1", "67108864 bytes"),
        ("'%.1000000000f' % 1", "67108864 bytes"),
        ("'%*d' % (10 ** 9, 1)", "67108864 bytes"),
        ("'{:1000000000}'.format(1)", "67108864 bytes"),
        ("format('a', '1000000000')", "67108864 bytes"),
        ("while True: type('a' * 10 ** 4)", "more than 500 actions"),
        ("d = {}\ni = 0\nwhile True:\n    d[i] = i\n    i += 1", "LimitError"),
        ("x = ['a']\nwhile True: x.append(x * 1000)", "LimitError"),
        ("x = ()\nwhile True: x = (x, x)\n", "LimitError"),
        ("x = 1\nfor i in range(59): x = (x, x)\nprint(x)", "LimitError"),
        ("x = 1\nfor i in range(59): x = [x, x]\nprint(x)", "LimitError"),
        (
            "x = 1\ny = 1\nfor i in range(59):\n    x = [x, x]\n    y = [y, y]\nx == y",
            "more than 1000000 steps",
        ),
    ];
    for (source, wanted) in cases {
        let (_, told) = run(source);
        assert!(
            told.contains(wanted),
            "{source}\n{}",
            told.chars().take(500).collect::<String>()
        );
    }
}

#[test]
fn recursion_ends_at_cpythons_limit() {
    let cases = [
        (
            "def f(n):\n    return g(n + 1)\ndef g(n):\n    return f(n + 1)\nf(0)",
            "",
        ),
        ("f = lambda: f()\nf()", ""),
        ("def f(x):\n    return list(map(f, [x]))\nf(1)", ""),
        ("def f(x):\n    return sorted([1, 2], key=f)\nf(1)", ""),
        ("def f():\n    try:\n        f()\n    except:\n        pass\nf()", ""),
        ("def f(x):\n    return sum(f(i) for i in [x])\nf(1)", ""),
        ("x = [0]\nfor i in range(5000): x = (y for y in x)\nlist(x)", ""),
        ("x = [0]\nfor i in range(5000): x = map(str, x)\nlist(x)", ""),
        ("x = [0]\nfor i in range(5000): x = enumerate(x)\nlist(x)", ""),
        (
            "x = y = 0\nfor i in range(1000):\n    x = [x]\n    y = [y]\nx == y",
            " in comparison",
        ),
        (
            "x = y = 0\nfor i in range(1000):\n    x = (x,)\n    y = (y,)\nx < y",
            " in comparison",
        ),
        (
            "x = 0\nfor i in range(1000): x = [x]\nrepr(x)",
            " while getting the repr of an object",
        ),
        (
            "x = 0\nfor i in range(1000): x = {1: x}\nprint(x)",
            " while getting the repr of an object",
        ),
        ("x = 0\nfor i in range(1000): x = (x,)\nd = {x}", " while hashing"),
    ];
    for (source, during) in cases {
        let (_, told) = run(source);
        let wanted = format!("\nRecursionError: maximum recursion depth exceeded{during}\n");
        assert!(told.contains(&wanted), "{source}\n{told}");
        assert!(
            told.lines().filter(|line| line.starts_with("  Line ")).count() <= 6,
            "{told}"
        );
    }
}

#[test]
fn actions_before_a_limit_are_kept() {
    let (actions, told) = run("left_click(1, 1)\nwhile True: pass");
    assert_eq!(actions, ["left_click(1, 1)"]);
    assert!(told.starts_with("  Line 2: while True: pass\nLimitError: "), "{told}");
    assert!(told.ends_with("\n1 action executed before error."), "{told}");
    let (actions, _) = run("while True: left_click(1, 1)");
    assert_eq!(actions.len(), 500);
}

#[test]
fn long_text_is_typed_up_to_a_limit() {
    let (actions, told) = run("type('a' * 10_000)");
    assert_eq!(told, "OK: 1 action executed.");
    assert_eq!(actions[0].len(), 10_000 + "type(\"\")".len());
    let (actions, told) = run("left_click(1, 1)\ntype('a' * 10 ** 7)");
    assert!(
        told.contains("ValueError: type() argument 'text' must have at most 10000 characters"),
        "{told}"
    );
    assert_eq!(actions.len(), 1);
}

#[test]
fn limits_are_settings() {
    let limits = Limits {
        source_bytes: 40,
        steps: 100,
        bytes: 1000,
        depth: 3,
        ..Limits::default()
    };
    let cases = [
        (
            "# a comment that is longer than the limit",
            "more than 40 bytes of source",
        ),
        ("while 1: pass", "more than 100 steps"),
        ("x = 'a' * 1000", "more than 1000 bytes"),
        ("f = lambda n: n and f(n - 1)\nf(3)", "RecursionError"),
        ("f = lambda n: n and f(n - 1)\nf(2)", "OK"),
    ];
    for (source, wanted) in cases {
        let (_, told) = run_within(limits, source);
        assert!(told.contains(wanted), "{source}\n{told}");
    }
}

#[test]
fn a_block_ended_by_the_host_skips_every_except() {
    let source = "try:\n    for i in [1] * 3: left_click(i, i)\nexcept BaseException: pass\nfinally: print('never')";
    let (calls, _, told) = Recorder::run(Limits::default(), 2, source);
    assert_eq!(calls.len(), 2);
    assert_eq!(
        told,
        "  Line 2: for i in [1] * 3: left_click(i, i)\nLimitError: more than 2 actions in one block.\n2 actions executed before error."
    );
}

#[test]
fn time_is_a_limit_too() {
    let limits = Limits {
        steps: u64::MAX,
        seconds: 0.01,
        ..Limits::default()
    };
    let (_, told) = run_within(limits, "while True: pass");
    assert!(
        told.contains("LimitError: the block ran longer than 0.01 seconds"),
        "{told}"
    );
    // Work that nothing can interrupt does not begin if it would take too long, however much memory is allowed.
    let limits = Limits {
        bytes: usize::MAX,
        ..limits
    };
    for source in [
        "x = 3 ** 10 ** 9",
        "x = (1 << 10 ** 9) // 7 ** 10 ** 6",
        "x = 'a' * 10 ** 15",
        "x = [0] * 10 ** 15",
        "x = 1 << 10 ** 15",
        "pow(3, 10 ** 3000, 10 ** 3000)",
        "f'{1:1000000000000}'",
        "x = 'a' * 10 ** 6\nwhile True: x = x.title() + x",
        "x = {1}\nwhile True: x |= {(n, len(x)) for n in range(len(x) * 2)}",
    ] {
        let (_, told) = run_within(limits, source);
        assert!(told.contains("the block ran longer than"), "{source}\n{told}");
    }
}

/// Returns a source of the maximum length that is made of a repeated piece.
fn repeated(before: &str, piece: &str, after: &str) -> String {
    let room = Limits::default().source_bytes - before.len() - after.len() - 1;
    format!("{before}{}{after}", piece.repeat(room / piece.len()))
}

#[test]
fn deep_nesting_is_refused_before_the_stack_overflows() {
    let pieces = [
        ("", "(", ""),
        ("x = ", "[", ""),
        ("x = ", "{", ""),
        ("", "f(", ""),
        ("x = ", "-", "1"),
        ("x = ", "not ", "1"),
        ("x = ", "~", "1"),
        ("x = ", "1+", "1"),
        ("x = ", "2**", "1"),
        ("x = a", "[0]", ""),
        ("x = a", ".b", ""),
        ("x = a", "()", ""),
        ("x = ", "1 if 1 else ", "1"),
        ("x = ", "lambda:", "1"),
        ("x = ", "f'{", ""),
        ("x = f'", "{1:", "'"),
        ("x = ", "[a for a in ", ""),
        ("x = ", "*", "a"),
        ("x = ", "{1:", ""),
        ("x=a", "[a:", ""),
        ("x = ", "a and b or ", "c"),
        ("x = ", "a<", "b"),
        ("", "a=", "b"),
        ("", "a.b[c](d)", ""),
        ("match x:\n case ", "[", ""),
        ("match x:\n case ", "1|", "1: pass"),
        ("del ", "(", ""),
        ("", "@f\n", "def f(): pass"),
        ("try: pass\n", "except a: pass\n", ""),
    ];
    for (before, piece, after) in pieces {
        // Check only that it returns, whatever it says.
        let (_, told) = run(&repeated(before, piece, after));
        assert!(
            !told.contains("SystemError"),
            "{piece}\n{}",
            &told[..told.len().min(300)]
        );
    }
}

#[test]
fn many_small_statements_are_accepted() {
    let pieces = [
        ("x = ", "'a'", ""),
        ("if 0: pass\n", "elif 0: pass\n", ""),
        ("print(", "1,", ")"),
        ("", "x = 1\n", ""),
        ("", "x = 1;", ""),
        ("x = '", "x", "'"),
        ("x = [", "[],", "]"),
    ];
    for (before, piece, after) in pieces {
        let (_, told) = run(&repeated(before, piece, after));
        assert!(told.starts_with("OK: "), "{piece}\n{}", &told[..told.len().min(300)]);
    }
    let indented: Vec<String> = (0..330).map(|depth| " ".repeat(depth) + "if 1:").collect();
    let (_, told) = run(&indented.join("\n"));
    assert!(told.contains("SyntaxError"), "{told}");
}

#[test]
fn long_expressions_and_deep_calls_together_fit_on_the_stack() {
    let terms = "+ 1 ".repeat(390);
    let source = format!("def f(n):\n    return (f(n - 1) if n else 0) {terms}\nprint(f(4))\nf(50)");
    let (_, told) = run(&source);
    assert!(
        told.contains("RecursionError"),
        "{}",
        &told[told.len().saturating_sub(300)..]
    );
}
