//! Measures how a browser displays the dashboard of a run with 10,000 turns, and how fast a person can scrub through a
//! run.

use anyhow::{Context, Result};

use super::build;
use super::goal::Row;
use crate::browser;
use crate::process::output;

/// Runs the browser's history tests with the program as users run it, and reads their measurements.
pub(super) fn bench() -> Result<Vec<Row>> {
    let program = build::release(&["--package", "franz-agent"], "franz")?;
    let mut text = String::new();
    // One after the other, because the browser runs two files of tests at the same time.
    for tests in ["history", "scrubbing"] {
        let mut suite = browser::suite(&program)?;
        let measured = output(suite.env("BROWSER_MEASURES", "yes").arg(tests))?;
        text.push_str(&String::from_utf8(measured)?);
    }
    print!("{text}");
    let new = numbers_behind(&text, "first paint, ms, in new windows: ")?;
    let open = numbers_behind(&text, "first paint, ms, in open windows: ")?;
    let elements = numbers_behind(&text, "most elements: ")?;
    let rate = numbers_behind(&text, "scrubbing, thumbnails a second: ")?;
    let rests = numbers_behind(&text, "full picture after rest, ms: ")?;
    let row = Row::of("cargo xtask bench page");
    let paint = |what: &str, sorted: &[u32]| {
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
        Row {
            what: format!("10,000 recorded turns: first paint in {what}"),
            goal: "150 ms",
            measured: format!("{median} ms (most {})", sorted.last().copied().unwrap_or_default()),
            met: median <= 150,
            ..Row::of(row.command)
        }
    };
    let most = elements.first().copied().unwrap_or_default();
    Ok(vec![
        paint("a window that is opened for it", &new),
        paint("an open window", &open),
        Row {
            what: "10,000 recorded turns: elements of the page".to_owned(),
            goal: "1,000",
            measured: most.to_string(),
            met: most <= 1000,
            ..Row::of(row.command)
        },
        scrubbing(rate.first().copied().unwrap_or_default()),
        resting(&rests),
    ])
}

fn scrubbing(rate: u32) -> Row {
    Row {
        what: "scrubbing: thumbnails a second, of pictures of 1568x896".to_owned(),
        goal: "at least 30",
        measured: rate.to_string(),
        met: rate >= 30,
        ..Row::of("cargo xtask bench page")
    }
}

fn resting(sorted: &[u32]) -> Row {
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    Row {
        what: "scrubbing: full picture after rest, of which 150 ms are the rest itself".to_owned(),
        goal: "300 ms",
        measured: format!("{median} ms (most {})", sorted.last().copied().unwrap_or_default()),
        met: median <= 300,
        ..Row::of("cargo xtask bench page")
    }
}

pub(super) fn numbers_behind(text: &str, words: &str) -> Result<Vec<u32>> {
    let line = text.lines().find_map(|line| Some(line.split_once(words)?.1));
    let line = line.with_context(|| format!("expected \"{words}\", got {text:?}"))?;
    let numbers = line.split(',').map(|number| number.trim().parse());
    numbers
        .collect::<Result<_, _>>()
        .with_context(|| format!("expected numbers, got {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_page_tests_is_parsed() {
        let text = "ok\n\u{2139} first paint, ms, in new windows: 190, 204\nmost elements: 407\n\u{2139} full picture after rest, ms: 180, 190";
        assert_eq!(
            numbers_behind(text, "first paint, ms, in new windows: ").unwrap(),
            [190, 204]
        );
        assert_eq!(numbers_behind(text, "most elements: ").unwrap(), [407]);
        assert_eq!(
            numbers_behind(text, "full picture after rest, ms: ").unwrap(),
            [180, 190]
        );
        assert!(numbers_behind(text, "ok").is_err());
        assert!(numbers_behind(text, "least elements: ").is_err());
    }
}
