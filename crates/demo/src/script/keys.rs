//! Defines the keys of a script line and their valid values.

use std::collections::BTreeMap;
use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use serde::{Deserialize, Deserializer};
use serde_json::value::{RawValue, to_raw_value};

use super::ScriptError;
use super::reply::{ScriptBody, ScriptLine, ScriptReply};
use crate::answer::Close;

/// The longest wait in seconds; a longer one is assumed to be a typo.
const LONGEST_WAIT: f64 = 86_400.0;

/// The keys of a line, as they were written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    text: Option<String>,
    raw: Option<String>,
    #[serde(default, deserialize_with = "even_null")]
    json: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "even_null")]
    content: Option<Box<RawValue>>,
    status: Option<u16>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    delay_s: Option<f64>,
    drip_s: Option<f64>,
    finish_reason: Option<String>,
    #[serde(default, deserialize_with = "even_null")]
    tool_calls: Option<Box<RawValue>>,
    close: Option<Close>,
}

/// Distinguishes `"content": null` from no `content` at all.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl ScriptLine {
    /// Reads and checks the line with this number.
    pub(super) fn read(line: usize, text: &str) -> Result<ScriptLine, ScriptError> {
        if text.trim() == "\"rest\"" {
            return Ok(ScriptLine::Rest);
        }
        let keys: Keys = serde_json::from_str(text).map_err(|error| bad_json(line, &error))?;
        let at = Position { line };
        Ok(ScriptLine::Reply(Box::new(ScriptReply {
            status: at.status(keys.status)?,
            headers: at.headers(&keys.headers)?,
            delay: at.seconds("delay_s", keys.delay_s)?,
            drip: at.seconds("drip_s", keys.drip_s)?,
            close: keys.close,
            body: at.body(keys)?,
        })))
    }
}

/// Converts the parser's error, and replaces its line number with the script's.
fn bad_json(line: usize, error: &serde_json::Error) -> ScriptError {
    let words = error.to_string();
    let problem = words.split(" at line ").next().unwrap_or_default();
    ScriptError::Json {
        line,
        column: error.column(),
        problem: problem.to_owned(),
    }
}

/// A line of a script, for errors about its values.
#[derive(Clone, Copy)]
struct Position {
    line: usize,
}

impl Position {
    fn body(self, keys: Keys) -> Result<ScriptBody, ScriptError> {
        let found = [
            keys.text.is_some(),
            keys.raw.is_some(),
            keys.json.is_some(),
            keys.content.is_some(),
        ];
        let found = found.into_iter().filter(|&given| given).count();
        let suffices = keys.tool_calls.is_some() || keys.status.is_some() || keys.close.is_some();
        if found > 1 || (found == 0 && !suffices) {
            return Err(ScriptError::Bodies { line: self.line, found });
        }
        if let Some(raw) = keys.raw {
            return Ok(ScriptBody::Exact(raw.into()));
        }
        if let Some(json) = keys.json {
            return Ok(ScriptBody::Exact(json.get().to_owned().into()));
        }
        let text = keys.text.map(|text| to_raw_value(&text).expect("text is always JSON"));
        let Some(content) = text
            .or(keys.content)
            .or_else(|| keys.tool_calls.as_ref().map(|_| null()))
        else {
            return Ok(ScriptBody::Error);
        };
        let usual = if keys.tool_calls.as_deref().is_some_and(calls_something) {
            "tool_calls"
        } else {
            "stop"
        };
        Ok(ScriptBody::Completion {
            content,
            finish: keys.finish_reason.unwrap_or_else(|| usual.to_owned()),
            tool_calls: keys.tool_calls,
        })
    }

    fn status(self, status: Option<u16>) -> Result<StatusCode, ScriptError> {
        let status = status.unwrap_or(200);
        let usable = StatusCode::from_u16(status)
            .ok()
            .filter(|code| !code.is_informational());
        usable.ok_or_else(|| self.error("status", &status, "use a number from 200 to 999"))
    }

    fn headers(self, headers: &BTreeMap<String, String>) -> Result<Vec<(HeaderName, HeaderValue)>, ScriptError> {
        let header = |(name, value): (&String, &String)| {
            let framing = ["content-length", "transfer-encoding"].contains(&name.to_ascii_lowercase().as_str());
            let parsed = (name.parse::<HeaderName>(), value.parse::<HeaderValue>());
            match parsed {
                (Ok(name), Ok(value)) if !framing => Ok((name, value)),
                _ => Err(self.error(
                    "headers",
                    name,
                    "use valid HTTP headers other than those that set the body's length",
                )),
            }
        };
        headers.iter().map(header).collect()
    }

    fn seconds(self, field: &'static str, seconds: Option<f64>) -> Result<Duration, ScriptError> {
        let seconds = seconds.unwrap_or(0.0);
        if (0.0..=LONGEST_WAIT).contains(&seconds) {
            Ok(Duration::from_secs_f64(seconds))
        } else {
            Err(self.error(field, &seconds, "use a number of seconds from 0 to 86400"))
        }
    }

    fn error(self, field: &'static str, value: &impl ToString, hint: &'static str) -> ScriptError {
        ScriptError::Value {
            line: self.line,
            field,
            value: value.to_string(),
            hint,
        }
    }
}

/// Returns whether the calls are anything other than `null` or an empty array, which servers also write when there are
/// no calls.
fn calls_something(calls: &RawValue) -> bool {
    let calls = calls.get().trim_start();
    let inside = calls.strip_prefix('[').map(str::trim_start);
    calls != "null" && !inside.is_some_and(|inside| inside.starts_with(']'))
}

fn null() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}
