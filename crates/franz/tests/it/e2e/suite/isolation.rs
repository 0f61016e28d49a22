//! What a suite's programs can do in their sandbox, and what is said if there is none.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;

use franz_demo::DemoHandle;
use franz_suite::RecordedOutcome;

use super::bench::{Bench, drawer};
use crate::harness::{Finished, Workplace, spawn};

/// A suite whose check tries to connect to a server of this test, and is solved if it can. Also returns the model's server.
fn connecting(server: &TcpListener) -> (Bench, DemoHandle) {
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let check = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && exit 0\nexit 1\n");
    let bench = Bench::new(&[("connects", &check)]);
    let model = drawer();
    bench.plan(&model, &["--repeat", "1"]);
    (bench, model)
}

/// Returns whether somebody has connected.
fn is_visited(server: &TcpListener) -> bool {
    match server.accept() {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
            false
        }
    }
}

#[test]
fn a_check_in_the_sandbox_reaches_no_network() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let (bench, _model) = connecting(&server);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stderr.contains("not isolated"), "{}", ran.stderr);
    let result = &bench.results()["connects"];
    assert_eq!((result.outcome, result.isolated), (RecordedOutcome::Unsolved, true));
    assert!(!is_visited(&server));
    let report = bench.franz(&["report", "results"]).stdout;
    assert!(!report.contains("Not isolated"), "{report}");
}

#[test]
fn without_bubblewrap_a_run_its_results_and_the_report_say_what_is_possible() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let (bench, _model) = connecting(&server);
    let path = bench.place.without_bubblewrap();
    let franz = |arguments: &[&str]| -> Finished {
        let mut command = bench.place.program(&[&["suite"], arguments].concat());
        command.env("PATH", &path);
        spawn(command).finish()
    };
    for arguments in [
        &["run", "results", "--keep", "all"][..],
        &["rescore", "results"],
        &["test", "suite"],
    ] {
        let told = franz(arguments).stderr;
        for words in [
            "not isolated: programs can read your files and the suite's checks",
            "tamper with what they examine",
            "checks can use the network; install bubblewrap",
        ] {
            assert!(told.contains(words), "{arguments:?}: {told}");
        }
    }
    let result = &bench.results()["connects"];
    assert_eq!((result.outcome, result.isolated), (RecordedOutcome::Solved, false));
    assert!(is_visited(&server));
    let report = franz(&["report", "results"]).stdout;
    assert!(
        report.contains("Not isolated: programs on the desktop could tamper"),
        "{report}"
    );
    assert!(report.contains("checks could use the network."), "{report}");
    let page = fs::read_to_string(bench.place.path("results/report.html")).unwrap();
    assert!(page.contains("checks could use the network."));
}

#[test]
fn only_a_run_on_a_screen_of_its_own_may_ignore_settings_files() {
    let place = Workplace::new();
    let run = [
        "run",
        "--no-settings-files",
        "--no-panel",
        "--upstream",
        "demo",
        "--max-turns",
        "1",
    ];
    let vnc = ["--screen", "vnc://127.0.0.1:5901", "Look"];
    let refused = spawn(place.program(&[&run[..], &vnc].concat())).finish();
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("is for runs of a suite"), "{}", refused.stderr);
    fs::write(place.path("franz.toml"), "nonsense").unwrap();
    let canvas = ["--profile", "draw", "--screen", "canvas", "Look"];
    let ran = spawn(place.program(&[&run[..], &canvas].concat())).finish();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}
