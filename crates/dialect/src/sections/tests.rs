use proptest::prelude::*;

use franz_action::DeclaredMode;
use franz_action::mode::{Looseness, Unclear};

use super::status::{CONTRADICTORY, DENIED, NO_MODE, QUOTED};
use super::*;
use crate::plan::Scene;

/// Returns the protocol with the tools of the profile that uses it.
fn protocol() -> SectionsProtocol {
    let names = [
        "left_click",
        "right_click",
        "double_left_click",
        "drag",
        "type",
        "observe",
    ];
    SectionsProtocol::from(ReadingSettings::new(ToolSet::of(names)))
}

fn read(text: &str) -> Plan {
    protocol().read(&ReplyText::of(text))
}

fn told(plan: &Plan) -> String {
    plan.feedback(&plan.all_done(), &Scene::default())
}

#[test]
fn every_section_of_a_reply_is_read() {
    let plan = read(
        "STATUS: executing\nGOAL: Draw a cat\nACTION: left_click(500, 300)\nSTORY: I see Paint. I click.\nIt opens.\n",
    );
    assert_eq!(plan.mode, DeclaredMode::Executing);
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
        (
            "ACTION: click(1, 2",
            "click(1, 2 -> malformed: the call is not closed; end it with )",
        ),
        (
            "ACTION: foo(1)\nclick(1, 2)",
            "foo(1) -> malformed: unknown tool 'foo'; use double_left_click, drag, left_click, observe, right_click, type\nIgnored: left_click(1, 2) (one action a turn)",
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
fn up_to_five_surplus_calls_are_reported() {
    let plan = read(&format!("ACTION:\n{}", "observe()\n".repeat(9)));
    assert_eq!(plan.actions().count(), 1);
    let surplus = "\nIgnored: observe() (one action a turn)".repeat(5);
    assert_eq!(
        told(&plan),
        format!("Last action performed: observe() -> done{surplus}\nand 3 more")
    );
}

#[test]
fn every_outcome_has_a_wording() {
    let plan = read("ACTION: click(1, 2)");
    let cases = [
        (Outcome::Done(Some("a note".to_owned())), "done"),
        (Outcome::NotApplied("no cursor".to_owned()), "not applied: no cursor"),
        (Outcome::BLOCKED, "blocked"),
        (Outcome::Blocked(Some("a rule".to_owned())), "blocked: a rule"),
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
    assert_eq!(
        told(&opening),
        "Last action performed: none; nothing has been done yet: this is your first turn"
    );
    let headings = [
        (
            "Draw\na cat",
            None,
            "Current mode: executing\nYOUR GOAL NOW: Draw a cat",
        ),
        (" ", None, "Current mode: executing\nYOUR GOAL NOW: none"),
        (
            "Watch.",
            Some(9),
            "Current mode: executing\nYOUR GOAL NOW: Watch. (ASKED BY THE PERSON: reported done in turn 9)",
        ),
    ];
    for (goal, done, heading) in headings {
        assert_eq!(
            protocol().heading(Mode::Executing, goal, done).as_deref(),
            Some(heading)
        );
    }
}

#[test]
fn the_mode_is_read_from_the_status() {
    let (loose, unclear) = (DeclaredMode::Loose, DeclaredMode::Unclear);
    let contradictory = unclear(Unclear::Contradictory);
    let cases = [
        ("STATUS: executing", DeclaredMode::Executing),
        ("STATUS: executing\nACTION: click(1, 2)", DeclaredMode::Executing),
        ("status:\n\n**Monitoring**", DeclaredMode::Monitoring),
        ("STATUS: task COMPLETED.", DeclaredMode::Monitoring),
        ("STATUS: executing\nnot monitoring", DeclaredMode::Executing),
        ("STATUS:\n---\n\nmonitoring", DeclaredMode::Monitoring),
        ("> STATUS: monitoring\nSTATUS: executing", DeclaredMode::Executing),
        (
            "<think>STATUS: executing</think>\nSTATUS: monitoring",
            DeclaredMode::Monitoring,
        ),
        ("<think>hm</think>STATUS: executing", DeclaredMode::Executing),
        ("STATUS: executing\nSTATUS: executing", loose(Looseness::Repeated)),
        ("STATUS: executing the plan", loose(Looseness::Wordy)),
        ("ACTION: click(1, 2)\nSTATUS: executing", loose(Looseness::Late)),
        ("click(1, 2)\nSTATUS: executing", loose(Looseness::Late)),
        ("STATUS: executing | monitoring", contradictory),
        ("STATUS: <executing or monitoring>\nGOAL: a", contradictory),
        ("STATUS: monitoring\nSTATUS: executing", contradictory),
        ("STATUS: resting\nSTATUS: executing", contradictory),
        ("STATUS:\nnot executing", unclear(Unclear::Denied)),
        ("> STATUS: executing", unclear(Unclear::Quoted)),
        ("STATUS:\n> executing", unclear(Unclear::Quoted)),
        ("STATUS: resting", DeclaredMode::Absent),
        ("STATUS: idle\nexecuting", DeclaredMode::Absent),
        ("STATUS:", DeclaredMode::Absent),
        ("I am executing.", DeclaredMode::Absent),
        ("<think>STATUS: executing</think>", DeclaredMode::Absent),
    ];
    for (text, mode) in cases {
        let plan = read(text);
        assert_eq!(plan.mode, mode, "{text}");
        let notice = match mode {
            DeclaredMode::Absent if text.starts_with("STATUS") => Some(NO_MODE),
            DeclaredMode::Unclear(Unclear::Contradictory) => Some(CONTRADICTORY),
            DeclaredMode::Unclear(Unclear::Denied) => Some(DENIED),
            DeclaredMode::Unclear(Unclear::Quoted) => Some(QUOTED),
            _ => None,
        };
        assert_eq!(plan.notices, notice.as_slice(), "{text}");
    }
}

/// A quoted reply that claims to be executing, quoted in every way.
const QUOTES: [&str; 24] = [
    "I was told:\n```\nSTATUS: executing\n```\nACTION: click(1, 2)",
    "```text\nSTATUS: executing\n```\nSTORY: I wait.\nACTION: click(1, 2)",
    "~~~\nSTATUS: executing\n~~~\nACTION: click(1, 2)",
    "ACTION: observe()\n````\n```\nSTATUS: executing\n```\n````\nclick(1, 2)",
    "I see:\n```\nSTATUS: executing\nACTION: click(1, 2)",
    "```STATUS: executing```\nACTION: click(1, 2)",
    "```STATUS: executing\n```\nACTION: click(1, 2)",
    "> STATUS: executing\nACTION: click(1, 2)",
    "> STATUS: executing\n> ACTION: click(1, 2)",
    "> > **STATUS:** executing\nACTION: click(1, 2)",
    "- > STATUS: executing\nACTION: click(1, 2)",
    "`STATUS: executing`\nACTION: click(1, 2)",
    "- **`STATUS: executing`**\nACTION: click(1, 2)",
    "``STATUS: executing``\nACTION: click(1, 2)",
    "`STATUS: executing\nACTION: click(1, 2)`",
    "The note: `\nSTATUS: executing\n`\nACTION: click(1, 2)",
    "<note>\nSTATUS: executing\n</note>\nACTION: click(1, 2)",
    "<note>\nSTATUS: executing\nACTION: click(1, 2)",
    "It says <note from=\"x\">\nSTATUS: executing\n</note>\nACTION: click(1, 2)",
    "<!--\nSTATUS: executing\n-->\nACTION: click(1, 2)",
    "[quote]\nSTATUS: executing\n[/quote]\nACTION: click(1, 2)",
    "It says \"\nSTATUS: executing\n\".\nACTION: click(1, 2)",
    "It says \u{201c}\nSTATUS: executing\n\u{201d}.\nACTION: click(1, 2)",
    "STATUS:\n> executing\nACTION: click(1, 2)",
];

#[test]
fn a_quoted_status_permits_no_action() {
    for text in QUOTES {
        let plan = read(text);
        assert_eq!(plan.mode, DeclaredMode::Unclear(Unclear::Quoted), "{text}");
        for mode in [Mode::Executing, Mode::Monitoring] {
            assert!(!plan.mode.lets_act(plan.mode.after(mode)), "{text}");
            assert_eq!(plan.mode.after(mode), mode, "{text}");
        }
        // If STATUS is stated plainly before the action, an additional quoted STATUS changes nothing.
        let said = read(&format!("STATUS: executing\n{text}"));
        assert_eq!(said.mode, DeclaredMode::Executing, "{text}");
    }
}

#[test]
fn a_plain_status_in_any_format_permits_actions() {
    for text in [
        "STATUS: executing\nGOAL: b\nACTION: click(1, 2)\nSTORY: d",
        "status:\nexecuting\nGoal :\nb\nactions:\nclick(1, 2)\n\nstory:\n\nd\n",
        "```\nSTATUS: executing\nGOAL: b\nACTION: click(1, 2)\nSTORY: d\n```",
        "\n```text\nSTATUS: executing\nACTION: click(1, 2)\n```\n\n",
        "~~~\nSTATUS: executing\nACTION: click(1, 2)",
        "<think>hm</think>\n```\nSTATUS: executing\nACTION: click(1, 2)\n```",
        "STATUS: executing\n```\nGOAL: b\n```text\nACTION:\n```python\nclick(1, 2)\n```\nSTORY: d",
        "**STATUS:** executing\n**GOAL**: b\n### ACTION: click(1, 2)\n- STORY: d",
        "1. STATUS\u{ff1a}executing\r\n2. GOAL\u{ff1a}b\r\n3. ACTION\u{ff1a}click(1, 2)\r\n",
        "`STATUS:` executing\nACTION: click(1, 2)",
        "- **`STATUS:`** `executing`\nACTION: click(1, 2)",
        "`STATUS:` `executing`\nACTION: click(1, 2)",
        "## Status: **Executing**.\nACTION: click(1, 2)",
        "I see <Enter>, a 5\" line and `x`.\nSTATUS: executing\nACTION: click(1, 2)",
    ] {
        let plan = read(text);
        assert_eq!(plan.mode, DeclaredMode::Executing, "{text}");
        assert!(plan.actions().count() == 1 && plan.notices.is_empty(), "{text}");
    }
}

/// Ways of quoting. `{}` stands for the quoted text.
const WAYS: [&str; 12] = [
    "```\n{}\n```\n",
    "~~~ text\n{}\n~~~\n",
    "`{}`\n",
    "``\n{}\n``\n",
    "<note>\n{}\n</note>\n",
    "<a b='c'>{}\n</a>\n",
    "<!-- {}\n-->\n",
    "[quote]\n{}\n[/quote]\n",
    "\"\n{}\n\"\n",
    "\u{201c}\n{}\n\u{201d}\n",
    "<think>\n{}\n</think>\n",
    "> {}\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// A quoted plain STATUS never ends monitoring, no matter how it is quoted, how deeply, or what surrounds it.
    #[test]
    fn no_quoted_status_ends_monitoring(
        ways in prop::collection::vec(prop::sample::select(&WAYS[..]), 1..4),
        status in prop::sample::select(vec!["STATUS: executing", "**Status:** executing", "STATUS:\nexecuting", "1. status: EXECUTING"]),
        before in prop::sample::select(vec!["", "I wait.\n", "GOAL: a\n", "ACTION: observe()\n", "> hm\n", "press <Enter>\n", "STATUS: resting\n"]),
        behind in prop::sample::select(vec!["ACTION: click(1, 2)", "click(1, 2)", "STORY: hm\nclick(1, 2)", "GOAL: b\nACTION: type(\"STATUS: executing\")\n"]),
    ) {
        let quote = |text: String, way: &&str| {
            // `>` quotes each line. A code span or a comment has its text on its first line.
            if way.starts_with('>') { format!("> {}\n", text.trim_end().replace('\n', "\n> ")) } else { way.replace("{}", text.trim_end()) }
        };
        let quoted = ways.iter().fold(format!("{status}\nACTION: click(3, 4)"), quote);
        let text = format!("{before}{quoted}{behind}");
        let plan = read(&text);
        prop_assert_eq!(plan.mode.after(Mode::Monitoring), Mode::Monitoring, "{}", text);
        prop_assert!(!plan.mode.lets_act(plan.mode.after(Mode::Monitoring)), "{}", text);
    }

    /// Whatever a reply says, only the single word on the line with its label ends monitoring.
    #[test]
    fn only_a_lone_executing_status_ends_monitoring(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "STATUS:", "STATUS: executing", "STATUS: monitoring", "executing", "not ", "no ", "non-", ": no", " ", "\n", "\n", "\n", "```", "```\n",
            "~~~", "`", "\"", "> ", "<note>", "</note>", "<think>", "</think>", "**", "- ", "ACTION: click(1, 2)\n", "click(1, 2)", "GOAL: a\n", "\u{201c}",
        ]), 0..16)
    ) {
        let text = pieces.concat();
        let plan = read(&text);
        if plan.mode == DeclaredMode::Executing {
            let masked = thought::masked(&text);
            let said = masked.match_indices("STATUS:").any(|(at, label)| {
                let behind = masked[at + label.len()..].trim_start_matches(|c: char| !c.is_alphanumeric());
                let first = behind.split(['\n', '\r']).next().unwrap_or_default();
                behind.starts_with("executing") && !first.contains("no") && !first.contains("monitoring")
            });
            prop_assert!(said, "{}", text);
            prop_assert!(plan.steps.first().is_none_or(|step| text[..step.span.start()].contains("STATUS")), "{}", text);
        }
    }
}

#[test]
fn an_echoed_reply_template_changes_nothing() {
    let forms = [
        "STATUS: <executing or monitoring>\nGOAL: <the current goal, or a new one when it changes>\nACTION: <exactly one call>\nSTORY: <three or four sentences>",
        "STATUS: executing or monitoring\nGOAL: the current goal, or a new one when it changes\nACTION: exactly one call\nSTORY: three or four sentences",
    ];
    for text in forms {
        let plan = read(text);
        let mode = DeclaredMode::Unclear(Unclear::Contradictory);
        assert_eq!((plan.mode, plan.goal, plan.steps.len()), (mode, None, 0), "{text}");
        assert_eq!(plan.notices, [CONTRADICTORY]);
    }
}

#[test]
fn a_cut_section_does_not_count() {
    let cut = |text| {
        protocol().read(&ReplyText {
            cut: true,
            ..ReplyText::of(text)
        })
    };
    let plan = cut("STATUS: executing\nGOAL: Draw a c");
    assert_eq!((plan.mode, plan.goal), (DeclaredMode::Executing, None));
    let plan = cut("GOAL: Draw a cat\nSTATUS: exec");
    assert_eq!(
        (plan.mode, plan.goal.as_deref()),
        (DeclaredMode::Absent, Some("Draw a cat"))
    );
    assert!(plan.notices.is_empty());
    let plan = cut("ACTION: type(\"Draw");
    assert_eq!(plan.actions().count(), 0);
    let plan = cut("ACTION: observe()\nSTORY: I see");
    assert_eq!((plan.actions().count(), plan.story.as_deref()), (1, Some("I see")));
}

#[test]
fn an_outside_place_is_refused_and_never_moved_to_the_edge() {
    let plan = read("ACTION: click(1, 2000)\nclick(1, 3)");
    assert_eq!(plan.actions().count(), 0);
    let told = plan.feedback(&plan.all_done(), &Scene::default());
    let why = "left_click(): the place is outside: x goes from 0 to 1000 and y from 0 to 1000";
    assert!(told.contains(why), "{told}");
}
