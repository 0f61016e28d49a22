//! Replies that the programs before FRANZ could read. If the meaning of a reply is clear, FRANZ reads it in the same
//! way.

use franz_action::{Action, DeclaredMode, Mode, ToolSet};
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::protocols;
use franz_dialect::{Plan, ReplyText};
use serde_json::Value;

/// Replies, each with the actions that it should be read as.
const ROWS: &str = include_str!("seeds/rows.jsonl");

/// Rows that FRANZ reads differently, and why.
const OTHERWISE: &[(&str, &str)] = &[
    ("s172", "`clicks=2` is the usual way to write a double click"),
    ("s206", "in Python, `True` is the number 1"),
    ("s246", "`button=\"right\"` is the usual way to write a right click"),
    ("s247", "`clicks=2` is the usual way to write a double click"),
];

fn plan(row: &Value) -> Plan {
    let text = |name: &str| row[name].as_str();
    let kind = protocols::kind(text("protocol").unwrap()).unwrap();
    let protocol = (kind.new)(ReadingSettings::new(ToolSet::all()));
    let tool_calls = row["tool_calls"].as_str().map(str::to_owned).or_else(|| {
        let calls = &row["tool_calls"];
        (!calls.is_null()).then(|| calls.to_string())
    });
    protocol.read(&ReplyText {
        text: text("text").unwrap_or_default(),
        tool_calls: tool_calls.as_deref(),
        cut: false,
    })
}

/// Returns how FRANZ's reading of a row differs from the expected one, if it does.
fn difference(row: &Value) -> Option<String> {
    let plan = plan(row);
    let mode = plan.mode.after(Mode::Executing);
    let acts = plan.mode.lets_act(mode);
    let read: Vec<String> = plan
        .actions()
        .filter(|action| acts || **action == Action::Observe)
        .map(ToString::to_string)
        .collect();
    let wanted: Vec<&str> = row["wanted"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if read != wanted {
        return Some(format!("{read:?} instead of {wanted:?}"));
    }
    if let Some(mode) = row["mode"].as_str() {
        let executing = mode == "executing";
        let said = matches!(plan.mode, DeclaredMode::Executing | DeclaredMode::Loose(_));
        if said != executing || plan.mode.after(Mode::Executing) != mode.parse().unwrap() {
            return Some(format!("{:?} instead of {mode}", plan.mode));
        }
    }
    let bare = |goal: &str| goal.trim_end_matches([';', '|', ' ', '.', '\u{3002}']).to_owned();
    let goal = row["goal"].as_str().map(bare);
    if goal.is_some() && plan.goal.as_deref().map(bare) != goal {
        return Some(format!("the goal {:?} instead of {goal:?}", plan.goal));
    }
    None
}

#[test]
fn clear_replies_are_read_as_other_programs_read_them() {
    let rows: Vec<Value> = ROWS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() >= 250);
    let mut wrong = Vec::new();
    for row in &rows {
        let id = row["id"].as_str().unwrap();
        let otherwise = OTHERWISE.iter().any(|(other, _)| *other == id);
        match difference(row) {
            Some(difference) if !otherwise => {
                wrong.push(format!("{id}: {difference}: {}{}", row["text"], row["tool_calls"]));
            }
            None if otherwise => wrong.push(format!("{id} is read as wanted")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}
