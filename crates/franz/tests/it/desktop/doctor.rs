//! `franz doctor` reports whether a run would work here and, if not, with which exit code it would fail.

use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use franz_screen::private_desktop::window_managers;
use serde_json::Value;

use crate::desktop::stage::Stage;
use crate::harness::{Finished, Workplace, spawn};

/// The findings of `franz doctor`, and its exit code.
struct Report {
    findings: Vec<Value>,
    code: Option<i32>,
}

impl Report {
    fn find(&self, subject: &str) -> &Value {
        let found = self.findings.iter().find(|finding| finding["subject"] == subject);
        found.unwrap_or_else(|| panic!("nothing is said of {subject}: {:?}", self.findings))
    }

    /// Checks that there are no problems, and that these subjects are among the findings.
    fn assert_fine(&self, subjects: &[&str]) {
        for subject in subjects {
            assert_eq!(self.find(subject)["state"], "fine", "{}", self.find(subject));
        }
        assert!(
            self.findings.iter().all(|finding| finding["state"] == "fine"),
            "{:?}",
            self.findings
        );
        assert_eq!(self.code, Some(0));
    }

    /// Checks that a run would fail with this code, for this reason only.
    fn assert_problem(&self, subject: &str, code: i32, says: &str) {
        let found = self.find(subject);
        assert_eq!(found["state"], "problem", "{found}");
        assert_eq!(found["code"], code, "{found}");
        assert!(found["text"].as_str().unwrap().contains(says), "{found}");
        let problems = self.findings.iter().filter(|finding| finding["state"] == "problem");
        assert_eq!(problems.count(), 1, "{:?}", self.findings);
        assert_eq!(self.code, Some(code));
    }
}

/// Returns a command for `franz` in an environment without a desktop. The caller adds the subcommand.
fn bare(place: &Workplace) -> Command {
    let mut command = place.program(&[]);
    command
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("XAUTHORITY");
    command
}

fn examined(mut command: Command, more: &[&str]) -> Report {
    let mut arguments = vec!["doctor", "--json"];
    arguments.extend(more);
    if !more.contains(&"--upstream") {
        arguments.extend(["--upstream", "demo"]);
    }
    command.args(arguments);
    let Finished { code, stdout, .. } = spawn(command).finish();
    let findings = stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    let findings = findings.collect();
    Report { findings, code }
}

#[test]
fn examines_the_canvas() {
    let place = Workplace::new();
    let report = examined(bare(&place), &[]);
    report.assert_fine(&[
        "configuration",
        "model server",
        "model",
        "screen",
        "records",
        "relay",
        "dashboard",
    ]);
}

#[test]
fn examines_an_existing_desktop_without_touching_it() {
    let (stage, place) = (Stage::new(), Workplace::new());
    let events = stage.events();
    let report = examined(stage.on(place.program(&[])), &["--screen", "desktop"]);
    report.assert_fine(&["capture", "input"]);
    assert_eq!(events.count(), 0, "nothing is touched");
}

#[test]
fn examines_a_private_desktop() {
    let place = Workplace::new();
    examined(bare(&place), &["--screen", "virtual"]).assert_fine(&["windows", "capture", "input"]);
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

    for care in [&["--no-panel"][..], &["--no-open"]] {
        let mut command = bare(&place);
        command.env("PATH", &programs);
        let run = ["run", "--upstream", "demo", "--screen", "virtual", "--max-turns", "1"];
        command.args(run).args(care);
        let finished = spawn(command).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_eq!(finished.stderr.matches(says).count(), 1, "{}", finished.stderr);
    }
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
fn reports_a_missing_desktop() {
    let place = Workplace::new();
    for (variables, says) in [
        (&[][..], "DISPLAY is not set"),
        (&[("DISPLAY", ":nonsense")], ":nonsense cannot be opened"),
        // The first display number that maps to no port, so no server can use it.
        (&[("DISPLAY", ":59536")], ":59536 cannot be opened"),
        (
            &[("WAYLAND_DISPLAY", "wayland-0"), ("XDG_SESSION_TYPE", "wayland")],
            "this is a Wayland session",
        ),
    ] {
        let mut command = bare(&place);
        command.envs(variables.iter().copied());
        let report = examined(command, &["--screen", "desktop"]);
        report.assert_problem("screen", 4, says);
        let text = report.find("screen")["text"].as_str().unwrap();
        assert!(text.contains("--screen virtual"), "{text}");
        // A run fails in the same way, before it creates anything.
        let mut command = bare(&place);
        command.envs(variables.iter().copied());
        command.args(["run", "--no-open", "--upstream", "demo", "--screen", "desktop"]);
        let finished = spawn(command).finish();
        assert_eq!(finished.code, Some(4), "{}", finished.stderr);
        assert!(finished.stderr.contains(says), "{}", finished.stderr);
        assert!(!place.path("runs").exists());
    }
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

#[test]
fn reports_a_missing_model_server() {
    let place = Workplace::new();
    // The port was free a moment ago, and nobody is listening on it.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    examined(bare(&place), &["--upstream", &url]).assert_problem("model server", 3, &url);
}

#[test]
fn reports_an_unwritable_record_directory() {
    let place = Workplace::new();
    std::fs::write(place.path("file"), "").unwrap();
    for dir in ["file", "file/runs", "file/more/runs"] {
        let setting = format!("record.dir={dir}");
        let report = examined(bare(&place), &["--set", &setting]);
        let mut command = bare(&place);
        command.args([
            "run",
            "--no-panel",
            "--upstream",
            "demo",
            "--max-turns",
            "1",
            "--set",
            &setting,
        ]);
        let run = spawn(command).finish();
        assert_ne!(run.code, Some(0));
        report.assert_problem("records", run.code.unwrap(), "file");
    }
}
