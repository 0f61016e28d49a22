//! Results that are damaged, and folders of results that come from elsewhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use super::bench::{Bench, DRAWN, drawer, try_folder};
use super::names;

/// Plays one attempt at each of two tasks. Returns the file with the first result.
fn played() -> (Bench, PathBuf) {
    let bench = Bench::new(&[("one", "exit 1"), ("two", DRAWN)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    assert_eq!(bench.franz(&["run", "results"]).code, Some(0));
    let first = bench.place.path("results/attempt_0001/result.json");
    (bench, first)
}

#[test]
fn a_damaged_result_is_told_and_played_again_once_it_is_removed() {
    let bench = Bench::new(&[("one", DRAWN), ("two", DRAWN)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    assert_eq!(bench.franz(&["run", "results"]).code, Some(0));
    let file = bench.place.path("results/attempt_0001/result.json");
    // Nobody writes to a pipe: reading it would take forever. The other name of the result keeps it whole.
    let damages: [&dyn Fn(); 2] = [
        &|| {
            fs::File::options()
                .write(true)
                .open(&file)
                .unwrap()
                .set_len(100)
                .unwrap();
        },
        &|| {
            fs::remove_file(&file).unwrap();
            assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
        },
    ];
    for damage in damages {
        damage();
        let told = format!("{} does not count, because it ", file.canonicalize().unwrap().display());
        let remedy = "remove it, and `franz suite run` plays the attempt again";
        for (command, code, shown) in [
            ("run", 2, ""),
            ("missing", 0, "1  "),
            ("report", 0, "1 result is damaged or not of this plan, and not counted."),
            ("gather", 0, "1 of 2 attempts have results"),
            ("rescore", 0, "1 without a kept home"),
        ] {
            let said = bench.franz(&[command, "results"]);
            assert_eq!(said.code, Some(code), "{command}: {}{}", said.stdout, said.stderr);
            assert!(
                said.stderr.contains(&told) && said.stderr.contains(remedy),
                "{command}: {}",
                said.stderr
            );
            assert!(said.stdout.contains(shown), "{command}: {}", said.stdout);
        }
        let unpacked = bench.franz(&["unpack", "results", "1"]);
        assert!(
            unpacked.code == Some(2) && unpacked.stderr.contains(remedy),
            "{}",
            unpacked.stderr
        );
        let report = bench.franz(&["report", "results"]).stdout;
        assert!(report.contains("1 of 2 attempts have results."), "{report}");
        fs::remove_file(&file).unwrap();
        let ran = bench.franz(&["run", "results"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        assert_eq!(bench.all_results().len(), 2);
    }
}

#[test]
fn a_gathered_copy_replaces_a_damaged_result() {
    let (bench, file) = played();
    let (results, copy) = (bench.place.path("results"), bench.place.path("copy"));
    assert!(
        Command::new("cp")
            .arg("-r")
            .args([&results, &copy])
            .status()
            .unwrap()
            .success()
    );
    let before = bench.all_results();
    fs::File::options().write(true).open(&file).unwrap().set_len(0).unwrap();
    let gathered = bench.franz(&["gather", "results", "copy"]);
    assert_eq!(gathered.code, Some(0), "{}", gathered.stderr);
    assert!(
        gathered.stdout.contains("1 damaged results replaced"),
        "{}",
        gathered.stdout
    );
    assert_eq!(bench.all_results(), before);
}

#[test]
fn a_report_follows_no_link_in_the_results_and_replaces_its_page_at_once() {
    let (bench, _) = played();
    let precious = bench.place.path("precious");
    fs::write(&precious, "mine").unwrap();
    let page = bench.place.path("results/report.html");
    fs::create_dir(bench.place.path("logs")).unwrap();
    symlink(&precious, &page).unwrap();
    symlink(&precious, bench.place.path("logs/demo.json")).unwrap();
    let reported = bench.franz(&["report", "results", "--inspect", "logs"]);
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    assert!(fs::read_to_string(&page).unwrap().contains("</html>"));
    // A link that the person names leads to the file that they mean.
    let named = bench.place.path("named.html");
    symlink(&precious, &named).unwrap();
    assert_eq!(
        bench.franz(&["report", "results", "--html", "named.html"]).code,
        Some(0)
    );
    assert!(named.is_symlink() && fs::read_to_string(&precious).unwrap().contains("</html>"));
    let printed = bench.franz(&["report", "results", "--html", "/dev/stdout"]);
    assert!(
        printed.code == Some(0) && printed.stdout.contains("</html>"),
        "{}",
        printed.stderr
    );
    // A folder in its place stands for a disk that cannot be written.
    fs::remove_file(&page).unwrap();
    fs::create_dir(&page).unwrap();
    let failed = bench.franz(&["report", "results"]);
    assert_eq!(failed.code, Some(1));
    assert!(
        failed.stderr.contains("write it elsewhere with --html FILE"),
        "{}",
        failed.stderr
    );
    assert!(
        !names(&bench.place.path("results"))
            .iter()
            .any(|name| name.starts_with(".report"))
    );
}

#[test]
fn a_rescore_counts_what_it_cannot_read_and_goes_on() {
    let bench = Bench::new(&[("one", "exit 1"), ("two", "exit 1"), ("three", "exit 1")]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    assert_eq!(bench.franz(&["run", "results"]).code, Some(0));
    let results = bench.all_results();
    let folder = |at: usize| bench.place.path("results").join(try_folder(&results[at]));
    fs::remove_dir_all(folder(0)).unwrap();
    fs::remove_file(folder(1).join("kept.zip")).unwrap();
    fs::create_dir(folder(1).join("kept.zip")).unwrap();
    let rescored = bench.franz(&["rescore", "results"]);
    assert_eq!(rescored.code, Some(1), "{}", rescored.stderr);
    assert_eq!(
        rescored.stdout,
        "1 judged as before\n2 with an archive that cannot be unpacked\n"
    );
    for result in &results[..2] {
        let told = try_folder(result);
        assert!(rescored.stderr.contains(&told), "{told}: {}", rescored.stderr);
    }
}

#[test]
fn checks_that_were_fixed_judge_kept_homes_again() {
    let (bench, _) = played();
    fs::write(bench.place.path("suite/one/check.sh"), "exit 0").unwrap();
    let refused = bench.franz(&["rescore", "results", "--suite", "suite"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("allow it with: franz trust suite"),
        "{}",
        refused.stderr
    );
    bench.trust();
    let before = bench.all_results();
    let rescored = bench.franz(&["rescore", "results", "--suite", "suite"]);
    assert_eq!(rescored.code, Some(0), "{}", rescored.stderr);
    assert!(
        rescored.stderr.contains("(one, demo): not solved before, solved now"),
        "{}",
        rescored.stderr
    );
    assert!(
        rescored.stdout.starts_with("with the checks of suite, digest ")
            && rescored.stdout.contains("; the results stay as they are\n")
            && rescored
                .stdout
                .ends_with("1 judged differently\n1 without a kept home\n"),
        "{}",
        rescored.stdout
    );
    assert_eq!(bench.all_results(), before);
}
