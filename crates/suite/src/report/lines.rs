//! The attempts as lines for a spreadsheet.

use std::io::{self, Write};

use csv::{Terminator, WriterBuilder};

use super::input::{ReportInput, ReportedAttempt};
use super::words::acts;

const HEADER: [&str; 18] = [
    "suite",
    "digest",
    "task",
    "model",
    "repeat",
    "outcome",
    "why",
    "score",
    "turns",
    "prompt_tokens",
    "completion_tokens",
    "seconds",
    "held",
    "refused",
    "malformed",
    "loops",
    "gave_up",
    "player",
];

/// The characters that make a spreadsheet take a cell for a formula, with their full-width forms.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Writes all attempts as CSV (RFC 4180): a header, then one record for each attempt in the order given, including
/// those that do not count. The score is empty for these.
///
/// Text that a spreadsheet would take for a formula gets an apostrophe in front; control characters become U+FFFD.
///
/// # Errors
///
/// Fails if `out` does.
pub fn write_csv(input: &ReportInput, out: impl Write) -> io::Result<()> {
    let mut lines = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    lines.write_record(HEADER)?;
    let (suite, digest) = (cell(&input.facts.suite), cell(&input.facts.digest));
    for attempt in &input.attempts {
        let mut line = vec![suite.clone(), digest.clone()];
        line.extend(fields(attempt));
        lines.write_record(line)?;
    }
    lines.flush()
}

fn fields(attempt: &ReportedAttempt) -> [String; 16] {
    [
        cell(&attempt.task),
        cell(&attempt.model),
        attempt.repeat.to_string(),
        attempt.outcome.kind().to_owned(),
        cell(attempt.outcome.why().unwrap_or_default()),
        attempt.score().map_or(String::new(), |score| score.to_string()),
        attempt.turns.to_string(),
        attempt.prompt_tokens.to_string(),
        attempt.completion_tokens.to_string(),
        attempt.seconds.to_string(),
        attempt.held.to_string(),
        attempt.refused.to_string(),
        attempt.malformed.to_string(),
        attempt.loops.to_string(),
        attempt.gave_up.to_string(),
        cell(attempt.player.as_deref().unwrap_or_default()),
    ]
}

/// Words a cell so that no spreadsheet takes it for a formula, and no terminal acts on it. Line breaks and tabs stay.
pub(crate) fn cell(text: &str) -> String {
    let inert = |c: char| match c {
        '\n' | '\t' => c,
        _ if acts(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    let guard = if text.starts_with(FORMULA) { "'" } else { "" };
    guard.chars().chain(text.chars().map(inert)).collect()
}
