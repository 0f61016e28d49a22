//! Problems on the machine that a run must survive: a full disk, a directory that cannot be written, and closed
//! streams.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use franz_demo::DemoHandle;
use franz_record::Status;

use crate::e2e::settings::{SMALL, start};
use crate::e2e::watched;
use crate::harness::{Finished, Workplace, python, spawn, url};
use crate::puppet::Puppet;

/// Limits every file to 16 KB. Writing more fails, as on a full disk.
const SMALL_DISK: &str = "trap '' XFSZ; ulimit -f 32; exec";

/// Returns a command for `franz run --run-dir run` with `more` arguments and small pictures.
fn run(place: &Workplace, server: &DemoHandle, watched: bool, more: &[&str]) -> Command {
    run_in("run", place, server, watched, more)
}

fn run_in(directory: &str, place: &Workplace, server: &DemoHandle, watched: bool, more: &[&str]) -> Command {
    let url = url(server);
    let common = ["run", "--run-dir", directory, "--upstream", &url];
    let arguments = [&common[..], &SMALL, more].concat();
    if watched {
        let panel = ["--dashboard", "127.0.0.1:0", "--set", "panel.restart_s=0"];
        place.program(&[&arguments[..], &panel].concat())
    } else {
        place.franz(&arguments)
    }
}

/// Returns the same command, started by a shell with these words in front of it.
pub(crate) fn under(words: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{words} \"$0\" \"$@\""));
    shell.arg(command.get_program()).args(command.get_args());
    shell.current_dir(command.get_current_dir().expect("it has a workplace"));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

/// Starts a server whose replies all differ.
fn server() -> DemoHandle {
    let clicks: Vec<String> = (0..500).map(|n| format!("left_click({n}, {n})")).collect();
    python(&clicks.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Checks that the turns are complete and that no click was performed twice. Returns the number of turns.
fn sound(place: &Workplace) -> u64 {
    let turns = place.turns();
    let numbers: Vec<u64> = turns.iter().map(|turn| turn.turn).collect();
    assert_eq!(numbers, (1..=turns.len() as u64).collect::<Vec<_>>());
    assert!(turns.iter().all(|turn| turn.status == Status::Ok));
    let names = watched::listing(&place.file(""));
    assert!(!names.iter().any(|name| name.contains(".tmp")), "{names:?}");
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    for n in 0..500 {
        assert!(journal.matches(&format!("left_click({n}, {n})")).count() <= 1, "{n}");
    }
    turns.len() as u64
}

#[test]
fn a_run_ended_by_a_full_disk_resumes_when_there_is_room() {
    // Without the exchange log, a turn is the first thing that does not fit.
    let turns_only = ["--set", "record.exchange_log=false"];
    for (watched, more) in [(false, &[][..]), (true, &[]), (false, &turns_only)] {
        let (place, server) = (Workplace::new(), server());
        let command = run(&place, &server, watched, &[&["--max-turns", "100"][..], more].concat());
        let finished = spawn(under(SMALL_DISK, &command)).finish();
        assert_eq!(finished.code, Some(1), "{}\n{}", finished.stdout, finished.stderr);
        let told = finished.stderr.contains("cannot write") || finished.stderr.contains("cannot append");
        assert!(told && finished.stderr.contains("run/"), "{}", finished.stderr);
        assert!(!finished.stderr.contains("it restarts in"), "{}", finished.stderr);
        let before = sound(&place);
        assert!(before > 1 && before < 100, "{before}");
        if !more.is_empty() {
            assert_eq!(finished.stderr.lines().count(), 1, "{}", finished.stderr);
            let turns = std::fs::read_to_string(place.file("turns_0001_1000.jsonl")).unwrap();
            assert!(turns.ends_with('\n'), "no partial line is left");
        }
        let resumed = place.resume(&server, &["--max-turns", "10"]);
        assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
        assert_eq!(sound(&place), before + 10);
    }
}

/// The answer could not be recorded, so the run does not wait for it.
#[test]
fn a_turn_that_cannot_be_recorded_breaks_off_its_request() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let running = start(&place, &server.url(), &["--profile", "draw"]);
    server.chat();
    for name in ["turn_0002.png", "turn_0002.plain.png"] {
        std::fs::create_dir(place.file(name)).unwrap();
    }
    // The server never answers the next request, if it gets that far.
    server.reply("I look.");
    let finished = running.finish();
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(finished.stderr.contains("turn_0002"), "{}", finished.stderr);
    assert_eq!(place.turns().len(), 1);
}

#[test]
fn a_drawing_that_cannot_be_kept_breaks_off_the_request_as_well() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let running = start(&place, &server.url(), &["--profile", "draw"]);
    server.chat();
    // Nothing is drawn yet, so FRANZ has not written the drawing.
    std::fs::create_dir(place.file("canvas.png")).unwrap();
    // The server never answers the next request, if it gets that far.
    server.reply("```python\ndrag(1, 2, 300, 400)\n```");
    let finished = running.finish();
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(finished.stderr.contains("canvas.png"), "{}", finished.stderr);
    assert_eq!(place.turns().len(), 1);
}

#[test]
fn a_full_disk_is_reported_once_when_records_are_optional() {
    let (place, server) = (Workplace::new(), server());
    let more = ["--max-turns", "60", "--set", "record.required=false"];
    let finished = spawn(under(SMALL_DISK, &run(&place, &server, false, &more))).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(
        finished.stderr.matches("NOTHING IS RECORDED").count(),
        1,
        "{}",
        finished.stderr
    );
    assert!(finished.stdout.contains("turn 60"), "{}", finished.stdout);
    assert!(sound(&place) < 60);
}

#[test]
fn an_unwritable_directory_is_named() {
    // Root respects a directory's permissions only without its capabilities.
    let root = rustix::process::geteuid().is_root();
    let plainly = |command: &Command| {
        let without = if root {
            "exec setpriv --bounding-set=-all"
        } else {
            "exec"
        };
        spawn(under(without, command))
    };
    let denied = |finished: &Finished, code: i32| {
        assert_eq!(finished.code, Some(code), "{}\n{}", finished.stdout, finished.stderr);
        let told = finished.stderr.contains("permission denied; check who owns it");
        assert!(told, "{}", finished.stderr);
    };
    for watched in [false, true] {
        let (place, server) = (Workplace::new(), server());
        let permit = |path: &str, mode| {
            std::fs::set_permissions(place.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        std::fs::create_dir(place.path("all")).unwrap();
        permit("all", 0o555);
        let nowhere = plainly(&run_in("all/run", &place, &server, watched, &[]));
        denied(&nowhere.finish(), 1);

        let begun = plainly(&run(&place, &server, watched, &[]));
        place.wait_for_turn(3);
        permit("run", 0o555);
        denied(&begun.finish(), 1);
        // The file that was being written could not be removed either. The resumed run removes it.
        let before = place.turns().len() as u64;
        permit("run", 0o755);
        assert_eq!(place.resume(&server, &["--max-turns", "2"]).code, Some(0));
        assert_eq!(sound(&place), before + 2);
    }
}

#[test]
fn closed_standard_streams_do_not_stop_a_run() {
    let closings = ["exec >&-;", "exec 2>&-;", "exec <&-;", "exec <&- >&- 2>&-;"];
    for (watched, json) in [(false, false), (false, true), (true, false), (true, true)] {
        for closing in closings {
            let (place, server) = (Workplace::new(), server());
            let more: &[&str] = if json {
                &["--json", "--max-turns", "3"]
            } else {
                &["--max-turns", "3"]
            };
            let closed = under(&format!("{closing} exec"), &run(&place, &server, watched, more));
            assert_eq!(spawn(closed).finish().code, Some(0), "{closing}");
            assert_eq!(sound(&place), 3);
        }
    }
}

/// `franz run | head -1` closes stdout like this.
#[test]
fn a_reader_that_closes_the_pipe_does_not_stop_a_run() {
    for (watched, json) in [(false, false), (false, true), (true, false), (true, true)] {
        let (place, server) = (Workplace::new(), server());
        let more: &[&str] = if json {
            &["--json", "--max-turns", "9"]
        } else {
            &["--max-turns", "9"]
        };
        let mut child = run(&place, &server, watched, more).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(!line.is_empty());
        let finished = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&finished.stderr);
        assert_eq!(finished.status.code(), Some(0), "{told}");
        assert_eq!(sound(&place), 9);
    }
}
