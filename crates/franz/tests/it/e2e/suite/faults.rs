//! Checks that misbehave, servers that are down, and runners that are killed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use franz_suite::{AttemptResult, RecordedOutcome, ResultAddress, ResultStore};

use super::bench::{Bench, DRAWN, drawer};
use crate::dice::Dice;
use crate::e2e::chaos::machine::under;
use crate::e2e::chosen;
use crate::harness::{Running, reply, scripted, spawn, wait_until};

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

#[test]
fn a_task_that_no_run_can_start_with_is_a_fault_and_the_others_go_on() {
    let long = "start = [\"yes 'drag(100, 500, 900, 500)' | head -8000\"]\n";
    let bench = Bench::with(
        &[("nonsense", DRAWN), ("long", DRAWN), ("silent", DRAWN), ("fine", DRAWN)],
        &[
            ("nonsense", "start = [\"echo 'nonsense(1)'\"]\n"),
            ("long", long),
            ("silent", "start = [\"exit 3\"]\n"),
        ],
    );
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let results = bench.results();
    for (task, why) in [
        ("nonsense", "the run cannot start: screen.drawing: \"nonsense(1)\""),
        ("long", "print more than 120000 bytes"),
        ("silent", "\"exit 3\" ended with 3"),
    ] {
        let result = &results[task];
        assert_eq!(result.outcome, RecordedOutcome::Fault, "{task}");
        assert!(
            result.why.contains(why) && !result.why.ends_with(": "),
            "{}",
            result.why
        );
    }
    assert_eq!(results["fine"].outcome, RecordedOutcome::Solved);
    // Nothing has judged the homes of the others, so nothing judges them differently.
    let rescored = bench.franz(&["rescore", "results"]);
    assert_eq!(
        rescored.stdout, "3 without a check\n1 without a kept home\n",
        "{}",
        rescored.stderr
    );
}

/// The longest goal and commands that a suite may have fit the command line of a run.
#[test]
fn the_longest_task_can_be_played() {
    let start = format!("start = [\"true {}\"]\n", "\\u0001".repeat(19_990));
    let bench = Bench::with(&[("long", DRAWN)], &[("long", &start)]);
    let suite = bench.place.path("suite/suite.toml");
    let text = fs::read_to_string(&suite).unwrap();
    fs::write(&suite, text.replace("Draw a line", &"Draw. ".repeat(16_600))).unwrap();
    bench.trust();
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(bench.results()["long"].outcome, RecordedOutcome::Solved);
}

#[test]
fn a_model_whose_first_reply_cannot_be_used_has_not_solved_its_task() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let thoughts = r#"{"message": {"content": "", "reasoning_content": "hm"}, "finish_reason": "length"}"#;
    let server = scripted(&[&format!(r#"{{"json": {{"choices": [{thoughts}]}}}}"#)]);
    bench.plan(&server, &["--repeat", "1"]);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let result = &bench.results()["drawn"];
    assert_eq!(result.outcome, RecordedOutcome::Unsolved);
    let run = result.run.as_ref().unwrap();
    assert!(run.ended.contains("spent all its tokens on thinking"), "{}", run.ended);
}

#[test]
fn settings_in_a_tasks_files_do_not_apply() {
    let writes = "start = [\"printf '[model]\\\\ntemperature = 1.7\\\\n' > franz.toml\"]\n";
    let bench = Bench::with(
        &[("here", DRAWN), ("own", DRAWN), ("broken", DRAWN), ("started", DRAWN)],
        &[("started", writes)],
    );
    let server = drawer();
    let hot = "[model]\ntemperature = 1.7\n";
    for (file, text) in [
        ("here/files/franz.toml", hot),
        ("own/files/.config/franz/franz.toml", hot),
        ("own/files/.config/franz/families/qwen.toml", "nonsense"),
        ("broken/files/franz.toml", "nonsense"),
    ] {
        let file = bench.place.path("suite").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let suite = bench.place.path("suite/suite.toml");
    let mut text = fs::read_to_string(&suite).unwrap();
    for task in ["here", "own", "broken"] {
        let name = format!("name = {task:?}\n");
        text = text.replace(&name, &format!("{name}files = \"{task}/files\"\n"));
    }
    fs::write(&suite, text).unwrap();
    bench.trust();
    bench.plan(&server, &["--repeat", "1"]);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("4 solved, 0 not solved"), "{}", ran.stdout);
    let is_hot = |body: &[u8]| String::from_utf8_lossy(body).contains("1.7");
    assert!(server.requests().iter().all(|request| !is_hot(&request.body)));
}

#[test]
fn advice_about_a_key_names_the_variable_of_its_model() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let models = "[[model]]\nname = \"m\"\nupstream = \"http://127.0.0.1:1\"\nkey_env = \"OUR_KEY\"\n";
    fs::write(bench.place.path("models.toml"), models).unwrap();
    let plan = [
        "plan",
        "suite",
        "--models-from",
        "models.toml",
        "--repeat",
        "1",
        "-o",
        "results",
    ];
    let franz = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = bench.place.program(&[&["suite"], arguments].concat());
        command.envs(variables.iter().copied());
        spawn(command).finish()
    };
    for variables in [&[][..], &[("OUR_KEY", "")]] {
        let planned = franz(&plan, variables);
        assert_eq!(planned.code, Some(0), "{}", planned.stderr);
        let told = "m: neither OUR_KEY nor OUR_KEY_FILE is set here";
        assert!(planned.stderr.contains(told), "{}", planned.stderr);
    }
    let nowhere = bench.place.path("nowhere").display().to_string();
    let ran = franz(&["run", "results"], &[("OUR_KEY_FILE", &nowhere)]);
    assert_eq!(ran.code, Some(75), "{}", ran.stdout);
    let told = format!("OUR_KEY_FILE does not name a readable file: {nowhere}: No such file");
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    let ran = franz(&["run", "results"], &[("OUR_KEY", "split\nkey")]);
    let told = "the key in OUR_KEY cannot be sent; copy it again";
    assert!(
        ran.stderr.contains(told) && !ran.stderr.contains("split"),
        "{}",
        ran.stderr
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

/// A file size limit stands in for a full disk: larger writes fail, and any user can set it. The reply is too long for the
/// record of a turn.
#[test]
fn a_full_disk_counts_for_no_model_and_loses_nothing() {
    let bench = Bench::new(&[("one", "exit 0"), ("two", "exit 0")]);
    let server = scripted(&[&reply(&"I look. ".repeat(10_000))]);
    bench.plan(&server, &["--repeat", "1"]);
    let run = bench.place.program(&["suite", "run", "results"]);
    let full = spawn(under("trap '' XFSZ; ulimit -f 48; exec", &run)).finish();
    assert_eq!(full.code, Some(75), "{}{}", full.stdout, full.stderr);
    let told = "run the same command again once this is fixed";
    assert!(
        full.stderr.contains(told) && full.stderr.contains("File too large"),
        "{}",
        full.stderr
    );
    assert!(bench.all_results().is_empty());
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let results = bench.results();
    let is_solved = |result: &AttemptResult| result.outcome == RecordedOutcome::Solved;
    assert!(results.len() == 2 && results.values().all(is_solved), "{results:?}");
}

/// A file size limit stands in for a full disk. Only what is kept of an attempt is larger than it, and is kept only of one
/// that did not solve its task.
#[test]
fn a_disk_too_full_to_keep_an_attempt_changes_no_rate() {
    let start = "start = [\"for i in $(seq 16); do head -c 40000 /dev/urandom > $i; done\"]";
    let bench = Bench::with(
        &[("good", "exit 0"), ("bad", "exit 1")],
        &[("good", start), ("bad", start)],
    );
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let run = bench.place.program(&["suite", "run", "results"]);
    let full = spawn(under("trap '' XFSZ; ulimit -f 400; exec", &run)).finish();
    assert_eq!(full.code, Some(0), "{}{}", full.stdout, full.stderr);
    assert!(
        full.stderr.contains("(bad, demo): its record and home are not kept: ")
            && full.stderr.contains("File too large"),
        "{}",
        full.stderr
    );
    assert!(!full.stderr.contains("ZipWriter"), "{}", full.stderr);
    let results = bench.results();
    assert_eq!(results["good"].outcome, RecordedOutcome::Solved);
    assert_eq!(results["bad"].outcome, RecordedOutcome::Unsolved);
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_of_missing_attempts_that_cannot_be_written_is_an_error() {
    let bench = Bench::new(&[("one", "exit 0")]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let missing = bench.place.program(&["suite", "missing", "results"]);
    let full = spawn(under("exec > /dev/full; exec", &missing)).finish();
    assert_eq!(full.code, Some(1), "{}", full.stderr);
    assert!(full.stderr.contains("cannot write the list"), "{}", full.stderr);
}

#[test]
fn a_folder_for_temporary_files_that_is_not_there_is_named() {
    let bench = Bench::new(&[("one", "exit 0")]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let nowhere = bench.place.path("nowhere");
    for arguments in [["run", "results"], ["rescore", "results"], ["gather", "results"]] {
        let mut command = bench.place.program(&[&["suite"], &arguments[..]].concat());
        command.env("TMPDIR", &nowhere);
        let refused = spawn(command).finish();
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(
            refused
                .stderr
                .contains(&format!("cannot use {} for temporary files: ", nowhere.display()))
                && refused.stderr.contains("; set TMPDIR to a folder"),
            "{}",
            refused.stderr
        );
    }
}

/// Two folders hold the same plan, and both have results for some attempts.
#[test]
fn gatherers_at_once_count_every_attempt_once() {
    let bench = Bench::new(&[("one", DRAWN), ("two", DRAWN)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "2"]);
    let (here, other) = (bench.place.path("results"), bench.place.path("other"));
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .args([&here, &other])
        .status();
    assert!(copied.unwrap().success());
    let digest = &bench.digest();
    assert_eq!(bench.franz(&["run", "results"]).code, Some(0));
    let shard = ["shard", "other", "--index", "1", "--of", "2", "--digest", digest];
    assert_eq!(bench.franz(&shard).code, Some(0));
    let before = bench.all_results();
    let gatherers: Vec<Running> = (0..4).map(|_| bench.start(&["gather", "results", "other"])).collect();
    for gatherer in gatherers {
        let gathered = gatherer.finish();
        assert_eq!(gathered.code, Some(0), "{}", gathered.stderr);
        assert!(
            gathered.stdout.contains("4 of 4 attempts have results"),
            "{}",
            gathered.stdout
        );
    }
    assert_eq!(bench.all_results(), before, "the first results have won");
    let (store, plan) = ResultStore::open(&ResultAddress::of(&here)).unwrap();
    let all: usize = plan.attempts.iter().map(|planned| tries(&store, planned.attempt)).sum();
    assert_eq!(all, 6, "each try is there once");
    let lines = fs::read_to_string(here.join("results.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 4);
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
    let (store, plan) = ResultStore::open(&ResultAddress::of(&bench.place.path("results"))).unwrap();
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
    let names = fs::read_dir(store.at(&format!("attempt_{attempt:04}")))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with("try_")).count()
}

/// Returns whether the command line of any process mentions a folder.
fn is_in_use(folder: &Path) -> bool {
    is_mentioned(&folder.canonicalize().unwrap().to_string_lossy())
}

/// Returns whether the command line of any process contains this text.
pub(super) fn is_mentioned(text: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(text))
}
