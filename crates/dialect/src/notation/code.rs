//! Code blocks: the last fence with calls in it. Every line must be a plain call; otherwise, nothing in the block is
//! performed. The calls in earlier fences are only reported.

use super::{Flaw, MOST_CALLS, RawCall, Wrap, find, line, rest};

const FENCE: &str = "```";

/// Finds the calls in the code blocks with at least one wanted call. Those before the last block are flawed, unless it
/// repeats them. Leaves objects in the blocks to other notations.
pub(crate) fn calls(text: &str, wanted: &dyn Fn(&str) -> bool) -> Vec<RawCall> {
    let (mut earlier, mut found) = (Vec::new(), Vec::new());
    for (body, closed) in fences(text) {
        let code = text.get(body.clone()).unwrap_or_default();
        let starts = |line: &str| line.split_once('(').is_some_and(|(name, _)| wanted(name.trim()));
        if !code.lines().any(starts) {
            continue;
        }
        earlier.append(&mut found);
        earlier.truncate(MOST_CALLS);
        found = block(text, body.start, body.end);
        if !closed {
            found.truncate(found.len().max(1));
        }
    }
    let repeats = |call: &RawCall| {
        let mut last = found.iter();
        last.any(|last| (&last.name, &last.args) == (&call.name, &call.args))
    };
    earlier.retain(|call| !repeats(call));
    let flawed = |call: RawCall| RawCall {
        flaw: Some(Flaw::Earlier),
        mended: None,
        ..call
    };
    earlier.into_iter().map(flawed).chain(found).collect()
}

/// Returns the bodies of the fences, and whether each fence is closed.
fn fences(text: &str) -> Vec<(std::ops::Range<usize>, bool)> {
    let (mut bodies, mut at) = (Vec::new(), 0);
    while let Some(open) = find(text, at, FENCE)
        && bodies.len() < MOST_CALLS
    {
        let label = open + FENCE.len();
        let end_of_label = rest(text, label).find('\n').map_or(text.len(), |end| label + end);
        let word = rest(text, label).get(..end_of_label - label).unwrap_or_default().trim();
        let is_label = word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+'));
        let body = if is_label { end_of_label } else { label };
        let close = find(text, body, FENCE);
        let end = close.unwrap_or(text.len());
        bodies.push((body..end, close.is_some()));
        at = close.map_or(text.len(), |_| end + FENCE.len());
    }
    bodies
}

/// Reads every line of a block as calls.
fn block(text: &str, from: usize, to: usize) -> Vec<RawCall> {
    let body = text.get(..to).unwrap_or_default();
    let (mut calls, mut at) = (Vec::new(), from);
    let flawed = |flaw: Flaw| vec![RawCall::flawed(flaw, from..to, Wrap::Code)];
    while at < to && calls.len() < MOST_CALLS {
        let here = rest(body, at);
        let skipped = here.len() - here.trim_start_matches([' ', '\t', '\r', '\n', ';', ',']).len();
        if skipped > 0 {
            at += skipped;
            continue;
        }
        if here.starts_with('#') || is_harmless_import(here) {
            at += here.find('\n').unwrap_or(here.len());
            continue;
        }
        match line::listed(body, at, Wrap::Code) {
            Ok((read, end)) => {
                calls.extend(read);
                at = end;
                let behind = rest(body, at).trim_start_matches([' ', '\t', '\r']);
                if !(behind.is_empty() || behind.starts_with(['\n', ';', ',', '#'])) {
                    return flawed(Flaw::Foreign);
                }
            }
            Err(flaw @ (Flaw::Quotes | Flaw::Backslash)) => return flawed(flaw),
            Err(_) => return flawed(Flaw::Foreign),
        }
    }
    calls
}

fn is_harmless_import(line: &str) -> bool {
    let line = line.lines().next().unwrap_or_default();
    let line = line.split('#').next().unwrap_or_default().trim_end();
    matches!(
        line,
        "import pyautogui" | "import time" | "import pyautogui, time" | "import pyautogui as pg"
    )
}
