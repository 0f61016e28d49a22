//! The meaning of times: how long to wait, watch or hold.

use franz_action::Action;
use serde_json::Value;

use super::{Does, MeaningError, one, words};
use crate::bind::LONGEST_WAIT_S;
use crate::notation::{Arguments, same};
use crate::spot;

const NAMES: [&str; 5] = ["time", "seconds", "duration", "value", "delay"];

/// Units of time, each with its length in seconds.
const UNITS: [(&[&str], f64); 3] = [
    (
        &[
            "",
            "s",
            "sec",
            "secs",
            "second",
            "seconds",
            "\u{79d2}",
            "\u{79d2}\u{949f}",
        ],
        1.0,
    ),
    (
        &["ms", "msec", "millisecond", "milliseconds", "\u{6beb}\u{79d2}"],
        0.001,
    ),
    (&["m", "min", "mins", "minute", "minutes", "\u{5206}\u{949f}"], 60.0),
];

/// Checks whether an argument with this name gives a time.
pub(super) fn reads(key: &str) -> bool {
    NAMES.iter().chain(&["ms"]).any(|name| same(name, key))
}

pub(super) fn waited(tenths: u32, args: &Arguments) -> Result<Does, MeaningError> {
    lasting(tenths, args).map(|seconds| one(Action::Wait(seconds), Vec::new()))
}

/// Reads a number of seconds. If there is none, returns this many tenths of a second.
pub(super) fn lasting(tenths: u32, args: &Arguments) -> Result<f64, MeaningError> {
    let seconds = given(args)?.unwrap_or(f64::from(tenths) / 10.0);
    if seconds > LONGEST_WAIT_S {
        return Err(words("a wait can last at most 30 seconds"));
    }
    Ok(seconds)
}

/// Returns the number of seconds in a call, if it gives one.
pub(super) fn given(args: &Arguments) -> Result<Option<f64>, MeaningError> {
    let seconds = match (args.get(&NAMES), args.get(&["ms"])) {
        (Some(Value::String(text)), _) => time(text),
        (Some(value), _) => spot::number(value),
        (None, Some(ms)) => spot::number(ms).map(|ms| ms / 1000.0),
        (None, None) => return Ok(None),
    };
    let seconds = seconds.filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    let seconds = seconds.ok_or_else(|| words("the number of seconds could not be read"))?;
    Ok(Some(seconds))
}

/// Reads a time with or without its unit, in seconds.
fn time(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_alphabetic() || c == ' ' || c == '.' && text.ends_with('.'));
    let unit = text.get(number.len()..)?.trim_matches([' ', '.']).to_lowercase();
    let (_, length) = UNITS.iter().find(|(names, _)| names.contains(&unit.as_str()))?;
    number.parse::<f64>().ok().map(|number| number * length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_units() {
        for (text, seconds) in [
            ("2", Some(2.0)),
            ("2.5s", Some(2.5)),
            ("2 seconds", Some(2.0)),
            ("2 sec.", Some(2.0)),
            ("500ms", Some(0.5)),
            ("500 Milliseconds", Some(0.5)),
            ("1 minute", Some(60.0)),
            ("0.25min", Some(15.0)),
            ("2\u{79d2}", Some(2.0)),
            ("1 hour", None),
            ("1 min 30 s", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(time(text), seconds, "{text}");
        }
    }
}
