//! `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, as Hermes and Qwen write calls.
//!
//! One tag can contain several calls, with or without a fence around them. The closing tag can be missing if the call
//! is complete, or be an opening tag by mistake. The opening tag can be missing if the closing one is there, as can both
//! behind another call.

use std::ops::Range;

use super::bare::behind_ends;
use super::{FoundCalls, is_enough, tries_to_call};
use crate::json::{self, Closers, behind_blanks};
use crate::notation::tag::{self, CLOSE, FENCE, OPEN, behind_fence, goes_on};
use crate::notation::{find, rest};
use crate::tools::function::Function;
use crate::tools::written::{CallText, Unreadable};

/// Opens a function in angle brackets, which `parameters` reads.
pub(super) const FUNCTION: &str = "<function=";

/// Finds every tag whose content is not a function in angle brackets.
pub(super) fn parts(text: &str, closers: Closers) -> Vec<FoundCalls> {
    let mut parts = Vec::new();
    let mut at = 0;
    let fence = find(text, 0, FENCE);
    while !is_enough(&parts) {
        let open = find(text, at, OPEN);
        unopened(text, at..open.unwrap_or(text.len()), fence, closers, &mut parts);
        let Some(start) = open else { break };
        let inside = behind_blanks(text, start + OPEN.len());
        if rest(text, inside).starts_with(FUNCTION) {
            at = inside;
            continue;
        }
        let part = part(text, start, inside, closers);
        at = part.range.end;
        parts.push(part);
    }
    parts
}

/// Finds the calls in this range without an opening tag. Some models leave it out from the second call on, and servers
/// can drop the first one. The first mark of a fence in the text is at `fence`.
fn unopened(text: &str, range: Range<usize>, fence: Option<usize>, closers: Closers, parts: &mut Vec<FoundCalls>) {
    let searched = text.get(..range.end).unwrap_or_default();
    let mut at = range.start;
    while !is_enough(parts)
        && let Some(close) = find(searched, at, CLOSE)
    {
        let end = close + CLOSE.len();
        let start = tag::unopened(text, at, close);
        parts.extend(start.and_then(|start| untagged(text, start..end, close, fence, closers)));
        at = end;
    }
    let start = behind_blanks(text, at);
    let follows = parts.last().is_some_and(|last| last.range.end == at);
    if range.end == text.len() && follows && rest(text, start).starts_with('{') {
        parts.extend(untagged(text, start..text.len(), text.len(), fence, closers));
    }
}

/// Reads the calls that fill this range up to `close`.
fn untagged(
    text: &str,
    range: Range<usize>,
    close: usize,
    fence: Option<usize>,
    closers: Closers,
) -> Option<FoundCalls> {
    let inside = text.get(..close)?;
    // The closing tag shows that a number in front of it is whole.
    let seen = text.get(..range.end)?;
    let is_call = |value: &json::ReadValue| CallText::looks_like_one(value, |name| Function::named(name).is_some());
    match json::sequence(seen, range.start, closers) {
        Ok(sequence) if behind_ends(inside, sequence.end, fence) < close || !sequence.values.iter().all(is_call) => {
            None
        }
        Ok(sequence) => Some(FoundCalls {
            range,
            calls: sequence.values.iter().map(CallText::of).collect(),
        }),
        Err(broken) => tries_to_call(rest(inside, range.start)).then(|| FoundCalls {
            calls: vec![CallText::faulty(range.clone(), broken.into())],
            range,
        }),
    }
}

fn part(text: &str, start: usize, inside: usize, closers: Closers) -> FoundCalls {
    let (broken, why) = match json::sequence(text, behind_fence(text, inside), closers) {
        Ok(sequence) => {
            let end = behind_close(text, sequence.end);
            if end > sequence.end || !goes_on(rest(text, end)) {
                let calls = sequence.values.iter().map(CallText::of).collect();
                return FoundCalls {
                    range: start..end,
                    calls,
                };
            }
            (end, Unreadable::Json)
        }
        Err(broken) => (broken.at, broken.into()),
    };
    let end = end_of_broken(text, broken);
    FoundCalls {
        range: start..end,
        calls: vec![CallText::faulty(start..end, why)],
    }
}

/// Skips the closing tag, if one follows.
fn behind_close(text: &str, at: usize) -> usize {
    let mut close = behind_blanks(text, at);
    if rest(text, close).starts_with(FENCE) {
        close = behind_blanks(text, close + FENCE.len());
    }
    let behind = rest(text, close);
    if behind.starts_with(CLOSE) {
        return close + CLOSE.len();
    }
    match behind.strip_prefix(OPEN) {
        Some(nothing) if nothing.trim_start().is_empty() => text.len(),
        _ => at,
    }
}

/// Returns where a call that could be read only up to `from` ends: with its tag, or before the next one.
pub(super) fn end_of_broken(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(found) = rest(text, at).find('<') {
        at += found;
        let tag = rest(text, at);
        if tag.starts_with(CLOSE) {
            return at + CLOSE.len();
        }
        if tag.starts_with(OPEN) {
            return at;
        }
        at += 1;
    }
    text.len()
}
