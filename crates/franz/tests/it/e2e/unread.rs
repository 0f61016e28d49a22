//! A reply that nobody can read ends the agent but not the run. The reply is skipped, the model is told, and the run
//! continues.

use std::process::Command;

use franz_demo::DemoHandle;
use franz_record::Status;

use crate::e2e::settings::{SMALL, run};
use crate::harness::{Workplace, python, reply, scripted, spawn, url};

/// Words at which a test build hangs.
const HANGS: &str = "a reply that hangs its reader";
const SKIPPED: &str = "NOTICE: your last reply could not be read, so none of it was performed.";

fn hanging(mut command: Command) -> Command {
    command.env("READER_HANGS_ON", HANGS);
    command
}

/// Starts a server whose first reply hangs the reader and contains a click.
fn server() -> DemoHandle {
    let block = |code: &str| reply(&format!("```python\n{code}\n```"));
    scripted(&[
        &block(&format!("left_click(1, 1)  # {HANGS}")),
        &block("left_click(2, 2)"),
        &block("left_click(3, 3)"),
    ])
}

/// Checks that the run continued after the skipped reply.
fn check(place: &Workplace) {
    let turns = place.turns();
    assert!(turns.len() >= 3 && turns.iter().all(|turn| turn.status == Status::Ok));
    assert!(turns[1].feedback.contains(SKIPPED), "{}", turns[1].feedback);
    assert!(turns[1].acted.is_empty());
    assert!(turns.iter().skip(2).all(|turn| !turn.feedback.contains(SKIPPED)));
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    assert!(
        !journal.contains("left_click(1, 1)") && journal.contains("left_click(2, 2)"),
        "{journal}"
    );
}

#[test]
fn the_watchdog_ends_a_run_without_a_panel_and_names_resume() {
    let (server, place) = (server(), Workplace::new());
    let url = url(&server);
    let begun = spawn(hanging(run(&place, &url, &["--no-panel", "--max-turns", "3"]))).finish();
    assert_eq!(begun.code, Some(1), "{}", begun.stderr);
    let told = "reading the last reply took more than 5 s of CPU time: continue with franz run --no-panel --resume ";
    assert!(begun.stderr.contains(told), "{}", begun.stderr);
    assert_eq!(place.turns().len(), 1);
    let arguments = ["run", "--resume", "run", "--upstream", &url, "--max-turns", "2"];
    let resumed = spawn(hanging(place.franz(&arguments))).finish();
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(resumed.stdout.contains("skipping that reply"), "{}", resumed.stdout);
    check(&place);
}

#[test]
fn the_panel_restarts_an_agent_ended_by_its_watchdog() {
    let (server, place) = (server(), Workplace::new());
    let url = url(&server);
    let common = ["run", "--run-dir", "run", "--upstream", &url, "--screen", "canvas"];
    let more = [
        "--dashboard",
        "127.0.0.1:0",
        "--max-turns",
        "3",
        "--set",
        "panel.restart_s=0",
    ];
    let command = place.program(&[&common[..], &more, &SMALL].concat());
    let finished = spawn(hanging(command)).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    check(&place);
}

/// A process died while it read a reply, for whatever reason. Only the mark shows this, even in a conversation, which
/// reads its replies again.
#[test]
fn a_reply_that_was_never_read_to_the_end_is_skipped_on_resume() {
    for (profile, memory) in [("draw", "story"), ("operator", "conversation")] {
        let server = scripted(&[
            &reply("<tool_call>{\"name\":\"wait\",\"arguments\":{\"seconds\":1}}</tool_call>"),
            &reply("I wait."),
            &reply("I wait."),
        ]);
        let place = Workplace::new();
        let url = url(&server);
        let first = ["--no-panel", "--profile", profile, "--max-turns", "1", "Wait."];
        assert_eq!(spawn(run(&place, &url, &first)).finish().code, Some(0));
        forget_the_end(&place);
        let arguments = ["run", "--resume", "run", "--upstream", &url, "--max-turns", "1"];
        let resumed = spawn(place.franz(&arguments)).finish();
        assert_eq!(resumed.code, Some(0), "{memory}: {}", resumed.stderr);
        let turns = place.turns();
        assert!(turns[1].feedback.contains(SKIPPED), "{memory}: {}", turns[1].feedback);
        assert!(turns[1].acted.is_empty(), "{memory}: {:?}", turns[1].acted);
        // The reply stays skipped. A conversation keeps it for many turns, and reads it each time the run continues.
        assert_eq!(spawn(place.franz(&arguments)).finish().code, Some(0), "{memory}");
        let state = std::fs::read_to_string(place.file("state.json")).unwrap();
        assert!(state.contains("\"unreadable\":[\""), "{memory}: {state}");
    }
}

/// Removes the line that says that the last reply was read.
fn forget_the_end(place: &Workplace) {
    let path = place.file("acting.jsonl");
    let lines = std::fs::read_to_string(&path).unwrap();
    assert!(lines.lines().last().unwrap().starts_with("{\"read\":"), "{lines}");
    let kept = lines.trim_end().rsplit_once('\n').map_or("", |(kept, _)| kept);
    std::fs::write(&path, format!("{kept}\n")).unwrap();
}

/// A block that would hash forever if hashing did not count towards the step limit.
const NESTED: &str = "a = 1\nfor i in range(60):\n    a = frozenset([(a, 1), (a, 2)])\nleft_click(1, 1)";

/// Blocks that used to hang agents now end within their limits, and the run continues.
#[test]
fn an_endlessly_nesting_block_ends_before_the_watchdog() {
    let tuples = "a = (1,)\nfor i in range(60):\n    a = (a, a)\n{a: 1}\nleft_click(1, 1)";
    let server = python(&[NESTED, tuples, "left_click(2, 2)"]);
    let place = Workplace::new();
    let finished = place.run(&server, &["--max-turns", "4"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(place.turns().len(), 4);
    check_that_only_the_last_drew(&place);
}

/// An agent that hung on such a reply left this directory: its turn is committed, and nothing was written after it.
#[test]
fn a_directory_whose_last_reply_nests_frozensets_goes_on() {
    let server = python(&[NESTED, "left_click(2, 2)"]);
    let place = Workplace::new();
    let finished = place.run(&server, &["--max-turns", "1"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    for file in ["state.json", "acting.jsonl"] {
        std::fs::remove_file(place.file(file)).unwrap();
    }
    let resumed = place.resume(&server, &["--max-turns", "2"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let turns = place.turns();
    assert_eq!(turns.len(), 3);
    let told = "NameError: name 'frozenset' is not defined";
    assert!(turns[1].feedback.contains(told), "{}", turns[1].feedback);
    check_that_only_the_last_drew(&place);
}

/// Checks that every turn is complete, that no reply was skipped, and that the nesting blocks performed no action.
fn check_that_only_the_last_drew(place: &Workplace) {
    for turn in place.turns() {
        assert_eq!(turn.status, Status::Ok);
        assert!(!turn.feedback.contains(SKIPPED), "{}", turn.feedback);
    }
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    assert!(
        !journal.contains("left_click(1, 1)") && journal.contains("left_click(2, 2)"),
        "{journal}"
    );
}
