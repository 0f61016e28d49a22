//! `franz doctor` reports whether a run would work here and, if not, with which exit code it would fail.

use std::net::TcpListener;

use crate::doctor::{bare, examined};
use crate::harness::{Workplace, spawn};

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
