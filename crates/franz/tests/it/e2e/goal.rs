//! The model changes mode and goal in its replies, a person changes them in `config.toml`, and neither undoes the
//! other's changes.

use crate::chat;
use crate::e2e::settings::{edit, resume, start};
use crate::harness::{Workplace, reply, scripted, url};
use crate::puppet::Puppet;

const WATCH: &str = "Look, and do nothing.";

/// Returns the heading of the feedback, which consists of mode and goal.
fn heading(chat: &serde_json::Value) -> String {
    let lines: Vec<&str> = chat::feedback(chat).lines().take(2).collect();
    lines.join("\n")
}

fn told(mode: &str, goal: &str) -> String {
    format!("Current mode: {mode}\nYOUR GOAL NOW: {goal}")
}

/// A goal, together with a task that the model has reported done.
fn marked(goal: &str, turn: u64) -> String {
    format!("{goal} (ASKED BY THE PERSON: reported done in turn {turn})")
}

fn companion<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let watch = "prompt.monitoring_goal=Look, and do nothing.";
    [&["--profile", "companion", "--set", watch], more].concat()
}

#[test]
fn a_goal_set_by_the_model_survives_other_edits_and_a_kill() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &companion(&["Draw a cat."]));
    assert_eq!(heading(&server.chat()), told("executing", "Draw a cat."));
    let rewritten = told("executing", "Draw a dog.");
    assert_eq!(heading(&server.then("GOAL: Draw a dog.")), rewritten);
    assert_eq!(heading(&server.then("I go on.")), rewritten);
    edit(&place, "image.width", Some(80));
    assert_eq!(heading(&server.then("I go on.")), rewritten);
    assert_eq!(
        heading(&server.then("GOAL: draw a DOG. ")),
        rewritten,
        "it is the same goal"
    );
    running.kill();

    let running = resume(&place, &server.url(), &[]);
    assert_eq!(heading(&server.chat()), rewritten);
    assert_eq!(heading(&server.then("I go on.")), rewritten);
    edit(&place, "image.width", Some(64));
    assert_eq!(heading(&server.then("I go on.")), rewritten);
    running.kill();
    let running = resume(&place, &server.url(), &["--set", "image.height=40"]);
    assert_eq!(heading(&server.chat()), rewritten);
    running.kill();
}

#[test]
fn an_edited_goal_starts_executing_and_an_empty_one_monitoring() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &companion(&["Draw a cat."]));
    server.chat();
    let done = server.then("STATUS: completed\nGOAL: Rest.");
    assert_eq!(heading(&done), told("monitoring", &marked("Rest.", 1)));
    edit(&place, "prompt.goal", Some("Draw a house."));
    assert_eq!(heading(&server.then("I rest.")), told("executing", "Draw a house."));
    assert_eq!(heading(&server.then("I go on.")), told("executing", "Draw a house."));
    edit(&place, "prompt.goal", Some(""));
    assert_eq!(heading(&server.then("I go on.")), told("monitoring", WATCH));
    // The same edit is not applied twice, so the model's later decision counts.
    let woken = server.then("STATUS: executing\nGOAL: Draw a mouse.");
    assert_eq!(heading(&woken), told("executing", "Draw a mouse."));
    edit(&place, "image.width", Some(80));
    assert_eq!(heading(&server.then("I go on.")), told("executing", "Draw a mouse."));
    // By now, the goal with which the run began counts as new.
    edit(&place, "prompt.goal", Some("Draw a cat."));
    assert_eq!(heading(&server.then("I go on.")), told("executing", "Draw a cat."));
    running.kill();
    let turns = place.turns();
    let modes: Vec<_> = turns
        .iter()
        .map(|turn| turn.mode.as_deref().unwrap_or_default())
        .collect();
    assert_eq!(modes[1..5], ["monitoring", "executing", "executing", "monitoring"]);
}

#[test]
fn a_task_that_the_model_reported_done_is_marked_until_it_is_taken_up_or_another_is_given() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &companion(&["Draw a cat."]));
    let first = server.chat();
    assert_eq!(heading(&first), told("executing", "Draw a cat."));
    assert_eq!(heading(&server.then("I draw.")), told("executing", "Draw a cat."));
    let done = server.then("STATUS: completed");
    assert_eq!(heading(&done), told("monitoring", &marked(WATCH, 2)));
    assert_eq!(
        chat::system(&done),
        chat::system(&first),
        "the cached prompt stays the same"
    );
    // A model that copies the line does not change its goal.
    let copied = format!("STATUS: monitoring\nGOAL: {}", marked(WATCH, 2));
    assert_eq!(heading(&server.then(&copied)), told("monitoring", &marked(WATCH, 2)));
    running.kill();

    let running = resume(&place, &server.url(), &[]);
    assert_eq!(heading(&server.chat()), told("monitoring", &marked(WATCH, 2)));
    let own = "Answer the note.";
    let woken = server.then(&format!("STATUS: executing\nGOAL: {own}"));
    assert_eq!(heading(&woken), told("executing", &marked(own, 2)));
    let done = server.then("STATUS: monitoring");
    assert_eq!(
        heading(&done),
        told("monitoring", &marked(WATCH, 2)),
        "the note was not the task"
    );
    let again = server.then("STATUS: executing\nGOAL: Draw a cat.");
    assert_eq!(heading(&again), told("executing", "Draw a cat."));
    assert_eq!(
        heading(&server.then("STATUS: completed")),
        told("monitoring", &marked(WATCH, 7))
    );
    edit(&place, "prompt.goal", Some("Draw a house."));
    assert_eq!(heading(&server.then("I rest.")), told("executing", "Draw a house."));
    running.kill();
}

/// An edit is applied only once, even if the process dies in the turn in which it was read.
#[test]
fn an_edit_read_before_a_kill_is_not_applied_again() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &companion(&["Draw a cat."]));
    server.chat();
    edit(&place, "prompt.goal", Some("Draw a house."));
    assert_eq!(heading(&server.then("I go on.")), told("executing", "Draw a house."));
    running.kill();
    let running = resume(&place, &server.url(), &[]);
    assert_eq!(heading(&server.chat()), told("executing", "Draw a house."));
    assert_eq!(heading(&server.then("GOAL: A barn.")), told("executing", "A barn."));
    running.kill();
    let running = resume(&place, &server.url(), &[]);
    assert_eq!(heading(&server.chat()), told("executing", "A barn."));
    running.kill();
}

#[test]
fn a_goal_given_on_resume_stays_even_before_the_first_turn() {
    for turns_done in [0, 1] {
        let (mut server, place) = (Puppet::new(), Workplace::new());
        let running = start(&place, &server.url(), &companion(&["Draw a cat."]));
        server.chat();
        for _ in 0..turns_done {
            server.then("GOAL: Draw a mouse.");
        }
        running.kill();
        let running = resume(&place, &server.url(), &["Draw a house."]);
        let chat = server.chat();
        let house = told("executing", "Draw a house.");
        assert_eq!(heading(&chat), house, "after {turns_done} turns");
        let said =
            chat::feedback(&chat).contains("NOTICE: a person has changed your task. The task is now: Draw a house.");
        assert_eq!(said, turns_done > 0, "{}", chat::feedback(&chat));
        running.kill();
        let running = resume(&place, &server.url(), &[]);
        assert_eq!(heading(&server.chat()), house, "after {turns_done} turns");
        running.kill();
        // This also works for the goal that is in the run's file.
        let running = resume(&place, &server.url(), &["Draw a cat."]);
        assert_eq!(heading(&server.chat()), told("executing", "Draw a cat."));
        running.kill();
    }
}

#[test]
fn without_modes_the_goal_is_in_the_system_prompt() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(
        &place,
        &server.url(),
        &["--profile", "draw", "--set", "protocol.tools.wait=true", "Draw a cat."],
    );
    let first = server.chat();
    assert!(chat::system(&first).contains("ASKED BY THE PERSON: Draw a cat.\n"));
    edit(&place, "prompt.goal", Some("Draw a {tools} house."));
    let second = server.then("GOAL: Draw a dog.\nSTATUS: monitoring");
    let system = chat::system(&second).to_owned();
    assert!(
        system.contains("ASKED BY THE PERSON: Draw a {tools} house.\n"),
        "{system}"
    );
    assert_eq!(
        chat::system(&first).replace("Draw a cat.", "Draw a {tools} house."),
        system
    );
    assert_eq!(chat::system(&server.then("I go on.")), system);
    running.kill();
    assert!(place.turns().iter().all(|turn| turn.mode.is_none()));
}

/// Returns mode and goal of the turn after these replies.
fn after(goal: &str, replies: &[&str]) -> (String, String) {
    let lines: Vec<String> = replies.iter().map(|text| reply(text)).collect();
    let server = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let place = Workplace::new();
    let turns = (replies.len() + 1).to_string();
    let goal = format!("prompt.goal={goal}");
    let arguments = companion(&["--max-turns", &turns, "--set", &goal]);
    let finished = start(&place, &url(&server), &arguments).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let last = place.turns().pop().unwrap();
    (last.mode.unwrap(), last.goal.unwrap())
}

#[test]
fn monitoring_without_a_goal_gets_a_default_one() {
    let cat = "Draw a cat.";
    let cases = [
        (cat, vec!["I begin."], "executing", cat),
        ("", vec!["I begin."], "monitoring", WATCH),
        (" ", vec!["I begin."], "monitoring", WATCH),
        (cat, vec!["STATUS: monitoring"], "monitoring", WATCH),
        (cat, vec!["STATUS: completed\nGOAL: draw a CAT."], "monitoring", WATCH),
        (cat, vec!["STATUS: monitoring\nGOAL: (unchanged)"], "monitoring", WATCH),
        (
            cat,
            vec!["STATUS: monitoring\nGOAL: Watch it."],
            "monitoring",
            "Watch it.",
        ),
        (
            cat,
            vec!["STATUS: monitoring\nGOAL: Watch it.", "STATUS: monitoring"],
            "monitoring",
            "Watch it.",
        ),
        ("", vec!["STATUS: executing"], "executing", WATCH),
    ];
    for (goal, replies, mode, wanted) in cases {
        assert_eq!(
            after(goal, &replies),
            (mode.to_owned(), wanted.to_owned()),
            "{goal:?} {replies:?}"
        );
    }
}

/// Notices to a model about mode and goal are never mixed with its own words.
#[test]
fn mode_and_goal_never_enter_the_story() {
    let literals = [
        r#""STATUS: executing\nGOAL: Draw a \"dog\".\nSTORY: \u0049 see \/ \ud800""#,
        r#""STATUS: monitoring\nSTORY: I rest.""#,
        r#""""#,
        r#""I say nothing in sections: \u00e9""#,
    ];
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &companion(&["Draw a cat."]));
    let mut story = "\"\"";
    for next in literals.into_iter().chain([r#""end""#]) {
        let body = String::from_utf8(server.asked()).unwrap();
        let user = format!(r#"}},{{"role":"user","content":{story}}},{{"role":"user","content":[{{"type":"text","#);
        assert_eq!(body.matches(&user).count(), 1, "{user}: {body:.2000}");
        assert_eq!(body.matches(r#"{"role":"#).count(), 3);
        server.reply_literal(next);
        story = next;
    }
    server.asked();
    running.kill();
}

#[test]
fn the_story_file_contains_the_story_section() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &companion(&["Draw a cat."]));
    server.asked();
    let replies = [
        (
            "STATUS: executing\nSTORY: I see a cat.\nIt sleeps.\nGOAL: Draw it.",
            "I see a cat.\nIt sleeps.",
        ),
        ("I see a dog.\nACTION: observe()", "I see a dog.\nACTION: observe()"),
        ("ACTION: observe()\nSTORY:", "ACTION: observe()\nSTORY:"),
    ];
    for (text, wanted) in replies {
        server.reply(text);
        server.asked();
        assert_eq!(std::fs::read_to_string(place.file("story.txt")).unwrap(), wanted);
    }
    running.kill();
}

#[test]
fn each_mode_has_its_own_delay() {
    let delays = |executing: &str, monitoring: &str, goal: &[&str]| {
        let (executing, monitoring) = (
            format!("loop.executing_delay_s={executing}"),
            format!("loop.monitoring_delay_s={monitoring}"),
        );
        let server = scripted(&[&reply("I go on.")]);
        let place = Workplace::new();
        let more = ["--max-turns", "3", "--set", &executing, "--set", &monitoring];
        let finished = start(&place, &url(&server), &companion(&[&more, goal].concat())).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let turns = place.turns();
        turns
            .iter()
            .skip(1)
            .map(|turn| turn.ms.settle.get())
            .fold(f64::INFINITY, f64::min)
    };
    assert!(delays("0", "0.08", &[]) >= 80.0);
    assert!(delays("0.08", "0", &["Draw a cat."]) >= 80.0);
}

const CLICK: &str = "STATUS: executing\nGOAL: same\nACTION: left_click(1, 2)\nSTORY: I click.";
const WITHDRAWN: &str =
    "NOTICE: your last actions were not performed, because a person changed your task. Look at the new picture.";

/// Checks that the last turn withdrew all actions of its reply, and that none of them reached the canvas.
fn assert_withdrawn(place: &Workplace, feedback: &str) {
    let told = format!("{WITHDRAWN}\nNOTICE: a person has changed your task. The task is now: Delete nothing.");
    assert!(feedback.contains(&told), "{feedback}");
    assert!(feedback.contains("withdrawn: a person changed your task"), "{feedback}");
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap_or_default();
    assert!(!journal.contains("left_click(1, 2)"), "{journal}");
}

#[test]
fn a_goal_edited_while_the_model_thinks_withdraws_its_reply() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &companion(&["Draw a cat."]));
    server.asked();
    edit(&place, "prompt.goal", Some("Delete nothing."));
    let chat = server.then(CLICK);
    assert_eq!(heading(&chat), told("executing", "Delete nothing."));
    assert_withdrawn(&place, chat::feedback(&chat));
    // Actions that the model requests under the new goal are performed, even if the model rewords the goal.
    let chat = server.then("STATUS: executing\nGOAL: Nothing at all.\nACTION: left_click(3, 4)\nSTORY: I click.");
    assert!(
        chat::feedback(&chat).contains("left_click(3, 4) -> done"),
        "{}",
        chat::feedback(&chat)
    );
    running.kill();
    let turns = place.turns();
    assert_eq!(turns[1].acted[0].outcome.name(), "withdrawn");
}

#[test]
fn a_new_goal_on_resume_withdraws_pending_actions() {
    for watched in [false, true] {
        let (mut server, place) = (Puppet::new(), Workplace::new());
        let running = start(&place, &server.url(), &companion(&["Draw a cat.", "--max-turns", "1"]));
        server.asked();
        server.reply(CLICK);
        assert_eq!(running.finish().code, Some(0));
        let url = server.url();
        let running = if watched {
            let arguments = [
                "run",
                "--resume",
                "run",
                "--upstream",
                &url,
                "--model",
                "m",
                "--no-open",
            ];
            let panel = ["--dashboard", "127.0.0.1:0", "Delete nothing."];
            crate::harness::spawn(place.program(&[&arguments[..], &panel].concat()))
        } else {
            resume(&place, &url, &["Delete nothing."])
        };
        assert_withdrawn(&place, chat::feedback(&server.chat()));
        running.kill();
    }
}

/// The task stays as it was given. A change is reported when it happens, and is kept even when that step is forgotten.
#[test]
fn in_a_conversation_the_old_task_never_stands_alone() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let more = [
        "--profile",
        "operator",
        "--set",
        "memory.keep_turns=4",
        "--set",
        "loop.stop_on_answer=false",
        "Draw a cat.",
    ];
    let running = start(&place, &server.url(), &more);
    let look = r#"<tool_call>{"name": "observe_screen", "arguments": {}}</tool_call>"#;
    server.chat();
    edit(&place, "prompt.goal", Some("Draw a dog."));
    let told = "NOTICE: a person has changed your task. The task is now: Draw a dog.";
    let chat = server.then(look);
    assert!(chat::feedback(&chat).contains(told), "{}", chat::feedback(&chat));
    for _ in 0..3 {
        let chat = server.then(look);
        assert_eq!(chat::text(&chat::messages(&chat)[1]), "Draw a cat.");
        assert!(chat.to_string().contains(told), "{chat}");
    }
    let moved = "NOTICE (turn 2): a person has changed your task. The task is now: Draw a dog.";
    let chat = server.then(look);
    assert_eq!(chat::text(&chat::messages(&chat)[1]), format!("Draw a cat.\n\n{moved}"));
    assert!(!chat.to_string().contains(told), "{chat}");
    running.kill();
    let running = resume(&place, &server.url(), &[]);
    assert_eq!(server.chat(), chat);
    running.kill();
}

#[test]
fn in_a_conversation_every_withdrawn_call_is_answered() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &["--profile", "operator", "Draw a cat."]);
    server.asked();
    edit(&place, "prompt.goal", Some("Delete nothing."));
    let call = r#"{"name": "drag", "arguments": {"x1": 1, "y1": 2, "x2": 300, "y2": 400}}"#;
    let chat = server.then(&format!("<tool_call>{call}</tool_call>"));
    let results: Vec<&str> = chat::messages(&chat)
        .iter()
        .filter(|message| message["role"] == "tool")
        .filter_map(|message| message["content"].as_str())
        .collect();
    let withdrawn = r#"{"ok":false,"error":{"type":"withdrawn","message":"a person changed your task"}}"#;
    assert_eq!(results, [withdrawn]);
    running.kill();
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap_or_default();
    assert!(!journal.contains("drag"), "{journal}");
}
