//! A run's output into a pipe: for scripts on stdout, and messages for people on stderr.

use serde_json::json;

use crate::harness::{Workplace, reply, scripted, spawn};

const REPLIES: [&str; 2] = ["First.\n```python\ndrag(1, 2, 3, 4)\n```", "Second."];

/// Returns the script line of a reply that consists of this call.
fn call(name: &str, arguments: &str) -> String {
    let function = json!({ "name": name, "arguments": arguments });
    json!({ "tool_calls": [{ "id": "a", "type": "function", "function": function }] }).to_string()
}

#[test]
fn quiet_prints_the_answer_alone() {
    let place = Workplace::new();
    let server = scripted(&[
        &call("wait", r#"{"seconds": 0}"#),
        &call("finish", r#"{"answer": "It is 42.", "success": true}"#),
    ]);
    let run = place.run(
        &server,
        &["-q", "--profile", "operator", "--screen", "canvas", "What is it?"],
    );
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), "It is 42.\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn replies_are_shown_whole_on_request() {
    let place = Workplace::new();
    let server = scripted(&REPLIES.map(reply).each_ref().map(String::as_str));
    let run = place.run(&server, &["--show", "reply", "--max-turns", "2"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (_, turn) = run.stdout.split_once("turn 2 ").unwrap();
    let lines: Vec<&str> = turn.lines().skip(1).collect();
    assert_eq!(
        lines[..3],
        ["  story First.", "        ```python", "        drag(1, 2, 3, 4)"]
    );
    assert!(turn.contains("\n  goal  Draw a large cat"), "{turn}");
    assert!(turn.contains("\n  did   drag(1, 2, 3, 4) -> done"), "{turn}");
    assert!(turn.contains("\n  reply Second.\n"), "{turn}");
}

#[test]
fn a_run_without_an_answer_ends_with_the_last_words() {
    let place = Workplace::new();
    let server = scripted(&REPLIES.map(reply).each_ref().map(String::as_str));
    let run = place.run(&server, &["--max-turns", "2"]);
    assert!(run.stdout.contains("\nlast words:\n  Second.\n"), "{}", run.stdout);
}

#[test]
fn each_step_is_logged_on_request_as_text_and_as_json() {
    let steps = [
        "started",
        "acting",
        "acted",
        "captured",
        "sent",
        "the reply begins",
        "read",
        "ended",
    ];
    let place = Workplace::new();
    let server = scripted(&[&reply(REPLIES[1])]);
    let text = place.run(&server, &["--verbose", "--max-turns", "1"]);
    let mut rest = text.stderr.as_str();
    for step in steps {
        let (_, after) = rest
            .split_once(&format!(" INFO franz: {step} "))
            .unwrap_or_else(|| panic!("{step}: {rest}"));
        rest = after;
    }
    assert!(text.stderr.contains(" sent turn=1 ms="), "{}", text.stderr);
    let json = Workplace::new().run(&server, &["-v", "--log-format", "json", "--max-turns", "1"]);
    let told: Vec<serde_json::Value> = json
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<&str> = told
        .iter()
        .filter_map(|line| line["fields"]["message"].as_str())
        .collect();
    assert_eq!(told, steps);
    let usual = Workplace::new().run(&server, &["--max-turns", "1"]);
    assert_eq!(usual.stderr, "");
}

/// A script is larger than a pipe, so its writer notices that `head` has read enough.
#[test]
fn completions_are_printed_as_far_as_somebody_reads_them() {
    let place = Workplace::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut program = place.program(&["completions", "bash"]);
    program.stdout(writer);
    let finished = spawn(program).finish();
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
}
