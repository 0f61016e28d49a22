//! Calls as JSON without any marks, which are the whole rest of the text.

use super::{FoundCalls, rest, tries_to_call};
use crate::tools::function::Function;
use crate::tools::json::{self, Closers, ReadValue, behind_blanks};
use crate::tools::written::CallText;

const BEGINNINGS: [char; 4] = ['{', '[', '\u{ff5b}', '\u{ff3b}'];

/// Finds the calls that the text ends with. They begin with the first line that looks like JSON.
pub(super) fn parts(text: &str, closers: Closers) -> Vec<FoundCalls> {
    let begin = behind_blanks(text, 0);
    let Some(start) = first_line(text, begin) else {
        return Vec::new();
    };
    let range = start..start + rest(text, start).trim_end().len();
    let calls = match values(text, start, closers) {
        Some(values) => calls(&values, start == begin),
        None if start == begin && tries_to_call(rest(text, start)) => vec![CallText::unreadable(range.clone())],
        None => return broken(text, start).into_iter().collect(),
    };
    if calls.is_empty() {
        Vec::new()
    } else {
        vec![FoundCalls { range, calls }]
    }
}

/// The call behind prose that cannot be read or that more prose follows: from the first line that opens an object to the end. Prose may
/// have brackets and quote the name of a function, too; only as the value of a name, behind such a line, is it a call.
fn broken(text: &str, from: usize) -> Option<FoundCalls> {
    let mut at = from;
    while !opens_object(rest(text, at)) {
        let behind = at + rest(text, at).find('\n')? + 1;
        at = first_line(text, behind)?;
    }
    let tried = rest(text, at).trim_end();
    let range = at..at + tried.len();
    names_function(tried).then(|| FoundCalls {
        calls: vec![CallText::unreadable(range.clone())],
        range,
    })
}

/// Brackets and blanks before an object, in characters; every line is looked at, so it must not be all of the text.
const LONGEST_BEGINNING: usize = 200;

/// Whether a text begins with an object, or a list of some.
fn opens_object(text: &str) -> bool {
    let mut begin = text.chars().take(LONGEST_BEGINNING);
    let inside = begin.find(|c| !c.is_whitespace() && !matches!(c, '[' | '\u{ff3b}'));
    matches!(inside, Some('{' | '\u{ff5b}'))
}

/// Whether a known function stands where JSON has the value of `name` or `function`.
fn names_function(text: &str) -> bool {
    let mut colons = text.match_indices([':', '\u{ff1a}', '=']);
    colons.any(|(at, colon)| {
        let is_mark = |c: char| c.is_whitespace() || json::is_quote(c);
        let key = text.get(..at).unwrap_or_default().trim_end_matches(is_mark);
        let value = rest(text, at + colon.len()).trim_start_matches(is_mark);
        let length = value.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let value = value.get(..length.unwrap_or(value.len())).unwrap_or_default();
        ["name", "function"].iter().any(|name| key.ends_with(name)) && Function::named(value).is_some()
    })
}

/// The values that are all of the text from here on.
fn values(text: &str, start: usize, closers: Closers) -> Option<Vec<ReadValue>> {
    let sequence = json::sequence(text, start, closers).ok()?;
    let is_all = rest(text, sequence.end).trim_start().is_empty();
    is_all.then_some(sequence.values)
}

/// The calls that these values are, or none. Behind prose only functions that are known are called.
fn calls(values: &[ReadValue], alone: bool) -> Vec<CallText> {
    let known = |name: &str| Function::named(name).is_some();
    let calls: Vec<CallText> = values.iter().map(CallText::of).collect();
    let every_one_called = calls.iter().all(|call| known(&call.name));
    let looked_like = alone && values.iter().all(|value| CallText::looks_like_one(value, known));
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
