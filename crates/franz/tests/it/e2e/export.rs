//! `franz export`: every format is read back and compared with the run.

mod gif;
mod html;
mod inspect;
mod jsonl;
mod redaction;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Finished, Workplace, python, spawn, wait_until};
use crate::puppet::Puppet;

/// Runs `franz export run` with these arguments.
fn export(place: &Workplace, words: &[&str]) -> Finished {
    spawn(place.program(&[&["export", "run"], words].concat())).finish()
}

/// Runs the same command, which must succeed.
fn exported(place: &Workplace, words: &[&str]) -> Finished {
    let finished = export(place, words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    finished
}

/// Records a run of three turns that draws.
fn drawn() -> Workplace {
    let place = Workplace::new();
    let server = python(&["left_click(500, 500)", "left_click(300, 200)", "left_click(100, 800)"]);
    let finished = place.run(&server, &["--screen", "canvas", "--max-turns", "3"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    place
}

/// Returns every file below a directory, with its bytes.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.flat_map(|path| {
        if path.is_dir() {
            return files(&path);
        }
        let bytes = fs::read(&path).unwrap();
        BTreeMap::from([(path, bytes)])
    });
    all.collect()
}

/// Returns the names of everything in the workplace except the run and FRANZ's own folders.
fn beside(place: &Workplace) -> Vec<String> {
    let names = fs::read_dir(place.path("")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter(|name| !["run", "config", "state"].contains(&name.as_str()))
        .collect();
    names.sort();
    names
}

#[test]
fn an_export_never_changes_the_run_and_replaces_nothing_unasked() {
    let place = drawn();
    let before = files(&place.file(""));
    let mut command = place.program(&["export", "--jsonl", "shared"]);
    command.current_dir(place.path(""));
    let finished = spawn(command).finish();
    assert_eq!(
        finished.code,
        Some(0),
        "without a name it is the last run: {}",
        finished.stderr
    );
    let first = files(&place.path("shared"));

    for (words, told) in [
        (vec!["--jsonl", "shared"], "exists; choose another name, or add --force"),
        (vec!["--jsonl", "run/shared"], "is inside the run"),
        (
            vec!["--jsonl", "config", "--force"],
            "was not made by franz export, so --force leaves it alone",
        ),
        (vec!["--jsonl", "none/shared"], "cannot write none"),
        (vec!["--jsonl", "other", "--turns", "7.."], "has none of these turns"),
        (vec![], "--jsonl"),
    ] {
        fs::create_dir_all(place.path("config")).unwrap();
        let refused = export(&place, &words);
        assert_eq!(refused.code, Some(2), "{words:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(told), "{words:?}: {}", refused.stderr);
    }
    exported(&place, &["--jsonl", "shared", "--force"]);
    assert_eq!(files(&place.path("shared")), first, "the same run gives the same files");
    assert_eq!(files(&place.file("")), before);
    assert_eq!(beside(&place), ["shared"], "nothing half is left");
}

#[test]
fn a_live_run_gives_what_is_complete() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let url = server.url();
    let running = spawn(place.franz(&["run", "--run-dir", "run", "--upstream", &url]));
    server.asked();
    server.reply("one");
    server.asked();
    exported(&place, &["--jsonl", "shared"]);
    let lines = fs::read_to_string(place.path("shared/turns.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 1, "{lines}");
    running.kill();
}

#[cfg(unix)]
#[test]
fn an_interrupted_export_leaves_nothing_behind() {
    let place = Workplace::new();
    let server = python(&["left_click(500, 500)", "left_click(300, 200)"]);
    let ran = place.run(&server, &["--screen", "canvas", "--max-turns", "40"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let before = beside(&place);
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        // A large picture takes longer to draw than the signal takes to arrive.
        let running = spawn(place.program(&["export", "run", "--gif", "shared.gif", "--width", "4096"]));
        wait_until("an unfinished file", || (beside(&place) != before).then_some(()));
        running.signal(signal);
        let finished = running.finish();
        assert_eq!(finished.code, Some(code), "{}", finished.stderr);
        assert_eq!(beside(&place), before);
    }
}
