use super::*;
use crate::plan::Scene;

/// Returns the protocol with the tools of the profile that uses it.
fn protocol() -> LinesProtocol {
    let names = [
        "left_click",
        "right_click",
        "double_left_click",
        "drag",
        "type",
        "screenshot",
    ];
    LinesProtocol::from(ReadingSettings::new(ToolSet::of(names)))
}

fn read(text: &str) -> Plan {
    protocol().read(&ReplyText::of(text))
}

/// Returns the feedback if every action is performed, with the notices below it.
fn told(text: &str) -> String {
    let plan = read(text);
    let feedback = plan.feedback(&plan.all_done(), &Scene::default());
    [&[feedback][..], &plan.notices].concat().join("\n")
}

#[test]
fn feedback_lists_what_became_of_each_call() {
    let cases = [
        (
            "NARRATIVE:\nThe canvas is black. I begin in the middle.\n\nACTIONS:\nleft_click(500, 500)\nscreenshot()",
            "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(500, 500)\"]\nignored=[\"screenshot()\"]",
        ),
        (
            "left_click(500, 500)\ndrag(1, 2, 3)\nscreenshot()",
            "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(500, 500)\"]\n\
             malformed=[\"drag(1, 2, 3) -> ERROR: drag() missing 1 required positional argument: 'y2'\"]\n\
             ignored=[\"screenshot()\"]",
        ),
        (
            "click(x=300, y=400)\ndrag(100, 200, x2=800, y2=600)\ntype('meow')",
            "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(300, 400)\", \"drag(100, 200, 800, 600)\", \"type(\\\"meow\\\")\"]",
        ),
        ("", "EXECUTOR_FEEDBACK:\nno actions found in your previous output"),
        (
            "I cannot help with that.",
            "EXECUTOR_FEEDBACK:\nno actions found in your previous output",
        ),
        (
            "press(\"enter\")\npress(\"esc\")\nwait(1)",
            "EXECUTOR_FEEDBACK:\nignored=[\"press(\\\"enter\\\")\", \"press(\\\"esc\\\")\", \"wait(1)\"]\n\
             press is switched off.\nwait is switched off.",
        ),
        (
            "left_click(-5, 2000)",
            "EXECUTOR_FEEDBACK:\nmalformed=[\"left_click(-5, 2000) -> ERROR: left_click(): the place is outside: x goes from 0 to 1000 and y from 0 to 1000\"]",
        ),
        (
            "click(1, 2)\nclick(1, 2)\nleft_click(1, 2)\nclick(1.0, 2)\nscreenshot()",
            "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(1, 2)\"]\n\
             ignored=[\"screenshot()\"]\n\
             left_click(1, 2) appears 4 times in a row and counts once.",
        ),
        (
            "<think>\nclick(1, 2)\n</think>\nI wait.",
            "EXECUTOR_FEEDBACK:\nno actions found in your previous output\n\
             calls inside a thought are not performed; write them after ACTIONS:",
        ),
        (
            "Thought: click(1, 2)",
            "EXECUTOR_FEEDBACK:\nno actions found in your previous output\n\
             calls inside a thought are not performed; write them after ACTIONS:",
        ),
        (
            "<think>click(1, 2)</think>click(3, 4)",
            "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(3, 4)\"]",
        ),
        (
            "left_click(1, 2)\nEXECUTOR_FEEDBACK:\nexecuted=[\"left_click(1, 2)\"]\nleft_click(3, 4)\ntype(\"a\")",
            "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(1, 2)\"]\n\
             ignored=[\"left_click(3, 4)\", \"type(\\\"a\\\")\"]\n\
             you made up the result before it; stop after a call and wait for its real result.",
        ),
        (
            "<think>hm</think>\nclick(1, 2)\nACTIONS:\nnone",
            "EXECUTOR_FEEDBACK:\nno actions found in your previous output",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(told(text), wanted, "{text}");
    }
}

#[test]
fn a_header_narrows_the_search() {
    for header in [
        "ACTIONS:",
        "ACTION:",
        "actions:\n",
        "**Actions:**",
        "## ACTIONS:",
        "ACTIONS\u{ff1a}",
        "- Action 1:",
        "**ACTIONS**:\n```",
    ] {
        let plan = read(&format!("click(1, 1)\n{header} click(2, 2)\nACTIONS: click(3, 3)"));
        let actions: Vec<_> = plan.actions().map(ToString::to_string).collect();
        assert_eq!(actions, ["left_click(2, 2)", "left_click(3, 3)"], "{header}");
    }
    let plan = read("<think>\nACTIONS:\n</think>\nclick(1, 1)\nThe actions: click(2, 2)");
    assert_eq!(plan.actions().count(), 1);
}

#[test]
fn every_outcome_is_listed() {
    let plan = read("click(1, 1)\nclick(2, 2)\nclick(3, 3)\ntype(\"meow\")");
    let outcomes = [
        Outcome::Done(Some("a note".to_owned())),
        Outcome::BLOCKED,
        Outcome::Interrupted,
        Outcome::NotApplied("no cursor".to_owned()),
    ];
    assert_eq!(
        plan.feedback(&outcomes, &Scene::default()),
        "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(1, 1)\"]\n\
         ignored=[\"left_click(2, 2) -> blocked\", \"left_click(3, 3) -> interrupted\", \"type(\\\"meow\\\") -> no cursor\"]"
    );
}

#[test]
fn feedback_never_grows_with_the_reply() {
    let clicks: Vec<String> = (0..600).map(|x| format!("click({x}, 5)")).collect();
    let told_long = told(&clicks.join("\n"));
    assert!(
        told_long.contains("\"left_click(39, 5)\", \"... and 460 more\"]"),
        "{told_long}"
    );
    assert!(told_long.ends_with("only the first 500 calls of your output were read."));
    let wide = format!(
        "type(\"{}\")\ntype({}=1)\nclick({}",
        "a".repeat(9000),
        "b".repeat(9000),
        "c".repeat(9000)
    );
    assert!(told(&wide).len() < 1000);
}

#[test]
fn three_identical_calls_in_a_row_collapse_and_two_do_not() {
    let all = LinesProtocol::from(ReadingSettings::new(ToolSet::all()));
    let count = |call: &str, times: usize| {
        let plan = all.read(&ReplyText::of(&vec![call; times].join("\n")));
        (plan.actions().count(), plan.notices.len())
    };
    for call in [
        "left_click(1, 2)",
        "drag(1, 2, 3, 4)",
        "type(\"a\")",
        "double_click(1, 2)",
    ] {
        assert_eq!(
            [count(call, 2), count(call, 3), count(call, 9)],
            [(2, 0), (1, 1), (1, 1)],
            "{call}"
        );
    }
    for call in ["press(\"tab\")", "scroll(3)", "wait(1)"] {
        assert_eq!([count(call, 3), count(call, 9)], [(3, 0), (9, 0)], "{call}");
    }
    let mixed = "left_click(1, 2)\nleft_click(1, 2)\nwait(1)\nleft_click(1, 2)";
    assert_eq!(all.read(&ReplyText::of(mixed)).actions().count(), 4);
}
