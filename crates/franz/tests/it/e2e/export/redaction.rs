//! `franz export --redact`.

use std::collections::BTreeSet;
use std::fs;

use franz_frame::{Color, png};
use serde_json::Value;

use super::html::unpacked;
use super::{export, exported, files};
use crate::harness::{Workplace, reply, scripted};

/// Records a run in which a name is mentioned, and then masks an area of its screen.
fn told() -> Workplace {
    let place = Workplace::new();
    let lines = [r"It is for Anna M\u00fcller.", "Again: anna m\u{fc}ller"].map(reply);
    let server = scripted(&lines.each_ref().map(String::as_str));
    let finished = place.run(
        &server,
        &["--screen", "canvas", "--max-turns", "2", "Write to Anna Müller"],
    );
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let config = fs::read_to_string(place.file("config.toml")).unwrap();
    let masked = config.replace("\nmask = []\n", "\nmask = [{ area = [0, 0, 500, 1000] }]\n");
    assert_ne!(masked, config);
    fs::write(place.file("config.toml"), masked).unwrap();
    place
}

#[test]
fn no_form_holds_a_word_or_a_masked_area() {
    let place = told();
    let before = files(&place.file(""));
    fs::write(place.path("words.txt"), "Anna\n\nanna müller\n").unwrap();
    let forms = [
        "--jsonl",
        "shared",
        "--html",
        "run.html",
        "--redact-from",
        "words.txt",
        "--redact",
        "again",
    ];
    let said = exported(&place, &forms);
    assert!(said.stderr.contains("not from pictures"), "{}", said.stderr);
    assert_eq!(files(&place.file("")), before);

    let lines = fs::read_to_string(place.path("shared/turns.jsonl")).unwrap();
    let run = fs::read_to_string(place.path("shared/run.json")).unwrap();
    let page = fs::read_to_string(place.path("run.html")).unwrap();
    for text in [&lines, &run, &unpacked(&page, "index"), &unpacked(&page, "turns-0")] {
        let small = text.to_lowercase();
        for word in ["anna", "müller", "m\\u00fcller", "again"] {
            assert!(!small.contains(word), "{word}: {text}");
        }
    }
    assert!(lines.contains("It is for [redacted]."), "{lines}");
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let file = place.path("shared").join(line["picture"]["file"].as_str().unwrap());
        let frame = png::decode(&fs::read(file).unwrap()).unwrap();
        for y in [0, frame.height() / 2, frame.height() - 1] {
            for x in [0, frame.width() / 2 - 1] {
                assert_eq!(frame.color(x, y), Some(Color::BLACK), "({x}, {y})");
            }
        }
        assert!(
            line["request"].to_string().contains("pictures/"),
            "the request names the covered picture"
        );
    }
}

/// Returns the paths of all members of an object, without those of its exchanges.
fn paths(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members.iter().filter(|(name, _)| *name != "exchanges") {
                let path = format!("{path}.{name}");
                paths(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(items) => {
            for item in items {
                paths(item, path, found);
            }
        }
        _ => {}
    }
}

#[test]
fn a_short_word_leaves_the_format_in_place() {
    let place = told();
    let members = |directory: &str, page: &str, words: &[&str]| {
        exported(&place, &[&["--jsonl", directory, "--html", page], words].concat());
        let page = fs::read_to_string(place.path(page)).unwrap();
        let lines = fs::read_to_string(place.path(directory).join("turns.jsonl")).unwrap();
        let parts = [unpacked(&page, "index"), unpacked(&page, "turns-0")];
        let mut found = BTreeSet::new();
        for part in parts.iter().map(String::as_str).chain(lines.lines()) {
            paths(&serde_json::from_str(part).unwrap(), "", &mut found);
        }
        found
    };
    let whole = members("whole", "whole.html", &[]);
    let words = [
        "--redact", "li", "--redact", "ed", "--redact", "mark", "--redact", "user",
    ];
    assert_eq!(members("cut", "cut.html", &words), whole);
    let lines = fs::read_to_string(place.path("cut/turns.jsonl")).unwrap();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(line["system"].is_string() && line["status"] == "ok", "{line}");
    }
}

#[test]
fn a_word_in_pieces_of_a_stream_is_not_in_the_page() {
    const PIECE: &str = "chat.completion.chunk";
    let place = told();
    exported(&place, &["--html", "whole.html"]);
    let whole = fs::read_to_string(place.path("whole.html")).unwrap();
    assert!(unpacked(&whole, "turns-0").contains(PIECE));
    exported(&place, &["--html", "run.html", "--redact", "Anna"]);
    let page = fs::read_to_string(place.path("run.html")).unwrap();
    let turns = unpacked(&page, "turns-0");
    assert!(!turns.contains(PIECE), "{turns}");
    assert!(
        turns.contains("It is for [redacted]") && turns.contains("bytes are left out"),
        "{turns}"
    );
}

#[test]
fn what_cannot_be_redacted_is_not_exported() {
    let place = told();
    let refused = export(&place, &["--jsonl", "shared", "--redact-from", "nothing.txt"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("cannot read nothing.txt"), "{}", refused.stderr);
    fs::write(place.file("config.toml"), "[screen]\nmask = 5\n").unwrap();
    let refused = export(&place, &["--jsonl", "shared", "--redact"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(!place.path("shared").exists());
}
