//! `franz doctor` examines desktops and browsers, and reports what they lack.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use franz_screen::private_desktop::window_managers;

use crate::desktop::stage::Stage;
use crate::doctor::{bare, examined};
use crate::harness::{Workplace, spawn};

#[test]
fn examines_an_existing_desktop_without_touching_it() {
    let (stage, place) = (Stage::new(), Workplace::new());
    let events = stage.events();
    let report = examined(stage.on(place.program(&[])), &["--screen", "desktop"]);
    report.assert_fine(&["capture", "input"]);
    assert_eq!(events.count(), 0, "nothing is touched");
}

#[test]
fn examines_a_private_browser() {
    let place = Workplace::new();
    let report = examined(bare(&place), &["--screen", "browser"]);
    for subject in ["browser", "capture", "input"] {
        assert_eq!(report.find(subject)["state"], "fine", "{:?}", report.findings);
    }
    assert_eq!(report.code, Some(0));
    let missing = ["--screen", "browser", "--set", "screen.browser=/no/browser"];
    examined(bare(&place), &missing).assert_problem("screen", 4, "screen.browser names /no/browser");
}

#[test]
fn doctor_starts_no_program_from_the_settings() {
    let place = Workplace::new();
    let marker = place.path("marker");
    let start = format!("screen.start=[\"touch '{}'\"]", marker.display());
    examined(bare(&place), &["--screen", "virtual", "--set", &start]).assert_fine(&["windows", "capture", "input"]);
    assert!(!marker.exists());
}

#[test]
fn misses_programs_that_a_private_desktop_would_start() {
    let place = Workplace::new();
    for start in ["xtrem", "exec xtrem -e top", "LANG=C xtrem", "/usr/bin/xtrem"] {
        let start_it = format!("screen.start=[\"exec xterm\", \"{start}\"]");
        let says = format!("cannot start \"{start}\" on the private desktop: it was not found");
        examined(bare(&place), &["--screen", "virtual", "--set", &start_it]).assert_problem("programs", 4, &says);
    }
    // It is not obvious what these start.
    let unclear = r#"screen.start=["(xtrem)", "$HOME/xtrem", "cd / && xtrem", "OPTS='-fa xtrem' xterm"]"#;
    examined(bare(&place), &["--screen", "virtual", "--set", unclear]).assert_fine(&["windows", "capture", "input"]);
}

#[test]
fn examines_a_private_desktop_without_a_window_manager() {
    let place = Workplace::new();
    let programs = programs(&place);
    let says = "no window manager was found";
    let mut command = bare(&place);
    command.env("PATH", &programs);
    let report = examined(command, &["--screen", "virtual"]);
    let windows = report.find("windows");
    assert_eq!(windows["state"], "remark", "{windows}");
    assert!(windows["text"].as_str().unwrap().contains(says), "{windows}");
    assert_eq!(report.code, Some(0));

    let run = |more: &[&str]| {
        let mut command = bare(&place);
        command.env("PATH", &programs);
        let run = ["run", "--upstream", "demo", "--screen", "virtual", "--max-turns", "1"];
        command.args(run).args(more);
        spawn(command).finish()
    };
    for care in [&["--no-panel"][..], &["--no-open"]] {
        let finished = run(care);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_eq!(finished.stderr.matches(says).count(), 1, "{}", finished.stderr);
    }
    let mistyped = run(&["--no-panel", "--set", "screen.start=xtrem"]);
    assert_eq!(mistyped.code, Some(4), "{}", mistyped.stderr);
    assert!(mistyped.stderr.contains("it was not found"), "{}", mistyped.stderr);
}

/// Makes a directory with the programs that a private desktop needs.
fn programs(place: &Workplace) -> PathBuf {
    let programs = place.path("programs");
    std::fs::create_dir(&programs).unwrap();
    for name in ["sh", "Xvfb", "xkbcomp"] {
        symlink(found(name), programs.join(name)).unwrap();
    }
    programs
}

/// Returns the path of a program.
fn found(name: &str) -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name));
    found.into_iter().find(|program| program.exists()).unwrap()
}

#[test]
fn window_managers_that_end_at_once_are_not_waited_for() {
    let place = Workplace::new();
    let programs = programs(&place);
    for name in window_managers() {
        symlink(found("false"), programs.join(name)).unwrap();
    }
    let mut command = bare(&place);
    command.env("PATH", &programs);
    let began = Instant::now();
    let report = examined(command, &["--screen", "virtual"]);
    assert_eq!(report.find("windows")["state"], "remark", "{:?}", report.findings);
    // One that runs is waited for up to 15 s, and there are eight.
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

#[test]
fn a_failed_private_desktop_leaves_nothing_behind() {
    let place = Workplace::new();
    // `franz` is started by its path, but Xvfb is looked up and not found.
    for (path, setting, says) in [
        ("", "screen.monitor=9", "Xvfb, which is not installed"),
        (env!("PATH"), "screen.monitor=9", "there is no monitor 9"),
    ] {
        for care in [&["--no-panel"][..], &["--no-open"]] {
            let mut command = bare(&place);
            command.env("PATH", path);
            let run = ["run", "--upstream", "demo", "--screen", "virtual", "--set", setting];
            command.args(run).args(care);
            let finished = spawn(command).finish();
            assert_eq!(finished.code, Some(4), "{}", finished.stderr);
            assert!(finished.stderr.contains(says), "{}", finished.stderr);
            assert!(!place.path("runs").exists());
        }
    }
}
