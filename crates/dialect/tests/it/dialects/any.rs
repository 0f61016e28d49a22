//! Properties of every dialect: no reply makes a reader panic, and no action is performed that no call names.

use std::time::{Duration, Instant};

use franz_action::Action;
use franz_dialect::{Family, ReplySpan, ReplyText};
use proptest::prelude::*;

use super::{read, sound};

/// Pieces of all dialects, both valid and broken.
const PIECES: [&str; 42] = [
    "<tool_call>",
    "</tool_call>",
    "{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [5, 6]}}",
    "{\"action\": \"type\", \"text\": \"a\"}",
    "<function=click>",
    "<parameter=point><point>1 2</point></parameter>",
    "</function>",
    "<seed:tool_call>",
    "Action: ",
    "Thought: ",
    "click(start_box='(1,2)')",
    "click(point='<point>1 2</point>",
    "type(content='don't')",
    "drag(start_box='[1,2]', end_box='[3,4]')",
    "```python\n",
    "```",
    "pyautogui.click(x=1, y=2)",
    "import os\n",
    "do(action=\"Tap\", element=[1,2])",
    "finish(message=\"",
    "action:CLICK\tpoint:1,2",
    "CLICK <point>[[1, 2]]</point>",
    "{'action': 'CLICK', 'value': None, 'position': [0.4, 0.2]}",
    "{\"POINT\":[1,2]}",
    "<|begin_of_box|>",
    "<|tool_call>call:a{b:<|\"|>c<|\"|>}",
    "[TOOL_CALLS]",
    "<arg_key>",
    "<think>",
    "</think>",
    "\u{2697}",
    "\u{ff08}\u{ff1a}\u{201c}",
    "(",
    ")",
    "'",
    "\"",
    "{",
    "[",
    "\\n",
    "\n",
    " ",
    "é",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_text_triggers_an_action_it_does_not_name(text in soup(), cut in any::<bool>(), native in any::<bool>()) {
        for family in Family::all() {
            let calls = native.then_some(text.as_str());
            let reply = ReplyText { text: &text, tool_calls: calls, cut };
            sound::check(&family, &reply);
            for step in &read(&family, &reply, (1000, 1000)).steps {
                let (ReplySpan::Text(span) | ReplySpan::ToolCalls(span)) = &step.span;
                let named = text.get(span.clone()).unwrap_or_default().to_lowercase();
                if let Some(Action::Click(_)) = step.action() {
                    let names = ["click", "tap", "point", "input", "type", "select"];
                    prop_assert!(names.iter().any(|name| named.contains(name)), "{named}");
                }
            }
        }
    }
}

#[test]
fn feedback_ends_with_an_example_line_that_works() {
    for family in Family::all() {
        let reading = read(&family, &ReplyText::of("I will do it."), (1000, 1000));
        let (_, line) = reading
            .told
            .split_once("Write:\n")
            .unwrap_or_else(|| panic!("{}", reading.told));
        let again = read(&family, &ReplyText::of(line), (1000, 1000));
        assert!(!again.steps.is_empty(), "{}: {line}", family.name);
        assert!(
            again.steps.iter().all(|step| step.action().is_some()),
            "{}: {line}",
            family.name
        );
    }
}

#[test]
fn hostile_texts_do_nothing() {
    let pieces = [
        "<tool_call>{",
        "click(start_box='",
        "<function=a><parameter=b>",
        "{\"a\":",
        "pyautogui.click(",
        "[TOOL_CALLS][",
        "do(action=\"",
        "```\n",
    ];
    for piece in pieces {
        let text = piece.repeat(20_000 / piece.len());
        for family in Family::all() {
            let reading = read(&family, &ReplyText::of(&text), (1000, 1000));
            assert!(
                reading.steps.iter().all(|step| step.action().is_none()),
                "{} {piece}",
                family.name
            );
        }
    }
}

#[test]
fn long_hostile_texts_are_read_in_linear_time() {
    let pieces = [
        ("", "do(x"),
        ("", "<action-type>"),
        ("click>", "point>"),
        ("", "type('a'+f('b',"),
        ("type(", "'a'+f('b',"),
        ("type(", "'a' 'b' + "),
    ];
    for (head, piece) in pieces {
        let text = format!("{head}{}", piece.repeat((2 << 20) / piece.len()));
        let begun = Instant::now();
        let reading = read(&Family::named("franz").unwrap(), &ReplyText::of(&text), (1000, 1000));
        assert!(begun.elapsed() < Duration::from_secs(20), "{head}{piece}");
        assert!(!reading.told.is_empty(), "{head}{piece}");
    }
}
