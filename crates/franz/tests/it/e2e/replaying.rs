//! A recorded run that runs again offline: with the record in place of the model, and every request compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::json;

use crate::chat;
use crate::e2e::settings::{SMALL, edit, resume, start};
use crate::harness::{Finished, Workplace, artist, python, reply, scripted, spawn, url};
use crate::puppet::Puppet;

/// Replays the run `run` into the directory `again`.
fn replay(place: &Workplace, more: &[&str]) -> Finished {
    let common = ["replay", "run", "--offline", "--run-dir", "again"];
    let mut command = place.program(&[&common, more].concat());
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    spawn(command).finish()
}

fn assert_equal(place: &Workplace, turns: &str) {
    let ended = replay(place, &[]);
    let last = ended.stdout.lines().last().unwrap_or_default();
    assert_eq!((ended.code, last), (Some(0), equal(turns).as_str()), "{}", ended.stderr);
}

fn equal(turns: &str) -> String {
    format!("{turns} replayed: every request equal, every picture equal to the byte")
}

/// Returns the name and contents of every file of a run.
fn files(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(run).unwrap().map(Result::unwrap);
    let named = |entry: fs::DirEntry| {
        (
            entry.file_name().into_string().unwrap(),
            fs::read(entry.path()).unwrap(),
        )
    };
    entries.map(named).collect()
}

/// Changes one line of the log of exchanges, or removes it.
fn change_log(place: &Workplace, change: impl Fn(&str) -> Option<String>) {
    let path = place.file("exchange.log");
    let log = fs::read_to_string(&path).unwrap();
    let lines = log.lines().filter_map(|line| change(line).map(|line| line + "\n"));
    fs::write(path, lines.collect::<String>()).unwrap();
}

#[test]
fn every_profile_asks_the_same_again_and_the_record_stays_as_it_is() {
    for (profile, panel) in [
        ("draw", true),
        ("sketch", false),
        ("companion", false),
        ("operator", true),
    ] {
        let (place, server) = (Workplace::new(), artist());
        let watched = [
            "run",
            "--panel",
            "own",
            "--no-open",
            "--dashboard",
            "127.0.0.1:0",
            "--exit",
        ];
        let alone = ["run", "--no-panel"];
        let address = url(&server);
        let common = [
            "--run-dir",
            "run",
            "--upstream",
            &address,
            "--profile",
            profile,
            "--screen",
            "canvas",
            "--max-turns",
            "3",
            "--set",
            "marks.timestamp=true",
            "Draw a cat",
        ];
        let begun = if panel { &watched[..] } else { &alone };
        let ended = spawn(place.program(&[begun, &SMALL[..], &common].concat())).finish();
        assert_eq!(ended.code, Some(0), "{profile}: {}", ended.stderr);
        drop(server);
        let before = files(&place.file(""));
        assert_equal(&place, "3 turns");
        assert!(files(&place.file("")) == before, "{profile}: the source was touched");
        let again = files(&place.path("again"));
        for name in ["turn_0003.png", "canvas.jsonl", "config.toml", "story.txt"] {
            assert!(again.get(name) == before.get(name), "{profile}: {name} differs");
        }
    }
}

#[test]
fn one_other_byte_is_named_with_its_turn_and_its_surroundings() {
    let (place, server) = (Workplace::new(), python(&["drag(1, 2, 300, 400)"]));
    place.run(&server, &["--max-turns", "4", "Draw a cat"]);
    change_log(&place, |line| {
        let is_meant = line.contains(r#""turn":3,"request""#);
        Some(if is_meant {
            line.replace("1 action executed", "1 action exekuted")
        } else {
            line.to_owned()
        })
    });
    let ended = replay(&place, &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert!(
        lines[0].starts_with("franz: turn 3: the request differs from the recorded one at byte "),
        "{}",
        ended.stderr
    );
    assert!(
        lines[1].starts_with("  recorded  …") && lines[1].contains("OK: 1 action exekuted"),
        "{}",
        lines[1]
    );
    assert!(
        lines[2].starts_with("  now       …") && lines[2].contains("OK: 1 action executed"),
        "{}",
        lines[2]
    );
    let ended = fs::read_to_string(place.path("again").join("ended.json")).unwrap();
    assert!(ended.contains("turn 3: the request differs"), "{ended}");
}

#[test]
fn another_picture_is_named() {
    let (place, server) = (Workplace::new(), python(&["drag(1, 2, 300, 400)"]));
    place.run(&server, &["--max-turns", "3", "Draw a cat"]);
    change_log(&place, |line| {
        let is_meant = line.contains(r#""turn":3,"request""#);
        let (before, behind) = line.split_once("[b64 sha=").filter(|_| is_meant).unwrap_or((line, ""));
        Some(if is_meant {
            format!("{before}[b64 sha=000000000000{}", &behind[12..])
        } else {
            line.to_owned()
        })
    });
    let ended = replay(&place, &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let told = "franz: turn 3: the request is equal, but a picture in it is not; compare turn_0003.png of both runs\n";
    assert_eq!(ended.stderr, told);
}

#[test]
fn a_missing_exchange_ends_with_3_and_names_its_turn() {
    let (place, server) = (Workplace::new(), python(&["drag(1, 2, 300, 400)"]));
    place.run(&server, &["--max-turns", "4", "Draw a cat"]);
    let log = fs::read_to_string(place.file("exchange.log")).unwrap();
    for (gone, told) in [
        (r#""turn":3,"request""#, "turn 3: its request is not in the log of run"),
        (
            r#""turn":3,"status""#,
            "turn 3: the answer to its request is not in the log of run",
        ),
        (
            r#""turn":1,"#,
            "no exchange of turn 1 in the log; it holds turns 2 to 4",
        ),
    ] {
        fs::write(place.file("exchange.log"), &log).unwrap();
        change_log(&place, |line| (!line.contains(gone)).then(|| line.to_owned()));
        let ended = replay(&place, &[]);
        assert_eq!((ended.code, ended.stderr), (Some(3), format!("franz: {told}\n")));
        let _ = fs::remove_dir_all(place.path("again"));
    }
    let ended = replay(&place, &["--from", "2"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stdout.lines().last(), Some(equal("3 turns").as_str()));
}

#[test]
fn failed_attempts_are_asked_again_at_once() {
    let cut = json!({ "status": 400, "raw": r#"{"error":{"message":"stream_options is not supported"}}"# });
    let lines = [
        cut.to_string(),
        reply("```python\ndrag(1, 2, 300, 400)\n```"),
        json!({ "status": 503, "raw": "busy" }).to_string(),
        json!({ "raw": "{\"choices\": [ nonsense" }).to_string(),
        json!({ "text": "never whole", "close": "before" }).to_string(),
        reply("```python\nwait(3)\n```"),
        json!({ "raw": "nothing" }).to_string(),
        json!({ "raw": "nothing" }).to_string(),
        reply("```python\nleft_click(1, 2)\n```"),
    ];
    let (place, server) = (Workplace::new(), scripted(&lines.each_ref().map(String::as_str)));
    let ended = place.run(
        &server,
        &["--max-turns", "4", "--set", "model.attempts=3", "Draw a cat"],
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(place.turns().iter().any(|turn| turn.attempts > 2));
    assert_equal(&place, "4 turns");
}

#[test]
fn what_a_person_did_meanwhile_happens_again() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let say = |words: &str| assert!(place.franz(&["say", "run", words]).status().unwrap().success());
    let companion = ["--profile", "companion", "Draw a cat."];
    let running = start(&place, &server.url(), &companion);
    server.chat();
    server.then("STATUS: executing\nACTION: drag(1, 2, 300, 400)\nSTORY: I draw.");
    say("hurry\nup");
    let told = server.chat();
    assert!(chat::feedback(&told).contains("MESSAGE FROM THE PERSON: hurry"));
    server.then("STATUS: executing\nACTION: left_click(5, 6)\nSTORY: I draw.");
    edit(&place, "prompt.goal", Some("Draw a dog."));
    let told = server.chat();
    assert!(chat::feedback(&told).contains("The task is now: Draw a dog."));
    edit(&place, "image.width", Some(80));
    edit(&place, "model.max_tokens", Some(77));
    let told = server.then("STATUS: executing\nACTION: wait(1)\nSTORY: I wait.");
    assert_eq!(told["max_tokens"], 77);
    running.kill();
    let running = resume(&place, &server.url(), &["--max-turns", "2"]);
    server.chat();
    server.then("STATUS: executing\nACTION: left_click(7, 8)\nSTORY: I am done.");
    server.reply("STATUS: monitoring\nSTORY: I am done.");
    assert_eq!(running.finish().code, Some(0));
    let turns = place.turns().len();
    assert_equal(&place, &format!("{turns} turns"));
}

#[test]
fn a_limit_under_its_newer_name_is_followed() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let newer = ["--set", "model.limit_field=max_completion_tokens"];
    let drawing = ["--profile", "draw", "--max-turns", "2", "Draw a cat."];
    let running = start(&place, &server.url(), &[&newer[..], &drawing].concat());
    server.chat();
    edit(&place, "model.max_tokens", Some(77));
    let told = server.then("```python\ndrag(1, 2, 300, 400)\n```");
    assert_eq!(told["max_completion_tokens"], 77);
    server.reply("```python\ndrag(5, 6, 70, 80)\n```");
    assert_eq!(running.finish().code, Some(0));
    assert_equal(&place, "2 turns");
}

#[test]
fn a_run_that_ended_and_was_resumed_is_replayed_as_a_whole() {
    let (place, server) = (
        Workplace::new(),
        python(&["drag(1, 2, 300, 400)", "drag(9, 9, 99, 99)"]),
    );
    place.run(&server, &["--max-turns", "2", "Draw a cat"]);
    let ended = place.resume(&server, &["--max-turns", "2", "Draw a dog"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_equal(&place, "4 turns");
}

#[test]
fn a_record_that_was_lost_after_the_actions_is_told_again() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &["--profile", "draw"]);
    server.chat();
    server.then("```python\ndrag(1, 2, 300, 400)\n```");
    running.kill();
    fs::write(place.file("record.lost"), "").unwrap();
    let running = resume(&place, &server.url(), &["--max-turns", "1"]);
    let told = server.chat();
    assert!(chat::feedback(&told).contains("went on without a record"), "{told}");
    server.reply("```python\ndrag(5, 6, 70, 80)\n```");
    assert_eq!(running.finish().code, Some(0));
    assert_equal(&place, "2 turns");
}

#[test]
fn a_fork_begins_with_its_own_first_turn() {
    let (place, server) = (
        Workplace::new(),
        python(&["drag(1, 2, 300, 400)", "drag(9, 9, 99, 99)"]),
    );
    let address = url(&server);
    let common = ["--upstream", &address, "--no-panel"];
    let begun = [
        &["run", "--run-dir", "source", "--max-turns", "4", "Draw a cat"][..],
        &common,
    ]
    .concat();
    assert_eq!(spawn(place.program(&begun)).finish().code, Some(0));
    let forked = ["fork", "source", "--at", "3", "--run-dir", "run", "--max-turns", "3"];
    assert_eq!(
        spawn(place.program(&[&forked[..], &common].concat())).finish().code,
        Some(0)
    );
    assert_equal(&place, "3 turns");
}

#[test]
fn a_log_in_parts_is_read_and_says_where_it_begins() {
    let place = Workplace::new();
    let long = |turn: u32| {
        let stroke = format!("```python\ndrag({turn}00, 2, 300, 400)\n```\n");
        reply(&format!("{stroke}{}", "I draw on. ".repeat(400)))
    };
    let lines: Vec<String> = (1..=8).map(long).collect();
    let run = |size: &str| {
        let _ = fs::remove_dir_all(place.file(""));
        let server = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let set = format!("record.exchange_log={size}");
        let ended = place.run(&server, &["--max-turns", "8", "--set", &set, "Draw a cat"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    };
    run("600000");
    let old = fs::File::open(place.file("exchange.1.log.gz")).unwrap();
    assert!(
        std::io::read_to_string(GzDecoder::new(old))
            .unwrap()
            .contains("\"turn\":")
    );
    assert_equal(&place, "8 turns");
    fs::remove_dir_all(place.path("again")).unwrap();
    run("300000");
    let ended = replay(&place, &[]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    let (_, from) = ended
        .stderr
        .trim_end()
        .split_once("; add --from ")
        .expect(&ended.stderr);
    let ended = replay(&place, &["--from", from]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
fn what_cannot_be_replayed_is_refused_with_one_line() {
    let (place, server) = (Workplace::new(), python(&["drag(1, 2, 300, 400)"]));
    place.run(&server, &["--max-turns", "2", "Draw a cat"]);
    let kept = files(&place.file(""));
    let turns = "turns_0001_1000.jsonl";
    let text = |name: &str| String::from_utf8(kept[name].clone()).unwrap();
    let second = text(turns).lines().nth(1).unwrap().to_owned() + "\n";
    for (name, content, more, told) in [
        ("exchange.log", None, &[][..], "run has no exchange.log"),
        (
            "exchange.log",
            Some("as text\n".to_owned()),
            &[],
            "an older version wrote the exchange.log",
        ),
        (
            turns,
            Some(text(turns) + "{\"turn\n"),
            &[],
            "is damaged (line 3 is not a turn",
        ),
        (
            turns,
            Some(text(turns).replace("{\"v\":1", "{\"v\":2")),
            &[],
            "written by a newer version of FRANZ (format 2)",
        ),
        (
            turns,
            Some(second),
            &[],
            "the line of turn 1 is missing in run; replay the turns after it with --from 2",
        ),
        (turns, Some(String::new()), &[], "has no completed turn"),
        ("state.json", Some("{".to_owned()), &[], "state.json is damaged"),
        (
            "conversation.json",
            Some("{}".to_owned()),
            &[],
            "another program's conversation",
        ),
        (
            "story.txt",
            None,
            &["--from", "9"],
            "run has no turn 9; its last turn is 2",
        ),
        ("story.txt", None, &["--no-open"], "cannot be used with"),
    ] {
        let path = place.file(name);
        match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let ended = replay(&place, more);
        assert_eq!(ended.code, Some(2), "{told}: {}", ended.stderr);
        assert!(ended.stderr.contains(told), "{told}: {}", ended.stderr);
        assert!(!place.path("again").exists(), "{told}");
        match kept.get(name) {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
    }
    assert_equal(&place, "2 turns");
}

#[test]
fn a_live_run_is_not_replayed() {
    let (mut server, place) = (Puppet::new(), Workplace::new());
    let running = start(&place, &server.url(), &["Draw a cat"]);
    server.chat();
    let ended = replay(&place, &[]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("is still running"), "{}", ended.stderr);
    running.kill();
}

#[test]
fn a_moved_run_needs_no_permission_and_gives_none() {
    let (place, server) = (Workplace::new(), python(&["drag(1, 2, 300, 400)"]));
    place.run(&server, &["--max-turns", "2", "Draw a cat"]);
    fs::rename(place.file(""), place.path("moved")).unwrap();
    fs::rename(place.path("moved"), place.path("elsewhere")).unwrap();
    let ended = spawn(place.program(&["replay", "elsewhere", "--offline", "--run-dir", "again"])).finish();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let settings = place.program(&["config", "--run", "again", "model.upstream", "--json"]);
    let settings = spawn(settings).finish();
    assert!(settings.stdout.contains(r#""value":"auto""#), "{}", settings.stdout);
    assert!(
        settings.stderr.contains("only you can change model.upstream"),
        "{}",
        settings.stderr
    );
}
