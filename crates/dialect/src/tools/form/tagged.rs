//! `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, as Hermes and Qwen write calls.
//!
//! One tag can contain several calls, with or without a fence around them. The closing tag can be missing if the call
//! is complete, or be an opening tag by mistake.

use super::{FoundCalls, is_enough};
use crate::json::{self, Closers, behind_blanks};
use crate::notation::tag::{CLOSE, FENCE, OPEN, behind_fence, goes_on};
use crate::notation::{find, rest};
use crate::tools::written::{CallText, Unreadable};

/// Opens a function in angle brackets, which `parameters` reads.
pub(super) const FUNCTION: &str = "<function=";

/// Finds every tag whose content is not a function in angle brackets.
pub(super) fn parts(text: &str, closers: Closers) -> Vec<FoundCalls> {
    let mut parts = Vec::new();
    let mut at = 0;
    while !is_enough(&parts)
        && let Some(start) = find(text, at, OPEN)
    {
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
