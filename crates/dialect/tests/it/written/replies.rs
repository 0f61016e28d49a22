//! What must hold for the plan of any reply.

use std::ops::Range;

use franz_action::{Action, Button, Tool, Verb};
use franz_dialect::{Plan, ReplySpan, ReplyText};
use proptest::prelude::*;

use super::{actions, feedback, protocols};

/// Pieces of replies, both whole and broken.
const PIECES: [&str; 83] = [
    "click(1, 2)",
    "click(1, 2, 2)",
    "left_click(300, 400)",
    "click (5, 6)",
    "click(",
    "click(1, 2",
    "click(1 2)",
    "left_click(x=1, y=2000)",
    "drag(1, 2, 3)",
    "drag(1, 2, 3, 4)",
    "type(\"a\")",
    "type('b')",
    "type(\"He said \"hi\"\")",
    "type(\"cut",
    "type(\"\"\"a\"\"\")",
    "type(\u{201c}c\u{201d})",
    "type(\u{ff02}c\u{ff02})",
    "type(\"\\",
    "press(\"enter\")",
    "press('ctrl+blah')",
    "screenshot()",
    "observe()",
    "wait(3)",
    "foo(1)",
    "Note(1): x",
    "move",
    "left_click\u{ff08}1\u{ff0c}2\u{ff09}",
    "\u{ff11}",
    "(",
    ")",
    "[",
    "]",
    "{",
    "\"",
    "'",
    "\"\"\"",
    "\\",
    "`",
    "```",
    "```python",
    "~~~",
    "*",
    "**",
    "-",
    "->",
    "#",
    "//",
    ";",
    ",",
    ".",
    ":",
    "\u{ff1a}",
    "=",
    "text=",
    "1.",
    "2)",
    ">",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\u{3000}",
    "\u{e9}",
    "\u{1f408}",
    "<think>",
    "</think>",
    "[think]",
    "Thought:",
    "STATUS:",
    "executing",
    "monitoring",
    "GOAL:",
    "Draw a cat",
    "ACTION:",
    "**ACTIONS:**",
    "STORY:",
    "none",
    "<|im_end|>",
    "[EOS]",
    "</answer>",
    "<goal>",
];

fn reply() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Returns where each step is.
fn places(plan: &Plan) -> Vec<Range<usize>> {
    let place = |span: &ReplySpan| match span {
        ReplySpan::Text(range) => range.clone(),
        ReplySpan::ToolCalls(_) => panic!("there are no tool calls"),
    };
    plan.steps.iter().map(|step| place(&step.span)).collect()
}

/// Checks whether the words alone are a complete call of this action.
fn mean(words: &str, action: &Action) -> bool {
    let name: String = words
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    // Counted left clicks have tools of their own, too: `click(1, 2, 2)` is a `double_left_click`.
    let verb = match action {
        Action::Click(click) if click.button == Button::Left => Verb::LeftClick,
        action => action.verb(),
    };
    let is_named = Tool::named(&name).is_some_and(|tool| tool.verb == verb || tool.verb == action.verb());
    let is_whole = is_named && words.ends_with([')', '\u{ff09}']);
    is_whole && actions(words) == [[action.to_string()], [action.to_string()]]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn plans_fit_their_replies(text in reply(), cut in any::<bool>()) {
        for protocol in protocols() {
            let plan = protocol.read(&ReplyText { cut, ..ReplyText::of(&text) });
            let mut behind = 0;
            for (step, place) in plan.steps.iter().zip(places(&plan)) {
                prop_assert!(place.start >= behind && place.start < place.end, "{:?}", place);
                let words = text.get(place.clone());
                prop_assert!(words.is_some(), "{:?} is no place in the text", place);
                if let Some(action) = step.action() {
                    prop_assert!(mean(words.unwrap(), action), "{}: {}", action, words.unwrap());
                }
                behind = place.end;
            }
            prop_assert!(feedback(&plan).len() < 40_000);
            prop_assert!(plan.notices.len() < 30);
        }
    }

    #[test]
    fn cutting_makes_no_calls(text in reply(), at in any::<prop::sample::Index>(), cut in any::<bool>()) {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        prop_assume!(!ends.is_empty());
        let prefix = &text[..*at.get(&ends)];
        for protocol in protocols() {
            let plan = protocol.read(&ReplyText { cut, ..ReplyText::of(prefix) });
            for (step, place) in plan.steps.iter().zip(places(&plan)) {
                if let Some(action) = step.action() {
                    prop_assert!(mean(&prefix[place], action), "{}", action);
                }
            }
        }
    }
}
