//! Measurements made by examples: reading a block of Python, reading replies of 4 kB, and opening and searching a
//! recorded run of 10,000 turns.

use std::process::Command;

use anyhow::{Context, Result};

use super::build;
use super::goal::Row;
use crate::process::output;

/// Measures a reply with thirteen calls.
pub(super) fn block() -> Result<Vec<Row>> {
    let text = printed("franz-dialect", "block_speed")?;
    let median = number_behind(&text, "median ").with_context(|| format!("expected a median, got {text:?}"))?;
    Ok(vec![Row {
        what: "a python block of 13 calls, parsed and run".to_owned(),
        goal: "50 us",
        measured: format!("{median:.1} us"),
        met: median <= 50.0,
        ..Row::of("cargo xtask bench block")
    }])
}

/// Measures several replies of 4 kB, with all dialects on, and returns the slowest.
pub(super) fn reply() -> Result<Vec<Row>> {
    let text = printed("franz-dialect", "reply_speed")?;
    let medians = text.lines().filter_map(|line| number_behind(line, "median "));
    let slowest = medians.reduce(f64::max);
    let slowest = slowest.with_context(|| format!("expected medians, got {text:?}"))?;
    Ok(vec![Row {
        what: "the slowest of nine replies of 4 kB, read with all dialects on".to_owned(),
        goal: "100 us",
        measured: format!("{slowest:.1} us"),
        met: slowest <= 100.0,
        ..Row::of("cargo xtask bench reply")
    }])
}

/// Measures opening and searching a long run.
pub(super) fn history() -> Result<Vec<Row>> {
    let text = printed("franz-panel", "history_speed")?;
    let times: Vec<(&str, f64)> = text.lines().filter_map(time).collect();
    let open = times.iter().find(|(name, _)| *name == "open").map(|(_, ms)| *ms);
    let open = open.with_context(|| format!("expected a time, got {text:?}"))?;
    let searches = times.iter().filter(|(name, _)| name.starts_with("search for"));
    // Hiding an API key adds a second pass over the results.
    let plain: Vec<f64> = searches
        .filter(|(name, _)| !name.ends_with("with a secret"))
        .map(|(_, ms)| *ms)
        .collect();
    let longest = plain.iter().copied().fold(0.0, f64::max);
    let row = |what: &str, goal, most, ms: f64| Row {
        what: format!("10,000 recorded turns: {what}"),
        goal,
        measured: format!("{ms:.0} ms"),
        met: ms <= most,
        ..Row::of("cargo xtask bench history")
    };
    Ok(vec![
        row("open", "150 ms", 150.0, open),
        row("the slowest of nine searches", "100 ms", 100.0, longest),
    ])
}

/// Builds and runs an example. Prints its output and returns it.
fn printed(package: &str, example: &str) -> Result<String> {
    let program = build::release(
        &["--package", package, "--example", example],
        &format!("examples/{example}"),
    )?;
    let text = String::from_utf8(output(&mut Command::new(program))?)?;
    print!("{text}");
    Ok(text)
}

/// Parses a line like `   61.123 ms,    60.000 ms computing: open`.
fn time(line: &str) -> Option<(&str, f64)> {
    let (times, name) = line.split_once(": ")?;
    let ms = times.split_once(" ms,")?.0.trim().parse().ok()?;
    Some((name, ms))
}

fn number_behind(text: &str, word: &str) -> Option<f64> {
    let (_, rest) = text.split_once(word)?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_examples_is_parsed() {
        assert_eq!(
            time("   61.123 ms,    60.000 ms computing: search for left"),
            Some(("search for left", 61.123))
        );
        assert_eq!(time("memory  1234 KB more resident"), None);
        assert_eq!(number_behind("median 31.5 us, best 30.1 us", "median "), Some(31.5));
    }
}
