//! Properties of every protocol and any reply: no panic, every position inside the reply, and no action that the reply
//! does not name.

use franz_action::{Action, ToolSet};
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::protocols::KINDS;
use franz_dialect::{Limits, Plan, PlanStep, Protocol, ReplySpan, ReplyText, Scene};
use proptest::prelude::*;

/// Pieces of model replies, both valid and broken.
const PIECES: &[&str] = &[
    "left_click(500, 300)",
    "click(x=1, y=2)",
    "drag(1, 2, 3, 4)",
    "drag(1, 2, 3",
    "type(\"é \\\" 家\")",
    "type('",
    "type(\"5\" tall\")",
    "press(\"ctrl+s\")",
    "scroll(-3)",
    "observe()",
    "screenshot()",
    "wait(2)",
    "click（1，2）",
    "foo(1)",
    "ACTIONS:\n",
    "STATUS: executing\n",
    "STATUS: monitoring\n",
    "GOAL: draw\n",
    "**ACTION**: ",
    "STORY: I saw it.\n",
    "NARRATIVE: ",
    "Thought: ",
    "<think>",
    "</think>",
    "```python\n",
    "```json\n",
    "```\n",
    "\n```\n",
    "for i in range(3):\n    left_click(i, i)\n",
    "f = move\nf(1, 2)\n",
    "<tool_call>",
    "</tool_call>",
    "{\"name\": \"click_element\", \"arguments\": {\"label\": \"OK\", \"box\": [1, 2]}}",
    "{\"name\": \"type_text\", \"arguments\": {\"text\": \"\\ud800\"}}",
    "{'name': 'press_key', 'arguments': {'key': 'enter'},}",
    "<function=wait><parameter=seconds>1</parameter></function>",
    "{\"name\": \"drag\", \"arguments\": {\"x1\": 1,",
    "\n",
    " ",
    "- ",
    "1. ",
    "; ",
    "\u{2028}",
    "\u{0}",
    "😀",
];

fn protocols() -> Vec<(&'static str, Box<dyn Protocol>)> {
    let settings = || ReadingSettings {
        limits: Limits {
            steps: 20_000,
            ..Limits::default()
        },
        ..ReadingSettings::new(ToolSet::all())
    };
    KINDS.iter().map(|kind| (kind.name, (kind.new)(settings()))).collect()
}

/// Returns the names that a reply can use to ask for an action.
fn names(action: &Action) -> Vec<&'static str> {
    let function = match action {
        Action::Click(_) => ["click", "click_element", "double_click"].as_slice(),
        Action::Type(_) => &["type_text"],
        Action::Press(_) => &["press_key"],
        Action::Scroll { .. } => &["scroll_at_position"],
        Action::Observe => &["observe_screen"],
        _ => &[],
    };
    [&[action.tool().name], function].concat()
}

fn whole<'a>(reply: &ReplyText<'a>, step: &PlanStep) -> (&'a str, std::ops::Range<usize>) {
    match &step.span {
        ReplySpan::Text(range) => (reply.text, range.clone()),
        ReplySpan::ToolCalls(range) => (reply.tool_calls.unwrap_or_default(), range.clone()),
    }
}

fn check(kind: &str, reply: &ReplyText<'_>, plan: &Plan) {
    for step in &plan.steps {
        let (text, range) = whole(reply, step);
        let words = text.get(range);
        assert!(words.is_some(), "{kind}: {step:?} is no place in {text:?}");
        let Some(action) = step.action() else { continue };
        // A block of Python can give a tool another name. The tool's own name is then elsewhere in the block.
        let place = if kind == "python" {
            text
        } else {
            words.unwrap_or_default()
        };
        let named = names(action).iter().any(|name| place.contains(name));
        assert!(named, "{kind}: {action} is not in {place:?}");
    }
    plan.feedback(&plan.all_done(), &Scene::default());
}

/// Returns where the last line of the text begins.
fn last_line(text: &str) -> usize {
    text.rfind(['\n', '\r']).map_or(0, |at| at + 1)
}

/// Checks whether the rest of a prefix's last line, or anything below it, can invalidate calls in the prefix: with a
/// header that limits where to look for calls, or with the end of a thought that was never opened.
fn takes_back(rest: &str) -> bool {
    let rest = rest.to_lowercase();
    rest.contains("/think") || rest.contains("action")
}

/// Checks every action of a cut prefix: it must be complete in the prefix, and the whole reply must have the same
/// action there or none.
fn check_prefix(kind: &str, protocol: &dyn Protocol, text: &str, end: usize) {
    let before = &text[..end];
    let plan = protocol.read(&ReplyText {
        cut: true,
        ..ReplyText::of(before)
    });
    let whole = protocol.read(&ReplyText::of(text));
    let open = last_line(before);
    for step in &plan.steps {
        let (Some(action), ReplySpan::Text(range)) = (step.action(), &step.span) else {
            continue;
        };
        let told = || format!("{kind}: {action} of {before:?} in {text:?}");
        if kind == "python" {
            let close = before.rfind("```").unwrap_or_default();
            assert!(before.matches("```").count() > 1 && range.end <= close, "{}", told());
            continue;
        }
        let alone = protocol.read(&ReplyText::of(&before[range.clone()]));
        assert!(alone.actions().eq([action]), "{}", told());
        let there = whole.steps.iter().filter_map(|other| match &other.span {
            ReplySpan::Text(there) if there.start < range.end && range.start < there.end => {
                Some((there.start, other.action()))
            }
            _ => None,
        });
        let there: Vec<_> = there.collect();
        let is_same = there == [(range.start, Some(action))];
        let is_left = there.iter().all(|(_, action)| action.is_none());
        // More text on its line can keep a call from being performed, and more text can turn JSON without closing marks
        // into no call at all. Neither turns it into a different call.
        if kind == "tools" || range.start >= open {
            assert!(is_same || is_left, "{}", told());
        } else {
            assert!(is_same || is_left && takes_back(&text[open..]), "{}", told());
        }
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_protocol_does_anything_the_reply_does_not_say(text in any_text(), calls in prop::option::of(any_text()), cut: bool) {
        let reply = ReplyText { text: &text, tool_calls: calls.as_deref(), cut };
        for (kind, protocol) in protocols() {
            check(kind, &reply, &protocol.read(&reply));
        }
    }

    #[test]
    fn a_prefix_does_nothing_that_is_incomplete_in_it(text in any_text(), at in 0.0..1.0f64) {
        let mut end = (text.len() as f64 * at) as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        for (kind, protocol) in protocols() {
            check_prefix(kind, &*protocol, &text, end);
        }
    }
}

#[test]
fn the_opening_plan_does_nothing() {
    for (kind, protocol) in protocols() {
        let plan = protocol.opening();
        assert!(
            plan.steps.is_empty() && plan.goal.is_none() && plan.finish.is_none(),
            "{kind}"
        );
    }
}
