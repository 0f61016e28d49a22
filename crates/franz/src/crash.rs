//! Kills runs before and after each write, and checks that the run continues, that no turn is lost and that no action
//! is performed twice.

mod proof;
mod victim;

use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use franz_demo::DemoHandle;

use crate::cli::Cli;
use crate::reading::SKIPPED;
use victim::Victim;

/// The variable that names the checkpoint at which the process kills itself.
const KILL_AT: &str = "KILL_AT";
/// The variable that holds a victim's command line, with its words separated by line breaks.
const VICTIM: &str = "VICTIM";
/// How many turns each process makes.
const TURNS: u64 = 3;

static PASSED: AtomicU64 = AtomicU64::new(0);

/// Counts the points before and after writes, and ends the process at the chosen one as kill -9 would.
pub(crate) fn checkpoint(_place: &str) {
    let passed = PASSED.fetch_add(1, Ordering::Relaxed) + 1;
    if std::env::var(KILL_AT).is_ok_and(|at| at == passed.to_string()) {
        std::process::abort();
    }
}

/// The entry point of the child processes that the tests below start. When run directly, it makes the runs that are not
/// killed.
#[test]
fn child() {
    if let Ok(words) = std::env::var(VICTIM) {
        let words: Vec<String> = words.lines().map(str::to_owned).collect();
        assert_eq!(crate::command::dispatch(Cli::parse_from(words)).unwrap(), 0);
        return;
    }
    for victim in Victim::ALL {
        let directory = tempfile::tempdir().unwrap();
        let server = victim.server();
        let run = directory.path().join("run");
        let arguments = arguments(&victim, &server, &["--run-dir", run.to_str().unwrap()]);
        assert!(spawned(directory.path(), &arguments, None).success());
        proof::of(&victim, &run, &server, 0);
    }
}

#[test]
fn a_run_that_draws() {
    killed_at_every_write(&Victim::Draw);
}

#[test]
fn a_run_with_modes() {
    killed_at_every_write(&Victim::Companion);
}

#[test]
fn a_run_with_a_conversation() {
    killed_at_every_write(&Victim::Operator);
}

/// A reply that a new goal has withdrawn is never performed, no matter where the process that got the goal is killed.
#[test]
fn a_new_goal_on_resuming() {
    let (mut told_before, mut skipped) = (0, 0);
    // Before the first write, the command has left no files on disk.
    for at in 2..=20 {
        let directory = tempfile::tempdir().unwrap();
        let run = directory.path().join("run");
        let run_name = run.to_str().unwrap();
        let server = Victim::Draw.server();
        let start = arguments(&Victim::Draw, &server, &["--run-dir", run_name]);
        assert!(spawned(directory.path(), &start, None).success());
        let resume = arguments(&Victim::Draw, &server, &["--resume", run_name]);
        let mut with_goal = resume.clone();
        with_goal.push("Draw nothing of what you meant to draw.".to_owned());
        spawned(directory.path(), &with_goal, Some(at));
        assert!(spawned(directory.path(), &resume, None).success());

        let journal = std::fs::read_to_string(run.join("canvas.jsonl")).unwrap();
        let pending = format!("drag({TURNS}, 1, {TURNS}, 900)");
        assert!(!journal.contains(&pending), "killed at checkpoint {at}: {journal}");
        // A reply that did not reach the agent is not requested again; the next one takes its place.
        let next = |number: u64| journal.contains(&format!("drag({number}, 1, {number}, 900)"));
        assert!(
            next(TURNS + 1) || next(TURNS + 2),
            "killed at checkpoint {at}: {journal}"
        );
        let lines = franz_record::TurnLines::open(&franz_home::View::open(&run).unwrap()).unwrap();
        let turn = lines.map(Result::unwrap).find(|line| line.turn == TURNS + 1).unwrap();
        let is_withdrawn = |acted: &franz_record::Acted| matches!(acted.outcome, franz_record::Outcome::Withdrawn(_));
        // If the process was killed while it was reading the reply, the reply is skipped and nothing is left to
        // withdraw. The screenshot is left out either way.
        let is_skipped = turn.feedback.contains(SKIPPED);
        let withdrawn = turn.acted.iter().filter(|acted| is_withdrawn(acted)).count();
        let wanted = if is_skipped { 0 } else { 3 };
        assert_eq!(withdrawn, wanted, "killed at checkpoint {at}: {:?}", turn.acted);
        skipped += u64::from(is_skipped);
        let notice = "a person has changed your task. The task is now: Draw nothing of what you meant to draw.";
        assert!(
            turn.feedback.contains(notice),
            "killed at checkpoint {at}: {}",
            turn.feedback
        );
        told_before += u64::from(server.requests().len() as u64 > 2 * TURNS);
    }
    assert!(told_before > 0, "some kills came after the request");
    assert!(skipped > 0, "some kills came while the reply was read");
}

/// The position that the grounder found is recorded with the action, and marked in the picture if the action was
/// performed, no matter where the process is killed.
#[test]
fn a_run_with_a_grounder() {
    let (mut done, mut begun) = (0, 0);
    for at in 1.. {
        let directory = tempfile::tempdir().unwrap();
        let run = directory.path().join("run");
        let (server, grounder) = (Victim::Aiming.server(), victim::grounder());
        let mut start = arguments(&Victim::Aiming, &server, &["--run-dir", run.to_str().unwrap()]);
        let address = format!("grounder.upstream=http://{}", grounder.addr());
        start.extend(["--set", &address, "--set", "grounder.family=ui-tars-1.5"].map(str::to_owned));
        if spawned(directory.path(), &start, Some(at)).success() {
            break;
        }
        let aimed = proof::aimed(&run);
        let resume = arguments(&Victim::Aiming, &server, &["--resume", run.to_str().unwrap()]);
        let resumed = spawned(directory.path(), &resume, None);
        assert!(resumed.success(), "after a kill at checkpoint {at}");
        proof::of(&Victim::Aiming, &run, &server, at);
        match aimed.map(|aimed| aimed.is_recorded(&run, at)) {
            Some(true) => done += 1,
            Some(false) => begun += 1,
            None => {}
        }
    }
    assert!(done > 0, "some kills came right behind the click");
    assert!(begun > 0, "some kills came right before the click");
}

fn killed_at_every_write(victim: &Victim) {
    let mut interrupted = 0;
    for at in 1.. {
        let directory = tempfile::tempdir().unwrap();
        let run = directory.path().join("run");
        let server = victim.server();
        let start = arguments(victim, &server, &["--run-dir", run.to_str().unwrap()]);
        if spawned(directory.path(), &start, Some(at)).success() {
            assert!(at > 2 * 8 * TURNS, "there are many writes, not {at}");
            break;
        }
        let resume = arguments(victim, &server, &["--resume", run.to_str().unwrap()]);
        // Kill the process that resumes the run as well, a little later each time.
        spawned(directory.path(), &resume, Some(at % 23 + 1));
        let resumed = spawned(directory.path(), &resume, None);
        assert!(resumed.success(), "after a kill at checkpoint {at}");
        interrupted += proof::of(victim, &run, &server, at);
    }
    assert!(interrupted > 0, "some kills were in the middle of acting");
}

fn arguments(victim: &Victim, server: &DemoHandle, place: &[&str]) -> Vec<String> {
    let url = format!("http://{}", server.addr());
    let turns = TURNS.to_string();
    let common = ["--upstream", &url, "--max-turns", &turns, "--screen", "canvas"];
    let small = [
        "image.width=64",
        "image.height=36",
        "screen.width=320",
        "screen.height=180",
        "loop.executing_delay_s=0",
        "loop.monitoring_delay_s=0",
        "loop.patience=0",
        "loop.rest_s=0",
    ];
    let small: Vec<&str> = small.iter().flat_map(|setting| ["--set", setting]).collect();
    // A resumed run reads its profile and goal from its own config.toml.
    let new = if place[0] == "--resume" {
        &[]
    } else {
        victim.arguments()
    };
    let words = [&["franz", "run", "--no-panel"], place, &common, &small, new].concat();
    words.into_iter().map(str::to_owned).collect()
}

fn spawned(directory: &Path, arguments: &[String], kill_at: Option<u64>) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "crash::child"])
        .current_dir(directory)
        .env("XDG_CONFIG_HOME", directory)
        .env("XDG_STATE_HOME", directory);
    // The tester's own settings must not affect the run.
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
