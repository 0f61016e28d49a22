//! A fence with calls as JSON, written by models that were never taught another form.

use super::{FoundCalls, is_enough, tries_to_call};
use crate::json::{self, Closers, behind_blanks};
use crate::notation::{find, rest};
use crate::tools::function::Function;
use crate::tools::written::{CallText, Unreadable};

const FENCE: &str = "```";
const LABELS: [&str; 7] = ["", "json", "json5", "jsonc", "tool_call", "tool_calls", "tool_code"];

/// Finds every fence that contains calls.
pub(super) fn parts(text: &str, closers: Closers) -> Vec<FoundCalls> {
    let mut parts = Vec::new();
    let mut at = 0;
    while !is_enough(&parts)
        && let Some(start) = find(text, at, FENCE)
    {
        let (part, end) = fence(text, start, closers);
        parts.extend(part);
        at = end;
    }
    parts
}

/// Reads the calls in the fence that begins here. Also returns where it ends.
fn fence(text: &str, start: usize, closers: Closers) -> (Option<FoundCalls>, usize) {
    let behind = rest(text, start).trim_start_matches('`');
    let inside = behind.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let label = behind.get(..behind.len() - inside.len()).unwrap_or_default();
    let label = label.to_ascii_lowercase();
    let inside = behind_blanks(text, text.len() - inside.len());
    // Code can begin with a list too.
    let is_code = label == "tool_code" && !rest(text, inside).starts_with('{');
    if is_code
        || !LABELS.contains(&label.as_str())
        || !rest(text, inside).starts_with(['{', '[', '\u{ff5b}', '\u{ff3b}'])
    {
        return (None, end(text, inside));
    }
    match json::sequence(text, inside, closers) {
        Ok(sequence) => {
            let close = behind_blanks(text, sequence.end);
            let is_all = rest(text, close).is_empty() || rest(text, close).starts_with(FENCE);
            let calls = |value| CallText::looks_like_one(value, |name| Function::named(name).is_some());
            let end = end(text, close);
            if is_all && !sequence.values.is_empty() && sequence.values.iter().all(calls) {
                let calls = sequence.values.iter().map(CallText::of).collect();
                let range = start..end;
                return (Some(FoundCalls { range, calls }), end);
            }
            let is_tried = !is_all && tries_to_call(rest_of(text, inside, end));
            (is_tried.then(|| broken(start, end, Unreadable::Json)), end)
        }
        Err(error) => {
            let end = end(text, error.at);
            let is_tried = tries_to_call(rest_of(text, inside, end));
            (is_tried.then(|| broken(start, end, error.into())), end)
        }
    }
}

/// Returns where the fence ends, which is after the next closing mark.
fn end(text: &str, at: usize) -> usize {
    let found = find(text, at, FENCE);
    found.map_or(text.len(), |found| {
        text.len() - rest(text, found).trim_start_matches('`').len()
    })
}

fn rest_of(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

fn broken(start: usize, end: usize, why: Unreadable) -> FoundCalls {
    FoundCalls {
        range: start..end,
        calls: vec![CallText::faulty(start..end, why)],
    }
}
