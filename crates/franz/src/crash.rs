//! Killed before and after every write, one after the other: the run goes on, no turn is lost, nothing is done twice.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use franz_demo::{Demo, DemoHandle, Pace, Script, Settings};
use franz_record::{Outcome, TurnLine, TurnLines};

use crate::cli::Cli;

/// Names the checkpoint at which the process kills itself.
const KILL_AT: &str = "KILL_AT";
/// The command line of a victim, its words separated by line breaks.
const VICTIM: &str = "VICTIM";
/// Turns of each run.
const TURNS: u64 = 3;

static PASSED: AtomicU64 = AtomicU64::new(0);

/// Counts the points before and after writes, and ends the process at the chosen one as kill -9 would.
pub(crate) fn checkpoint(_place: &str) {
    let passed = PASSED.fetch_add(1, Ordering::Relaxed) + 1;
    if std::env::var(KILL_AT).is_ok_and(|at| at == passed.to_string()) {
        std::process::abort();
    }
}

/// Where the child processes of the test below start. By itself it is the run that is not killed.
#[test]
fn victim() {
    let Ok(words) = std::env::var(VICTIM) else {
        let directory = tempfile::tempdir().unwrap();
        let server = server();
        let run = directory.path().join("run");
        let arguments = arguments(&server, &["--run-dir", run.to_str().unwrap()]);
        assert!(child(directory.path(), &arguments, None).success());
        check(&run, 0);
        return;
    };
    let words: Vec<String> = words.lines().map(str::to_owned).collect();
    assert_eq!(dispatch(&words), 0);
}

#[test]
fn killed_at_every_write_a_run_goes_on() {
    let mut interrupted = 0;
    for at in 1.. {
        let directory = tempfile::tempdir().unwrap();
        let run = directory.path().join("run");
        let server = server();
        let killed = child(
            directory.path(),
            &arguments(&server, &["--run-dir", run.to_str().unwrap()]),
            Some(at),
        );
        if killed.success() {
            assert!(at > 2 * 10 * TURNS, "there are many writes, not {at}");
            break;
        }
        let resume = arguments(&server, &["--resume", run.to_str().unwrap()]);
        // The process that goes on is killed as well, a little later each time.
        child(directory.path(), &resume, Some(at % 11 + 1));
        let resumed = child(directory.path(), &resume, None);
        assert!(resumed.success(), "after a kill at checkpoint {at}");
        interrupted += check(&run, at);
    }
    assert!(interrupted > 0, "some kills were in the middle of acting");
}

/// Replies that all draw something else, so that an action done twice would show.
fn server() -> DemoHandle {
    let reply = |n: u64| {
        format!("```python\ndrag({n}, 1, {n}, 900)\nscreenshot()\nleft_click({n}, 500)\ntype('reply {n}')\n```")
    };
    let lines: Vec<String> = (1..50)
        .map(|n| serde_json::json!({ "text": reply(n) }).to_string())
        .collect();
    let script = Script::parse(&lines.join("\n")).unwrap();
    Demo::spawn(Settings {
        pace: Pace::AT_ONCE,
        script: Some(script),
        ..Settings::default()
    })
    .unwrap()
}

fn arguments(server: &DemoHandle, place: &[&str]) -> Vec<String> {
    let url = format!("http://{}", server.addr());
    let turns = TURNS.to_string();
    let settings = [
        "--upstream",
        &url,
        "--max-turns",
        &turns,
        "--set",
        "loop.executing_delay_s=0",
    ];
    let small = [
        "--set",
        "image.width=64",
        "--set",
        "image.height=36",
        "--set",
        "screen.width=320",
        "--set",
        "screen.height=180",
    ];
    ["franz", "run"]
        .iter()
        .chain(place)
        .chain(&settings)
        .chain(&small)
        .map(|word| (*word).to_owned())
        .collect()
}

fn dispatch(arguments: &[String]) -> u8 {
    crate::command::dispatch(Cli::parse_from(arguments)).unwrap()
}

fn child(directory: &Path, arguments: &[String], kill_at: Option<u64>) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "crash::victim"])
        .current_dir(directory)
        .env("XDG_CONFIG_HOME", directory);
    // Settings of the tester's own must not reach the run.
    for (name, _) in std::env::vars_os() {
        let prefixes = ["FRANZ_", "LMSTUDIO_", "AGENT_"];
        if name
            .to_str()
            .is_some_and(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
        {
            command.env_remove(name);
        }
    }
    command.env(VICTIM, arguments.join("\n")).env_remove(KILL_AT);
    if let Some(at) = kill_at {
        command.env(KILL_AT, at.to_string());
    }
    command.output().unwrap().status
}

/// Proves a run from its own records; gives how many turns were interrupted while acting.
fn check(run: &Path, at: u64) -> usize {
    let turns: Vec<TurnLine> = TurnLines::open(run).unwrap().map(Result::unwrap).collect();
    let numbers: Vec<u64> = turns.iter().map(|turn| turn.turn).collect();
    assert_eq!(numbers, (1..=turns.len() as u64).collect::<Vec<_>>(), "checkpoint {at}");
    assert!(turns.len() as u64 >= TURNS);

    let journal = std::fs::read_to_string(run.join("canvas.jsonl")).unwrap();
    let drawn: Vec<(u64, String)> = journal.lines().map(drawn).collect();
    let unique: BTreeSet<_> = drawn.iter().collect();
    assert_eq!(
        unique.len(),
        drawn.len(),
        "checkpoint {at}: nothing is drawn twice: {journal}"
    );

    for turn in &turns {
        let done = turn.acted.iter().filter(|acted| acted.outcome == Outcome::Done);
        let said: Vec<&str> = done.map(|acted| acted.action.as_str()).collect();
        let here = drawn.iter().filter(|(number, _)| *number == turn.turn);
        let did: Vec<&str> = here.map(|(_, action)| action.as_str()).collect();
        assert_eq!(
            said, did,
            "checkpoint {at}, turn {}: the model is told what is true",
            turn.turn
        );
        let broken_off = turn
            .acted
            .iter()
            .filter(|acted| acted.outcome == Outcome::Interrupted)
            .count();
        assert_eq!(
            turn.feedback.contains("FRANZ was interrupted"),
            broken_off > 0,
            "checkpoint {at}: {}",
            turn.feedback
        );
        let picture = std::fs::read(run.join(&turn.image.as_ref().unwrap().file)).unwrap();
        assert_eq!(
            franz_record::digest::sha256_hex(&picture),
            turn.image.as_ref().unwrap().sha256
        );
    }
    let unfinished = std::fs::read_dir(run).unwrap().filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|suffix| suffix == "tmp")
    });
    assert_eq!(unfinished.count(), 0);
    turns
        .iter()
        .filter(|turn| turn.feedback.contains("FRANZ was interrupted"))
        .count()
}

fn drawn(line: &str) -> (u64, String) {
    let entry: serde_json::Value = serde_json::from_str(line).unwrap();
    (
        entry["turn"].as_u64().unwrap(),
        entry["action"].as_str().unwrap().to_owned(),
    )
}
