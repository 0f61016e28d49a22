//! How the limits of a block affect its actions.

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Limits, Protocol, PythonProtocol, ReplyText};
use proptest::prelude::*;

use super::{protocol, reply, run, told};

#[test]
fn actions_before_a_limit_are_kept() {
    let (actions, told) = run("left_click(1, 1)\nwhile True: pass");
    assert_eq!(actions, ["left_click(1, 1)"]);
    assert!(told.starts_with("  Line 2: while True: pass\nLimitError: "), "{told}");
    assert!(told.ends_with("\n1 action executed before error."), "{told}");
    for source in [
        "while True: left_click(1, 1)",
        "while True: type('a' * 10 ** 4)",
        "while True:\n    try: left_click(1, 1)\n    except: pass",
    ] {
        let (actions, told) = run(source);
        assert_eq!(actions.len(), 500, "{source}");
        assert!(
            told.contains(
                "LimitError: more than 500 actions in one block. Do fewer and look at the screen in between.\n500 actions executed"
            ),
            "{told}"
        );
    }
}

#[test]
fn a_block_that_raises_a_syntax_error_itself_acts_once() {
    let (actions, told) = run("left_click(1, 1)  # \u{70b9}\u{51fb}\u{ff1a}\u{4fdd}\u{5b58}\nraise SyntaxError('x')");
    assert_eq!(actions, ["left_click(1, 1)"], "{told}");
    assert!(told.contains("1 action executed before error."), "{told}");
}

#[test]
fn the_number_of_actions_is_a_setting() {
    let python = PythonProtocol::from(ReadingSettings {
        actions: 2,
        ..ReadingSettings::new(ToolSet::all())
    });
    let plan = python.read(&ReplyText::of(&reply("for i in [1] * 3: left_click(i, i)")));
    assert_eq!(plan.actions().count(), 2);
    assert!(told(&plan).contains("more than 2 actions"));
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn replies_of_any_shape_are_answered(text in "(\\PC|\\n|```|python|<think>|</think>){0,80}") {
        let protocol = protocol(Limits {
            steps: 3_000,
            bytes: 1 << 20,
            ..Limits::default()
        });
        let plan = protocol.read(&ReplyText::of(&text));
        prop_assert!(!told(&plan).is_empty());
    }
}
