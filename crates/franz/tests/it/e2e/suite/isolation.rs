//! What a suite's programs can do in their sandbox, and what is said if there is none.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;

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
fn temporary_files_fill_no_memory() {
    let check = "for place in /tmp /var/tmp /dev/shm; do\n\
                 test \"$(df -B1 --output=size $place | tail -n 1 | tr -d ' ')\" = 1073741824 || exit 1\ndone\n\
                 (echo > /file) 2>/dev/null && exit 1\n(echo > /dev/file) 2>/dev/null && exit 1\nexit 0\n";
    let bench = Bench::new(&[("fills", check)]);
    let model = drawer();
    bench.plan(&model, &["--repeat", "1"]);
    let ran = bench.franz(&["run", "results"]);
    assert!(ran.stdout.contains("1 solved"), "{}{}", ran.stdout, ran.stderr);
}

/// A `bwrap` that fails once before the program of a task starts, and once before its check does.
#[test]
fn a_sandbox_that_fails_is_no_verdict() {
    let draws = "start = [\"echo 'drag(100, 500, 900, 500)'\"]\n";
    let bench = Bench::with(&[("drawn", "exit 0\n")], &[("drawn", draws)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let programs = bench.place.path("programs");
    fs::create_dir(&programs).unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut places = std::env::split_paths(&path).map(|folder| folder.join("bwrap"));
    let real = places.find(|file| file.exists()).expect("bubblewrap");
    let fails = format!(
        "#!/bin/sh\nfails() {{ mkdir {0:?}/$1 2>/dev/null && echo 'bwrap: No permissions' >&2 && exit 1; }}\n\
         for word; do case $word in *drag*) fails start;; */check.sh) fails check;; esac; done\nexec {real:?} \"$@\"\n",
        bench.place.path("")
    );
    fs::write(programs.join("bwrap"), fails).unwrap();
    fs::set_permissions(programs.join("bwrap"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut run = bench.place.program(&["suite", "run", "results"]);
    run.env("PATH", format!("{}:{path}", programs.display()));
    let ran = spawn(run).finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    for told in [
        "failed and does not count: a program of the task did not start: bwrap: No permissions",
        "failed and does not count: the check did not start: bwrap: No permissions",
    ] {
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
    assert!(ran.stdout.contains("1 solved, 0 not solved"), "{}", ran.stdout);
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
