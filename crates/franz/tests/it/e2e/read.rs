//! `franz read`: its output for people about a reply, and about files that cannot be used.

use std::fs;

use serde_json::Value;

use crate::harness::{Finished, Workplace, spawn};

/// Writes a file and reads it with these flags.
fn read(place: &Workplace, content: &str, flags: &[&str]) -> Finished {
    fs::write(place.path("reply"), content).unwrap();
    spawn(place.franz(&[&["read"], flags, &["reply"]].concat())).finish()
}

#[test]
fn a_reply_is_read_in_the_space_of_its_family() {
    let place = Workplace::new();
    let flags = [
        "--family",
        "ui-tars-1.5",
        "--picture",
        "1344x896",
        "--screen",
        "1920x1080",
    ];
    let finished = read(&place, "Action: click(start_box='(197,525)')", &flags);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(
        finished.stdout,
        "family    ui-tars-1.5 (uitars in pixels)\ndo        left_click(146.77, 586.58)\n"
    );
}

#[test]
fn no_terminal_obeys_a_reply() {
    let place = Workplace::new();
    let hostile = "\u{1b}]0;title\u{7}\u{1b}[2JAction: click(start_box='(1\u{1b}[31m,2)')\r\nAction: type(content='\u{9b}2J\u{202e}')";
    for flags in [&["--family", "ui-tars-1.0"][..], &["--family", "ui-tars-1.0", "--json"]] {
        let finished = read(&place, hostile, flags);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let control = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!finished.stdout.contains(control), "{:?}", finished.stdout);
    }
}

#[test]
fn each_listed_reply_yields_one_json_object() {
    let place = Workplace::new();
    let replies = [
        r#"{"id":1,"text":"I would click Save."}"#,
        r#"{"id":"b","text":"Action: click(start_box='(1,2)')","family":"ui-tars-1.0"}"#,
    ];
    let finished = read(&place, &replies.join("\n"), &["--lines", "--json"]);
    let read_lines: Vec<Value> = finished
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ids: Vec<&Value> = read_lines.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, [&Value::from(1), &Value::from("b")]);
    assert_eq!(read_lines[0]["steps"], Value::Array(Vec::new()));
    assert_eq!(read_lines[1]["steps"][0]["points"][0], serde_json::json!([1.0, 2.0]));

    let finished = read(&place, "{\"id\":1}\nnot JSON\n", &["--lines", "--json"]);
    assert_eq!(finished.code, Some(2));
    assert!(
        finished.stderr.contains("line 2: not a JSON object"),
        "{}",
        finished.stderr
    );
}

#[test]
fn every_mistake_in_a_family_file_is_reported_on_its_own_line() {
    let place = Workplace::new();
    let family = "models = [1]\ndialect = \"x\"\nspac = \"thousandths\"\n[picture]\nmultiple = -3\n";
    fs::write(place.path("mine.toml"), family).unwrap();
    let finished = read(&place, "", &["--family", "./mine.toml"]);
    assert_eq!(finished.code, Some(2));
    let lines: Vec<&str> = finished.stderr.lines().collect();
    assert_eq!(lines.len(), 5, "{}", finished.stderr);
    for (line, number) in lines.iter().zip([1, 1, 2, 3, 5]) {
        assert!(line.contains(&format!("mine.toml, line {number}: ")), "{line}");
    }
}
