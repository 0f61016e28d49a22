//! Replies that arrive piece by piece while the model is writing them.

use franz_json::literal;
use franz_record::Event;
use serde_json::{Value, json};

use crate::harness::{Finished, Workplace, reply, scripted, spawn};
use crate::puppet::Puppet;

const KEY: &str = "sk-0123456789-0123456789-0123456789-abc";

/// Joins the reported pieces of a turn's reply, without their quotes.
fn written(finished: &Finished, turn: u64) -> String {
    let mut whole = String::new();
    for line in finished.stdout.lines() {
        if let Ok(Event::Writing(piece)) = Event::from_line(line)
            && piece.turn == turn
        {
            assert_eq!(piece.at, whole.len(), "{line}");
            whole.push_str(literal::unquoted(piece.text.raw()));
        }
    }
    whole
}

#[test]
fn a_reply_is_told_as_it_is_written_and_kept_to_the_byte() {
    let place = Workplace::new();
    let literals = [
        r#""Once \ud83d\ude00 \u0041\/ there was \"a cat\"\\\n and it sat on a \ud800 mat, for ever and ever.""#,
        r#""short""#,
    ];
    let lines = literals.map(|literal| format!(r#"{{"content":{literal}}}"#));
    let server = scripted(&[&lines[0], &lines[1]]);
    let finished = place.run(
        &server,
        &["--profile", "draw", "--screen", "canvas", "--max-turns", "2", "--json"],
    );
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    for (turn, (line, literal)) in (1..).zip(place.turns().iter().zip(literals)) {
        assert_eq!(line.reply.as_ref().unwrap().raw(), literal);
        assert_eq!(format!("\"{}\"", written(&finished, turn)), literal);
    }
    let asked: Value = serde_json::from_slice(&server.requests()[0].body).unwrap();
    assert_eq!(
        (&asked["stream"], &asked["stream_options"]),
        (&json!(true), &json!({ "include_usage": true }))
    );
    assert!(place.turns()[0].usage.is_some());
}

#[test]
fn a_key_that_comes_in_pieces_is_told_nowhere() {
    let said = reply(&format!(
        "Before. My key is {KEY}, and behind it I go on for a long time."
    ));
    for panel in [None, Some("--no-panel")] {
        let (place, server) = (Workplace::new(), scripted(&[&said]));
        let url = crate::harness::url(&server);
        let mut arguments = vec!["run", "--run-dir", "run", "--upstream", &url, "--profile", "draw"];
        arguments.extend(["--screen", "canvas", "--max-turns", "1", "--json", "--no-open"]);
        arguments.extend(panel);
        let mut command = place.program(&arguments);
        command.env("FRANZ_API_KEY", KEY);
        let finished = spawn(command).finish();
        assert_eq!(finished.code, Some(3), "{}", finished.stderr);
        let told = format!("{}{}", finished.stdout, finished.stderr);
        for part in [&KEY[..16], "behind it"] {
            assert!(!told.contains(part), "{part}: {told}");
        }
        for file in files(&place.path("run")) {
            let bytes = std::fs::read(&file).unwrap();
            let holds = bytes.windows(16).any(|window| window == &KEY.as_bytes()[..16]);
            assert!(!holds, "{}", file.display());
        }
        assert_eq!(place.turns()[0].reply, None);
    }
}

fn files(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files.map(|entry| entry.path()).collect()
}

#[test]
fn what_a_server_refuses_of_a_stream_is_left_out_and_remembered() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let url = server.url();
    let run = |directory: &str, turns: &str| {
        // No refusal counts as a useless answer, so a single attempt is enough.
        let common = [
            "--profile",
            "draw",
            "--screen",
            "canvas",
            "--set",
            "model.attempts=1",
            "--upstream",
            &url,
        ];
        spawn(place.franz(&[&["run", "--run-dir", directory, "--max-turns", turns], &common[..]].concat()))
    };
    let running = run("run", "1");
    let asked = |request: &Value| (request["stream"].clone(), request.get("stream_options").is_some());
    assert_eq!(asked(&server.chat()), (json!(true), true));
    server.refuse("Unrecognized request argument supplied: stream_options");
    assert_eq!(asked(&server.chat()), (json!(true), false));
    server.refuse("stream is not supported");
    assert_eq!(asked(&server.chat()), (json!(false), false));
    server.reply("Nothing.");
    let finished = running.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(place.turns()[0].reply.as_ref().unwrap().raw(), "\"Nothing.\"");

    let running = run("again", "1");
    assert_eq!(asked(&server.chat()), (json!(false), false));
    server.reply("Nothing.");
    assert_eq!(running.finish().code, Some(0));
}

#[test]
fn a_stream_without_token_counts_is_a_reply_like_any_other() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let url = server.url();
    let more = [
        "--profile",
        "draw",
        "--screen",
        "canvas",
        "--max-turns",
        "2",
        "--set",
        "model.attempts=1",
    ];
    let running = spawn(place.franz(&[&["run", "--run-dir", "run", "--upstream", &url], &more[..]].concat()));
    for _ in 0..2 {
        let request = server.chat();
        assert_eq!(request["stream_options"], json!({ "include_usage": true }));
        server.stream(&["I ", "rest."]);
    }
    let finished = running.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let turns = place.turns();
    assert!(
        turns.iter().all(|turn| turn.usage.is_none() && turn.attempts == 1),
        "{turns:?}"
    );
    assert_eq!(turns[1].reply.as_ref().unwrap().raw(), "\"I rest.\"");
    assert!(
        !finished.stdout.contains("tokens"),
        "there is nothing to count: {}",
        finished.stdout
    );
}

#[test]
fn a_reply_that_repeats_itself_is_cut() {
    let place = Workplace::new();
    let line = "press(\\\"down\\\")\\n";
    let server = scripted(&[
        &format!(r#"{{"content":"Down.\n{}"}}"#, line.repeat(999)),
        &reply("Nothing."),
    ]);
    let more = [
        "--profile",
        "draw",
        "--screen",
        "canvas",
        "--max-turns",
        "2",
        "--set",
        "model.max_repeats=9",
    ];
    let url = crate::harness::url(&server);
    let usual = ["run", "--run-dir", "run", "--no-open", "--upstream", &url];
    let finished = spawn(place.program(&[&usual[..], &more].concat())).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let turns = place.turns();
    assert!(
        turns[0].cut && turns[0].errors.iter().any(|error| error.contains("repeated itself")),
        "{turns:?}"
    );
    assert_eq!(
        turns[0].reply.as_ref().unwrap().raw(),
        format!("\"Down.\\n{}\"", line.repeat(10))
    );
    assert!(turns[1].feedback.contains("was cut off"), "{}", turns[1].feedback);
    let verdicts = std::fs::read_to_string(place.file("verdicts.jsonl")).unwrap();
    assert!(
        verdicts.contains("\"match\"") && !verdicts.contains("violation"),
        "{verdicts}"
    );
}
