//! Agent and panel are killed in any turn, and the story continues unchanged.

use std::process::Command;
use std::time::Instant;

use serde_json::json;

use super::{Dashboard, agent_of, kill, kinds, lives, replace_agent, resume, start, verdicts};
use crate::chat;
use crate::e2e::settings::run;
use crate::harness::{PATIENCE, Workplace, python, scripted, spawn, wait_until};
use crate::puppet::Puppet;
use crate::routes::Routes;

/// Returns replies that all differ, so that a story from the wrong turn is noticed.
fn replies(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("left_click({n}, {n})")).collect()
}

fn server(replies: &[String]) -> franz_demo::DemoHandle {
    python(&replies.iter().map(String::as_str).collect::<Vec<_>>())
}

fn all_verified(place: &Workplace) {
    for verdict in verdicts(place) {
        let kind = verdict["verdict"].as_str().unwrap();
        assert!(["first", "match", "retry"].contains(&kind), "{verdict}");
    }
}

#[test]
fn an_agent_that_is_killed_is_started_again_and_the_run_goes_on() {
    let replies = replies(2000);
    let server = server(&replies);
    let place = Workplace::new();
    let running = start(&place, &server, &[]);
    let mut killed = Vec::new();
    for turn in [1, 3, 4, 8, 13, 21] {
        place.wait_for_turn(turn);
        let agent = wait_until("an agent that lives", || {
            let agent = agent_of(&running);
            (!killed.contains(&agent) && lives(agent)).then_some(agent)
        });
        kill(agent);
        killed.push(agent);
    }
    place.wait_for_turn(30);
    Dashboard::of(&place).command("stop");
    let finished = running.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    assert!(
        finished.stdout.contains("the agent was restarted at turn "),
        "{}",
        finished.stdout
    );
    let turns: Vec<u64> = place.turns().iter().map(|turn| turn.turn).collect();
    assert_eq!(turns, (1..=turns.len() as u64).collect::<Vec<_>>());
    all_verified(&place);
    assert!(verdicts(&place).len() >= 30);
    // No action was performed twice. All replies click at different positions.
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    for n in 0..29 {
        assert!(journal.matches(&format!("left_click({n}, {n})")).count() <= 1, "{n}");
    }
}

#[test]
fn an_agent_that_is_started_again_knows_that_the_model_goes_in_circles() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let quiet = ["--profile", "draw", "--no-open", "--dashboard", "127.0.0.1:0"];
    let settings = ["--set", "protocol.tools.move=true", "--set", "panel.restart_s=0"];
    let running = spawn(run(&place, &server.url(), &[&quiet[..], &settings].concat()));
    let again = "I try.\n```python\nmove(500, 500)\n```";
    server.chat();
    server.then(again);
    server.then(again);
    replace_agent(&running);
    server.chat();
    let told = chat::feedback(&server.then(again)).to_owned();
    assert!(told.contains("NOTICE: you have done the same thing 3 times"), "{told}");
    running.kill();
}

#[test]
fn an_agent_that_is_started_again_after_a_reply_of_the_person_sends_the_same_conversation() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let quiet = ["--profile", "operator", "--no-open", "--dashboard", "127.0.0.1:0"];
    let settings = ["--set", "panel.restart_s=0", "Look."];
    let running = spawn(run(&place, &server.url(), &[&quiet[..], &settings].concat()));
    let look = r#"<tool_call>{"name": "observe_screen", "arguments": {}}</tool_call>"#;
    server.chat();
    for _ in 0..3 {
        server.then(look);
    }
    assert_eq!(Dashboard::of(&place).decide("reply", "", look).0, 200);
    let sent = server.chat();
    replace_agent(&running);
    let again = server.chat();
    running.kill();
    assert_eq!(place.turns()[3].by.as_deref(), Some("person"));
    assert_eq!(chat::messages(&again), chat::messages(&sent));
}

/// If an agent got the reply of an earlier one, it might perform it a second time.
#[test]
fn a_reply_of_the_person_goes_to_no_other_agent() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let quiet = ["--profile", "draw", "--no-open", "--dashboard", "127.0.0.1:0"];
    let settings = ["--set", "panel.restart_s=0"];
    let running = spawn(run(&place, &server.url(), &[&quiet[..], &settings].concat()));
    let dashboard = Dashboard::of(&place);
    server.chat();
    dashboard.command("pause");
    server.reply("```python\ndrag(1, 2, 3, 4)\n```");
    dashboard.wait_for_agent("paused");
    let reply = "```python\ndrag(5, 6, 7, 8)\n```";
    assert_eq!(dashboard.decide("reply", "", reply).0, 200);
    replace_agent(&running);
    dashboard.wait_for_agent("paused");
    dashboard.command("resume");
    let next = server.chat();
    running.kill();
    assert!(!next.to_string().contains("drag(5, 6, 7, 8)"), "{next}");
    assert!(place.turns().iter().all(|turn| turn.by.is_none()));
}

/// The agent dies right after its last reply: before the state is saved, after that, or while it closes the screen.
#[test]
fn an_agent_that_is_killed_at_its_end_asks_no_more() {
    let finish = r#"<tool_call>{"name": "finish", "arguments": {"answer": "All is done."}}</tool_call>"#;
    for (profile, max_turns, reply) in [("operator", "9", finish), ("draw", "1", "left_click(1, 2)")].repeat(4) {
        let server = scripted(&[&json!({"text": reply, "delay_s": 0.3}).to_string()]);
        let place = Workplace::new();
        let more = [
            "--screen",
            "canvas",
            "--profile",
            profile,
            "--max-turns",
            max_turns,
            "Look.",
        ];
        let running = start(&place, &server, &more);
        let agent = agent_of(&running);
        let turns = place.file("turns_0001_1000.jsonl");
        let began = Instant::now();
        while !turns.exists() {
            assert!(began.elapsed() < PATIENCE, "there is no turn");
            std::thread::yield_now();
        }
        // It may have ended by now.
        let _ = Command::new("kill").args(["-9", &agent.to_string()]).status();
        let finished = running.finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_eq!(
            finished.stdout.contains("All is done."),
            profile == "operator",
            "{}",
            finished.stdout
        );
        // A lost turn is made again, and a reply that the agent was just reading is not read again.
        let was_reading = std::fs::read_to_string(place.file("state.json"))
            .unwrap()
            .contains("\"unreadable\":[\"");
        let made = (server.requests().len(), place.turns().len());
        assert!(
            matches!(made, (1 | 2, 1)) || was_reading,
            "{made:?}\n{}",
            finished.stdout
        );
    }
}

#[test]
fn an_agent_whose_panel_is_killed_ends_and_the_next_panel_goes_on() {
    let replies = replies(200);
    let server = server(&replies);
    let place = Workplace::new();
    let mut running = start(&place, &server, &[]);
    for turn in [2, 5, 9] {
        place.wait_for_turn(turn);
        // On a busy machine, the verifier is slower than the agent.
        wait_until("the verdicts", || (verdicts(&place).len() as u64 > turn).then_some(()));
        let agent = agent_of(&running);
        running.kill();
        // The next agent waits until this one has released the run.
        running = resume(&place, &server, &[]);
        wait_until("the end of an agent without a panel", || (!lives(agent)).then_some(()));
    }
    place.wait_for_turn(14);
    let dashboard = Dashboard::of(&place);
    dashboard.command("stop");
    assert_eq!(running.finish().code, Some(130));
    let turns: Vec<u64> = place.turns().iter().map(|turn| turn.turn).collect();
    assert_eq!(turns, (1..=turns.len() as u64).collect::<Vec<_>>());
    all_verified(&place);
    let firsts = kinds(&place).iter().filter(|kind| *kind == "first").count();
    assert_eq!(firsts, 1, "the last story outlasts the panel: {:?}", kinds(&place));
}

#[test]
fn a_restarted_agent_keeps_narrowed_limits() {
    let server = python(&["left_click(1, 2)"]);
    let place = Workplace::new();
    let tool = ["--set", "protocol.tools.left_click=false"];
    assert_eq!(
        start(&place, &server, &[&tool[..], &["--max-turns", "1"]].concat())
            .finish()
            .code,
        Some(0)
    );
    let running = resume(
        &place,
        &server,
        &[
            "--set",
            "protocol.tools.left_click=true",
            "--max-turns",
            "500",
            "--step",
        ],
    );
    let dashboard = Dashboard::of(&place);
    dashboard.wait_for_agent("paused");
    assert_eq!(dashboard.set("loop.max_turns", "3"), 200);
    assert_eq!(dashboard.set("protocol.tools.left_click", "false"), 200);
    replace_agent(&running);
    dashboard.wait_for_agent("paused");
    dashboard.command("resume");
    assert_eq!(running.finish().code, Some(0));
    assert_eq!(place.turns().len(), 4);
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap_or_default();
    assert!(!journal.contains("left_click"), "{journal}");
}

#[test]
fn limits_widened_in_the_dashboard_survive_restarts() {
    let server = python(&["left_click(1, 2)"]);
    let place = Workplace::new();
    let tool = ["--set", "protocol.tools.left_click=false"];
    let running = start(&place, &server, &[&tool[..], &["--max-turns", "1", "--step"]].concat());
    let dashboard = Dashboard::of(&place);
    dashboard.wait_for_agent("paused");
    assert_eq!(dashboard.set("loop.max_turns", "3"), 200);
    assert_eq!(dashboard.set("protocol.tools.left_click", "true"), 200);
    replace_agent(&running);
    dashboard.wait_for_agent("paused");
    dashboard.command("resume");
    assert_eq!(running.finish().code, Some(0));
    assert_eq!(place.turns().len(), 3);
    let resumed = resume(&place, &server, &[]).finish();
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(!resumed.stderr.contains("only you can change"), "{}", resumed.stderr);
    let turns = place.turns();
    assert_eq!(turns.len(), 6);
    let refused = turns
        .iter()
        .filter(|turn| turn.feedback.contains("not defined"))
        .count();
    assert_eq!(refused, 0, "{:?}", turns[1].feedback);
}

#[test]
fn an_agent_that_keeps_dying_is_given_up() {
    // The server never answers, so no turn is completed between two deaths.
    let server = scripted(&[r#"{"text": "too late", "delay_s": 3600}"#]);
    let place = Workplace::new();
    let running = start(&place, &server, &[]);
    for _ in 1..5 {
        replace_agent(&running);
    }
    kill(agent_of(&running));
    let finished = running.finish();
    assert_eq!(finished.code, Some(1));
    assert!(
        finished.stderr.contains("the agent cannot be kept running"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_server_that_dies_is_replaced_behind_its_own_relay() {
    let replies = replies(50);
    let (first, second) = (server(&replies), server(&replies));
    let place = Workplace::new();
    let fallback = format!("model.fallback=[\"{}\"]", crate::harness::url(&second));
    let running = start(&place, &first, &["--set", &fallback, "--set", "model.attempts=1"]);
    place.wait_for_turn(3);
    assert!(second.requests().is_empty(), "it is asked in need only");
    drop(first);
    wait_until("the second server", || (second.requests().len() >= 3).then_some(()));
    Dashboard::of(&place).command("stop");
    let finished = running.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    assert!(
        finished.stdout.contains("switching to http://127.0.0.1:"),
        "{}",
        finished.stdout
    );
    // A request that found nobody listening was never sent, so it proves nothing.
    for verdict in verdicts(&place) {
        let kind = verdict["verdict"].as_str().unwrap();
        let not_sent = kind == "unverifiable" && verdict["why"].as_str().unwrap().contains("the request was not sent");
        assert!(not_sent || ["first", "match", "retry"].contains(&kind), "{verdict}");
    }
}

#[test]
fn an_agent_that_is_started_again_goes_on_with_the_model_that_the_run_follows() {
    let listing = |model: &str| ("/v1/models", 200, json!({ "data": [{ "id": model }] }).to_string());
    let answer = json!({ "choices": [{ "message": { "content": "I look." } }] }).to_string();
    let reply = ("/v1/chat/completions", 200, answer);
    let busy = ("/v1/chat/completions", 503, "loading".to_owned());
    let server = Routes::serve(vec![listing("local"), listing("qwen3-vl-8b"), busy, reply]);
    let place = Workplace::new();
    let more = [
        "--profile",
        "sketch",
        "--dashboard",
        "127.0.0.1:0",
        "--set",
        "panel.restart_s=0",
    ];
    let running = spawn(run(&place, &server.url, &more));
    let follows = place.wait_for_turn(2);
    assert_eq!(follows[1].model.as_deref(), Some("qwen3-vl-8b"));
    replace_agent(&running);
    let next = place.turns().last().unwrap().turn + 2;
    place.wait_for_turn(next);
    running.signal("INT");
    let finished = running.finish();
    assert!(
        finished.stdout.contains("the agent was restarted at turn "),
        "{}",
        finished.stdout
    );
    assert_eq!(
        finished.stdout.matches("changed its model").count(),
        1,
        "{}",
        finished.stdout
    );
    let turns = place.turns();
    assert!(
        turns[1..]
            .iter()
            .all(|turn| turn.model.as_deref() == Some("qwen3-vl-8b"))
    );
    assert!(turns[1..].iter().all(|turn| turn.read_as.is_some()));
}
