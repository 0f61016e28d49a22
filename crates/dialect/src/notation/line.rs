//! Written calls: `name(...)` on a line of its own, behind a label, or inside words.

use std::cell::Cell;

use super::{Flaw, MOST_CALLS, RawCall, Wrap, literal, rest};
use crate::dialects;
use crate::json::behind_blanks;
use crate::thought;
use crate::written::line::{is_action, labelled};

/// The longest name, with its qualifiers.
const LONGEST_NAME: usize = 64;

/// An opening bracket behind a name.
#[derive(Debug)]
pub(crate) struct Bracket {
    /// Where the name begins.
    name: usize,
    /// Where the bracket stands.
    at: usize,
    /// Where the arguments begin.
    open: usize,
    /// Where the call would stand on its line, once somebody asked.
    place: Cell<Option<Place>>,
}

/// Finds the opening brackets behind names that may be verbs, and behind a label that announces actions.
pub(crate) fn brackets(text: &str) -> Vec<Bracket> {
    let bytes = text.as_bytes().iter().enumerate();
    let found = bytes.filter_map(|(at, byte)| match byte {
        b'(' => Some((at, at + 1)),
        0xef if rest(text, at).starts_with('\u{ff08}') => Some((at, at + '\u{ff08}'.len_utf8())),
        _ => None,
    });
    let mut from = 0;
    let named = found.filter_map(|(at, open)| {
        let (name, start) = name_before(text, std::mem::replace(&mut from, open), at);
        let is_verb = name == "do" || name.contains('.') || dialects::have(name);
        (is_verb || !name.is_empty() && announces(text, start)).then_some(Bracket {
            name: start,
            at,
            open,
            place: Cell::new(None),
        })
    });
    named.collect()
}

/// Returns the calls whose name is wanted, and those that follow a label such as `Action:`.
pub(crate) fn calls(text: &str, brackets: &[Bracket], wanted: &dyn Fn(&str) -> bool) -> Vec<RawCall> {
    let (mut calls, mut at) = (Vec::new(), 0);
    for bracket in brackets {
        // Brackets in the arguments of a call before open nothing.
        if bracket.at < at {
            continue;
        }
        if calls.len() >= MOST_CALLS {
            break;
        }
        let (start, open) = (bracket.name.max(at), bracket.open);
        let name = text.get(start..bracket.at).unwrap_or_default().trim_end_matches(' ');
        if name.is_empty() || !wanted(name) && !announces(text, start) {
            continue;
        }
        let place = match bracket.place.get() {
            Some(place) if start == bracket.name => place,
            _ => place(text, start),
        };
        if start == bracket.name {
            bracket.place.set(Some(place));
        }
        let wrap = if place == Place::Inside {
            Wrap::Words
        } else {
            Wrap::Line
        };
        let blank = start + name.len() < bracket.at;
        if blank && wrap == Wrap::Words {
            continue;
        }
        match literal::arguments(text, open) {
            Ok(read) => {
                at = read.end;
                calls.push(RawCall::new(name, read.args, start..read.end, wrap).mended(read.mended));
            }
            Err(stopped) => {
                at = stopped.max(open).min(text.len());
                at = text.ceil_char_boundary(at);
                let flawed = RawCall::flawed(Flaw::Broken, start..at, wrap);
                calls.push(RawCall {
                    name: name.to_owned(),
                    ..flawed
                });
            }
        }
    }
    calls
}

/// Returns the name before a bracket and where it begins, but not before `from`.
fn name_before(text: &str, from: usize, bracket: usize) -> (&str, usize) {
    let from = text.ceil_char_boundary(from.max(bracket.saturating_sub(LONGEST_NAME)));
    let before = text.get(from..bracket).unwrap_or_default();
    let trimmed = before.trim_end_matches(' ');
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '\\');
    let start = trimmed.rfind(|c: char| !is_part(c)).map_or(0, |at| {
        at + trimmed
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });
    let name = trimmed.get(start..).unwrap_or_default();
    // Two characters `\n` may stand where a line was broken.
    let lead = name.rfind("\\n").map_or(0, |at| at + 2);
    let name = name.get(lead..).unwrap_or_default();
    let dots = name.len() - name.trim_start_matches('.').len();
    (name.get(dots..).unwrap_or_default(), from + start + lead + dots)
}

/// Where a call stands on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Behind a label that announces actions.
    Announced,
    /// Where nothing else stands before it.
    Beginning,
    /// Inside words.
    Inside,
}

/// The most of a line that is looked at before a call.
const LONGEST_LEAD: usize = 200;

/// Returns what stands before a call on its line.
fn lead(text: &str, start: usize) -> &str {
    let from = text.ceil_char_boundary(start.saturating_sub(LONGEST_LEAD));
    let before = text.get(from..start).unwrap_or_default();
    let line = before.bytes().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    line.map_or(before, |line| rest(before, line + 1))
}

/// Checks whether a label that announces actions stands before a call.
fn announces(text: &str, start: usize) -> bool {
    let lead = lead(text, start);
    let last = lead.trim_end_matches(|c: char| is_mark(c) || c == '>');
    (last.ends_with([':', '\u{ff1a}']) || last.len() < lead.len() && lead.contains('<'))
        && lead.contains([':', '\u{ff1a}'])
        && place(text, start) == Place::Announced
}

fn place(text: &str, start: usize) -> Place {
    let line = lead(text, start);
    let plain = without_tags(line);
    if let Some((label, behind)) = labelled(&plain)
        && (is_action(label) || is_operation(label))
        && is_marks(plain.get(behind..).unwrap_or_default())
    {
        return Place::Announced;
    }
    let said = plain.trim_end();
    let lead = crate::written::line::marks(said);
    let said = said.get(lead..).unwrap_or_default();
    // Another call, or the end of a thought, stands before it.
    if is_marks(said) || said.ends_with([')', ';', '\u{ff09}']) || thought::label(said).is_some_and(thought::is_label) {
        return Place::Beginning;
    }
    Place::Inside
}

fn is_operation(label: &str) -> bool {
    let labels = [
        "grounded operation",
        "operation",
        "code",
        "next action",
        "grounded action",
        "call",
    ];
    labels.iter().any(|known| label.eq_ignore_ascii_case(known))
}

fn is_marks(text: &str) -> bool {
    text.trim_matches(is_mark).is_empty()
}

fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, '`' | '*' | '[' | '-' | '"' | '\'')
}

/// Returns a line without the tags in it.
fn without_tags(line: &str) -> String {
    let mut left = String::with_capacity(line.len());
    let mut at = 0;
    while let Some(open) = rest(line, at).find('<') {
        let open = at + open;
        let Some(close) = rest(line, open).find('>') else { break };
        left.push_str(line.get(at..open).unwrap_or_default());
        at = open + close + 1;
    }
    left.push_str(rest(line, at));
    left
}

/// Reads `[name(...), name(...)]` or one call that makes up a text; `None` if anything else stands there.
pub(crate) fn listed(text: &str, from: usize, wrap: Wrap) -> Option<(Vec<RawCall>, usize)> {
    let mut at = behind_blanks(text, from);
    let list = rest(text, at).starts_with('[');
    at += usize::from(list);
    let mut calls = Vec::new();
    loop {
        at = behind_blanks(text, at);
        if list && rest(text, at).starts_with(']') {
            return Some((calls, at + 1));
        }
        let name = rest(text, at);
        let length = name.bytes().take(LONGEST_NAME);
        let length = length
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
            .count();
        let name = name.get(..length).filter(|name| !name.is_empty())?;
        let open = at + length;
        if !rest(text, open).starts_with('(') || calls.len() > MOST_CALLS {
            return None;
        }
        let read = literal::arguments(text, open + 1).ok()?;
        calls.push(RawCall::new(name, read.args, at..read.end, wrap).mended(read.mended));
        at = behind_blanks(text, read.end);
        if !list {
            return Some((calls, read.end));
        }
        if rest(text, at).starts_with([',', ';']) {
            at += 1;
        }
    }
}
