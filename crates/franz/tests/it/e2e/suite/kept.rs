//! What is kept of attempts: one archive each, and what reads it.

use std::fs;
use std::process::Command;

use franz_demo::DemoHandle;
use franz_suite::RecordedOutcome;

use super::bench::{Bench, DRAWN, drawer, try_folder};
use super::doorman::Doorman;
use super::names;
use crate::harness::{python, wait_until};

/// Looks for everything that a check may use, and finds the task unsolved.
const LOOKS: &str = "[ -d empty ] && [ -x tool ] && [ -s \"$SUITE_RUN/canvas.jsonl\" ] && [ -e \"$SUITE_ANSWER\" ] || exit 9\n\
                     exit 1\n";

/// Prepares the home that `LOOKS` expects.
const FURNISHES: &str = "start = [\"mkdir empty; printf x > tool; chmod 755 tool; echo 'drag(100, 500, 900, 500)'\"]\n";

/// Runs one attempt at a task with this check and this further line.
fn played(check: &str, line: &str) -> Bench {
    let bench = Bench::with(&[("looks", check)], &[("looks", line)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    bench
}

#[test]
fn an_archive_has_everything_that_its_attempt_is_judged_by() {
    let bench = played(LOOKS, FURNISHES);
    let result = bench.results().remove("looks").unwrap();
    let folder = bench.place.path("results").join(try_folder(&result));
    assert_eq!(names(&folder), ["kept.zip", "player.html", "result.json"]);
    let rescored = bench.franz(&["rescore", "results"]);
    assert_eq!(rescored.stdout, "1 judged as before\n", "{}", rescored.stderr);

    let unpacked = bench.franz(&["unpack", "results", "1"]);
    assert_eq!(unpacked.code, Some(0), "{}", unpacked.stderr);
    assert!(
        unpacked.stdout.contains("next: franz replay attempt_0001/run"),
        "{}",
        unpacked.stdout
    );
    let shown = bench
        .place
        .program(&["runs", "show", "attempt_0001/run"])
        .output()
        .unwrap();
    assert!(shown.status.success(), "{shown:?}");
    assert!(names(&bench.place.path("attempt_0001")).contains(&"home".to_owned()));
    for (arguments, told) in [
        (
            vec!["unpack", "results", "1"],
            "attempt_0001 exists; choose another folder with -o",
        ),
        (
            vec!["unpack", "results", "2"],
            "there is no attempt 2; the plan has attempts 1 to 1",
        ),
        (vec!["unpack", "results", "0"], "there is no attempt 0"),
    ] {
        let said = bench.franz(&arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains(told), "{arguments:?}: {}", said.stderr);
    }

    let solved = played(DRAWN, "");
    let none = solved.franz(&["unpack", "results", "1"]);
    assert_eq!(none.code, Some(2));
    assert!(
        none.stderr.contains("only the result of attempt 1 was kept"),
        "{}",
        none.stderr
    );
    assert!(!solved.place.path("attempt_0001").exists());
}

#[test]
fn results_of_earlier_versions_can_be_read() {
    let bench = played(
        "[ -x tool ] && [ -s \"$SUITE_RUN/canvas.jsonl\" ] || exit 9; exit 1",
        FURNISHES,
    );
    assert_eq!(bench.franz(&["unpack", "results", "1", "-o", "old"]).code, Some(0));
    // Once, all files lay in the folder of the try, without empty folders.
    let result = bench.results().remove("looks").unwrap();
    let folder = bench.place.path("results").join(try_folder(&result));
    fs::remove_file(folder.join("kept.zip")).unwrap();
    fs::remove_dir(bench.place.path("old/home/empty")).unwrap();
    for name in names(&bench.place.path("old")) {
        fs::rename(bench.place.path("old").join(&name), folder.join(&name)).unwrap();
    }
    let empty = bench.place.path("results/plan.jsonl");
    let other = bench.place.path("other");
    fs::create_dir(&other).unwrap();
    fs::copy(empty, other.join("plan.jsonl")).unwrap();
    let copied = Command::new("cp")
        .arg("-r")
        .arg(bench.place.path("results/suite"))
        .arg(&other)
        .status();
    assert!(copied.unwrap().success());
    let gathered = bench.franz(&["gather", "other", "results"]);
    assert!(
        gathered.stdout.contains("1 of 1 attempts have results"),
        "{}",
        gathered.stderr
    );
    for results in ["results", "other"] {
        let rescored = bench.franz(&["rescore", results]);
        assert_eq!(rescored.stdout, "1 judged as before\n", "{}", rescored.stderr);
        let reported = bench.franz(&["report", results]);
        assert_eq!(reported.code, Some(0), "{}", reported.stderr);
        let page = fs::read_to_string(bench.place.path(results).join("report.html")).unwrap();
        assert!(page.contains(&format!("{}/player.html", try_folder(&result))));
        let unpacked = bench.franz(&["unpack", results, "1", "-o", &format!("from-{results}")]);
        assert_eq!(unpacked.code, Some(0), "{}", unpacked.stderr);
        assert!(bench.place.path(&format!("from-{results}")).join("home/tool").exists());
    }
}

#[test]
fn a_damaged_archive_is_told_and_spoils_nothing_else() {
    let bench = Bench::new(&[("one", "exit 1"), ("two", "exit 1")]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    assert_eq!(bench.franz(&["run", "results"]).code, Some(0));
    let results = bench.all_results();
    let broken = bench
        .place
        .path("results")
        .join(try_folder(&results[0]))
        .join("kept.zip");
    let bytes = fs::read(&broken).unwrap();
    fs::write(&broken, &bytes[..bytes.len() / 2]).unwrap();
    let rescored = bench.franz(&["rescore", "results"]);
    assert_eq!(rescored.code, Some(1), "{}", rescored.stderr);
    let told = format!(
        "{} is not a complete zip archive",
        broken.canonicalize().unwrap().display()
    );
    assert!(rescored.stderr.contains(&told), "{}", rescored.stderr);
    assert_eq!(
        rescored.stdout,
        "1 judged as before\n1 with an archive that cannot be unpacked\n"
    );
    let unpacked = bench.franz(&["unpack", "results", "1"]);
    assert_ne!(unpacked.code, Some(0));
    assert!(
        !names(&bench.place.path(""))
            .iter()
            .any(|name| name.contains("attempt_0001"))
    );
}

#[test]
fn a_home_that_no_archive_can_hold_costs_no_attempt() {
    let line = "start = [\"printf x > $(printf 'caf\\\\351')\"]\n";
    let bench = played("[ \"$(ls | wc -l)\" = 1 ] || exit 9; exit 1", line);
    assert_eq!(bench.results()["looks"].why, "");
    let rescored = bench.franz(&["rescore", "results"]);
    assert_eq!(rescored.stdout, "1 without a kept home\n", "{}", rescored.stderr);
}

/// Plans one attempt of four turns, each with a picture of its own, at a task with this check.
fn planned(check: &str) -> (Bench, DemoHandle) {
    let bench = Bench::new(&[("draws", check)]);
    let file = bench.place.path("suite/suite.toml");
    let toml = fs::read_to_string(&file).unwrap();
    fs::write(&file, toml.replace("max_turns = 2", "max_turns = 4")).unwrap();
    bench.trust();
    let lines = [200, 400, 600, 800].map(|height| format!("drag(100, {height}, 900, {height})"));
    let server = python(&lines.each_ref().map(String::as_str));
    bench.plan(&server, &["--repeat", "1"]);
    (bench, server)
}

#[test]
fn the_ends_of_every_attempt_are_kept_on_request() {
    let (bench, _server) = planned(DRAWN);
    let ran = bench.franz(&["run", "results", "--keep", "ends"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let result = bench.results().remove("draws").unwrap();
    assert_eq!(result.outcome, RecordedOutcome::Solved);
    assert_eq!(result.run.unwrap().turns, 4);
    assert_eq!(bench.franz(&["unpack", "results", "1"]).code, Some(0));
    let mut pictures = names(&bench.place.path("attempt_0001/run"));
    pictures.retain(|name| name.starts_with("turn_"));
    // The picture that the model sees, and the one without marks.
    let ends = [
        "turn_0001.plain.png",
        "turn_0001.png",
        "turn_0004.plain.png",
        "turn_0004.png",
    ];
    assert_eq!(pictures, ends);
    let rescored = bench.franz(&["rescore", "results"]);
    assert_eq!(rescored.stdout, "1 judged as before\n", "{}", rescored.stderr);
}

#[test]
fn nothing_but_results_is_kept_on_request() {
    let (bench, _server) = planned("exit 1\n");
    let ran = bench.franz(&["run", "results", "--keep", "none"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let result = bench.results().remove("draws").unwrap();
    assert_eq!(result.outcome, RecordedOutcome::Unsolved);
    let folder = bench.place.path("results").join(try_folder(&result));
    assert_eq!(names(&folder), ["result.json"]);
    let unpacked = bench.franz(&["unpack", "results", "1"]);
    assert!(
        unpacked.stderr.contains("only the result of attempt 1 was kept"),
        "{}",
        unpacked.stderr
    );
}

#[test]
fn a_run_that_the_person_interrupts_ends_with_130_and_goes_on_later() {
    let bench = Bench::new(&[("one", DRAWN), ("two", DRAWN)]);
    let server = drawer();
    let door = Doorman::holding_pictures(&server);
    bench.plan_at(&door.url, &["--repeat", "4"]);
    let running = bench.start(&["run", "results"]);
    wait_until("the request of a run", || (door.inside() > 0).then_some(()));
    running.signal("INT");
    let ended = running.finish();
    assert_eq!(ended.code, Some(130), "{}{}", ended.stdout, ended.stderr);
    door.open();
    assert!(bench.all_results().len() < 8);
    let again = bench.franz(&["run", "results"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(bench.all_results().len(), 8);
}
