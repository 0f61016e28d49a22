//! What a report says about attempts that did not take place, and about seconds.

use std::fs;

use franz_suite::RecordedOutcome;

use super::bench::{Bench, DRAWN, drawer};
use super::names;
use crate::harness::spawn;

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
    let told = "skipped: no-such-program is not installed, sh is not installed; to play what was skipped";
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
