//! Suites: plans, runs, checks and reports.

mod allowed;
mod bench;
#[cfg(target_os = "linux")]
mod clock;
#[cfg(unix)]
mod damaged;
mod doorman;
mod faults;
#[cfg(target_os = "linux")]
mod isolation;
mod kept;
#[cfg(target_os = "linux")]
mod key_files;
#[cfg(target_os = "linux")]
mod late_folder;
#[cfg(target_os = "linux")]
mod leftovers;
mod planned;
mod reported;
mod serving;
#[cfg(target_os = "linux")]
mod shim;
#[cfg(unix)]
mod submitted;

use std::fs;
use std::path::Path;

use bench::{Bench, DRAWN, drawer, try_folder};
use doorman::Doorman;
use franz_suite::RecordedOutcome;

use crate::harness::{reply, scripted, spawn, url, wait_until};

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
    // Failed attempts keep one archive, and a page that plays their run; solved ones keep nothing but their result.
    for result in bench.all_results() {
        let failed = result.outcome != RecordedOutcome::Solved;
        let kept: &[&str] = if failed {
            &["kept.zip", "player.html", "result.json"]
        } else {
            &["result.json"]
        };
        assert_eq!(names(&bench.place.path("results").join(try_folder(&result))), kept);
    }
    let report = bench.franz(&["report", "results"]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(
        report.stdout.contains("2 tasks by 2 models: 8 attempts"),
        "{}",
        report.stdout
    );
    let page = fs::read_to_string(bench.place.path("results/report.html")).unwrap();
    let failed = bench
        .all_results()
        .into_iter()
        .find(|result| result.outcome != RecordedOutcome::Solved);
    assert!(page.contains(&format!("href=\"{}/player.html\"", try_folder(&failed.unwrap()))));
    let csv = bench
        .franz(&["report", "results", "--csv", "--html", "page.html"])
        .stdout;
    assert_eq!(csv.lines().count(), 9, "{csv}");
    assert_eq!(csv.matches("/player.html").count(), 6, "{csv}");
    // Elsewhere, links to players would lead nowhere.
    let elsewhere = fs::read_to_string(bench.place.path("page.html")).unwrap();
    assert!(!elsewhere.contains("player.html"));
    let here = ["report", "results", "--html", "results/page.html", "--inspect", "logs"];
    assert_eq!(bench.franz(&here).code, Some(0));
    assert!(fs::read_to_string(bench.place.path("results/page.html")).unwrap() == page);
    // Half solutions are no part of the accuracy.
    let log = fs::read_to_string(bench.place.path("logs/good.json")).unwrap();
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let score = &log["results"]["scores"][0]["metrics"]["accuracy"]["value"];
    assert_eq!((score, &log["results"]["completed_samples"]), (&0.5.into(), &4.into()));
    let json: serde_json::Value = serde_json::from_str(&bench.franz(&["report", "results", "--json"]).stdout).unwrap();
    assert_eq!(json["attempts"], 8);
    let rescored = bench.franz(&["rescore", "results"]);
    assert_eq!(
        rescored.stdout.trim(),
        "6 judged as before\n2 without a kept home",
        "{}",
        rescored.stderr
    );
    let again = bench.franz(&["run", "results"]);
    assert!(again.stdout.contains("every attempt has a result"), "{}", again.stdout);
}

/// Returns the names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
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
    assert!(
        ran.stderr.contains("have changed since the plan was made"),
        "{}",
        ran.stderr
    );
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
        other.stderr.contains("is not the digest of this plan"),
        "{}",
        other.stderr
    );
    assert_eq!(shard(&bench.digest()).code, Some(0));
    assert_eq!(bench.all_results().len(), 1);
}

/// Gives a command another state folder, which trusts nothing.
fn stranger_state(command: &mut std::process::Command, bench: &Bench) -> std::process::Command {
    command.env("XDG_STATE_HOME", bench.place.path("other-state"));
    std::mem::replace(command, std::process::Command::new("true"))
}

#[test]
fn a_job_may_write_its_servers_address_into_the_suite_at_any_time() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let (server, other) = (drawer(), drawer());
    let suite = bench.place.path("suite");
    let mut toml = fs::read_to_string(suite.join("suite.toml")).unwrap();
    toml.push_str("[[model]]\nname = \"inside\"\nupstream_file = \"address.txt\"\n");
    fs::write(suite.join("suite.toml"), toml).unwrap();
    fs::write(suite.join("address.txt"), url(&server)).unwrap();
    let beside = "[[model]]\nname = \"beside\"\nupstream_file = \"other.txt\"\n";
    fs::write(bench.place.path("models.toml"), beside).unwrap();
    fs::write(bench.place.path("other.txt"), url(&other)).unwrap();
    bench.trust();
    let plan = ["plan", "suite", "--models-from", "models.toml", "--profiles", "draw"];
    let planned = bench.franz(&[&plan[..], &["--repeat", "1", "-o", "results"]].concat());
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    assert!(!bench.place.path("results/suite/address.txt").exists());
    // A node starts in a folder of its own, and the server may have moved.
    fs::write(suite.join("address.txt"), url(&other)).unwrap();
    let folder = bench.place.path("elsewhere");
    fs::create_dir(&folder).unwrap();
    let results = bench.place.path("results");
    let mut run = bench.place.program(&["suite", "run", results.to_str().unwrap()]);
    run.current_dir(folder);
    let ran = spawn(run).finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let results = bench.all_results();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result.outcome == RecordedOutcome::Solved));
}

/// The digest of a suite leaves out the addresses of its own servers, whoever plays, and no others.
#[test]
fn addresses_in_the_suite_hinder_no_plan() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let suite = bench.place.path("suite");
    let mut toml = fs::read_to_string(suite.join("suite.toml")).unwrap();
    toml.push_str("[[model]]\nname = \"a\"\nupstream = \"http://127.0.0.1:1\"\n");
    toml.push_str("[[model]]\nname = \"b\"\nupstream_file = \"b.txt\"\n");
    fs::write(suite.join("suite.toml"), toml).unwrap();
    let models = "[[model]]\nname = \"c\"\nupstream_file = \"suite/c.txt\"\n";
    fs::write(bench.place.path("models.toml"), models).unwrap();
    for name in ["b.txt", "c.txt"] {
        fs::write(suite.join(name), "127.0.0.1:1").unwrap();
    }
    for model in ["a", "b", "c"] {
        let plan = [
            "plan",
            "suite",
            "--models-from",
            "models.toml",
            "--models",
            model,
            "-o",
            model,
        ];
        let planned = bench.franz(&plan);
        assert_eq!(planned.code, Some(0), "{model}: {}", planned.stderr);
        let copied = |name: &str| bench.place.path(model).join("suite").join(name).exists();
        assert_eq!((copied("b.txt"), copied("c.txt")), (false, true), "{model}");
    }
}

#[test]
fn two_shards_share_the_plan_and_a_signal_is_never_success() {
    let bench = Bench::new(&[("one", DRAWN), ("two", DRAWN)]);
    let server = drawer();
    let door = Doorman::holding_pictures(&server);
    bench.plan_at(&door.url, &["--repeat", "2"]);
    let digest = bench.digest();
    let digest = digest.as_str();
    let shard = |index: &str| {
        let mut command = bench
            .place
            .program(&["suite", "shard", "results", "--of", "2", "--digest", digest]);
        command.env("SLURM_ARRAY_TASK_ID", index);
        spawn(command)
    };
    let ended = shard("0");
    wait_until("the request of a run", || (door.inside() > 0).then_some(()));
    ended.signal("TERM");
    let ended = ended.finish();
    assert_eq!(ended.code, Some(143), "{}", ended.stderr);
    door.open();
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

/// Returns whether any file below a folder, or in an archive there, holds these bytes.
fn holds(folder: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().flatten().any(|entry| {
        if entry.path().is_dir() {
            return holds(&entry.path(), bytes);
        }
        if entry.file_name() == "kept.zip" {
            let unpacked = tempfile::tempdir().unwrap();
            franz_suite::archive::unpack(&entry.path(), unpacked.path()).unwrap();
            return holds(unpacked.path(), bytes);
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
            "there is no model b, only a",
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
            "there is no nothing/suite.toml; name the folder of a suite, or basics, which comes with FRANZ",
        ),
        (vec!["run", "nothing"], "franz suite plan SUITE -o"),
        (vec!["report", "nothing"], "franz suite plan SUITE -o"),
        #[cfg(not(feature = "cloud"))]
        (
            vec![
                "shard",
                "s3://bucket/plan",
                "--index",
                "0",
                "--of",
                "1",
                "--digest",
                "d",
            ],
            "--features cloud",
        ),
        (vec!["test", "suite", "--task", "no"], "there is no task no, only drawn"),
    ] {
        let said = bench.franz(&arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains(told), "{arguments:?}: {}", said.stderr);
    }
}

#[test]
fn programs_of_a_task_draw_what_its_canvas_shows_at_the_start() {
    let first = r#"{"turn":0,"index":0,"action":"drag(100, 500, 900, 500)"}"#;
    let begins = format!(
        "head -1 \"$SUITE_RUN\"/canvas.jsonl | grep -qxF '{first}' && grep -q '\"turn\":[1-9]' \"$SUITE_RUN\"/canvas.jsonl"
    );
    let lines = "start = [\"echo 'drag(100, 500, 900, 500)'\"]\n";
    let bench = Bench::with(&[("line", &begins)], &[("line", lines)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(bench.results()["line"].outcome, RecordedOutcome::Solved);

    let bench = Bench::with(
        &[("fails", DRAWN)],
        &[("fails", "start = [\"echo broken >&2; exit 3\"]\n")],
    );
    bench.plan(&server, &["--repeat", "1"]);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let result = &bench.results()["fails"];
    assert_eq!(result.outcome, RecordedOutcome::Fault);
    assert!(result.why.ends_with("ended with 3: broken"), "{}", result.why);
}
