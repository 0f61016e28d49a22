//! Asks `SciPy` and statsmodels again what the tests of the statistics expect.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::process::{root, run, succeeds, target};
use crate::python;

/// The directory with the script, its packages, and what it wrote.
const TESTS: &str = "crates/suite/tests/statistics";

/// Succeeds if Python is new enough for these packages.
const SUITS: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// How far two numbers may be apart, relative to the larger one. Libraries round differently on different processors.
const ROUNDING: f64 = 1e-9;

/// Installs the libraries if necessary, and compares what they say with the file that the tests read.
pub(crate) fn compare() -> Result<()> {
    ensure!(
        succeeds(Command::new("python3").args(["-c", SUITS])),
        "SciPy and statsmodels in these versions need Python 3.11 or later, so nothing was compared"
    );
    let tests = root().join(TESTS);
    let python = python::environment("statistics", &tests.join("requirements.txt"))?;
    let written = target()?.join("statistics/reference.json");
    run(Command::new(python)
        .arg("-B")
        .arg(tests.join("reference.py"))
        .arg(&written))?;
    let read = |path| -> Result<Value> { Ok(serde_json::from_str(&fs::read_to_string(path)?)?) };
    let mut numbers = 0;
    let place = difference(&read(written)?, &read(tests.join("reference.json"))?, &mut numbers);
    ensure!(
        place.is_none(),
        "reference.json differs from what the libraries say at {}",
        place.unwrap_or_default()
    );
    println!("the libraries say the same as reference.json: {numbers} numbers");
    Ok(())
}

/// Returns the first place where two values differ by more than rounding, and counts the numbers up to it.
fn difference(one: &Value, other: &Value, numbers: &mut u32) -> Option<String> {
    let at = |key: &str, inner: String| format!("/{key}{inner}");
    match (one, other) {
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => one
            .iter()
            .find_map(|(key, value)| Some(at(key, difference(value, &other[key], numbers)?))),
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(place, (one, other))| Some(at(&place.to_string(), difference(one, other, numbers)?))),
        (Value::Number(one), Value::Number(other)) => {
            *numbers += 1;
            let (one, other) = (one.as_f64()?, other.as_f64()?);
            let is_same = (one - other).abs() <= ROUNDING * one.abs().max(other.abs());
            (!is_same).then(|| format!(": {one} instead of {other}"))
        }
        _ => (one != other).then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_may_differ_by_rounding_alone() {
        let known = json!({ "a": [1.0, { "b": 0.3 }], "c": "d" });
        for (other, place) in [
            (json!({ "a": [1, { "b": 0.3 + 1e-12 }], "c": "d" }), None),
            (
                json!({ "a": [1.0, { "b": 0.31 }], "c": "d" }),
                Some("/a/1/b: 0.3 instead of 0.31"),
            ),
            (json!({ "a": [1.0], "c": "d" }), Some("/a")),
            (json!({ "a": [1.0, { "b": 0.3 }], "c": "e" }), Some("/c")),
            (json!({ "a": [1.0, { "b": 0.3 }] }), Some("")),
        ] {
            assert_eq!(difference(&known, &other, &mut 0).as_deref(), place, "{other}");
        }
    }
}
