//! Objects: JSON or Python dictionaries, either bare, consecutive or in fences.

use serde_json::{Map, Value};

use super::{Arguments, Flaw, MOST_CALLS, RawCall, Wrap, rest};
use crate::json::{self, Broken, Closers};

const NAMES: [&str; 2] = ["name", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
/// What an object contains that tries to be a call.
const VERBS: [&str; 4] = ["action", "arguments", "tool_name", "action_type"];
/// The keys of an object whose faulty string was probably to be typed.
const TYPED: [&str; 4] = ["\"type\"", "\"text\"", "'type'", "'text'"];
/// In an object with one of these arguments, the name is under `type`.
const TYPED_ARGUMENTS: [&str; 1] = ["param"];

/// Finds the objects in the text, in order. A broken object counts as a flaw if it looks like an attempted call.
pub(crate) fn calls(text: &str, closers: Closers) -> Vec<RawCall> {
    let (mut calls, mut at) = (Vec::new(), 0);
    while let Some(found) = rest(text, at).find(['{', '\u{ff5b}'])
        && calls.len() < MOST_CALLS
    {
        let start = at + found;
        match object(text, start, closers, Wrap::Object) {
            Ok((call, end)) => {
                at = end;
                calls.extend(call);
            }
            Err(broken) => {
                at = text.ceil_char_boundary(broken.at.max(start + 1));
                if tries_to_call(text, start, at, broken) {
                    calls.push(RawCall::flawed(Flaw::of(broken), start..at, Wrap::Object));
                }
            }
        }
    }
    calls
}

/// Checks whether a broken object, which could be read up to `at`, is an attempted call.
fn tries_to_call(text: &str, start: usize, at: usize, broken: Broken) -> bool {
    let has = |tried: &str, keys: &[&str]| keys.iter().any(|key| tried.contains(key));
    if broken.string.is_none() {
        return has(text.get(start..at).unwrap_or_default(), &VERBS);
    }
    // The verb can be behind the string. If the object did not count, what follows it would be performed without it.
    let behind = rest(text, at);
    let end = behind.find(['{', '}']).unwrap_or(behind.len());
    let tried = text.get(start..at + end).unwrap_or_default();
    has(tried, &VERBS) || has(tried, &TYPED)
}

/// Reads the object that begins here as a call. Also returns where it ends.
pub(crate) fn object(
    text: &str,
    start: usize,
    closers: Closers,
    wrap: Wrap,
) -> Result<(Option<RawCall>, usize), Broken> {
    if let Some((members, end)) = json::strict_object_at(text, start) {
        return Ok((Some(call(members, start..end, wrap)), end));
    }
    let read = json::value_at(text, start, closers)?;
    let end = read.span.end;
    let Ok(Value::Object(members)) = serde_json::from_str(&read.text) else {
        return Ok((None, end));
    };
    let implied = text
        .get(start..end)
        .is_some_and(|written| !written.trim_end().ends_with(['}', '\u{ff5d}']));
    let call = call(members, start..end, wrap).mended(implied.then_some(super::literal::UNCLOSED));
    Ok((Some(call), end))
}

/// Returns the call that an object stands for: its name and arguments, or all its members if it has no name.
pub(crate) fn call(mut members: Map<String, Value>, span: std::ops::Range<usize>, wrap: Wrap) -> RawCall {
    for key in ["function", "functionCall"] {
        if let Some(Value::Object(inner)) = members.get_mut(key) {
            members = std::mem::take(inner);
        }
    }
    let key_of = |members: &Map<String, Value>, known: &[&str]| {
        let mut keys = members.keys();
        keys.find(|key| known.contains(&key.trim())).cloned()
    };
    let name = key_of(&members, &NAMES).and_then(|key| members.get(&key).and_then(Value::as_str).map(str::to_owned));
    if name.is_none()
        && let Some(key) = key_of(&members, &TYPED_ARGUMENTS)
        && let Some(Value::String(name)) = members.get("type").cloned()
        && let Some(Value::Object(inside)) = members.get(&key).cloned()
    {
        return RawCall::new(name.trim(), Arguments::of(inside), span, wrap);
    }
    let Some(key) = key_of(&members, &ARGUMENTS) else {
        return match name {
            Some(name) if members.len() == 1 => RawCall::new(name.trim(), Arguments::default(), span, wrap),
            _ => RawCall::new("", Arguments::of(members), span, wrap),
        };
    };
    let name = name.unwrap_or_default();
    let mut flaw = Flaw::Broken;
    let inside = match members.remove(&key) {
        Some(Value::String(text)) => {
            let read = json::value(text.trim(), Closers::Needed);
            if let Err(broken) = read {
                flaw = Flaw::of(broken);
            }
            match read.ok().and_then(|read| serde_json::from_str(&read.text).ok()) {
                Some(value) => Some(value),
                None => text.trim().is_empty().then(|| Value::Object(Map::new())),
            }
        }
        other => other,
    };
    match inside {
        Some(Value::Object(inside)) => {
            let mut args = Arguments::of(inside);
            args.named.extend(members.into_iter().filter(is_place));
            RawCall::new(name.trim(), args, span, wrap)
        }
        Some(Value::Null) | None if !name.is_empty() => match inside {
            Some(_) => RawCall::new(name.trim(), Arguments::default(), span, wrap),
            None => RawCall {
                name: name.trim().to_owned(),
                ..RawCall::flawed(flaw, span, wrap)
            },
        },
        // `parameters` can also be an ordinary member of another object.
        Some(Value::Array(list)) if name.is_empty() => {
            members.insert(key, Value::Array(list));
            RawCall::new("", Arguments::of(members), span, wrap)
        }
        _ => RawCall {
            name: name.trim().to_owned(),
            ..RawCall::flawed(flaw, span, wrap)
        },
    }
}

/// Checks whether a member next to the arguments is a place, which belongs into them.
fn is_place((key, value): &(String, Value)) -> bool {
    let is_number = |value: &Value| value.is_number();
    match value {
        Value::Number(_) => matches!(key.as_str(), "x" | "y"),
        Value::Array(list) => match list.first() {
            Some(Value::Array(inner)) => !inner.is_empty() && inner.iter().all(is_number),
            _ => matches!(list.len(), 2 | 4) && list.iter().all(is_number),
        },
        Value::String(text) => {
            let is_mark = |c: char| c.is_ascii_digit() || matches!(c, '(' | ')' | '[' | ']' | ',' | '.' | ' ');
            text.starts_with(['(', '[']) && text.chars().all(is_mark)
        }
        Value::Object(members) => ["x", "y"].iter().all(|axis| members.get(*axis).is_some_and(is_number)),
        Value::Null | Value::Bool(_) => false,
    }
}

/// Reads the array of calls that a server reports.
pub(crate) fn reported(raw: &str) -> Vec<RawCall> {
    if matches!(raw.trim(), "" | "null" | "[]") {
        return Vec::new();
    }
    let Ok(sequence) = json::sequence(raw, 0, Closers::Needed) else {
        return vec![RawCall::flawed(Flaw::Broken, 0..raw.len(), Wrap::Native)];
    };
    let read = |read: &json::ReadValue| match serde_json::from_str(&read.text) {
        Ok(Value::Object(members)) => call(members, read.span.clone(), Wrap::Native),
        _ => RawCall::flawed(Flaw::Broken, read.span.clone(), Wrap::Native),
    };
    sequence.values.iter().take(MOST_CALLS).map(read).collect()
}
