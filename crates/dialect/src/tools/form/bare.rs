//! Calls as JSON without any marks, which fill the rest of the text.

use memchr::memchr3_iter;

use super::{FoundCalls, tries_to_call};
use crate::end_token;
use crate::json::{self, Closers, ReadValue, behind_blanks};
use crate::notation::tag::FENCE;
use crate::notation::{find, lines, rest, word};
use crate::tools::function::Function;
use crate::tools::written::{CallText, Unreadable};

const BEGINNINGS: [char; 4] = ['{', '[', '\u{ff5b}', '\u{ff3b}'];

/// Finds the calls at the end of the text. They begin with the first line that looks like JSON.
pub(super) fn parts(text: &str, closers: Closers) -> Vec<FoundCalls> {
    let begin = behind_blanks(text, 0);
    let Some(start) = first_line(text, begin) else {
        return Vec::new();
    };
    // Most JSON is not a call, because its first value is not one and it does not name a function.
    let json = rest(text, start);
    let none = |first: ReadValue| calls(&[first], start == begin).is_empty();
    if first(text, start, closers).is_some_and(none) && !names_function(json) && !tries_to_call(json) {
        return Vec::new();
    }
    let range = start..start + json.trim_end().len();
    let calls = match values(text, start, closers) {
        Ok(values) => calls(&values, start == begin),
        Err(why) if start == begin && tries_to_call(json) => vec![CallText::faulty(range.clone(), why)],
        Err(why) => return broken(text, start, why).into_iter().collect(),
    };
    if calls.is_empty() {
        Vec::new()
    } else {
        vec![FoundCalls { range, calls }]
    }
}

/// Finds a call after prose, even if the call cannot be read or more prose follows it. The call extends from the first
/// line that opens an object to the end. Prose can contain brackets too, and can quote a function's name. The name is
/// therefore considered only as the value of `name` or `function` after such a line.
fn broken(text: &str, from: usize, why: Unreadable) -> Option<FoundCalls> {
    let mut at = from;
    while !opens_object(rest(text, at)) {
        let behind = at + rest(text, at).find('\n')? + 1;
        at = first_line(text, behind)?;
    }
    let tried = rest(text, at).trim_end();
    let range = at..at + tried.len();
    names_function(tried).then(|| FoundCalls {
        // The reason is that of the first line.
        calls: vec![CallText::faulty(
            range.clone(),
            if at == from { why } else { Unreadable::Json },
        )],
        range,
    })
}

/// How many characters of brackets and whitespace can precede an object. A limit is necessary because every line is
/// examined.
const LONGEST_BEGINNING: usize = 200;

/// Checks whether the text begins with an object or a list of objects.
fn opens_object(text: &str) -> bool {
    let mut begin = text.chars().take(LONGEST_BEGINNING);
    let inside = begin.find(|c| !c.is_whitespace() && !matches!(c, '[' | '\u{ff3b}'));
    matches!(inside, Some('{' | '\u{ff5b}'))
}

/// Checks whether a known function appears as the value of `name` or `function`.
fn names_function(text: &str) -> bool {
    let colons = memchr3_iter(b':', b'=', WIDE_COLON.as_bytes()[0], text.as_bytes());
    let mut colons = colons.filter(|at| rest(text, *at).starts_with([':', '=', '\u{ff1a}']));
    colons.any(|at| {
        let is_mark = |c: char| c.is_whitespace() || json::is_quote(c);
        let key = text.get(..at).unwrap_or_default().trim_end_matches(is_mark);
        let value = rest(text, at)
            .trim_start_matches([':', '=', '\u{ff1a}'])
            .trim_start_matches(is_mark);
        ["name", "function"].iter().any(|name| key.ends_with(name)) && Function::named(word(value)).is_some()
    })
}

const WIDE_COLON: &str = "\u{ff1a}";

/// Reads the first value in an array, or in consecutive objects.
fn first(text: &str, start: usize, closers: Closers) -> Option<ReadValue> {
    let inside = rest(text, start).trim_start_matches(['[', '\u{ff3b}']);
    json::value_at(text, text.len() - inside.len(), closers).ok()
}

/// Reads the values that fill the text from here on.
fn values(text: &str, start: usize, closers: Closers) -> Result<Vec<ReadValue>, Unreadable> {
    let sequence = json::sequence(text, start, closers)?;
    let end = behind_ends(text, sequence.end, find(text, 0, FENCE));
    match rest(text, end).chars().next() {
        None => Ok(sequence.values),
        Some(c) if c.is_alphanumeric() && !calls(&sequence.values, true).is_empty() => Err(Unreadable::Followed),
        Some(_) => Err(Unreadable::Json),
    }
}

/// Skips what ends a reply and belongs to no call: tokens, tags, semicolons and whitespace. The first mark of a fence
/// in the text is at `fence`.
pub(super) fn behind_ends(text: &str, at: usize, fence: Option<usize>) -> usize {
    let mut at = behind_blanks(text, at);
    while let Some(length) = end(text, at, fence) {
        at = behind_blanks(text, at + length);
    }
    at
}

/// The tags around a whole reply. Any other closing tag can end a quotation.
const ENVELOPES: [&str; 2] = ["</tool_call>", "</answer>"];

/// Returns the length of the mark here, if it ends a reply.
fn end(text: &str, at: usize, fence: Option<usize>) -> Option<usize> {
    let here = rest(text, at);
    let known = ENVELOPES.iter().copied().chain([";"]);
    let mut known = known.filter(|mark| here.starts_with(*mark)).map(str::len);
    // The mark of a fence counts only if it closes nothing.
    let is_stray = fence == Some(at);
    known
        .next()
        .or_else(|| end_token::length(here))
        .or_else(|| is_stray.then_some(FENCE.len()))
}

/// Reads these values as calls. Returns none if any of them is not a call. After prose, only known functions are
/// accepted.
fn calls(values: &[ReadValue], alone: bool) -> Vec<CallText> {
    let known = |name: &str| Function::named(name).is_some();
    let every_one_called = || values.iter().all(|value| known(&CallText::of(value).name));
    let looked_like = || alone && values.iter().all(|value| CallText::looks_like_one(value, known));
    if looked_like() || every_one_called() {
        values.iter().map(CallText::of).collect()
    } else {
        Vec::new()
    }
}

/// Returns where the first line that looks like JSON begins, not counting whitespace.
fn first_line(text: &str, begin: usize) -> Option<usize> {
    lines(rest(text, begin)).find_map(|(at, line)| {
        let inner = line.trim_start();
        inner
            .starts_with(BEGINNINGS)
            .then_some(begin + at + line.len() - inner.len())
    })
}
