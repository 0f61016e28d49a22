//! Checks that records in the documents can be read, and that they contain no unknown members.

use franz_action::Action;
use franz_panel::Verdict;
use franz_record::{Event, RunState, TurnLine, Wanted, exchanges};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Checks lines, each of which is a record or an answer in a script.
pub(crate) fn check_lines(body: &str) -> Result<(), String> {
    let check = |line: &str| match as_record(line, &parsed(line)?) {
        Some(read) => read,
        None => franz_demo::Script::parse(line)
            .map(drop)
            .map_err(|error| error.to_string()),
    };
    body.lines()
        .try_for_each(|line| check(line).map_err(|why| format!("{line}\n  {why}")))
}

/// Checks one record, which can be split over several lines for readability, or any other JSON.
pub(crate) fn check_value(body: &str) -> Result<(), String> {
    as_record(body, &parsed(body)?).unwrap_or(Ok(()))
}

fn parsed(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Reads the value as the kind of record that its members indicate; `None` if they indicate none.
fn as_record(text: &str, value: &Value) -> Option<Result<(), String>> {
    let has = |name| value.get(name).is_some();
    if has("event") {
        let event = Event::from_line(text).map_err(|error| error.to_string());
        Some(event.and_then(|event| same_members(value, &String::from_utf8_lossy(&event.to_line()))))
    } else if has("verdict") {
        Some(known::<Verdict>(text, value))
    } else if has("phase") {
        Some(known::<RunState>(text, value))
    } else if has("index") {
        let action = value["action"].as_str().unwrap_or_default().parse::<Action>();
        Some(action.map(drop).map_err(|error| error.to_string()))
    } else if has("request") || has("response") {
        Some(exchange(text, value))
    } else if has("turn") {
        Some(known::<TurnLine>(text, value))
    } else {
        None
    }
}

/// Reads the value as a line of `exchange.log`.
fn exchange(line: &str, value: &Value) -> Result<(), String> {
    let known = [
        "v", "id", "at", "turn", "status", "request", "response", "text", "error",
    ];
    let members = value.as_object().ok_or("it is no object")?;
    if let Some(name) = members.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("nothing writes {name}"));
    }
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    std::fs::write(directory.path().join("exchange.log"), format!("{line}\n")).map_err(|error| error.to_string())?;
    let view = franz_home::View::open(directory.path()).map_err(|error| error.to_string())?;
    let wanted = value["id"].as_str().unwrap_or_default().parse::<Wanted>();
    let wanted = wanted.map_err(|error| error.to_string())?;
    exchanges(&view, &wanted).map(drop).map_err(|error| error.to_string())
}

/// Reads the value as this type, and checks that no member is unknown.
fn known<T: DeserializeOwned + Serialize>(text: &str, value: &Value) -> Result<(), String> {
    let read: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    same_members(value, &serde_json::to_string(&read).map_err(|error| error.to_string())?)
}

/// Checks that every member shown is present with the same value. Further members may be present.
fn same_members(shown: &Value, read: &str) -> Result<(), String> {
    let read = parsed(read)?;
    covers(&read, shown)
        .then_some(())
        .ok_or_else(|| format!("it is read as {read}"))
}

fn covers(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(name, part)| whole.get(name).is_some_and(|whole| covers(whole, part))),
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| covers(whole, part))
        }
        (whole, part) => whole == part,
    }
}

#[test]
fn an_unknown_record_member_is_detected() {
    assert_eq!(
        check_lines(r#"{"v":1,"turn":3,"status":"ok","ms":{"model":1.5}}"#),
        Ok(())
    );
    assert!(check_lines(r#"{"v":1,"turn":3,"state":"ok"}"#).is_err());
    assert!(check_lines(r#"{"turn":3,"index":0,"action":"darg(1, 2, 3, 4)"}"#).is_err());
    assert!(check_lines(r#"{"words":"of no record"}"#).is_err());
    assert_eq!(check_value("{\"words\":\n\"of no record\"}"), Ok(()));
    assert!(check_value("{").is_err() && check_value(r#"{"turn":3,"state":"ok"}"#).is_err());
}
