use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::bound::ParseBudget;
use crate::lines::LinesProtocol;
use crate::protocol::{Protocol, ReadingSettings, ReplyText};
use crate::sections::SectionsProtocol;
use crate::thought;

static ALL: LazyLock<ToolSet> = LazyLock::new(ToolSet::all);

fn reader(budget: &ParseBudget) -> CallReader<'_> {
    CallReader {
        tools: &ALL,
        geometry: &Geometry::THOUSANDTHS,
        budget,
        announced: false,
    }
}

/// Returns the calls that were found, one line per call: either the action and its position, or the words and what is
/// wrong with them.
fn found(text: &str) -> Vec<String> {
    let masked = thought::masked(text);
    let calls = Calls::find(text, &masked, 0..text.len(), false, &reader(&ParseBudget::default())).calls;
    let shown = |call: &WrittenCall| match &call.read {
        Ok(read) => read.to_string(),
        Err(error) => format!("{} !! {error}", &text[call.range.clone()]),
    };
    calls.iter().map(shown).collect()
}

#[test]
fn calls_are_found_in_every_format() {
    let cases: &[(&str, &[&str])] = &[
        ("left_click(1, 2)", &["left_click(1, 2)"]),
        ("  - `click (1, 2)`.", &["left_click(1, 2)"]),
        ("**1. click(1, 2)** - the button", &["left_click(1, 2)"]),
        ("```\nclick(1, 2)\n```", &["left_click(1, 2)"]),
        ("```click(1, 2)```", &["left_click(1, 2)"]),
        ("> observe()", &["observe()"]),
        ("Action: click(1, 2)<|im_end|>", &["left_click(1, 2)"]),
        ("click(1, 2)[EOS]", &["left_click(1, 2)"]),
        ("click(1, 2) # the (first) button", &["left_click(1, 2)"]),
        ("click(1, 2) (the first button)", &["left_click(1, 2)"]),
        (
            "wait(1); wait(2), wait(3) wait(4)",
            &["wait(1)", "wait(2)", "wait(3)", "wait(4)"],
        ),
        (
            "type(\"a); b\"); press('enter')",
            &["type(\"a); b\")", "press(\"enter\")"],
        ),
        (
            "click(1, 2)\r\nwait(1)\rwait(2)",
            &["left_click(1, 2)", "wait(1)", "wait(2)"],
        ),
        ("type('''it's''')", &["type(\"it's\")"]),
        ("type(text=\"a\",)", &["type(\"a\")"]),
    ];
    for (text, wanted) in cases {
        assert_eq!(found(text), *wanted, "{text}");
    }
}

#[test]
fn syntax_is_mended() {
    let cases = [
        (
            "left_click\u{ff08}500\u{ff0c}\u{3000}\u{ff12}\u{ff10}\u{ff09}",
            "left_click(500, 20)",
        ),
        ("scroll(\u{ff0d}3\u{ff0c}dx\u{ff1d}2)\u{ff1b}", "scroll(-3, dx=2)"),
        ("type(\u{201c}hi\u{201d})", "type(\"hi\")"),
        ("type(\u{2018}say \"hi\"\u{2019})", "type(\"say \\\"hi\\\"\")"),
        ("type(\u{201c}\\\"a\\\"\u{201d})", "type(\"\\\"a\\\"\")"),
        (
            "type(\"\u{ff08}\u{ff11}\u{ff0c}\u{201c}\")",
            "type(\"\u{ff08}\u{ff11}\u{ff0c}\u{201c}\")",
        ),
        ("type(\"He said \"hi\"\")", "type(\"He said \\\"hi\\\"\")"),
        ("type(text = \"5\" tall\")", "type(\"5\\\" tall\")"),
        ("type(\"a (b) \"c)\" d\")", "type(\"a (b) \\\"c)\\\" d\")"),
        ("type(\"say \"hi\", now\")", "type(\"say \\\"hi\\\", now\")"),
        ("type(\"the letter \"b\" is\")", "type(\"the letter \\\"b\\\" is\")"),
    ];
    for (text, wanted) in cases {
        assert_eq!(found(text), [wanted], "{text}");
    }
}

#[test]
fn meaning_is_never_mended() {
    let cases = [
        ("click(1, 2", "the call is not closed; end it with )"),
        ("type(\"cut", "the call is not closed; end it with )"),
        ("type(\"cut)", "the call is not closed; end it with )"),
        ("click(click(click(", "the call is not closed; end it with )"),
        ("type(\"a; type(\"b\")", "the call is not closed; end it with )"),
        (
            "click(`1`, 2)",
            "not a call; write a name, and its arguments in round brackets with commas between them",
        ),
        (
            "click(50%, 50%)",
            "not a call; write a name, and its arguments in round brackets with commas between them",
        ),
        (
            "type(\"a\"b\", \"c\")",
            "write a backslash before each quote inside a string",
        ),
        (
            "type(\"a\"\"b\"c\")",
            "write a backslash before each quote inside a string",
        ),
        (
            "type(\"\"\"a\" b\")",
            "write a backslash before each quote inside a string",
        ),
        (
            "type(\"say \"r\" ok\")",
            "write a backslash before each quote inside a string",
        ),
        ("type(\"say \"hi\") now\")", "only a comment may follow a call"),
        ("click(1, 2) and wait(1)", "only a comment may follow a call"),
        ("click(1, 2).wait(1)", "only a comment may follow a call"),
        (
            "click(1, <think>no</think> 2)",
            "there is a thought inside the call; write the call without it",
        ),
        (
            "click(x, y)",
            "arguments must be plain numbers or quoted text, without brackets or names",
        ),
        ("click(1)", "left_click() missing 1 required positional argument: 'y'"),
        ("Click(the button).", "unknown tool 'Click'"),
    ];
    for (text, reason) in cases {
        assert_eq!(
            found(text),
            [format!("{text} !! {reason}").replace("). !!", ") !!")],
            "{text}"
        );
    }
    assert_eq!(
        found("wait(1); foo(2); wait(3) bar"),
        [
            "wait(1)",
            "foo(2) !! unknown tool 'foo'",
            "wait(3) bar !! only a comment may follow a call"
        ]
    );
}

#[test]
fn the_last_call_of_a_cut_reply_is_not_mended() {
    let found = |text: &str| {
        let masked = thought::masked(text);
        let calls = Calls::find(text, &masked, 0..text.len(), true, &reader(&ParseBudget::default())).calls;
        calls
            .last()
            .unwrap()
            .read
            .as_ref()
            .map(ToString::to_string)
            .map_err(ToString::to_string)
    };
    for text in [
        "type(\"He said \"hi\")",
        "wait(1)\ntype(text=\"5\" tall\")  \r\n\t",
        "ACTION: `type(\"5\" tall\")`.",
        "wait(1); type(\"5\" tall\");",
        "type(\u{201c}hi\u{201d})",
        "click\u{ff08}1\u{ff0c}2\u{ff09}<think>What",
    ] {
        assert_eq!(
            found(text),
            Err("the call is not closed; end it with )".to_owned()),
            "{text}"
        );
        let plan = LinesProtocol::from(ReadingSettings::new(ToolSet::all())).read(&ReplyText {
            cut: true,
            ..ReplyText::of(text)
        });
        let last = plan.steps.last().unwrap();
        assert_eq!(last.action(), None, "{text}");
        let plan = SectionsProtocol::from(ReadingSettings::new(ToolSet::all())).read(&ReplyText {
            cut: true,
            ..ReplyText::of(text)
        });
        assert!(plan.actions().all(|action| *action == Action::Wait(1.0)), "{text}");
    }
    for (text, wanted) in [
        ("type(\"He said hi\")", "type(\"He said hi\")"),
        ("click(1, 2)", "left_click(1, 2)"),
        ("click\u{ff08}1\u{ff0c}2\u{ff09}\nNow", "left_click(1, 2)"),
        ("type(\"5\" tall\") # a pers", "type(\"5\\\" tall\")"),
        ("type(\"5\" tall\")\nwait(2)", "wait(2)"),
    ] {
        assert_eq!(found(text).as_deref(), Ok(wanted), "{text}");
    }
}

#[test]
fn the_rest_is_narrative() {
    for text in [
        "I click(1, 2) now",
        "I (the agent) see",
        "Note(1): see left_click(1, 2)",
        "foo(1",
        "# click(1, 2)",
        "-> click(1, 2)",
        "| click(1, 2) |",
        "pyautogui.click(1, 2)",
        "executed=[\"left_click(1, 2)\"]",
        "{\"action\": \"click\", \"coordinate\": [1, 2]}",
        "click 1, 2",
        "click",
        "\u{70b9}\u{51fb}(1, 2)",
    ] {
        assert!(found(text).is_empty(), "{text}");
    }
}

#[test]
fn only_the_first_500_calls_are_read() {
    let calls = |text: &str| Calls::find(text, text, 0..text.len(), false, &reader(&ParseBudget::default()));
    assert_eq!(calls(&"wait(1)\n".repeat(500)).notice(), None);
    let found = calls(&"wait(1); ".repeat(501));
    assert_eq!(found.calls.len(), 500);
    assert_eq!(
        found.notice().unwrap(),
        "only the first 500 calls of your output were read."
    );
}

/// Any quadratic algorithm would take minutes here.
#[test]
fn long_lines_are_read_in_one_pass() {
    for piece in [
        "click(",
        "type(\"",
        "type(\"a\"b) ",
        "f(1);",
        "click(1, 2) (",
        "`",
        "<|",
        "(",
        "wait(1)\n",
        "[think]",
        "type(\u{201c}\"",
        "\"\"\"",
    ] {
        for head in ["", "click(1, 2", "type(\"a\"b", "click(1, 2) "] {
            let text = format!("{head}{}", piece.repeat(2_000_000 / piece.len()));
            let found = Calls::find(&text, &text, 0..text.len(), false, &reader(&ParseBudget::default()));
            assert!(found.calls.len() <= MOST_CALLS);
        }
    }
}

proptest! {
    #[test]
    fn removing_thoughts_does_not_change_the_plan(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "<think>", "</think>", "[THINK]", "[/THINK]", "Thought:", "ACTION:", "STATUS: executing", "GOAL: a", "STORY:", "click(1, 2)",
                "wait(3)", "type(\"", "\")", "(", ")", "\n", "\n", "\n\n", "\r", "```", "- ", " ", "\u{e9}", "; ",
            ]),
            0..30,
        )
    ) {
        let text = pieces.concat();
        let masked = thought::masked(&text);
        let tools = ToolSet::all();
        let protocols: [&dyn Protocol; 2] = [&LinesProtocol::from(ReadingSettings::new(tools.clone())), &SectionsProtocol::from(ReadingSettings::new(tools))];
        for protocol in protocols {
            let (plan, said) = (protocol.read(&ReplyText::of(&text)), protocol.read(&ReplyText::of(&masked)));
            let broken = Outcome::Malformed(CallError::Thought.to_string());
            // Only text with a thought inside changes, because without the thought it is a call.
            if !plan.all_done().contains(&broken) {
                prop_assert_eq!(&plan.steps, &said.steps);
            }
            prop_assert_eq!((plan.mode, plan.goal, plan.story), (said.mode, said.goal, said.story));
        }
    }
}
