//! `franz runs`, `franz runs show RUN`, `franz runs delete RUN`, and finding runs from anywhere.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Finished, Workplace, reply, scripted, spawn, url};
use crate::puppet::Puppet;

fn runs(place: &Workplace, words: &[&str]) -> Finished {
    spawn(place.program(&[&["runs"], words].concat())).finish()
}

fn listed(place: &Workplace) -> Vec<Value> {
    let listed = runs(place, &["--json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(
        !listed
            .stdout
            .chars()
            .any(|c| c != '\n' && franz_record::output::acts(c))
    );
    let lines = listed.stdout.lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn with_two_turns(place: &Workplace) {
    let lines = ["one", "two"].map(reply);
    let server = scripted(&lines.each_ref().map(String::as_str));
    let finished = place.run(
        &server,
        &["--max-turns", "2", "--set", "prompt.goal=A \u{1b}[31m\u{9b}cat"],
    );
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

#[test]
fn runs_are_listed_whatever_else_is_there() {
    let place = Workplace::new();
    assert!(runs(&place, &[]).stdout.starts_with("no runs yet"));
    with_two_turns(&place);
    for (name, state) in [("damaged", "{"), ("newer", r#"{"v":9,"turn":1,"story":""}"#)] {
        fs::create_dir_all(place.path("runs").join(name)).unwrap();
        fs::write(place.path("runs").join(name).join("state.json"), state).unwrap();
    }
    fs::create_dir(place.path("runs/foreign")).unwrap();

    let all = listed(&place);
    let names: Vec<&str> = all.iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["run", "damaged", "foreign", "newer"]);
    let run = &all[0];
    assert_eq!(run["path"], place.path("run").canonicalize().unwrap().to_str().unwrap());
    assert_eq!((&run["turns"], &run["outcome"]), (&json!(2), &json!("finished")));
    assert_eq!(run["reason"], "the last requested turn is done");
    for (index, why) in [(1, "is damaged"), (2, "contains no run"), (3, "a newer FRANZ")] {
        assert!(all[index]["error"].as_str().unwrap().contains(why), "{}", all[index]);
    }
    let shown = runs(&place, &[]);
    assert_eq!(shown.stdout.lines().count(), 5, "{}", shown.stdout);
    assert!(shown.stdout.contains("finished") && shown.stdout.contains("A \u{fffd}[31m\u{fffd}cat"));
    assert!(!shown.stdout.chars().any(|c| c != '\n' && franz_record::output::acts(c)));
}

#[test]
fn a_run_is_shown_turn_by_turn_and_found_from_anywhere() {
    let place = Workplace::new();
    with_two_turns(&place);
    fs::create_dir(place.path("elsewhere")).unwrap();
    for run in ["run", "last"] {
        let mut command = place.program(&["runs", "show", run]);
        command.current_dir(place.path("elsewhere"));
        let shown = spawn(command).finish();
        assert_eq!(shown.code, Some(0), "{}", shown.stderr);
        let turns = shown.stdout.lines().filter(|line| line.starts_with("turn "));
        assert_eq!(turns.count(), 2, "{}", shown.stdout);
        assert!(shown.stdout.contains("outcome  finished, "), "{}", shown.stdout);
    }
    let unknown = runs(&place, &["show", "nobody"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("there is no run nobody"), "{}", unknown.stderr);
}

#[test]
fn a_run_is_listed_by_a_name_that_every_command_accepts() {
    let place = Workplace::new();
    with_two_turns(&place);
    let elsewhere = place.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let from_elsewhere = |words: &[&str]| {
        let mut command = place.franz(words);
        command.current_dir(&elsewhere);
        let finished = spawn(command).finish();
        assert_eq!(finished.code, Some(0), "{words:?}: {}", finished.stderr);
        finished.stdout
    };
    let names = || {
        let listed = from_elsewhere(&["runs"]);
        let first = |line: &str| line.split_whitespace().next().unwrap().to_owned();
        listed.lines().skip(1).map(first).collect::<Vec<String>>()
    };
    assert_eq!(names(), ["run"]);
    // Commands take the name for this directory.
    fs::create_dir(elsewhere.join("run")).unwrap();
    let found = from_elsewhere(&["runs", "show", &names()[0]]);
    assert!(found.contains("turns    2"), "{found}");
    fs::remove_dir(elsewhere.join("run")).unwrap();

    let server = scripted(&[&reply("one")]);
    let (url, turns) = (url(&server), ["--max-turns", "1"]);
    from_elsewhere(&[&["run", "--run-dir", "run", "--upstream", &url], &turns[..]].concat());
    let both = names();
    assert_eq!(both.len(), 2, "{both:?}");
    for (name, turns) in both.iter().zip(["turns    1", "turns    2"]) {
        let shown = from_elsewhere(&["runs", "show", name]);
        assert!(shown.contains(turns), "{name}: {shown}");
    }
}

#[test]
fn a_run_is_deleted_only_when_asked_for_and_never_while_it_is_live() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let url = server.url();
    let running = spawn(place.franz(&["run", "--run-dir", "run", "--upstream", &url]));
    server.asked();
    let refused = runs(&place, &["delete", "run", "--yes"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("is live"), "{}", refused.stderr);
    assert_eq!(listed(&place)[0]["outcome"], "running");
    let none = runs(&place, &["delete", "--keep-last", "0", "--yes"]);
    assert!(none.stdout.contains("nothing was deleted"), "{}", none.stdout);
    running.kill();

    assert_eq!(listed(&place)[0]["outcome"], "open", "it was killed");
    fs::write(place.file("notes.txt"), "mine").unwrap();
    let unasked = runs(&place, &["delete", "run"]);
    assert!(unasked.stderr.contains("add --yes"), "{}", unasked.stderr);
    let young = runs(&place, &["delete", "--older", "1d", "--yes"]);
    assert!(young.stdout.contains("nothing was deleted"), "{}", young.stdout);
    let deleted = runs(&place, &["delete", "run", "--yes"]);
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    assert!(deleted.stdout.contains("notes.txt"), "{}", deleted.stdout);
    assert_eq!(fs::read_dir(place.path("run")).unwrap().count(), 1);
    assert_eq!(runs(&place, &["delete"]).code, Some(2), "which?");
}

#[test]
fn a_directory_of_another_program_is_never_deleted() {
    let place = Workplace::new();
    with_two_turns(&place);
    let files = [
        "runs/experiment/config.toml",
        "runs/experiment/data/config.toml",
        "runs/experiment/data/canvas.png",
    ];
    fs::create_dir_all(place.path("runs/experiment/data")).unwrap();
    for file in files {
        fs::write(place.path(file), "title = 'mine'\n").unwrap();
    }
    let are_there = || files.iter().all(|file| place.path(file).exists());
    let named = runs(&place, &["delete", "runs/experiment", "--yes"]);
    assert_eq!(named.code, Some(2), "{}", named.stderr);
    assert!(
        named.stderr.contains("FRANZ may not have written it"),
        "{}",
        named.stderr
    );
    assert!(are_there());
    let all = runs(&place, &["delete", "--keep-last", "0", "--yes"]);
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    assert!(are_there() && !place.path("run").exists(), "{}", all.stdout);
}

#[test]
fn a_run_that_was_deleted_in_part_can_be_deleted_again() {
    for left in ["config.toml", "state.json", "turns_0001_1000.jsonl"] {
        let place = Workplace::new();
        with_two_turns(&place);
        for entry in fs::read_dir(place.path("run")).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap() != left {
                fs::remove_file(path).unwrap();
            }
        }
        let deleted = runs(&place, &["delete", "run", "--yes"]);
        assert_eq!(deleted.code, Some(0), "{left}: {}", deleted.stderr);
        assert!(!place.path("run").exists(), "{left}");
    }
}
