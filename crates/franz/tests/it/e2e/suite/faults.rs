//! Checks that misbehave, servers that are down, and runners that are killed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use franz_suite::{AttemptResult, RecordedOutcome, ResultStore};

use super::bench::{Bench, DRAWN, drawer};
use crate::dice::Dice;
use crate::e2e::chosen;
use crate::harness::{Running, spawn, wait_until};

#[test]
fn a_hostile_check_is_a_fault_of_its_task_and_holds_nobody_up() {
    let bench = Bench::with(
        &[
            ("hangs", "trap '' TERM INT HUP; while :; do sleep 0.1; done"),
            (
                "prints",
                "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo '{\"why\": \"much\"}'; exit 0",
            ),
            (
                "too-large",
                "dd if=/dev/zero of=huge bs=1M seek=2000 count=1 2>/dev/null || exit 9; exit 0",
            ),
            ("kills", "kill -9 $PPID; kill -9 0"),
            ("leaves", "for i in 1 2 3 4 5; do sleep 12345 & done; exit 0"),
            ("strange", "exit 77"),
            ("fine", "exit 0"),
        ],
        &[("hangs", "check_s = 1.5")],
    );
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let ran = bench.franz(&["run", "results", "--keep", "all"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let results = bench.results();
    let outcome = |task: &str| results[task].outcome;
    assert_eq!(outcome("hangs"), RecordedOutcome::Fault);
    assert_eq!(results["hangs"].why, "the check did not end");
    assert_eq!(
        (outcome("prints"), results["prints"].why.as_str()),
        (RecordedOutcome::Solved, "much")
    );
    assert!(results["prints"].check.as_ref().unwrap().printed.len() <= 4096);
    assert_eq!(outcome("too-large"), RecordedOutcome::Fault);
    assert_eq!(outcome("kills"), RecordedOutcome::Fault);
    assert_eq!(outcome("leaves"), RecordedOutcome::Solved);
    assert!(!is_running("sleep 12345"), "what a check leaves behind ends with it");
    assert_eq!(results["strange"].why, "the check ended with 77");
    assert_eq!(outcome("fine"), RecordedOutcome::Solved);
    let report = bench.franz(&["report", "results"]);
    assert!(
        report.stdout.contains("failed by a fault of the task"),
        "{}",
        report.stdout
    );
}

/// Returns whether a process has this command line.
fn is_running(line: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .any(|found| {
            found.strip_suffix(b"\0").is_some_and(|found| {
                found
                    .split(|&byte| byte == 0)
                    .eq(line.as_bytes().split(|&byte| byte == b' '))
            })
        })
}

#[test]
fn a_server_that_is_down_leaves_attempts_for_the_next_time() {
    let bench = Bench::new(&[("drawn", DRAWN), ("other", DRAWN)]);
    let server = drawer();
    let file = bench.place.path("server.txt");
    let models = format!(
        "[[model]]\nname = \"late\"\nupstream_file = {:?}\n",
        file.display().to_string()
    );
    fs::write(bench.place.path("models.toml"), models).unwrap();
    let planned = bench.franz(&[
        "plan",
        "suite",
        "--models-from",
        "models.toml",
        "--profiles",
        "draw",
        "--repeat",
        "1",
        "-o",
        "results",
    ]);
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(75), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("names the server of late"), "{}", ran.stderr);
    let missing = bench.franz(&["missing", "results"]);
    assert_eq!(missing.stdout.lines().count(), 2, "{}", missing.stdout);
    assert!(missing.stdout.contains("3 failed tries"), "{}", missing.stdout);
    let report = bench.franz(&["report", "results"]).stdout;
    assert!(report.contains("infrastructure"), "{report}");
    fs::write(&file, format!("{}\n", server.addr())).unwrap();
    assert_eq!(bench.franz(&["run", "results"]).code, Some(0));
    assert_eq!(bench.results()["drawn"].outcome, RecordedOutcome::Solved);
    assert_eq!(bench.franz(&["missing", "results"]).stdout, "");
}

/// The number of kills if none is given, and the longest wait before one in milliseconds.
const KILLS: u64 = 20;
const LONGEST_WAIT_MS: usize = 600;

/// `cargo xtask soak --suite` sets the number of kills and the seed.
#[test]
fn every_attempt_of_killed_runners_has_exactly_one_result() {
    let (kills, seed) = (
        chosen::number("SUITE_KILLS").unwrap_or(KILLS),
        chosen::seed("SUITE_KILLS_SEED"),
    );
    let mut dice = Dice(seed);
    let bench = Bench::new(&[("one", DRAWN), ("two", DRAWN), ("three", DRAWN)]);
    let scratch = bench.place.path("scratch");
    fs::create_dir(&scratch).unwrap();
    let server = drawer();
    bench.plan(&server, &["--repeat", &(kills / 2).max(4).to_string()]);
    let start = |jobs: &str| {
        let mut command = bench.place.program(&["suite", "run", "results", "--jobs", jobs]);
        command.env("TMPDIR", &scratch);
        spawn(command)
    };
    for _ in 0..kills {
        let (asked, runner) = (server.requests().len(), start(["1", "2"][dice.roll(2)]));
        let other = dice.coin().then(|| start("1"));
        // Otherwise, the kill can interrupt even the start.
        if dice.coin() {
            wait_until("a request, or the end", || {
                (server.requests().len() > asked || runner.has_printed("every attempt has a result")).then_some(())
            });
        }
        std::thread::sleep(Duration::from_millis(dice.roll(LONGEST_WAIT_MS) as u64));
        runner.kill();
        other.into_iter().for_each(Running::kill);
    }
    let ended = start("2").finish();
    assert_eq!(ended.code, Some(0), "seed {seed}: {}{}", ended.stdout, ended.stderr);
    let (store, plan) = ResultStore::open(&bench.place.path("results")).unwrap();
    let numbers = |results: &[AttemptResult]| results.iter().map(|result| result.attempt.attempt).collect::<Vec<_>>();
    let results = store.results().unwrap();
    let all: Vec<u32> = plan.attempts.iter().map(|attempt| attempt.attempt).collect();
    assert_eq!(numbers(&results), all, "seed {seed}");
    let gathered = bench.franz(&["gather", "results"]);
    assert!(
        gathered
            .stdout
            .contains(&format!("{} of {0} attempts have results", all.len())),
        "{}",
        gathered.stdout
    );
    let lines = fs::read_to_string(bench.place.path("results/results.jsonl")).unwrap();
    let lines: Vec<AttemptResult> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(numbers(&lines), all, "seed {seed}");
    // The last runner has removed what the killed ones left, and no process of an attempt is left.
    wait_until("the end of all processes", || (!is_in_use(&scratch)).then_some(()));
    let left: Vec<_> = fs::read_dir(&scratch)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    assert!(left.is_empty(), "seed {seed}: {left:?}");
    let tries: usize = all.iter().map(|attempt| tries(&store, *attempt)).sum();
    println!(
        "seed {seed}: {kills} kills, {} attempts, each with one result, of {tries} tries that ended",
        all.len()
    );
}

/// Returns the number of an attempt's tries that ended.
fn tries(store: &ResultStore, attempt: u32) -> usize {
    let folder = store.try_folder(attempt, "any");
    let names = fs::read_dir(folder.parent().unwrap())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with("try_")).count()
}

/// Returns whether the command line of any process mentions a folder.
fn is_in_use(folder: &Path) -> bool {
    let folder = folder.canonicalize().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines
        .into_iter()
        .any(|line| String::from_utf8_lossy(&line).contains(&*folder.to_string_lossy()))
}
