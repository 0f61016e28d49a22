//! Calls as JSON without any marks, which are the whole rest of the text.

use super::{Part, rest, tries_to_call};
use crate::tools::function::Function;
use crate::tools::json::{self, Closers, Read, behind_blanks};
use crate::tools::written::Written;

const BEGINNINGS: [char; 4] = ['{', '[', '\u{ff5b}', '\u{ff3b}'];

/// Finds the calls that the text ends with. They begin with the first line that looks like JSON.
pub(super) fn parts(text: &str, closers: Closers) -> Vec<Part> {
    let begin = behind_blanks(text, 0);
    let Some(start) = first_line(text, begin) else {
        return Vec::new();
    };
    let range = start..start + rest(text, start).trim_end().len();
    let calls = match values(text, start, closers) {
        Some(values) => calls(&values, start == begin),
        // Nobody knows whether prose in front is about what cannot be read.
        None if start == begin && tries_to_call(rest(text, start)) => vec![Written::unreadable(range.clone())],
        None => Vec::new(),
    };
    if calls.is_empty() {
        Vec::new()
    } else {
        vec![Part { range, calls }]
    }
}

/// The values that are all of the text from here on.
fn values(text: &str, start: usize, closers: Closers) -> Option<Vec<Read>> {
    let sequence = json::sequence(text, start, closers).ok()?;
    let is_all = rest(text, sequence.end).trim_start().is_empty();
    is_all.then_some(sequence.values)
}

/// The calls that these values are, or none. Behind prose only functions that are known are called.
fn calls(values: &[Read], alone: bool) -> Vec<Written> {
    let known = |name: &str| Function::named(name).is_some();
    let calls: Vec<Written> = values.iter().map(Written::of).collect();
    let every_one_called = calls.iter().all(|call| known(&call.name));
    let looked_like = alone && values.iter().all(|value| Written::looks_like_one(value, known));
    if every_one_called || looked_like {
        calls
    } else {
        Vec::new()
    }
}

/// Where the first line begins that looks like JSON, blanks aside.
fn first_line(text: &str, begin: usize) -> Option<usize> {
    let mut at = begin;
    for line in rest(text, begin).split_inclusive('\n') {
        let inner = line.trim_start();
        if inner.starts_with(BEGINNINGS) {
            return Some(at + line.len() - inner.len());
        }
        at += line.len();
    }
    None
}
