//! A model server with every possible fault between good replies. The run survives, reports the faults, loses no turn
//! that a retry can save, and stays small.

mod faults;
mod holding;
pub(super) mod machine;
mod server;

use franz_record::{Status, TurnLine};

use crate::e2e::settings::SMALL;
use crate::e2e::watched;
use crate::harness::{Running, Workplace, spawn};
use faults::{Fate, Fault, GOOD, Weight};
use server::{Act, Server, answer};

/// The number of faults in one run.
const SHARE: usize = 10;
/// The number of slow faults in one run. Each takes all of its time.
const SLOW_SHARE: usize = 2;
/// The most resident memory that a panel or an agent may ever use, in KiB. 64 MB are for the largest answer, and the
/// rest is for the program, which is not optimised here.
const MOST: u64 = 128 << 10;

/// The findings of a run.
#[derive(Default)]
struct Found {
    /// Each fault, with the error recorded for it.
    told: Vec<(&'static str, String)>,
    /// Unexpected behaviour, in words.
    wrong: Vec<String>,
    /// The most resident memory that any of the run's processes used, in KiB.
    peak: u64,
}

#[test]
fn faults_without_a_panel() {
    all_faults(false);
}

#[test]
fn faults_through_the_relay() {
    all_faults(true);
}

fn all_faults(watched: bool) {
    let mut groups = Vec::new();
    for weight in [Weight::Heavy, Weight::Slow, Weight::Light] {
        let faults: Vec<Fault> = faults::all()
            .into_iter()
            .filter(|fault| fault.weight == weight)
            .collect();
        let share = if weight == Weight::Slow { SLOW_SHARE } else { SHARE };
        groups.extend(faults.chunks(share).map(<[Fault]>::to_vec));
    }
    let mut all = Found::default();
    // A run spends most of its time waiting to retry, so do all runs at the same time.
    std::thread::scope(|scope| {
        let run = |group| scope.spawn(move || survives(group, watched));
        let runs: Vec<_> = groups.iter().map(|group| run(group)).collect();
        for run in runs {
            let found = run.join().unwrap();
            all.told.extend(found.told);
            all.wrong.extend(found.wrong);
            all.peak = all.peak.max(found.peak);
        }
    });
    for (name, told) in &all.told {
        println!("{name:<42} {told}");
    }
    let way = if watched {
        "through the relay"
    } else {
        "without a panel"
    };
    let (faults, peak) = (all.told.len(), all.peak >> 10);
    println!("{faults} faults {way}, at most {peak} MB resident in a process");
    assert!(all.wrong.is_empty(), "{:#?}", all.wrong);
    assert!(all.peak < MOST, "{} KiB", all.peak);
}

/// Performs one run with these faults.
fn survives(faults: &[Fault], watched: bool) -> Found {
    let good = Act::Send(answer("200 OK", "", GOOD));
    let acts = faults.iter().flat_map(|fault| [fault.act.clone(), good.clone()]);
    let server = Server::performing(std::iter::once(good.clone()).chain(acts).collect(), false);
    let place = Workplace::new();
    let patience = match faults[0].weight {
        // The good replies have to arrive within this time, too, beside all the other runs.
        Weight::Slow => "model.timeout_s=4",
        Weight::Light | Weight::Heavy => "model.timeout_s=120",
    };
    let running = start(&place, &server.url(), &["--set", patience], watched);
    server.wait_for_the_end();
    let mut found = Found {
        peak: most_resident(&running),
        ..Found::default()
    };
    running.signal("TERM");
    let finished = running.finish();
    assert_eq!(finished.code, Some(143), "{}\n{}", finished.stdout, finished.stderr);

    let recorded = place.turns();
    let mut turns = recorded.iter().skip(1);
    for fault in faults {
        let turn = turns.next().expect("the turn of the fault");
        let told = turn.errors.join(" | ");
        if !as_expected(fault, turn) {
            let (status, attempts) = (turn.status, turn.attempts);
            found
                .wrong
                .push(format!("{}: {status:?} after {attempts} attempts: {told}", fault.name));
        }
        found.told.push((fault.name, told));
        if turn.attempts == 1 {
            assert_eq!(turns.next().expect("the turn behind it").status, Status::Ok);
        }
    }
    found
}

fn as_expected(fault: &Fault, turn: &TurnLine) -> bool {
    let told = || turn.errors.len() == 1 && turn.errors[0].contains(fault.told);
    match fault.fate {
        Fate::Retried => (turn.status, turn.attempts) == (Status::Ok, 2) && told(),
        Fate::Lost => (turn.status, turn.attempts) == (Status::Failed, 1) && told(),
        Fate::Taken => (turn.status, turn.attempts) == (Status::Ok, 1) && turn.errors.is_empty(),
    }
}

fn start(place: &Workplace, url: &str, more: &[&str], watched: bool) -> Running {
    let common = [
        "run",
        "--run-dir",
        "run",
        "--upstream",
        url,
        "--set",
        "model.attempts=2",
    ];
    let arguments = [&common[..], &SMALL, more].concat();
    spawn(if watched {
        place.program(&[&arguments[..], &["--dashboard", "127.0.0.1:0"]].concat())
    } else {
        place.franz(&arguments)
    })
}

/// Returns the most resident memory that the process or its agent ever used, in KiB.
fn most_resident(running: &Running) -> u64 {
    let processes = watched::children(running.id()).into_iter().chain([running.id()]);
    // An agent that has just ended has no memory any more.
    let most = |process| -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    processes.filter_map(most).max().unwrap()
}
