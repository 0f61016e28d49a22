//! Replies of weak models: none of them ends a run as its answer, and nothing but a call does anything.

use franz_action::{Mode, ToolSet};
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::protocols;
use franz_dialect::{Plan, Protocol, ReplyText, Scene};
use serde_json::Value;

/// Replies, each with the source of its kind and the actions that it asks for.
const ROWS: &str = include_str!("weak/rows.jsonl");

/// Rows whose actions are read differently, and why.
const OTHERWISE: &[(&str, &str)] = &[
    ("w069", "looking does no harm"),
    ("w071", "programs can be opened where that is switched on"),
    (
        "w133",
        "others click like this in other spaces, and a space is never guessed",
    ),
    (
        "w156",
        "another family's call, which the reader around a protocol reads",
    ),
    (
        "w164",
        "the prompt's example, which the reader around a protocol leaves",
    ),
    (
        "w195",
        "the prompt's example, which the reader around a protocol leaves",
    ),
    ("w206", "every tool is switched on here"),
    ("w219", "only the fence was cut, and the call is whole"),
    ("w226", "two strokes of an example may be meant in a drawing"),
    ("w246", "a text may be typed without a click before it"),
    ("w247", "the inner fence is one block"),
];

/// Rows that do nothing although nothing is wrong with them.
const NO_FAULT: &[&str] = &["w080"];

fn protocol(name: &str) -> Box<dyn Protocol> {
    (protocols::kind(name).unwrap().new)(ReadingSettings::new(ToolSet::all()))
}

fn read(row: &Value) -> Plan {
    protocol(row["protocol"].as_str().unwrap()).read(&ReplyText {
        text: row["text"].as_str().unwrap(),
        tool_calls: row["tool_calls"].as_str(),
        cut: row["cut"].as_bool().unwrap_or_default(),
    })
}

fn rows() -> Vec<Value> {
    ROWS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn weak_replies_never_answer_or_act_unasked() {
    let rows = rows();
    assert!(rows.len() >= 250);
    let mut wrong = Vec::new();
    for row in &rows {
        assert!(!row["source"].as_str().unwrap().is_empty());
        let plan = read(row);
        let acts = plan.mode.lets_act(plan.mode.after(Mode::Executing));
        let actions: Vec<String> = plan.actions().filter(|_| acts).map(ToString::to_string).collect();
        let wanted: Vec<&str> = row["wanted"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let id = row["id"].as_str().unwrap();
        let differs = actions != wanted || plan.finish.is_some();
        if differs != OTHERWISE.iter().any(|(other, _)| *other == id) {
            wrong.push(format!(
                "{id} ({}): {actions:?}, {:?}: {}{}",
                row["class"], plan.finish, row["text"], row["tool_calls"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn ineffective_replies_get_a_working_example_line() {
    let (mut checked, mut kinds) = (0, std::collections::BTreeSet::new());
    let mut wrong = Vec::new();
    for row in &rows() {
        let plan = read(row);
        let name = row["protocol"].as_str().unwrap();
        // A reply that is a finished sketch asks for nothing, and neither does an empty block.
        let rests = plan.steps.is_empty() && (name == "lines" || name == "python" && plan.correction.is_none());
        if plan.actions().next().is_some() || plan.finish.is_some() || rests {
            continue;
        }
        let told = plan.feedback(&plan.all_done(), &Scene::default());
        let told = plan.correction.clone().unwrap_or(told);
        let line = told
            .split_once("Write:\n")
            .map_or_else(|| told.lines().last().unwrap_or_default(), |(_, line)| line);
        let again = protocol(name).read(&ReplyText::of(line));
        let acts = again.steps.len() == 1 && again.correction.is_none();
        let id = row["id"].as_str().unwrap();
        if !acts && !NO_FAULT.contains(&id) {
            wrong.push(format!("{id} ({}): {told}", row["class"]));
        }
        kinds.insert(row["class"].to_string());
        checked += 1;
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked >= 120, "{checked} replies of {} kinds", kinds.len());
}
