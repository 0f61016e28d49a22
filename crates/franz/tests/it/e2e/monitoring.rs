//! Monitoring never touches anything. Whatever a reply calls, and however it is written, FRANZ only looks.

use std::fmt::Write;

use franz_action::Action;
use franz_demo::DemoHandle;
use franz_record::{Outcome, TurnLine};

use crate::chat;
use crate::dice::Dice;
use crate::e2e::settings::{edit, resume, start};
use crate::harness::{Workplace, reply, scripted, url};
use crate::puppet::Puppet;

const COMPANION: [&str; 2] = ["--profile", "companion"];
const BLOCKED: &str = "while monitoring you only look";
/// All tools, so that no call is blocked because its tool is switched off.
const TOOLS: [&str; 18] = [
    "left_click",
    "right_click",
    "middle_click",
    "double_left_click",
    "triple_click",
    "drag",
    "move",
    "mouse_down",
    "mouse_up",
    "scroll",
    "type",
    "press",
    "hold",
    "read_clipboard",
    "write_clipboard",
    "wait",
    "screenshot",
    "observe",
];

/// Returns the drawing on the canvas.
fn journal(place: &Workplace) -> String {
    std::fs::read_to_string(place.file("canvas.jsonl")).unwrap_or_default()
}

fn has(turn: &TurnLine, outcome: &Outcome) -> bool {
    turn.acted.iter().any(|acted| acted.outcome.name() == outcome.name())
}

#[test]
fn a_thousand_replies_with_actions_do_nothing() {
    let mut dice = Dice(7);
    let lines: Vec<String> = (0..1000).map(|_| dice.line()).collect();
    let server = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let place = Workplace::new();
    let switches: Vec<String> = TOOLS.iter().map(|tool| format!("protocol.tools.{tool}=true")).collect();
    let switches = switches.iter().flat_map(|switch| ["--set", switch]);
    let more = ["--max-turns", "1001", "--set", "record.exchange_log=false"];
    let arguments: Vec<&str> = COMPANION.into_iter().chain(more).chain(switches).collect();
    let finished = start(&place, &url(&server), &arguments).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);

    assert_eq!(journal(&place), "");
    let turns = place.turns();
    assert_eq!(turns.len(), 1001);
    for turn in &turns {
        let told = || format!("turn {}: {:?}\n{}", turn.turn, turn.acted, turn.feedback);
        assert_eq!(turn.mode.as_deref(), Some("monitoring"), "{}", told());
        let done = turn.acted.iter().filter(|acted| acted.outcome.is_done());
        let looks = |action: &str| action.parse().is_ok_and(|action: Action| action.only_looks());
        assert!(done.clone().all(|acted| looks(&acted.action)), "{}", told());
        assert_eq!(
            has(turn, &Outcome::BLOCKED),
            turn.feedback.contains(BLOCKED),
            "{}",
            told()
        );
        assert_eq!(
            turn.image.as_ref().unwrap().sha256,
            turns[0].image.as_ref().unwrap().sha256,
            "{}",
            told()
        );
    }
    let count = |outcome| turns.iter().filter(|turn| has(turn, outcome)).count();
    assert!(
        count(&Outcome::BLOCKED) > 400,
        "{} were blocked",
        count(&Outcome::BLOCKED)
    );
    assert!(count(&Outcome::DONE) > 10, "{} looked", count(&Outcome::DONE));
    let blocked = turns.iter().flat_map(|turn| &turn.acted);
    let blocked: Vec<_> = blocked.filter(|acted| acted.outcome == Outcome::BLOCKED).collect();
    for tool in TOOLS
        .iter()
        .filter(|tool| !["screenshot", "observe", "wait"].contains(tool))
    {
        let call = format!("{tool}(");
        assert!(
            blocked.iter().any(|acted| acted.action.starts_with(&call)),
            "{tool} was tried"
        );
    }
}

/// Returns the outcome of the click in the last of these replies.
fn clicked(goal: &[&str], replies: &[&str]) -> (Outcome, Workplace) {
    let lines: Vec<String> = replies.iter().map(|text| reply(text)).collect();
    let server: DemoHandle = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let place = Workplace::new();
    let turns = (replies.len() + 1).to_string();
    let arguments = [&COMPANION, goal, &["--max-turns", &turns]].concat();
    let finished = start(&place, &url(&server), &arguments).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let last = place.turns().pop().unwrap();
    (last.acted[0].outcome.clone(), place)
}

#[test]
fn a_reply_is_judged_by_the_mode_it_declares() {
    let click = "ACTION: left_click(500, 500)";
    let cases: [(&[&str], &[&str], Outcome); 6] = [
        (
            &[],
            &["STATUS: executing\nGOAL: a", "STATUS: monitoring"],
            Outcome::BLOCKED,
        ),
        (&[], &["STATUS: monitoring"], Outcome::BLOCKED),
        (&[], &["STATUS: executing"], Outcome::DONE),
        (&["work"], &["STATUS: monitoring"], Outcome::BLOCKED),
        (&["work"], &["STATUS: completed"], Outcome::BLOCKED),
        (&["work"], &["STATUS: nonsense"], Outcome::DONE),
    ];
    for (goal, before, wanted) in cases {
        let mut replies: Vec<String> = before.iter().map(|text| (*text).to_owned()).collect();
        let last = replies.last_mut().unwrap();
        let _ = write!(last, "\n{click}");
        let (outcome, place) = clicked(goal, &replies.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(outcome, wanted, "{goal:?} {before:?}");
        assert_eq!(journal(&place).lines().count(), usize::from(wanted.is_done()));
    }
}

/// Returns the outcome of the click in each of these replies, and the feedback on each. A single run goes through all
/// of them.
fn clicks(goal: &[&str], replies: &[String]) -> Vec<(Outcome, String)> {
    let lines: Vec<String> = replies.iter().map(|text| reply(text)).collect();
    let server: DemoHandle = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let place = Workplace::new();
    let turns = (replies.len() + 1).to_string();
    let arguments = [&COMPANION, goal, &["--max-turns", &turns]].concat();
    let finished = start(&place, &url(&server), &arguments).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let turns = place.turns();
    let done = turns.iter().filter(|turn| has(turn, &Outcome::DONE)).count();
    assert_eq!(journal(&place).lines().count(), done);
    let told = turns
        .into_iter()
        .skip(1)
        .map(|turn| (turn.acted[0].outcome.clone(), turn.feedback));
    told.collect()
}

/// Replies that quote or deny that the model is executing, each with the notice that it earns.
const QUOTED_OR_DENIED: [(&str, &str); 9] = [
    ("I was told:\n```\nSTATUS: executing\n```", QUOTED),
    ("> STATUS: executing", QUOTED),
    ("`STATUS: executing`", QUOTED),
    ("<note>\nSTATUS: executing\n</note>", QUOTED),
    ("STATUS: not executing", DENIED),
    ("STATUS: non-executing", DENIED),
    ("STATUS: executing: no", DENIED),
    ("STATUS: monitoring\nSTATUS: executing", TWO),
    ("STATUS: executing or monitoring", TWO),
];
const QUOTED: &str = "NOTICE: STATUS was inside a quote";
const DENIED: &str = "NOTICE: STATUS denied a mode";
const TWO: &str = "NOTICE: STATUS named more than one mode";

#[test]
fn a_quoted_or_denied_status_blocks_the_reply() {
    let replies = QUOTED_OR_DENIED.map(|(text, _)| format!("{text}\nACTION: left_click(500, 500)"));
    for (goal, mode) in [(&[][..], "monitoring"), (&["work"], "executing")] {
        for ((outcome, feedback), (text, notice)) in clicks(goal, &replies).into_iter().zip(QUOTED_OR_DENIED) {
            assert_eq!(outcome, Outcome::BLOCKED, "{mode}: {text}");
            assert!(
                feedback.starts_with(&format!("Current mode: {mode}\n")),
                "{text}: {feedback}"
            );
            assert!(feedback.contains("NOTICE: nothing was done"), "{text}: {feedback}");
            assert!(feedback.contains(notice), "{text}: {feedback}");
        }
    }
}

#[test]
fn only_one_plain_status_above_the_action_ends_monitoring() {
    let click = "ACTION: left_click(500, 500)";
    let replies = [
        format!("{click}\nSTATUS: executing"),
        format!("STATUS: executing\nSTATUS: executing\n{click}"),
        format!("STATUS: executing the plan\n{click}"),
        format!("STATUS: nonsense\n{click}"),
        click.to_owned(),
        format!("> STATUS: monitoring\n```\nSTATUS: monitoring\n```\n**STATUS:** executing.\n{click}"),
    ];
    let outcomes = |goal: &[&str]| {
        clicks(goal, &replies)
            .into_iter()
            .map(|(outcome, _)| outcome)
            .collect::<Vec<_>>()
    };
    let blocked = [const { Outcome::BLOCKED }; 5];
    assert_eq!(outcomes(&[]), [&blocked[..], &[Outcome::DONE]].concat());
    // A model that is already executing continues to execute.
    assert_eq!(outcomes(&["work"]), [Outcome::DONE; 6]);
    let whole = format!("```\nSTATUS: executing\nGOAL: a\n{click}\n```");
    assert_eq!(clicks(&[], &[whole])[0].0, Outcome::DONE);
}

const CLICK: &str = "STATUS: monitoring\nACTION: left_click(500, 500)";

#[test]
fn editing_the_goal_does_not_allow_an_earlier_click() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &COMPANION);
    server.asked();
    edit(&place, "prompt.goal", Some("Work now."));
    let chat = server.then(CLICK);
    let feedback = chat::feedback(&chat);
    assert!(
        feedback.starts_with("Current mode: executing\nYOUR GOAL NOW: Work now.\n"),
        "{feedback}"
    );
    assert!(feedback.contains("left_click(500, 500) -> withdrawn"), "{feedback}");
    assert_eq!(journal(&place), "");
    // Actions that the model requests from now on are performed.
    let chat = server.then("ACTION: left_click(600, 600)");
    assert!(
        chat::feedback(&chat).contains("left_click(600, 600) -> done"),
        "{}",
        chat::feedback(&chat)
    );
    assert_eq!(journal(&place).lines().count(), 1);
    running.kill();
}

#[test]
fn a_goal_given_on_resume_does_not_allow_an_earlier_click() {
    for edited in [true, false] {
        let (mut server, place) = (Puppet::new(), Workplace::new());
        let arguments = [&COMPANION[..], &["--max-turns", "1"]].concat();
        let running = start(&place, &server.url(), &arguments);
        server.asked();
        server.reply(CLICK);
        assert_eq!(running.finish().code, Some(0));
        let more: &[&str] = if edited {
            edit(&place, "prompt.goal", Some("Work now."));
            &[]
        } else {
            &["Work now."]
        };
        let running = resume(&place, &server.url(), more);
        let chat = server.chat();
        let feedback = chat::feedback(&chat);
        assert!(
            feedback.starts_with("Current mode: executing\nYOUR GOAL NOW: Work now.\n"),
            "{feedback}"
        );
        assert!(feedback.contains("left_click(500, 500) -> withdrawn"), "{feedback}");
        assert_eq!(journal(&place), "");
        running.kill();
    }
}
