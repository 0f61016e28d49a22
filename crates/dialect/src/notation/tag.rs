//! Calls in tags and tokens that mark them as calls: those of Hermes, Qwen, GLM, Seed and `MiniMax`, and those that
//! other templates leak.

use serde_json::Value;

use super::{Arguments, Flaw, MOST_CALLS, RawCall, Wrap, element, lines, object, rest, token};
use crate::json::{self, Closers, behind_blanks};

pub(crate) const OPEN: &str = "<tool_call>";
pub(crate) const CLOSE: &str = "</tool_call>";
pub(crate) const FENCE: &str = "```";
const SEED: &str = "<seed:tool_call";
/// What follows the recipient of a message in Muse's and gpt-oss's templates.
const MESSAGE: &str = "<|message|>";
/// The characters that broken training data contains in place of the tags.
const ODD: [&str; 2] = ["\u{2697}", "\u{1f4d0}"];

/// The maximum length of an action's name in a tag, in bytes.
const LONGEST_NAME: usize = 64;

/// Finds the calls in tags, in order.
pub(crate) fn calls(text: &str, closers: Closers) -> Vec<RawCall> {
    let (mut calls, mut at, mut seed): (Vec<RawCall>, _, _) = (Vec::new(), 0, false);
    // Where the last closing tag ends, and whether a message to the user has begun, which can only quote calls.
    let (mut closed, mut told) = (0, false);
    while let Some(start) = beginning(text, at)
        && calls.len() < MOST_CALLS
    {
        let here = rest(text, start);
        if here.starts_with(OPEN) {
            let (read, end) = tagged(text, start, start + OPEN.len(), closers);
            calls.extend(read);
            at = end.max(start + OPEN.len());
        } else if here.starts_with(CLOSE) {
            let from = calls.last().map_or(closed, |call| call.span.end.max(closed));
            calls.extend(without_opening(text, from, start, closers));
            closed = start + CLOSE.len();
            at = closed;
        } else if let Some(odd) = ODD.iter().find(|odd| here.starts_with(**odd)) {
            let inside = behind_blanks(text, start + odd.len());
            at = start + odd.len();
            if rest(text, inside).starts_with('{') {
                let (read, end) = tagged(text, start, inside, closers);
                calls.extend(read);
                at = end.max(at);
            }
        } else if here.starts_with(SEED) || here.starts_with("</seed:tool_call") {
            seed = here.starts_with(SEED);
            at = start + SEED.len();
        } else if here.starts_with(MESSAGE) {
            told = text.get(..start).is_some_and(|before| before.ends_with("to=user"));
            at = start + MESSAGE.len();
        } else if told && element::begins(text, start) {
            at = start + 1;
        } else if here.starts_with('<') && element::begins(text, start) {
            let wrap = if seed { Wrap::Seed } else { Wrap::Tag };
            let (read, end) = element::call(text, start, wrap);
            calls.push(read);
            at = end.max(start + 1);
        } else if let Some((call, end)) = action_type(text, start) {
            calls.push(call);
            at = end.max(start + 1);
        } else if let Some((read, end)) = token::calls(text, start) {
            calls.extend(read);
            at = end.max(start + 1);
        } else {
            at = start + here.chars().next().map_or(1, char::len_utf8);
        }
    }
    calls
}

/// Returns where the next tag or token might begin.
fn beginning(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let next = |at: usize| bytes.get(at + 1).copied().unwrap_or_default();
    let mut marks = bytes.iter().enumerate().skip(from).filter(|(at, byte)| match byte {
        // These are the first letters of `tool_call`, `seed`, `function`, `invoke`, `action-type` and the tokens. Most
        // other tags begin with other letters.
        b'<' => matches!(next(*at), b't' | b's' | b'/' | b'f' | b'i' | b'a' | b'|' | 0xef),
        b'[' | b'f' | b't' | b']' if matches!(next(*at), b'T' | b'u' | b'o' | b'<') => token::begins(rest(text, *at)),
        0xe2 | 0xf0 => ODD.iter().any(|odd| rest(text, *at).starts_with(odd)),
        _ => false,
    });
    marks.next().map(|(at, _)| at)
}

/// Reads `<action-type>NAME</action-type><action-param-json>{...}</action-param-json>`. The object can be escaped once.
fn action_type(text: &str, start: usize) -> Option<(RawCall, usize)> {
    let named = rest(text, start).strip_prefix("<action-type>")?;
    let longest = named.floor_char_boundary(LONGEST_NAME + "</action-type>".len());
    let (name, _) = named.get(..longest)?.split_once("</action-type>")?;
    let behind = start + "<action-type>".len() + name.len() + "</action-type>".len();
    let inside = behind_blanks(text, behind);
    let Some(written) = rest(text, inside).strip_prefix("<action-param-json>") else {
        let args = Arguments::default();
        return Some((RawCall::new(name.trim(), args, start..behind, Wrap::Tag), behind));
    };
    let length = written.find("</action-param-json>").unwrap_or(written.len());
    let end = text.len() - written.len() + length;
    let flawed = RawCall::flawed(Flaw::Broken, start..end, Wrap::Tag);
    let written = written
        .get(..length.min(crate::bound::LONGEST_CALL))
        .unwrap_or_default()
        .trim();
    let read = |written: &str| json::value(written, Closers::Needed).ok();
    let value = read(written).or_else(|| read(&written.replace("\\n", "\n").replace("\\\"", "\"")));
    let call = match value.and_then(|value| serde_json::from_str(&value.text).ok()) {
        Some(Value::Object(members)) => RawCall::new(name.trim(), Arguments::of(members), start..end, Wrap::Tag),
        _ => RawCall {
            name: name.trim().to_owned(),
            ..flawed
        },
    };
    Some((call, end))
}

/// Reads the contents of a `<tool_call>`, which also reveal the notation.
fn tagged(text: &str, start: usize, from: usize, closers: Closers) -> (Vec<RawCall>, usize) {
    let at = behind_fence(text, behind_blanks(text, from));
    let at = behind_blanks(text, at);
    let here = rest(text, at);
    if here.starts_with("<function") || here.starts_with("<invoke") || here.starts_with(token::MINIMAX) {
        return (Vec::new(), at);
    }
    if here.starts_with(['{', '[', '\u{ff5b}']) {
        return objects(text, start, at, closers);
    }
    let name = here
        .get(..here.find(['<', '\n', '>']).unwrap_or(here.len()))
        .unwrap_or_default()
        .trim();
    if !name.is_empty() && name.len() <= 64 && super::word(name) == name {
        return keyed(text, start, at, name);
    }
    broken(text, start, at, Flaw::Broken)
}

/// Returns where an object begins that could be a call before the closing tag at `close`, if it has no opening tag. It is
/// the first one behind `from` that begins a line.
pub(crate) fn unopened(text: &str, from: usize, close: usize) -> Option<usize> {
    let mut lines = lines(text.get(from..close)?);
    lines.find_map(|(at, line)| {
        let inner = line.trim_start();
        let begins = inner.starts_with(['{', '\u{ff5b}']);
        begins.then_some(from + at + line.len() - inner.len())
    })
}

/// Reads the calls that fill the lines before a closing tag without an opening one.
fn without_opening(text: &str, from: usize, close: usize, closers: Closers) -> Vec<RawCall> {
    // The closing tag shows that a number in front of it is whole.
    let Some(seen) = text.get(..close + CLOSE.len()) else {
        return Vec::new();
    };
    let Some(start) = unopened(text, from, close) else {
        return Vec::new();
    };
    let (calls, end) = objects(seen, start, start, closers);
    // A broken call ends behind the tag.
    if behind_blanks(seen, end) >= close {
        calls
    } else {
        Vec::new()
    }
}

/// Skips the mark of a fence and its label.
pub(crate) fn behind_fence(text: &str, at: usize) -> usize {
    let Some(label) = rest(text, at).strip_prefix(FENCE) else {
        return at;
    };
    let inside = label.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    text.len() - inside.len()
}

/// Checks whether the text after a value suggests that the value is incomplete.
pub(crate) fn goes_on(behind: &str) -> bool {
    behind
        .trim_start()
        .starts_with(|c: char| c.is_ascii_punctuation() && !matches!(c, '<' | '`' | '*' | '#' | '-' | '.'))
}

fn broken(text: &str, start: usize, from: usize, flaw: Flaw) -> (Vec<RawCall>, usize) {
    let next = super::find(text, from, OPEN);
    // No farther than the next tag, or a text of many tags would be searched again from each.
    let here = text.get(from..next.unwrap_or(text.len())).unwrap_or_default();
    let close = super::find(here, 0, CLOSE).map(|close| from + close + CLOSE.len());
    let end = match (close, next) {
        (Some(close), _) => close,
        (None, Some(next)) if text.get(start..next).is_some_and(only_mentions) => return (Vec::new(), next),
        (None, next) => next.unwrap_or(text.len()),
    };
    (vec![RawCall::flawed(flaw, start..end, Wrap::Tag)], end)
}

/// Checks whether the text up to the next tag only mentions this one, as in "I write a `<tool_call>` now". A single word
/// can be the name of a call.
fn only_mentions(text: &str) -> bool {
    text.strip_prefix(OPEN).map(str::trim).is_some_and(|words| {
        let is_name = !words.is_empty() && super::word(words) == words;
        !is_name && !words.contains(['{', '[', '(', '<', '\u{ff5b}'])
    })
}

/// Reads one or more objects.
fn objects(text: &str, start: usize, from: usize, closers: Closers) -> (Vec<RawCall>, usize) {
    let (mut calls, mut at) = (Vec::new(), from);
    if rest(text, at).starts_with('[') {
        at = behind_blanks(text, at + 1);
    }
    while rest(text, at).starts_with(['{', '\u{ff5b}']) && calls.len() < MOST_CALLS {
        match object::object(text, at, closers, Wrap::Tag) {
            Ok((call, end)) => {
                calls.extend(call);
                at = behind_blanks(text, end);
                while rest(text, at).starts_with([',', ']', '}']) {
                    at = behind_blanks(text, at + 1);
                }
            }
            Err(stopped) => {
                let from = text.ceil_char_boundary(stopped.at.max(at + 1));
                let (flawed, end) = broken(text, start, from, Flaw::of(stopped));
                calls.extend(flawed);
                return (calls, end);
            }
        }
    }
    if goes_on(rest(text, at)) {
        return broken(text, start, at, Flaw::Broken);
    }
    // Some models write the opening tag in place of the closing one.
    if rest(text, at)
        .strip_prefix(OPEN)
        .is_some_and(|behind| behind.trim().is_empty())
    {
        at = text.len();
    }
    (calls, at)
}

/// Reads `NAME<arg_key>K</arg_key><arg_value>V</arg_value>`, as GLM writes a call. Hunyuan writes `<tool_sep>` behind the
/// name.
fn keyed(text: &str, start: usize, from: usize, name: &str) -> (Vec<RawCall>, usize) {
    const SEPARATOR: &str = "<tool_sep>";
    let mut args = Arguments::default();
    let mut at = behind_blanks(text, from + name.len());
    if rest(text, at).starts_with(SEPARATOR) {
        at = behind_blanks(text, at + SEPARATOR.len());
    }
    while let Some(key) = rest(text, at).strip_prefix("<arg_key>") {
        let Some((key, behind)) = key.split_once("</arg_key>") else {
            return broken(text, start, at, Flaw::Broken);
        };
        let Some((value, behind)) = behind
            .trim_start()
            .strip_prefix("<arg_value>")
            .and_then(|value| value.split_once("</arg_value>"))
        else {
            return broken(text, start, at, Flaw::Broken);
        };
        args.named
            .push((key.trim().to_owned(), Value::from(value.trim_matches('\n'))));
        at = behind_blanks(text, text.len() - behind.len());
        if args.named.len() > 64 {
            return broken(text, start, at, Flaw::Broken);
        }
    }
    let closed = rest(text, at).starts_with("</");
    if args.named.is_empty() && !closed {
        return broken(text, start, at, Flaw::Broken);
    }
    let end = if rest(text, at).starts_with(CLOSE) {
        at + CLOSE.len()
    } else {
        at
    };
    (vec![RawCall::new(name, args, start..end, Wrap::Tag)], end)
}
