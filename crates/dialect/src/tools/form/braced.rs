//! `call:NAME{KEY:VALUE}` at the beginning of a line: Gemma 4's call, from which a server dropped the tokens, even those
//! around strings.
//!
//! Without them, it is not certain where a text to type begins and ends, so a call with free text is only reported.

use std::ops::Range;

use serde_json::Value;

use super::{FoundCalls, is_enough};
use crate::end_token;
use crate::json::{self, Closers, behind_blanks};
use crate::notation::{lines, rest, word};
use crate::tools::function::{Function, Property, PropertyKind};
use crate::tools::written::{CallText, Unreadable};

const CALL: &str = "call:";

/// Finds the calls that fill a line, each as a separate part. A turn that goes on behind its end was not written for
/// this screen, so the calls there are only reported.
pub(super) fn parts(text: &str) -> Vec<FoundCalls> {
    let (mut parts, mut ended) = (Vec::new(), false);
    let mut last = None;
    for (start, line) in lines(text) {
        let line = line.trim_end();
        let mut at = behind_blanks(line, 0);
        while let Some((function, inside)) = function(line, at)
            && !is_enough(&parts)
        {
            ended |= last.is_some_and(|last| ends_turn(text, last..start + at));
            let read = members(line, inside, function);
            let read = read.and_then(|(arguments, end)| Some((arguments, end, behind(line, end)?)));
            let (call, end, next) = match read {
                Some((_, end, next)) if ended => (
                    CallText::faulty(start + at..start + end, Unreadable::Followed),
                    end,
                    next,
                ),
                Some((arguments, end, next)) => {
                    let span = start + at..start + end;
                    (CallText::new(function.name.to_owned(), arguments, span), end, next)
                }
                // A token might end the turn within this one.
                None => (CallText::unreadable(start + at..start + line.len()), at, line.len()),
            };
            parts.push(FoundCalls {
                range: start + at..start + next,
                calls: vec![call],
            });
            (at, last) = (next, Some(start + end));
        }
    }
    parts
}

/// Returns whether a token ends the turn in this part of a text.
fn ends_turn(text: &str, part: Range<usize>) -> bool {
    let between = text.get(part).unwrap_or_default();
    let mut marks = between.match_indices('<');
    marks.any(|(at, _)| end_token::length(rest(between, at)).is_some())
}

/// Returns the function whose call begins here, and where the arguments begin.
fn function(line: &str, at: usize) -> Option<(&'static Function, usize)> {
    let name = word(rest(line, at).strip_prefix(CALL)?);
    let behind = at + CALL.len() + name.len();
    let function = Function::named(name)?;
    rest(line, behind).starts_with('{').then_some((function, behind + 1))
}

/// Reads the arguments of a function as JSON. Also returns where the call ends.
fn members(line: &str, inside: usize, function: &Function) -> Option<(String, usize)> {
    let (mut members, mut keys) = (Vec::new(), Vec::new());
    let mut at = behind_blanks(line, inside);
    while !rest(line, at).starts_with('}') {
        let key = word(rest(line, at));
        let param = function.param(key).filter(|_| !keys.contains(&key))?;
        keys.push(key);
        let colon = at + key.len();
        let written = rest(line, colon).strip_prefix(':')?;
        let (value, end) = value(line, line.len() - written.len(), param)?;
        members.push(format!("{}:{value}", Value::from(key)));
        at = behind_blanks(line, end);
        let here = rest(line, at);
        if here.starts_with(',') {
            at = behind_blanks(line, at + 1);
        } else if !here.starts_with('}') {
            return None;
        }
    }
    Some((format!("{{{}}}", members.join(",")), at + 1))
}

/// Reads a value as JSON. Also returns where it ends. Words end at the next comma, so only those are read that mean
/// nothing if they are not whole.
fn value(line: &str, at: usize, param: &Property) -> Option<(String, usize)> {
    if matches!(param.kind, PropertyKind::Text | PropertyKind::Answer) {
        return None;
    }
    let at = behind_blanks(line, at);
    let here = rest(line, at);
    if here.starts_with(|c: char| json::is_quote(c) || matches!(c, '[' | '{')) {
        let read = json::value_at(line, at, Closers::Needed).ok()?;
        return Some((read.text, read.span.end));
    }
    let length = here.find([',', '}'])?;
    let written = here.get(..length)?.trim();
    let value = if param.kind.is_words() {
        Value::from(written).to_string()
    } else {
        json::value(written, Closers::Needed).ok()?.text
    };
    Some((value, at + length))
}

/// Returns where another call begins or the line ends, if nothing but the end of the turn precedes that.
fn behind(line: &str, end: usize) -> Option<usize> {
    let mut at = behind_blanks(line, end);
    while let Some(length) = end_token::length(rest(line, at)) {
        at = behind_blanks(line, at + length);
    }
    (at >= line.len() || function(line, at).is_some()).then_some(at)
}
