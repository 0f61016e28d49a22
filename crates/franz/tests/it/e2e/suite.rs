//! Suites: plans, runs, checks and reports.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use franz_demo::DemoHandle;
use franz_suite::{AttemptResult, RecordedOutcome, ResultStore};

use crate::dice::Dice;
use crate::e2e::chosen;
use crate::harness::{Finished, Running, Workplace, python, reply, scripted, spawn, url, wait_until};

/// A workplace with a suite in `suite`.
struct Bench {
    place: Workplace,
}

impl Bench {
    /// Creates a suite of canvas tasks with these checks, and trusts it.
    fn new(checks: &[(&str, &str)]) -> Bench {
        Bench::with(checks, &[])
    }

    /// Creates a suite in which some tasks have a further line.
    fn with(checks: &[(&str, &str)], lines: &[(&str, &str)]) -> Bench {
        let bench = Bench {
            place: Workplace::new(),
        };
        let mut toml = String::new();
        for (name, check) in checks {
            let more = lines.iter().find(|(task, _)| task == name).map_or("", |(_, line)| line);
            writeln!(
            toml,
                "[[task]]\nname = {name:?}\ngoal = \"Draw a line\"\nscreen = \"canvas\"\ncheck = \"{name}/check.sh\"\nmax_turns = 2\n{more}")
        .unwrap();
            let file = bench.place.path(&format!("suite/{name}/check.sh"));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, check).unwrap();
        }
        fs::write(bench.place.path("suite/suite.toml"), toml).unwrap();
        bench.trust();
        bench
    }

    fn trust(&self) {
        let mut command = self.place.program(&["trust", "suite"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"y\n").unwrap();
        assert!(child.wait().unwrap().success());
    }

    fn franz(&self, arguments: &[&str]) -> Finished {
        self.start(arguments).finish()
    }

    fn start(&self, arguments: &[&str]) -> Running {
        spawn(self.place.program(&[&["suite"], arguments].concat()))
    }

    /// Plans attempts by one model, in `results`.
    fn plan(&self, server: &DemoHandle, more: &[&str]) -> Finished {
        let model = format!("demo={}", url(server));
        let planned = self.franz(
            &[
                &[
                    "plan",
                    "suite",
                    "--upstream",
                    &model,
                    "--profiles",
                    "draw",
                    "-o",
                    "results",
                ],
                more,
            ]
            .concat(),
        );
        assert_eq!(planned.code, Some(0), "{}", planned.stderr);
        planned
    }

    /// Returns the results by task.
    fn results(&self) -> BTreeMap<String, AttemptResult> {
        let all = self.all_results().into_iter();
        all.map(|result| (result.attempt.task.to_string(), result)).collect()
    }

    fn all_results(&self) -> Vec<AttemptResult> {
        let (store, _) = ResultStore::open(&self.place.path("results")).unwrap();
        store.results().unwrap()
    }
}

/// A model that draws a line, and then another one.
fn drawer() -> DemoHandle {
    python(&["drag(100, 100, 900, 900)", "drag(100, 900, 900, 100)"])
}

/// Accepts a canvas on which something was drawn.
const DRAWN: &str = "grep -q drag \"$SUITE_RUN\"/canvas.jsonl && exit 0; exit 1\n";

#[test]
fn a_suite_is_planned_run_and_reported() {
    let bench = Bench::new(&[
        ("drawn", DRAWN),
        ("never", "echo '{\"score\": 0.5, \"why\": \"half\"}'; exit 1"),
    ]);
    let (good, idle) = (drawer(), scripted(&[&reply("I look.")]));
    let models = [format!("good={}", url(&good)), format!("idle={}", url(&idle))];
    let planned = bench.franz(&[
        "plan",
        "suite",
        "--upstream",
        &models[0],
        "--upstream",
        &models[1],
        "--profiles",
        "draw",
        "--repeat",
        "2",
        "-o",
        "results",
    ]);
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    assert!(
        planned.stdout.contains("8 attempts: 2 tasks, 2 models"),
        "{}",
        planned.stdout
    );
    let ran = bench.franz(&["run", "results", "--jobs", "2"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("2 solved, 6 not solved"), "{}", ran.stdout);
    for result in bench.all_results() {
        let (task, model) = (result.attempt.task.as_str(), result.attempt.model.as_str());
        let expected = if (task, model) == ("drawn", "good") {
            RecordedOutcome::Solved
        } else {
            RecordedOutcome::Unsolved
        };
        assert_eq!(result.outcome, expected, "{task} {model}");
        assert!(
            (result.score
                - if task == "never" {
                    0.5
                } else {
                    f64::from(u8::from(expected == RecordedOutcome::Solved))
                })
            .abs()
                < 1e-9
        );
        let run = result.run.unwrap();
        assert!(run.turns == 2 && run.prompt_tokens > 0 && run.seconds > 0.0, "{run:?}");
    }
    // Failed attempts keep their record, with a page that plays it; solved ones keep nothing but their result.
    let (store, _) = ResultStore::open(&bench.place.path("results")).unwrap();
    for result in store.results().unwrap() {
        let kept = store.try_folder(result.attempt.attempt, &result.r#try);
        let failed = result.outcome != RecordedOutcome::Solved;
        assert_eq!(kept.join("player.html").exists(), failed);
        assert_eq!(kept.join("run/turns_0001_1000.jsonl").exists(), failed);
    }
    let report = bench.franz(&["report", "results"]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(
        report.stdout.contains("2 tasks by 2 models: 8 attempts"),
        "{}",
        report.stdout
    );
    let page = fs::read_to_string(bench.place.path("results/report.html")).unwrap();
    assert!(page.contains("attempt_0001/try_") && page.contains("player.html"));
    let csv = bench.franz(&["report", "results", "--csv"]).stdout;
    assert_eq!(csv.lines().count(), 9, "{csv}");
    let json: serde_json::Value = serde_json::from_str(&bench.franz(&["report", "results", "--json"]).stdout).unwrap();
    assert_eq!(json["attempts"], 8);
    let rescored = bench.franz(&["rescore", "results"]);
    assert_eq!(
        rescored.stdout.trim(),
        "6 are judged as before\n2 have no kept home",
        "{}",
        rescored.stderr
    );
    let again = bench.franz(&["run", "results"]);
    assert!(again.stdout.contains("every attempt has a result"), "{}", again.stdout);
}

#[test]
fn a_suite_that_nobody_trusts_or_that_has_changed_runs_no_code() {
    let bench = Bench::new(&[("drawn", "touch \"$HOME\"/../touched; exit 0")]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let suite = bench.place.path("results/suite/drawn/check.sh");
    let trusted = fs::read_to_string(&suite).unwrap();
    fs::write(&suite, "exit 0").unwrap();
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("are not those that were planned"), "{}", ran.stderr);
    fs::write(&suite, trusted).unwrap();
    let mut stranger = bench.place.program(&["suite", "run", "results"]);
    let refused = spawn(stranger_state(&mut stranger, &bench)).finish();
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("allow it with: franz trust"),
        "{}",
        refused.stderr
    );
    assert!(bench.all_results().is_empty() && server.requests().is_empty());
    let shard = |digest: &str| bench.franz(&["shard", "results", "--index", "0", "--of", "1", "--digest", digest]);
    let other = shard(&"0".repeat(64));
    assert_eq!(other.code, Some(2));
    assert!(
        other.stderr.contains("is not the digest of this suite"),
        "{}",
        other.stderr
    );
    let (_, plan) = ResultStore::open(&bench.place.path("results")).unwrap();
    assert_eq!(shard(plan.header.digest.as_str()).code, Some(0));
    assert_eq!(bench.all_results().len(), 1);
}

/// Gives a command another state folder, which trusts nothing.
fn stranger_state(command: &mut std::process::Command, bench: &Bench) -> std::process::Command {
    command.env("XDG_STATE_HOME", bench.place.path("other-state"));
    std::mem::replace(command, std::process::Command::new("true"))
}

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

#[test]
fn two_shards_share_the_plan_and_a_signal_is_never_success() {
    let bench = Bench::new(&[("one", DRAWN), ("two", DRAWN)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "2"]);
    let (_, plan) = ResultStore::open(&bench.place.path("results")).unwrap();
    let digest = plan.header.digest.as_str();
    let shard = |index: &str| {
        let mut command = bench
            .place
            .program(&["suite", "shard", "results", "--of", "2", "--digest", digest]);
        command.env("SLURM_ARRAY_TASK_ID", index);
        spawn(command)
    };
    let asked = server.requests().len();
    let ended = shard("0");
    wait_until("a request", || (server.requests().len() > asked).then_some(()));
    ended.signal("TERM");
    let ended = ended.finish();
    assert_eq!(ended.code, Some(143), "{}", ended.stderr);
    let (first, second) = (shard("0"), shard("1"));
    assert_eq!((first.finish().code, second.finish().code), (Some(0), Some(0)));
    assert_eq!(bench.all_results().len(), 4);
    let none = bench.franz(&["shard", "results", "--digest", digest]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("which part?"), "{}", none.stderr);
}

#[test]
fn a_models_key_goes_to_its_server_and_nowhere_else() {
    let bench = Bench::new(&[(
        "looks",
        "[ -z \"$FRANZ_API_KEY$OUR_KEY\" ] || exit 4\n\
         case $(cat /proc/1/environ | tr '\\0' '\\n') in *secret-key*) exit 5;; esac\nexit 0",
    )]);
    let server = drawer();
    let models = format!(
        "[[model]]\nname = \"demo\"\nupstream = {:?}\nkey_env = \"OUR_KEY\"\n",
        url(&server)
    );
    fs::write(bench.place.path("models.toml"), models).unwrap();
    bench.franz(&[
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
    let mut command = bench.place.program(&["suite", "run", "results", "--keep", "all"]);
    command.env("OUR_KEY", "secret-key-secret-key");
    let ran = spawn(command).finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        bench.results()["looks"].outcome,
        RecordedOutcome::Solved,
        "{:?}",
        bench.results()["looks"].why
    );
    let sent = server.requests().pop().unwrap();
    let key = sent
        .headers
        .get("authorization")
        .map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(key.as_deref(), Some("Bearer secret-key-secret-key"));
    assert!(
        !holds(&bench.place.path("results"), b"secret-key-secret-key"),
        "a key is in the results"
    );
}

/// Returns whether any file below a folder holds these bytes.
fn holds(folder: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().flatten().any(|entry| {
        if entry.path().is_dir() {
            return holds(&entry.path(), bytes);
        }
        let file = fs::read(entry.path()).unwrap();
        file.windows(bytes.len()).any(|found| found == bytes)
    })
}

#[test]
fn mistakes_in_a_plan_are_told_with_what_to_do() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    for (arguments, told) in [
        (
            vec!["plan", "suite", "-o", "r"],
            "no model is given: add --upstream NAME=URL",
        ),
        (vec!["plan", "suite", "--upstream", "x", "-o", "r"], "write NAME=URL"),
        (
            vec!["plan", "suite", "--upstream", "A=http://127.0.0.1:1", "-o", "r"],
            "is not a name",
        ),
        (
            vec![
                "plan",
                "suite",
                "--upstream",
                "a=http://127.0.0.1:1",
                "--models",
                "b",
                "-o",
                "r",
            ],
            "there is no model b; there are: a",
        ),
        (
            vec![
                "plan",
                "suite",
                "--upstream",
                "a=http://127.0.0.1:1",
                "--profiles",
                "no",
                "-o",
                "r",
            ],
            "there is no built-in profile no",
        ),
        (
            vec![
                "plan",
                "suite",
                "--upstream",
                "a=http://127.0.0.1:1",
                "--tag",
                "no",
                "-o",
                "r",
            ],
            "no task has the tag no",
        ),
        (
            vec!["plan", "nothing", "--upstream", "a=http://127.0.0.1:1", "-o", "r"],
            "suite.toml",
        ),
        (vec!["run", "nothing"], "franz suite plan SUITE -o"),
        (vec!["report", "nothing"], "franz suite plan SUITE -o"),
        (
            vec!["test", "suite", "--task", "no"],
            "there is no task no; there are: drawn",
        ),
    ] {
        let said = bench.franz(&arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains(told), "{arguments:?}: {}", said.stderr);
    }
}
