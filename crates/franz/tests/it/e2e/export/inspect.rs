//! `franz export --inspect`. `cargo xtask inspect-log` tests whether Inspect itself can read the file.

use std::fs;

use base64_simd::STANDARD;
use franz_record::digest::sha256_hex;
use serde_json::{Value, json};

use super::exported;
use crate::harness::{Workplace, reply, scripted};

fn logged(place: &Workplace, words: &[&str]) -> Value {
    exported(place, &[&["--inspect", "log.json", "--force"], words].concat());
    serde_json::from_slice(&fs::read(place.path("log.json")).unwrap()).unwrap()
}

#[test]
fn a_run_is_a_sample_whose_messages_are_what_was_said() {
    let place = Workplace::new();
    let call =
        json!({ "id": "a", "type": "function", "function": { "name": "wait", "arguments": "{\"seconds\": 0}" } });
    let odd = json!({ "id": "b", "type": "function", "function": { "name": "wait", "arguments": "{\"sec" } });
    let lines = [
        json!({ "text": "Café \u{1f600}", "tool_calls": [call] }).to_string(),
        json!({ "text": "Again.", "tool_calls": [odd] }).to_string(),
        reply("Done."),
    ];
    let server = scripted(&lines.each_ref().map(String::as_str));
    let words = [
        "--profile",
        "operator",
        "--screen",
        "canvas",
        "--max-turns",
        "3",
        "Look.",
    ];
    assert_eq!(place.run(&server, &words).code, Some(0));
    let log = logged(&place, &[]);
    assert_eq!((&log["version"], &log["status"]), (&json!(2), &json!("success")));
    let sample = &log["samples"][0];
    assert_eq!(sample["input"], "Look.");
    let messages = sample["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "user", "assistant", "user", "assistant"]
    );
    assert_eq!(messages[2]["content"][0]["text"], "Café \u{1f600}");
    assert_eq!(
        messages[2]["tool_calls"],
        json!([{ "id": "a", "function": "wait", "type": "function", "arguments": { "seconds": 0 } }])
    );
    assert_eq!(messages[4]["tool_calls"][0]["parse_error"], "{\"sec");
    assert_eq!(sample["output"]["completion"], "Done.");
    for (turn, message) in place.turns().iter().zip(messages[1..].iter().step_by(2)) {
        assert_eq!(message["content"][0]["text"], turn.feedback);
        let hash = &turn.image.as_ref().unwrap().sha256;
        assert_eq!(message["content"][1]["image"], format!("attachment://{hash}"));
        let picture = sample["attachments"][hash].as_str().unwrap();
        let png = STANDARD
            .decode_to_vec(picture.strip_prefix("data:image/png;base64,").unwrap())
            .unwrap();
        assert_eq!(sha256_hex(&png), *hash);
    }
}

#[test]
fn what_is_missing_or_taken_out_is_said_in_its_place() {
    let place = Workplace::new();
    let server = scripted(&[
        &reply("I am Miller.\n```python\ndrag(1, 2, 900, 800)\n```"),
        &reply("two"),
    ]);
    assert_eq!(place.run(&server, &["--max-turns", "2"]).code, Some(0));
    fs::remove_file(place.file("turn_0002.png")).unwrap();
    let _ = fs::remove_file(place.file("turn_0002.plain.png"));
    let log = logged(&place, &["--redact", "miller", "--redact", "franz-demo"]);
    for usage in [&log["stats"]["model_usage"], &log["samples"][0]["model_usage"]] {
        let models: Vec<_> = usage.as_object().unwrap().keys().collect();
        assert_eq!(models, ["[redacted]"]);
    }
    let messages = &log["samples"][0]["messages"];
    let said = messages[2]["content"][0]["text"].as_str().unwrap();
    assert!(said.starts_with("I am [redacted].\n"), "{said}");
    assert_eq!(
        messages[3]["content"][1],
        json!({ "type": "text", "text": "[the picture is gone]" })
    );
    assert_eq!(log["samples"][0]["attachments"].as_object().unwrap().len(), 1);
}
