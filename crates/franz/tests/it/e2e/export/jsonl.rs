//! `franz export --jsonl`.

use std::fs;

use franz_json::members;
use franz_record::digest::sha256_hex;
use serde_json::{Value, json};

use super::{drawn, exported};
use crate::harness::{Workplace, reply, scripted, spawn};

fn lines(place: &Workplace) -> Vec<Value> {
    let lines = fs::read_to_string(place.path("shared/turns.jsonl")).unwrap();
    lines.lines().map(parsed).collect()
}

/// Reads JSON that can contain lone surrogates.
fn parsed(json: &str) -> Value {
    serde_json::from_str(&json.replace("\\ud800", "\\ufffd")).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn run(place: &Workplace) -> Value {
    serde_json::from_slice(&fs::read(place.path("shared/run.json")).unwrap()).unwrap()
}

/// Restores the full request in a line, with its system prompt, its tools and its pictures.
fn whole(place: &Workplace, run: &Value, line: &Value) -> Value {
    let mut request = line["request"].clone();
    let messages = request["messages"].as_array_mut().unwrap();
    messages.insert(0, run["system"][line["system"].as_str().unwrap()].clone());
    for part in messages
        .iter_mut()
        .filter_map(|message| message["content"].as_array_mut())
        .flatten()
    {
        if let Some(file) = part["image_url"]["url"].as_str() {
            let png = fs::read(place.path("shared").join(file)).unwrap();
            let base64 = base64_simd::STANDARD.encode_to_string(png);
            part["image_url"]["url"] = json!(format!("data:image/png;base64,{base64}"));
        }
    }
    if let Some(hash) = line["tools"].as_str() {
        request["tools"] = run["tools"][hash].clone();
    }
    request
}

#[test]
fn each_request_can_be_made_whole_again() {
    let texts = [r#""one \ud800 \u0041\/""#, r#""two""#, r#""three""#];
    let calls = json!([{ "id": "a", "type": "function", "function": { "name": "left_click", "arguments": "{\"x\":1,\"y\":2}" } }]);
    for profile in ["draw", "operator"] {
        let place = Workplace::new();
        let answers = texts.map(|text| {
            let calls = if profile == "draw" { Value::Null } else { calls.clone() };
            let raw = format!(
                r#"{{"choices":[{{"message":{{"role":"assistant","content":{text},"tool_calls":{calls}}}}}]}}"#
            );
            json!({ "raw": raw }).to_string()
        });
        let server = scripted(&answers.each_ref().map(String::as_str));
        let canvas = [
            "--profile",
            profile,
            "--screen",
            "canvas",
            "--max-turns",
            "3",
            "--set",
            "prompt.goal=Open it",
        ];
        let finished = place.run(&server, &canvas);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);

        let said = exported(&place, &["--jsonl", "shared"]);
        assert_eq!(said.stderr, "");
        let (lines, run, sent) = (lines(&place), run(&place), server.requests());
        let sent: Vec<Value> = sent
            .iter()
            .map(|one| parsed(str::from_utf8(&one.body).unwrap()))
            .collect();
        assert_eq!((lines.len(), sent.len()), (3, 3), "{profile}");
        assert_eq!(run["system"].as_object().unwrap().len(), 1, "it is kept once: {run}");
        for (line, sent) in lines.iter().zip(&sent) {
            assert_eq!(whole(&place, &run, line), *sent, "{profile}, turn {}", line["turn"]);
        }
        // Text is written to the file and read back byte for byte.
        let raw = fs::read_to_string(place.path("shared/turns.jsonl")).unwrap();
        for (line, text) in raw.lines().zip(texts) {
            let [reply] = members(line, ["reply"]).unwrap();
            assert_eq!(reply.unwrap().get(), text);
        }
        let [story] = members(raw.lines().nth(1).unwrap(), ["story"]).unwrap();
        assert_eq!(story.unwrap().get(), texts[0]);
    }
}

#[test]
fn each_line_tells_what_became_of_its_reply() {
    let place = drawn();
    exported(&place, &["--jsonl", "shared"]);
    let lines = lines(&place);
    let turns = place.turns();
    for (line, next) in lines.iter().zip(turns.iter().skip(1)) {
        assert_eq!(line["actions"], serde_json::to_value(&next.acted).unwrap());
        assert!(!next.acted.is_empty(), "turn {}: {}", next.turn, next.feedback);
    }
    assert_eq!(lines[2]["actions"], Value::Null, "it is not known yet");
    for (line, turn) in lines.iter().zip(&turns) {
        let image = turn.image.as_ref().unwrap();
        assert_eq!(line["picture"]["sha256"], image.sha256);
        let file = place.path("shared").join(line["picture"]["file"].as_str().unwrap());
        assert_eq!(sha256_hex(&fs::read(file).unwrap()), image.sha256);
    }
    exported(&place, &["--jsonl", "part", "--turns", "2..2"]);
    let part = fs::read_to_string(place.path("part/turns.jsonl")).unwrap();
    let all = fs::read_to_string(place.path("shared/turns.jsonl")).unwrap();
    assert_eq!(
        part.lines().collect::<Vec<_>>(),
        all.lines().skip(1).take(1).collect::<Vec<_>>()
    );
}

#[test]
fn a_turn_whose_line_cannot_be_read_is_left_out_of_every_form() {
    let place = drawn();
    let file = place.file("turns_0001_1000.jsonl");
    let recorded = fs::read_to_string(&file).unwrap();
    let damaged = recorded.lines().enumerate().map(|(number, line)| match number {
        1 => line.replacen(r#""acted":["#, r#""acted":0,"was":["#, 1),
        _ => line.to_owned(),
    });
    let damaged: Vec<String> = damaged.collect();
    fs::write(&file, format!("{}\n", damaged.join("\n"))).unwrap();
    for form in [
        ["--jsonl", "shared"],
        ["--html", "run.html"],
        ["--gif", "run.gif"],
        ["--inspect", "log.json"],
    ] {
        let said = exported(&place, &form);
        let told = "franz: turn 2: left out, because the line in the record cannot be read\n";
        assert!(said.stderr.contains(told), "{form:?}: {}", said.stderr);
    }
    let numbers: Vec<Value> = lines(&place).iter().map(|line| line["turn"].clone()).collect();
    assert_eq!(numbers, [1, 3]);
}

#[test]
fn what_is_missing_is_shown_and_told() {
    let place = drawn();
    fs::remove_file(place.file("turn_0001.png")).unwrap();
    fs::write(place.file("turn_0002.png"), "no picture").unwrap();
    fs::remove_file(place.file("exchange.log")).unwrap();
    let said = exported(&place, &["--jsonl", "shared"]);
    for told in [
        "franz: turn 1: the picture is gone\n",
        "franz: turn 2: the picture is damaged\n",
        "franz: turns 1 to 3: no request in exchange.log",
    ] {
        assert!(said.stderr.contains(told), "{}", said.stderr);
    }
    let lines = lines(&place);
    for (line, why) in lines.iter().zip(["the picture is gone", "the picture is damaged"]) {
        assert_eq!(
            (&line["picture"], &line["picture_missing"]),
            (&Value::Null, &json!(why))
        );
        assert_eq!(line["request"], Value::Null);
    }
    assert!(lines[2]["picture"].is_object());
}

#[test]
fn no_key_leaves() {
    let key = "sk-secret-0123456789";
    let place = Workplace::new();
    // The run did not know the key, so the key is in the run's record.
    let server = scripted(&[&reply(&format!("it is {key}")), &reply("two")]);
    let finished = place.run(&server, &["--max-turns", "2"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mut command = place.program(&["export", "run", "--jsonl", "shared"]);
    command.env("FRANZ_API_KEY", key);
    let finished = spawn(command).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let text = fs::read_to_string(place.path("shared/turns.jsonl")).unwrap();
    assert!(
        !text.contains(key) && text.contains("[the API key, 20 bytes]"),
        "{text}"
    );
}
