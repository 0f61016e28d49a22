//! `agentcpm_gui`: compact objects such as `{"POINT":[1,2]}`, as `AgentCPM-GUI` writes them on phones. Read only.
//!
//! Source: OpenBMB/AgentCPM-GUI@acbaf509b8af `eval/utils/schema/schema.json`.

use serde_json::Value;

use crate::dialect::{Dialect, Notation, Row, has, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means};
use crate::notation::{Arguments, RawCall, Searched, Wrap};

pub(super) static DIALECT: Dialect = Dialect {
    name: "agentcpm_gui",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Own(calls)],
    rows: &ROWS,
    signs: |call| call.wrap == Wrap::Tag && ROWS.iter().any(|row| row.names.contains(&&*call.name)),
    ..Dialect::PLAIN
};

static ROWS: [Row; 9] = [
    row(&["POINT"], Means::Click(ClickKind::Left)),
    row(&["TYPE"], Means::Type(Enter::OrHabit)),
    row(&["WAIT"], Means::Wait(2)),
    row(&["ENTER"], Means::Fixed("enter")),
    row(&["FINISH"], Means::Finish(true)),
    row(&["IMPOSSIBLE"], Means::Finish(false)),
    row(&["ASK"], Means::Ask),
    row(&["CONTINUE"], Means::Note),
    row(
        &["PHONE"],
        Means::Told("there is no phone here; use the mouse and the keyboard"),
    ),
];

const KEYS: [&str; 4] = ["POINT", "TYPE", "PRESS", "STATUS"];
const OTHER_KEYS: [&str; 3] = ["thought", "to", "duration"];

fn is_ours(call: &RawCall) -> bool {
    let known = |key: &str| KEYS.contains(&key) || OTHER_KEYS.contains(&key);
    call.wrap == Wrap::Object
        && call.name.is_empty()
        && KEYS.iter().any(|key| has(&call.args, key))
        && call.args.named.iter().all(|(key, _)| known(key))
}

/// Finds the objects with the keys of this schema.
fn calls(searched: &Searched<'_>) -> Vec<RawCall> {
    let objects = searched.objects().iter();
    let alone = |call: &RawCall| {
        call.flaw.is_none()
            && call
                .args
                .named
                .iter()
                .all(|(key, _)| key == "duration" || key == "thought")
    };
    let ours = objects.filter(|call| is_ours(call) || alone(call) && has(&call.args, "duration"));
    ours.flat_map(said).collect()
}

/// Returns what one object asks for: first an action, then the status.
fn said(call: &RawCall) -> Vec<RawCall> {
    // Without these keys, it could be an object of another kind.
    let signed = ["POINT", "PRESS", "thought"].iter().any(|key| has(&call.args, key));
    let wrap = if signed { Wrap::Tag } else { Wrap::Object };
    let milliseconds = call.args.get(&["duration"]).and_then(Value::as_f64).unwrap_or(200.0);
    let with = |name: &str, key: &str, value: Value| {
        let args = Arguments {
            positional: Vec::new(),
            named: vec![(key.to_owned(), value)],
        };
        RawCall::new(name, args, call.span.clone(), wrap)
    };
    let value = |key: &str| {
        call.args
            .named
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.clone())
    };
    let mut calls = Vec::new();
    if let Some(point) = value("POINT") {
        let gesture = has(&call.args, "to") || milliseconds > 200.0;
        calls.push(with(if gesture { "PHONE" } else { "POINT" }, "point", point));
    } else if let Some(key) = value("PRESS") {
        let name = if key == "ENTER" { "ENTER" } else { "PHONE" };
        calls.push(with(name, "button", key));
    } else if has(&call.args, "duration") && value("TYPE").is_none() && value("STATUS").is_none() {
        // A duration on its own could be from any dialect.
        let wait = with("WAIT", "ms", Value::from(milliseconds));
        calls.push(RawCall {
            wrap: Wrap::Object,
            ..wait
        });
    }
    if let Some(text) = value("TYPE") {
        calls.push(with("TYPE", "text", text));
    }
    let name = match value("STATUS").as_ref().and_then(Value::as_str) {
        Some("finish" | "satisfied") => "FINISH",
        Some("impossible" | "interrupt") => "IMPOSSIBLE",
        Some("need_feedback") => "ASK",
        Some(_) => "CONTINUE",
        None => return calls,
    };
    calls.push(RawCall::new(name, Arguments::default(), call.span.clone(), wrap));
    calls
}
