//! Calls as JSON without any marks, which are the whole rest of the text.

use super::{Part, rest, tries_to_call};
use crate::tools::function::Function;
use crate::tools::json::{self, Closers, behind_blanks};
use crate::tools::written::Written;

const BEGINNINGS: [char; 4] = ['{', '[', '\u{ff5b}', '\u{ff3b}'];

/// Finds the calls that the text ends with. They begin with the first line that looks like JSON.
pub(super) fn parts(text: &str, closers: Closers) -> Vec<Part> {
    let begin = behind_blanks(text, 0);
    let Some(start) = first_line(text, begin) else {
        return Vec::new();
    };
    let calls = calls(text, start, closers);
    let tried = || start == begin && tries_to_call(rest(text, start));
    let end = start + rest(text, start).trim_end().len();
    let calls = calls.or_else(|| tried().then(|| vec![Written::unreadable(start..end)]));
    let part = |calls| Part {
        range: start..end,
        calls,
    };
    calls.map(part).into_iter().collect()
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

/// The calls that are all of the text from here on.
fn calls(text: &str, start: usize, closers: Closers) -> Option<Vec<Written>> {
    let sequence = json::sequence(text, start, closers).ok()?;
    let calls: Vec<Written> = sequence.values.iter().map(Written::of).collect();
    let is_all = rest(text, sequence.end).trim().is_empty();
    let known = calls.iter().all(|call| Function::named(&call.name).is_some());
    (is_all && known && !calls.is_empty()).then_some(calls)
}
