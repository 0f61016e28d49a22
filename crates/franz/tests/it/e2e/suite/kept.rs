//! What is kept of attempts: one archive each, and what reads it.

use std::fs;
use std::process::Command;

use super::bench::{Bench, DRAWN, drawer, try_folder};
use super::names;

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
    assert_eq!(rescored.stdout, "1 are judged as before\n", "{}", rescored.stderr);

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
            "there is no attempt 2; the plan has those from 1 to 1",
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
        none.stderr.contains("nothing is kept of attempt 1 but its result"),
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
        assert_eq!(rescored.stdout, "1 are judged as before\n", "{}", rescored.stderr);
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
    assert!(
        rescored.stderr.contains("kept.zip is not a whole zip archive"),
        "{}",
        rescored.stderr
    );
    assert_eq!(
        rescored.stdout,
        "1 are judged as before\n1 have an archive that cannot be unpacked\n"
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
    assert_eq!(rescored.stdout, "1 have no kept home\n", "{}", rescored.stderr);
}
