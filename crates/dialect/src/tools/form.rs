//! Calls that a model writes into its text. Each notation has a file of its own.

mod bare;
mod braced;
mod code;
mod fenced;
mod leaked;
mod parameters;
mod tagged;

use std::ops::Range;

use memchr::memmem;

use super::function::FUNCTIONS;
use crate::json::{self, Closers};

use super::written::CallText;
use crate::bound::MOST_KEPT;
use crate::notation::{find, rest};

/// A range of text that consists only of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundCalls {
    /// The range, including the marks around it.
    pub(super) range: Range<usize>,
    pub(super) calls: Vec<CallText>,
}

/// A notation for calls: finds every part written in it, in order.
///
/// After something unreadable, it continues where reading stopped and never starts over, so that no reply takes long to
/// read.
type Form = fn(&str, Closers) -> Vec<FoundCalls>;

/// The notations with marks around the calls. Calls without marks are looked for only if none of these notations finds
/// anything.
static FORMS: [Form; 3] = [tagged::parts, parameters::parts, fenced::parts];

/// Finds the parts in text with spaces in place of thoughts, in order and without overlap.
pub(super) fn parts(text: &str, closers: Closers) -> Vec<FoundCalls> {
    let mut all: Vec<FoundCalls> = FORMS.iter().flat_map(|form| form(text, closers)).collect();
    if all.iter().flat_map(|part| &part.calls).all(|call| !call.is_readable()) {
        let leaked = leaked::parts(text, closers);
        if !leaked.is_empty() {
            return leaked;
        }
    }
    if all.is_empty() {
        let unmarked = || Some(bare::parts(text, closers)).filter(|parts| !parts.is_empty());
        let braced = || Some(braced::parts(text)).filter(|parts| !parts.is_empty());
        return unmarked().or_else(braced).unwrap_or_else(|| code::parts(text));
    }
    all.sort_by_key(|part| part.range.start);
    let mut end = 0;
    all.retain(|part| {
        let free = part.range.start >= end;
        if free {
            end = part.range.end;
        }
        free
    });
    all
}

/// How many parts to read for each notation.
const MOST_PARTS: usize = 500;

/// Checks whether to stop reading parts. No honest reply has this many parts, or parts this long.
fn is_enough(parts: &[FoundCalls]) -> bool {
    let kept = |part: &FoundCalls| part.calls.iter().map(CallText::length).sum::<usize>();
    parts.len() >= MOST_PARTS || parts.iter().map(kept).sum::<usize>() > MOST_KEPT
}

/// Returns the text without these parts.
pub(super) fn without(text: &str, parts: &[FoundCalls]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for part in parts {
        left.push_str(text.get(at..part.range.start).unwrap_or_default());
        at = part.range.end;
    }
    left.push_str(text.get(at..).unwrap_or_default());
    left.truncate(left.trim_end().len());
    left.drain(..left.len() - left.trim_start().len());
    left
}

/// Checks whether unreadable text was meant as a call.
fn tries_to_call(text: &str) -> bool {
    let quoted = |name: &str| {
        let mut places = memmem::find_iter(text.as_bytes(), name);
        places.any(|at| {
            let before = text.get(..at).unwrap_or_default();
            before.ends_with(json::is_quote) && rest(text, at + name.len()).starts_with(json::is_quote)
        })
    };
    find(text, 0, "name").is_some() && FUNCTIONS.iter().any(|function| quoted(function.name))
}
