//! Checks that the documents' table of all settings matches the schema that the program prints.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::docs::markdown::check_or_write_table;
use crate::harness::{Workplace, spawn};

const PAGE: &str = "docs/configuration.md";
const BEGIN: &str = "<!-- The keys: written by the test `keys`, not by hand. -->\n";
const END: &str = "<!-- The end of the keys. -->\n";

/// The length of the longest default to show, in characters.
const LONGEST: usize = 40;

#[test]
fn the_table_of_settings_is_complete() {
    let finished = spawn(Workplace::new().program(&["profiles", "--schema"])).finish();
    let schema: Value = serde_json::from_str(&finished.stdout).unwrap();
    check_or_write_table(PAGE, [BEGIN, END], &tables(&schema));
}

fn tables(schema: &Value) -> String {
    let mut text = String::new();
    for (name, table) in properties(schema) {
        write!(
            text,
            "\n### {name}\n\n| key | takes | default | who | meaning |\n|---|---|---|---|---|\n"
        )
        .unwrap();
        rows(&mut text, name, table);
    }
    text.push('\n');
    text
}

fn rows(text: &mut String, name: &str, table: &Value) {
    for (part, key) in properties(table) {
        let name = format!("{name}.{part}");
        if key["properties"].is_object() {
            rows(text, &name, key);
            continue;
        }
        let about = key["description"].as_str().unwrap();
        let live = " An edit of a run's config.toml takes effect on the next turn.";
        let (about, mark) = match about.strip_suffix(live) {
            Some(about) => (about, " ↻"),
            None => (about, ""),
        };
        let (takes, default) = (takes(key), default(key));
        writeln!(
            text,
            "| `{name}`{mark} | {takes} | {default} | {} | {} |",
            key["x-franz-trust"].as_str().unwrap(),
            about.replace('|', "\\|")
        )
        .unwrap();
    }
}

fn properties(table: &Value) -> &Map<String, Value> {
    table["properties"].as_object().unwrap()
}

/// Describes the values that the key accepts.
fn takes(key: &Value) -> String {
    if let Some(words) = key["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .map(|word| format!("`{}`", word.as_str().unwrap()))
            .collect();
        return words.join(", ");
    }
    if key["type"].is_array() {
        return "`all`, `none` or a size".to_owned();
    }
    let range = match (&key["minimum"], &key["maximum"]) {
        (Value::Null, _) => String::new(),
        (least, Value::Null) => format!(" from {}", number(least)),
        (least, most) => format!(" from {} to {}", number(least), number(most)),
    };
    match key["type"].as_str().unwrap() {
        "boolean" => "true or false".to_owned(),
        "integer" => format!("whole number{range}"),
        "number" => format!("number{range}"),
        "string" => "text".to_owned(),
        "object" => "table".to_owned(),
        _ => match key["items"]["type"].as_str().unwrap() {
            "string" => "list of strings".to_owned(),
            "integer" => "four whole numbers".to_owned(),
            _ if key["items"]["properties"]["then"].is_object() => {
                "list of tables with `then`, and one or more of `area`, `outside`, `tools`, `keys`, `text`".to_owned()
            }
            _ if key["items"]["properties"]["area"].is_object() => {
                "list of tables with `area` or `window`, and `name`".to_owned()
            }
            _ => "list of tables with `name` and `goal`".to_owned(),
        },
    }
}

fn default(key: &Value) -> String {
    match &key["default"] {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.chars().count() > LONGEST => "a text".to_owned(),
        value if key["type"].is_array() => format!("`{} MB`", value.as_u64().unwrap() / 1_000_000),
        value @ Value::Number(_) => format!("`{}`", number(value)),
        value => format!("`{value}`"),
    }
}

/// Writes a number as people do, with no fraction if it is whole.
fn number(value: &Value) -> String {
    value.to_string().trim_end_matches(".0").to_owned()
}
