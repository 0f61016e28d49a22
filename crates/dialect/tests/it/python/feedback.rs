//! The exact feedback that a model gets.

use franz_action::{Outcome, ToolSet};
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Builtins, Geometry, Protocol, PythonProtocol, ReplySpan, ReplyText, Scene, Space};

const TOOLS: &str = "\n\nAvailable tools:\
\n  drag(x1, y1, x2, y2) -- drag in a straight line from (x1,y1) to (x2,y2)\
\n  left_click(x, y) -- click the left mouse button at (x,y)\
\n  screenshot() -- take a fresh screenshot\
\n  type(text) -- type text at the last click position";

fn protocol() -> PythonProtocol {
    PythonProtocol::from(ReadingSettings::new(ToolSet::of([
        "left_click",
        "drag",
        "type",
        "screenshot",
    ])))
}

fn feedback(reply: &str) -> String {
    let plan = protocol().read(&ReplyText::of(reply));
    plan.feedback(&plan.all_done(), &Scene::default())
}

fn block(source: &str) -> String {
    format!("I draw.\n\n```python\n{source}\n```\n")
}

#[test]
fn success_lists_no_tools() {
    let cases = [
        (
            block("for i in range(8):\n    drag(i, 0, 0, i)"),
            "OK: 8 actions executed.",
        ),
        (block("left_click(1, 2)"), "OK: 1 action executed."),
        (block(""), "OK: 0 actions executed (empty ```python block)."),
        (
            block("# nothing\n\n"),
            "OK: 0 actions executed (empty ```python block).",
        ),
        (block("x = 5"), "OK: 0 actions executed."),
        (block("screenshot()"), "OK: 0 actions executed."),
        (block("screenshot()\nleft_click(1, 2)"), "OK: 1 action executed."),
        (block("\u{feff}left_click(1, 2)"), "OK: 1 action executed."),
        (
            block("print('hi')\nleft_click(1, 2)\nprint(3)"),
            "OK: 1 action executed.\nOutput:\nhi\n3",
        ),
        (
            block("left_click(1, 2)") + &block("drag(1)"),
            "WARNING: 2 ```python blocks found. Only the first executed.\nOK: 1 action executed.",
        ),
    ];
    for (reply, wanted) in cases {
        assert_eq!(feedback(&reply), wanted, "{reply}");
    }
}

#[test]
fn errors_show_the_models_own_lines_and_the_tools() {
    let cases = [
        (
            "I only talk.".to_owned(),
            "SyntaxError: no ```python block found in your output. Wrap tool calls in ```python ... ```",
        ),
        (
            "```python\nleft_click(1, 2)\n".to_owned(),
            "SyntaxError: the ```python block is not closed. End it with ```",
        ),
        (
            block("drag(350, 290, 410)"),
            "  Line 1: drag(350, 290, 410)\n\
             TypeError: drag() missing 1 required positional argument: 'y2'\n\
             0 actions executed before error.",
        ),
        (
            block("left_click(1, 1)\n\nfoo(3)"),
            "  Line 3: foo(3)\nNameError: name 'foo' is not defined\n1 action executed before error.",
        ),
        (
            block("left_click('a', 1)"),
            "  Line 1: left_click('a', 1)\n\
             TypeError: left_click() argument 'x' must be a number, not str\n\
             0 actions executed before error.",
        ),
        (
            block("left_click(float('nan'), 1)"),
            "  Line 1: left_click(float('nan'), 1)\n\
             ValueError: left_click() argument 'x' must be finite, not nan\n\
             0 actions executed before error.",
        ),
        (
            block("press('enter')"),
            "  Line 1: press('enter')\nNameError: name 'press' is not defined\n0 actions executed before error.",
        ),
        (
            block("left_click(1, 1)\nleft_click(2, 2\nprint(1)"),
            "  Line 2: left_click(2, 2\nSyntaxError: '(' was never closed\n0 actions executed before error.",
        ),
        (
            block("left_click(1, 1)\nimport math"),
            "  Line 2: import math\n\
             ImportError: 'import' is not available here. Use the tools and the built-in functions.\n\
             1 action executed before error.",
        ),
        (
            block("print('a')\nraise ValueError"),
            "  Line 2: raise ValueError\nValueError\n0 actions executed before error.\nOutput:\na",
        ),
        (
            block("def f(n):\n    g(n)\ndef g(n):\n    drag(n,\n         2)\n    pass\nf(1)"),
            "  Line 7: f(1)\n  Line 2: g(n)\n  Line 4: drag(n,\n\
             TypeError: drag() missing 2 required positional arguments: 'x2' and 'y2'\n\
             0 actions executed before error.",
        ),
        (
            block("class A:\n    pass"),
            "  Line 1: class A:\n\
             SyntaxError: class definitions are not available here. Use functions, lists and dicts.\n\
             0 actions executed before error.",
        ),
        (
            block("def f():\n    yield 1"),
            "  Line 2: yield 1\n\
             SyntaxError: 'yield' is not available here. Build a list and return it.\n\
             0 actions executed before error.",
        ),
        (
            block("async def f():\n    pass"),
            "  Line 1: async def f():\n\
             SyntaxError: 'async' is not available here. Define a plain function.\n\
             0 actions executed before error.",
        ),
        (
            block(r#"type("C:\Users")"#),
            "  Line 1: type(\"C:\\Users\")\n\
             SyntaxError: (unicode error) an escape in a string is incomplete. Write '\\\\' for a backslash.\n\
             0 actions executed before error.",
        ),
        (
            block("print((1).__class__)"),
            "  Line 1: print((1).__class__)\n\
             AttributeError: 'int' object has no attribute '__class__'\n\
             0 actions executed before error.",
        ),
    ];
    for (reply, wanted) in cases {
        assert_eq!(feedback(&reply), format!("{wanted}{TOOLS}"), "{reply}");
    }
}

#[test]
fn a_warning_stands_before_an_error() {
    let reply = block("drag(1, 2, 3)") + &block("x");
    let wanted = "WARNING: 2 ```python blocks found. Only the first executed.\n  Line 1: drag(1, 2, 3)\n\
                  TypeError: drag() missing 1 required positional argument: 'y2'\n0 actions executed before error.";
    assert_eq!(feedback(&reply), format!("{wanted}{TOOLS}"));
}

/// Returns the feedback for a block whose actions had these outcomes.
fn with_outcomes(source: &str, outcomes: &[Outcome]) -> String {
    let plan = protocol().read(&ReplyText::of(&block(source)));
    assert_eq!(plan.steps.len(), outcomes.len(), "{source}");
    plan.feedback(outcomes, &Scene::default())
}

fn not_applied() -> Outcome {
    Outcome::NotApplied("type() requires a prior left_click() to set cursor position".to_owned())
}

#[test]
fn actions_without_effect_are_errors() {
    let meow = "RuntimeError: type(\"meow\") was not applied \
                (type() requires a prior left_click() to set cursor position)";
    assert_eq!(
        with_outcomes("type('meow')", &[not_applied()]),
        format!("{meow}\n0 actions executed.{TOOLS}")
    );
    assert_eq!(
        with_outcomes(
            "type('meow')\ntype('meow')\nleft_click(1, 1)",
            &[not_applied(), not_applied(), Outcome::DONE]
        ),
        format!("{meow}\n1 action executed.{TOOLS}")
    );
    assert_eq!(
        with_outcomes("type('meow')\ndrag(1)", &[not_applied()]),
        format!(
            "{meow}\n  Line 2: drag(1)\n\
             TypeError: drag() missing 3 required positional arguments: 'y1', 'x2', and 'y2'\n\
             0 actions executed before error.{TOOLS}"
        )
    );
    let many = with_outcomes("for i in range(9): type(str(i))", &vec![not_applied(); 9]);
    assert_eq!(many.matches("RuntimeError:").count(), 5);
}

#[test]
fn actions_that_were_not_performed_are_not_counted() {
    let source = "left_click(1, 1)\nleft_click(2, 2)\nleft_click(3, 3)";
    let note = Outcome::Done(Some("a note".to_owned()));
    assert_eq!(
        with_outcomes(source, &[note, Outcome::BLOCKED, Outcome::DONE]),
        "OK: 2 actions executed."
    );
    assert_eq!(
        with_outcomes(source, &[Outcome::DONE, Outcome::Interrupted, Outcome::Interrupted]),
        "Interrupted: 1 of 3 actions were performed."
    );
    let blocked = Outcome::Blocked(Some("it is masked".to_owned()));
    assert_eq!(
        with_outcomes(source, &[Outcome::DONE, blocked, Outcome::DONE]),
        format!("RuntimeError: left_click(2, 2) was blocked (it is masked)\n2 actions executed.{TOOLS}")
    );
    let withdrawn = || Outcome::Withdrawn("a new goal".to_owned());
    assert_eq!(
        with_outcomes(source, &[Outcome::DONE, withdrawn(), withdrawn()]),
        "Withdrawn: 1 of 3 actions were performed."
    );
}

#[test]
fn an_outside_place_ends_the_block_and_is_never_moved_to_the_edge() {
    for call in ["left_click(2000, 5)", "left_click(10 ** 400, 5)", "left_click(-1, 5)"] {
        let told = feedback(&block(&format!("left_click(1, 2)\n{call}\nleft_click(3, 4)")));
        let why = "ValueError: left_click(): the place is outside: x goes from 0 to 1000 and y from 0 to 1000\n\
                   1 action executed before error.";
        assert!(told.contains(why), "{told}");
    }
    let told = feedback(&block(
        "try:\n    left_click(0.5, 0.25)\nexcept ValueError as error:\n    print(error)",
    ));
    let why = "left_click(): fractions are not used here: x goes from 0 to 1000 and y from 0 to 1000";
    assert!(told.contains(why), "{told}");
}

#[test]
fn feedback_repeats_numbers_as_the_model_wrote_them() {
    let pixels = PythonProtocol::from(ReadingSettings {
        geometry: Geometry {
            space: Space::Pixels,
            picture: Some((1344, 896)),
            screen: Some((1920, 1080)),
            ..Geometry::THOUSANDTHS
        },
        ..ReadingSettings::new(ToolSet::all())
    });
    let plan = pixels.read(&ReplyText::of(&block("drag(672, 10, 1343, 895)")));
    let why = Outcome::NotApplied("there is nothing".to_owned());
    let told = plan.feedback(&[why], &Scene::default());
    assert!(told.contains("drag(672, 10, 1343, 895) was not applied"), "{told}");
    assert_eq!(plan.steps[0].text, "drag(500.38, 11.27, 999.89, 999.9)");
}

#[test]
fn strict_leaves_out_the_builtins() {
    let strict = PythonProtocol::from(ReadingSettings {
        builtins: Builtins::Absent,
        ..ReadingSettings::new(ToolSet::all())
    });
    for (source, wanted) in [
        ("print(1)", "NameError: name 'print' is not defined"),
        ("for i in range(3): pass", "NameError: name 'range' is not defined"),
        ("raise ValueError('a')", "NameError: name 'ValueError' is not defined"),
        ("[1][5]", "IndexError: list index out of range"),
    ] {
        let plan = strict.read(&ReplyText::of(&block(source)));
        let feedback = plan.feedback(&[], &Scene::default());
        assert!(feedback.contains(wanted), "{feedback}");
    }
    let plan = strict.read(&ReplyText::of(&block(
        "i = 0\nwhile i < 3:\n    left_click(i, i)\n    i += 1",
    )));
    assert_eq!(plan.actions().count(), 3);
}

#[test]
fn long_things_are_cut() {
    let long = "x".repeat(5000);
    let feedback_of = |source: String| feedback(&block(&source)).len();
    assert!(feedback_of(format!("left_click('{long}')")) < 1000);
    assert!(feedback_of(format!("raise ValueError('{long}')")) < 2000);
    assert!(feedback_of("while True: print('y' * 1000)".to_owned()) < 3000);
    let typed = with_outcomes(&format!("type('{long}')"), &[not_applied()]);
    assert!(typed.len() < 1000);
}

#[test]
fn every_step_points_to_its_source_in_the_reply() {
    let reply = "I draw.\n\n  ```python\n  for i in range(2):\n      left_click(i, i)\n  screenshot()\n  ```\n";
    let plan = protocol().read(&ReplyText::of(reply));
    let places: Vec<&str> = plan
        .steps
        .iter()
        .map(|step| match &step.span {
            ReplySpan::Text(range) => &reply[range.clone()],
            ReplySpan::ToolCalls(_) => panic!("no tool calls here"),
        })
        .collect();
    assert_eq!(places, ["left_click(i, i)", "left_click(i, i)", "screenshot()"]);
}
