use super::*;
use crate::protocol::Scene;

/// The tools of the profile that speaks this protocol.
fn protocol() -> Sections {
    let names = [
        "left_click",
        "right_click",
        "double_left_click",
        "drag",
        "type",
        "observe",
    ];
    Sections {
        tools: ToolSet::of(names),
    }
}

fn read(text: &str) -> Plan {
    protocol().read(&Reply::of(text))
}

fn told(plan: &Plan) -> String {
    plan.feedback(&plan.all_done(), &Scene::default())
}

#[test]
fn a_reply_says_everything_at_once() {
    let plan = read(
        "STATUS: executing\nGOAL: Draw a cat\nACTION: left_click(500, 300)\nSTORY: I see Paint. I click.\nIt opens.\n",
    );
    assert_eq!(plan.mode, Some(Mode::Executing));
    assert_eq!(plan.goal.as_deref(), Some("Draw a cat"));
    assert_eq!(plan.story.as_deref(), Some("I see Paint. I click.\nIt opens."));
    assert_eq!(told(&plan), "Last action performed: left_click(500, 300) -> done");
    assert!(plan.notices.is_empty());
}

#[test]
fn the_first_call_of_the_section_is_the_action() {
    let cases = [
        ("ACTION: click(1, 2)", "left_click(1, 2) -> done"),
        ("**ACTION**\u{ff1a}\n```\nobserve()\n```", "observe() -> done"),
        ("ACTION: none", "none (no call found under ACTION)"),
        ("ACTION:\nSTORY:\nclick(1, 2)", "none (no call found under ACTION)"),
        (
            "ACTION: none\nACTION: click(1, 2)",
            "left_click(1, 2) -> ignored: one action a turn",
        ),
        (
            "ACTION: observe()\nACTION: click(1, 2)",
            "observe() -> done\nIgnored: left_click(1, 2) (one action a turn)",
        ),
        ("click(1, 2)\nACTION: observe()", "observe() -> done"),
        ("STORY: I click.\nclick(1, 2)", "left_click(1, 2) -> done"),
        (
            "<think>\nACTION: click(1, 2)\n</think>\nACTION: observe()",
            "observe() -> done",
        ),
        ("I see a black canvas.", "none (no call found under ACTION)"),
        ("", "none (no call found under ACTION)"),
        (
            "ACTION: press(\"enter\")",
            "press(\"enter\") -> ignored: press is switched off",
        ),
        ("ACTION: screenshot()", "screenshot() -> ignored"),
        (
            "ACTION: click(1)",
            "click(1) -> malformed: left_click() missing 1 required positional argument: 'y'",
        ),
        ("ACTION: click(1, 2", "click(1, 2 -> malformed: the call is not closed"),
        (
            "ACTION: foo(1)\nclick(1, 2)",
            "foo(1) -> malformed: unknown tool 'foo'; there is double_left_click, drag, left_click, observe, right_click, type\nIgnored: left_click(1, 2) (one action a turn)",
        ),
        (
            "ACTION:\n1. click(1, 2)\n2. type(\"abc\")\n3. type(\"cut",
            "left_click(1, 2) -> done\nIgnored: type(\"abc\") (one action a turn)\nIgnored: type(\"cut (one action a turn)",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(told(&read(text)), format!("Last action performed: {wanted}"), "{text}");
    }
}

#[test]
fn surplus_calls_are_told_up_to_five() {
    let plan = read(&format!("ACTION:\n{}", "observe()\n".repeat(9)));
    assert_eq!(plan.actions().count(), 1);
    let surplus = "\nIgnored: observe() (one action a turn)".repeat(5);
    assert_eq!(
        told(&plan),
        format!("Last action performed: observe() -> done{surplus}\nand 3 more")
    );
}

#[test]
fn every_outcome_is_worded() {
    let plan = read("ACTION: click(1, 2)");
    let cases = [
        (Outcome::Done(Some("a note".to_owned())), "done"),
        (Outcome::NotApplied("no cursor".to_owned()), "not applied: no cursor"),
        (Outcome::Blocked, "blocked"),
        (Outcome::Interrupted, "interrupted"),
        (
            Outcome::Held("the screen changed".to_owned()),
            "held: the screen changed",
        ),
        (Outcome::Refused("not now".to_owned()), "refused: not now"),
        (Outcome::Withdrawn("a new goal".to_owned()), "withdrawn: a new goal"),
    ];
    for (outcome, worded) in cases {
        let wanted = format!("Last action performed: left_click(1, 2) -> {worded}");
        assert_eq!(plan.feedback(&[outcome], &Scene::default()), wanted);
    }
}

#[test]
fn before_the_first_reply_there_is_no_action() {
    let opening = protocol().opening();
    assert_eq!(told(&opening), "Last action performed: init");
    let headings = [
        ("Draw\na cat", "Current mode: executing\nCurrent goal: Draw a cat"),
        (" ", "Current mode: executing\nCurrent goal: none"),
    ];
    for (goal, heading) in headings {
        assert_eq!(protocol().heading(Mode::Executing, goal).as_deref(), Some(heading));
    }
}

#[test]
fn the_mode_is_the_one_that_is_named() {
    let cases = [
        ("STATUS: executing", Some(Mode::Executing)),
        ("status:\n\n**Monitoring**", Some(Mode::Monitoring)),
        ("STATUS: task COMPLETED.", Some(Mode::Monitoring)),
        ("STATUS: executing | monitoring", None),
        ("STATUS: <executing or monitoring>\nGOAL: a", None),
        ("STATUS:\nnot executing", None),
        ("STATUS: monitoring\nSTATUS: executing", Some(Mode::Monitoring)),
        (
            "<think>STATUS: executing</think>\nSTATUS: monitoring",
            Some(Mode::Monitoring),
        ),
        ("STATUS: resting", None),
        ("I am executing.", None),
    ];
    for (text, mode) in cases {
        let plan = read(text);
        assert_eq!(plan.mode, mode, "{text}");
        let told = mode.is_none() && text.contains("STATUS");
        assert_eq!(plan.notices, if told { &[NO_STATUS][..] } else { &[] }, "{text}");
    }
    assert_eq!(
        read("STATUS: resting").notices,
        ["STATUS was none of executing, monitoring or completed; the mode is unchanged."]
    );
}

#[test]
fn the_form_of_a_reply_changes_nothing() {
    let forms = [
        "STATUS: <executing or monitoring>\nGOAL: <the current goal, or a new one when it changes>\nACTION: <exactly one call>\nSTORY: <three or four sentences>",
        "STATUS: executing or monitoring\nGOAL: the current goal, or a new one when it changes\nACTION: exactly one call\nSTORY: three or four sentences",
    ];
    for text in forms {
        let plan = read(text);
        assert_eq!((plan.mode, plan.goal, plan.steps.len()), (None, None, 0), "{text}");
        assert_eq!(plan.notices, [NO_STATUS]);
    }
}

#[test]
fn what_is_cut_does_not_count() {
    let cut = |text| {
        protocol().read(&Reply {
            cut: true,
            ..Reply::of(text)
        })
    };
    let plan = cut("STATUS: executing\nGOAL: Draw a c");
    assert_eq!((plan.mode, plan.goal), (Some(Mode::Executing), None));
    let plan = cut("GOAL: Draw a cat\nSTATUS: exec");
    assert_eq!((plan.mode, plan.goal.as_deref()), (None, Some("Draw a cat")));
    assert!(plan.notices.is_empty());
    let plan = cut("ACTION: type(\"Draw");
    assert_eq!(plan.actions().count(), 0);
    let plan = cut("ACTION: observe()\nSTORY: I see");
    assert_eq!((plan.actions().count(), plan.story.as_deref()), (1, Some("I see")));
}

#[test]
fn only_the_clamp_of_the_action_is_told() {
    let plan = read("ACTION: click(1, 2000)\nclick(1, 3000)");
    assert_eq!(
        plan.notices,
        ["left_click(1, 1000) was clamped: coordinates go from 0 to 1000."]
    );
    assert!(read("ACTION: click(1, 2)\nclick(1, 3000)").notices.is_empty());
}
