//! What a report says about attempts that did not take place, and about seconds.

use std::fs;

use franz_suite::RecordedOutcome;

use super::bench::{Bench, DRAWN, drawer};
use super::names;
use crate::harness::{python, spawn, url};

/// A task that needs this program.
fn needing(program: &str) -> String {
    format!("needs = [{program:?}]\n")
}

#[test]
fn a_task_whose_program_is_missing_is_reported_and_played_once_it_is_there() {
    let lines = [("early", needing("sh")), ("never", needing("no-such-program"))];
    let lines: Vec<(&str, &str)> = lines.iter().map(|(task, line)| (*task, line.as_str())).collect();
    let bench = Bench::with(&[("early", DRAWN), ("never", DRAWN)], &lines);
    let server = drawer();
    bench.plan(&server, &["--repeat", "2"]);
    // A machine without any program.
    fs::create_dir(bench.place.path("empty")).unwrap();
    let mut bare = bench.place.program(&["suite", "run", "results"]);
    bare.env("PATH", bench.place.path("empty"));
    let bare = spawn(bare).finish();
    assert_eq!(bare.code, Some(0), "{}{}", bare.stdout, bare.stderr);
    assert!(
        bare.stdout.contains("0 solved, 0 not solved, 4 skipped"),
        "{}",
        bare.stdout
    );
    let told = "skipped: no-such-program is not installed, sh is not installed; to play the skipped attempts";
    assert!(bare.stderr.contains(told), "{}", bare.stderr);
    assert!(bench.all_results().is_empty() && server.requests().is_empty());
    let missing = bench.franz(&["missing", "results"]).stdout;
    assert_eq!(missing.matches("sh is not installed").count(), 2, "{missing}");

    // The second time, one program is there.
    for _ in 0..2 {
        let ran = bench.franz(&["run", "results"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    }
    let results = bench.all_results();
    let is_early = |result: &franz_suite::AttemptResult| {
        result.attempt.task.as_str() == "early" && result.outcome == RecordedOutcome::Solved
    };
    assert!(results.len() == 2 && results.iter().all(is_early), "{results:?}");
    let missing = bench.franz(&["missing", "results"]).stdout;
    assert_eq!(missing.lines().count(), 2, "{missing}");
    for line in missing.lines() {
        assert!(
            line.contains("never") && line.ends_with("no-such-program is not installed"),
            "{missing}"
        );
        // Three runs have left one note.
        let attempt: u32 = line.split("  ").next().unwrap().parse().unwrap();
        let tries = names(&bench.place.path(&format!("results/attempt_{attempt:04}")));
        assert_eq!(tries.len(), 1, "{tries:?}");
    }

    let report = bench.franz(&["report", "results"]);
    let told = "2 attempts were skipped, because no-such-program is not installed: never.";
    assert!(report.stdout.contains(told), "{}", report.stdout);
    assert!(
        report.stdout.contains("1 task by 1 model: 2 attempts.")
            && report.stdout.contains("2 of 4 attempts have results."),
        "{}",
        report.stdout
    );
    let page = fs::read_to_string(bench.place.path("results/report.html")).unwrap();
    assert!(page.contains(told), "{page}");
    let json: serde_json::Value = serde_json::from_str(&bench.franz(&["report", "results", "--json"]).stdout).unwrap();
    assert_eq!((&json["counts"]["skipped"], &json["attempts"]), (&2.into(), &2.into()));
    let csv = bench.franz(&["report", "results", "--csv"]).stdout;
    assert_eq!(
        csv.matches(",skipped,no-such-program is not installed,").count(),
        2,
        "{csv}"
    );
}

#[test]
fn seconds_are_compared_only_within_one_run() {
    let bench = Bench::new(&[("one", DRAWN), ("two", DRAWN)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let digest = bench.digest();
    for index in ["0", "1"] {
        let shard = ["shard", "results", "--index", index, "--of", "2", "--jobs", "1"];
        let ran = bench.franz(&[&shard[..], &["--digest", &digest]].concat());
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    }
    let report = bench.franz(&["report", "results"]).stdout;
    assert!(
        report.contains("Seconds are not compared: the results come from 2 runs or shards"),
        "{report}"
    );
    let json: serde_json::Value = serde_json::from_str(&bench.franz(&["report", "results", "--json"]).stdout).unwrap();
    assert_eq!(json["facts"]["jobs"], serde_json::Value::Null);
    assert_eq!(json["models"][0]["per_attempt"]["seconds"], serde_json::Value::Null);

    let whole = Bench::new(&[("one", DRAWN), ("two", DRAWN)]);
    whole.plan(&server, &["--repeat", "1"]);
    assert_eq!(whole.franz(&["run", "results"]).code, Some(0));
    let json: serde_json::Value = serde_json::from_str(&whole.franz(&["report", "results", "--json"]).stdout).unwrap();
    assert_eq!(json["facts"]["jobs"], 1);
    assert!(json["models"][0]["per_attempt"]["seconds"].is_number(), "{json}");
    // Nothing is missing, and scripts read nothing.
    let missing = whole.franz(&["missing", "results"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(0), ""));
    assert_eq!(missing.stderr, "every attempt has a result\n");
}

#[test]
fn each_profile_of_a_model_is_a_column_of_its_own() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    // Only one of the profiles reads loops.
    let server = python(&["for x in range(100, 900, 400):\n    drag(x, 100, x, 900)"]);
    let model = format!("demo={}", url(&server));
    let plan = ["plan", "suite", "--upstream", &model, "--profiles", "draw,sketch"];
    let planned = bench.franz(&[&plan[..], &["--repeat", "2", "-o", "results"]].concat());
    assert!(
        planned.stdout.contains("4 attempts: 1 task, 1 model, 2 profiles"),
        "{}{}",
        planned.stdout,
        planned.stderr
    );
    let ran = bench.franz(&["run", "results", "--keep", "all"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let report = bench.franz(&["report", "results", "--inspect", "logs"]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    for told in [
        "1 task by 2 models: 4 attempts.",
        "\ndemo (draw)     100 %",
        "\ndemo (sketch)     0 %",
        "demo (draw) and demo (sketch) cannot be told apart: 100 % against 0 %",
    ] {
        assert!(report.stdout.contains(told), "{told}: {}", report.stdout);
    }
    let page = fs::read_to_string(bench.place.path("results/report.html")).unwrap();
    assert!(page.contains(">demo (draw)</th>") && page.contains(">demo (sketch)</th>"));
    assert_eq!(
        page.matches("/player.html\"").count(),
        4,
        "each attempt leads to its run"
    );
    let log = fs::read_to_string(bench.place.path("logs/demo.json")).unwrap();
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let samples = log["samples"].as_array().unwrap().iter();
    let mut ids: Vec<(&str, u64)> = samples
        .map(|sample| (sample["id"].as_str().unwrap(), sample["epoch"].as_u64().unwrap()))
        .collect();
    ids.sort_unstable();
    let expected = ["drawn (draw)", "drawn (sketch)"].map(|id| [(id, 1), (id, 2)]).concat();
    assert_eq!(ids, expected);
    assert_eq!(log["status"], "success");
}

#[test]
fn programs_and_servers_without_a_version_are_named_all_the_same() {
    let bench = Bench::with(&[("drawn", DRAWN)], &[("drawn", "needs = [\"true\"]\n")]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    assert_eq!(bench.franz(&["run", "results"]).code, Some(0));
    let versions = &bench.all_results()[0].versions;
    assert_eq!(versions["franz"], env!("CARGO_PKG_VERSION"));
    assert!(
        versions.contains_key("true") && versions.contains_key("server demo"),
        "{versions:?}"
    );
    assert_eq!(
        versions.contains_key("bwrap"),
        bench.all_results()[0].isolated,
        "{versions:?}"
    );
    let report = bench.franz(&["report", "results"]).stdout;
    assert!(report.contains("server demo (version unknown)"), "{report}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_version_of_a_slow_program_is_recorded_and_one_that_hangs_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let line = "needs = [\"franz-slow\", \"franz-hangs\"]\n";
    let bench = Bench::with(&[("drawn", DRAWN)], &[("drawn", line)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    // A sandbox would not show these programs.
    let path = bench.place.without_bubblewrap();
    for (program, seconds) in [("franz-slow", 4), ("franz-hangs", 600)] {
        let file = path.join(program);
        fs::write(&file, format!("#!/bin/sh\nsleep {seconds}\necho {program} 7.1\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut run = bench.place.program(&["suite", "run", "results"]);
    run.env("PATH", path);
    let ran = spawn(run).finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let versions = &bench.all_results()[0].versions;
    assert_eq!(versions["franz-slow"], "franz-slow 7.1");
    assert_eq!(versions["franz-hangs"], "(version unknown)");
    let told = "franz-hangs --version did not end within 10 s";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert!(!ran.stderr.contains("franz-slow"), "{}", ran.stderr);
}
