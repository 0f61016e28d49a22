//! A run continues where it ended.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::harness::{Workplace, python, reply, scripted, spawn};

#[test]
fn the_last_reply_is_acted_on_only_after_resume() {
    let server = python(&["drag(1, 2, 3, 4)", "left_click(5, 6)", "left_click(7, 8)"]);
    let place = Workplace::new();
    place.run(&server, &["--max-turns", "2"]);
    let journal = || std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    assert!(journal().contains("drag(1, 2, 3, 4)") && !journal().contains("left_click"));
    let finished = place.resume(&server, &["--max-turns", "1"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(journal().contains("left_click(5, 6)") && !journal().contains("left_click(7, 8)"));
    assert_eq!(
        place.turns().iter().map(|turn| turn.turn).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert_eq!(place.turns()[2].feedback, "OK: 1 action executed.");
}

#[test]
fn a_run_keeps_its_settings_and_flags_win() {
    let server = python(&["pass"]);
    let place = Workplace::new();
    let begun = place.run(
        &server,
        &[
            "--max-turns",
            "1",
            "--set",
            "image.width=100",
            "--set",
            "image.height=60",
            "A goal of its own",
        ],
    );
    let resumed = place.resume(&server, &["--max-turns", "1", "--set", "image.height=70"]);
    for finished in [begun, resumed] {
        let told = "\ngoal    A goal of its own\n";
        assert!(finished.stdout.contains(told), "{}", finished.stdout);
    }
    let image = place.turns()[1].image.clone().unwrap();
    assert_eq!((image.width, image.height), (100, 70));
    let wider = ["--max-turns", "1", "--set", "model.max_tokens=9000"];
    assert_eq!(place.resume(&server, &wider).code, Some(0));
    let after = place.resume(&server, &["--max-turns", "1"]);
    assert!(!after.stderr.contains("only you can change"), "{}", after.stderr);
    let turn = place.turns()[3].clone();
    let image = turn.image.unwrap();
    assert_eq!(
        (image.width, image.height),
        (100, 70),
        "flags count for the next start, too"
    );
    assert!(turn.sampling.unwrap().get().contains("9000"));
    assert_eq!(place.turns()[1].goal.as_deref(), Some("A goal of its own"));
}

#[test]
fn a_run_that_keeps_no_pictures_goes_on_without_them() {
    let (server, place) = (scripted(&[&reply("I look.")]), Workplace::new());
    let more = [
        "--profile",
        "operator",
        "--screen",
        "canvas",
        "--max-turns",
        "2",
        "--set",
        "record.keep_pictures=none",
        "--set",
        "record.exchange_log=none",
        "Look.",
    ];
    let begun = place.run(&server, &more);
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    let resumed = place.resume(&server, &["--max-turns", "1"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let files = std::fs::read_dir(place.file("")).unwrap();
    let mut names: Vec<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name.contains(".png") || name.contains("exchange"));
    names.sort_unstable();
    assert_eq!(names, ["turn_0003.plain.png", "turn_0003.png"]);
}

#[test]
fn the_newest_run_is_found_and_a_run_has_one_owner() {
    let server = crate::harness::scripted(&[r#"{"text": "a"}"#, r#"{"text": "b", "delay_s": 3600}"#]);
    let place = Workplace::new();
    let url = crate::harness::url(&server);
    let running = spawn(place.franz(&["run", "--upstream", &url, "--set", "record.dir=all"]));
    crate::harness::wait_until("the second request", || (server.requests().len() >= 2).then_some(()));
    let arguments = ["run", "--resume", "last", "--upstream", &url, "--set", "record.dir=all"];
    let second = spawn(place.franz(&arguments)).finish();
    assert_eq!(second.code, Some(2));
    assert!(second.stderr.contains("in use by another FRANZ"), "{}", second.stderr);
    running.kill();
}

#[test]
fn a_canvas_ahead_of_lost_records_is_reused_with_a_notice() {
    let server = python(&[
        "left_click(1, 2)",
        "left_click(3, 4)",
        "left_click(5, 6)",
        "left_click(7, 8)",
    ]);
    let place = Workplace::new();
    place.run(&server, &["--max-turns", "4"]);
    for name in ["state.json", "acting.jsonl", "turns_0001_1000.jsonl"] {
        std::fs::remove_file(place.file(name)).unwrap();
    }
    let finished = place.resume(&server, &["--max-turns", "2"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        finished.stdout.contains("continuing from the canvas's turn"),
        "{}",
        finished.stdout
    );
    assert_eq!(place.turns().iter().map(|turn| turn.turn).collect::<Vec<_>>(), [5, 6]);
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    assert!(journal.contains("left_click(7, 8)"), "{journal}");
}

/// A power loss can cost the records of turns whose actions the canvas has kept.
#[test]
fn a_canvas_ahead_of_the_records_draws_no_reply_twice() {
    let server = python(&[
        "left_click(1, 2)",
        "left_click(3, 4)",
        "left_click(5, 6)",
        "left_click(7, 8)",
        "pass",
    ]);
    let place = Workplace::new();
    place.run(&server, &["--max-turns", "4"]);
    for name in ["state.json", "acting.jsonl"] {
        std::fs::remove_file(place.file(name)).unwrap();
    }
    let turns = std::fs::read_to_string(place.file("turns_0001_1000.jsonl")).unwrap();
    let kept: String = turns.split_inclusive('\n').take(2).collect();
    std::fs::write(place.file("turns_0001_1000.jsonl"), kept).unwrap();
    let finished = place.resume(&server, &["--max-turns", "1"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    assert_eq!(journal.matches("left_click(3, 4)").count(), 1, "{journal}");
    let turns = place.turns();
    assert_eq!(turns.iter().map(|turn| turn.turn).collect::<Vec<_>>(), [1, 2, 5]);
    let feedback = &turns[2].feedback;
    assert!(feedback.contains("FRANZ was interrupted"), "{feedback}");
}

#[test]
fn a_story_of_the_wrong_type_ends_the_run_or_is_rebuilt() {
    let server = python(&["pass"]);
    for story in ["7", "{}", "[]", "null"] {
        let place = Workplace::new();
        place.run(&server, &["--max-turns", "1"]);
        let mut state: BTreeMap<String, Box<RawValue>> =
            serde_json::from_slice(&std::fs::read(place.file("state.json")).unwrap()).unwrap();
        let before = state.insert("story".to_owned(), RawValue::from_string(story.to_owned()).unwrap());
        let damaged = serde_json::to_vec(&state).unwrap();
        std::fs::write(place.file("state.json"), &damaged).unwrap();
        let finished = place.resume(&server, &["--max-turns", "1"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let notice = "state.json is damaged (a story must be a string, not ";
        assert!(finished.stdout.contains(notice), "{}", finished.stdout);
        let body: Value = serde_json::from_slice(&server.requests().last().unwrap().body).unwrap();
        let before: Value = serde_json::from_str(before.unwrap().get()).unwrap();
        assert_eq!(body["messages"][1]["content"], before);

        std::fs::write(place.file("state.json"), &damaged).unwrap();
        std::fs::remove_file(place.file("turns_0001_1000.jsonl")).unwrap();
        let asked = server.requests().len();
        let finished = place.resume(&server, &["--max-turns", "1"]);
        assert_eq!((finished.code, server.requests().len()), (Some(2), asked));
        assert!(finished.stderr.contains(notice), "{}", finished.stderr);
        assert!(
            finished.stderr.contains("no turn is recorded; start a new run"),
            "{}",
            finished.stderr
        );
    }
}

#[test]
fn a_run_of_a_newer_version_is_neither_continued_nor_forked() {
    let (server, place) = (python(&["pass"]), Workplace::new());
    place.run(&server, &["--max-turns", "1"]);
    let state = std::fs::read_to_string(place.file("state.json")).unwrap();
    let newer = state.replacen("\"v\":1", "\"v\":2", 1);
    assert_ne!(newer, state);
    std::fs::write(place.file("state.json"), &newer).unwrap();
    let settings = std::fs::read_to_string(place.file("config.toml")).unwrap() + "\n[new]\nkey = 1\n";
    std::fs::write(place.file("config.toml"), &settings).unwrap();
    let url = crate::harness::url(&server);
    let set = ["--upstream", &url, "--set", "image.width=99"];
    for command in [
        &["run", "--resume", "run", "--no-panel"][..],
        &["run", "--resume", "run", "--no-open", "--dashboard", "127.0.0.1:0"],
        &["fork", "run", "--at", "1", "--run-dir", "fork"],
    ] {
        let refused = spawn(place.program(&[command, &set].concat())).finish();
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        let told = "was written by a newer version of FRANZ (format 2)";
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
    assert_eq!(std::fs::read_to_string(place.file("state.json")).unwrap(), newer);
    assert_eq!(std::fs::read_to_string(place.file("config.toml")).unwrap(), settings);
    assert!(!place.path("fork").exists());
}

#[test]
fn a_drawing_without_its_journal_is_kept_aside() {
    let server = python(&["drag(1, 2, 900, 900)"]);
    let place = Workplace::new();
    place.run(&server, &["--max-turns", "2"]);
    let drawing = std::fs::read(place.file("canvas.png")).unwrap();
    std::fs::remove_file(place.file("canvas.jsonl")).unwrap();
    let finished = place.resume(&server, &["--max-turns", "1"]);
    assert!(
        finished.stdout.contains("kept as canvas.aside.png"),
        "{}",
        finished.stdout
    );
    assert_eq!(std::fs::read(place.file("canvas.aside.png")).unwrap(), drawing);
}

#[test]
fn a_run_with_truncated_settings_does_not_resume_differently() {
    let server = python(&["pass"]);
    let place = Workplace::new();
    place.run(&server, &["--max-turns", "1"]);
    let config = std::fs::read_to_string(place.file("config.toml")).unwrap();
    let tables = ["", "[protocol]", "[memory]", "[screen]", "[prompt]", "[record]"];
    for table in tables {
        let end = if table.is_empty() {
            0
        } else {
            config.find(table).unwrap()
        };
        std::fs::write(place.file("config.toml"), &config[..end]).unwrap();
        let finished = place.resume(&server, &["--max-turns", "1"]);
        assert_eq!(finished.code, Some(2), "{table}: {}", finished.stdout);
        assert!(
            finished.stderr.contains("it was truncated or emptied"),
            "{table}: {}",
            finished.stderr
        );
    }
    std::fs::write(place.file("config.toml"), &config).unwrap();
    assert_eq!(place.resume(&server, &["--max-turns", "1"]).code, Some(0));
}
