//! Calls as code on their own lines or in a list, with FRANZ's own names and arguments:
//! `[click_element(label="OK", box=[1, 2])]`.

use serde_json::Value;

use super::{CallText, FoundCalls};
use crate::dialects::Speakers;
use crate::json::{StringFault, behind_blanks};
use crate::notation::line::{self, LineCall};
use crate::notation::{Arguments, Flaw, RawCall, Wrap, rest};
use crate::tools::function::Function;
use crate::tools::written::Unreadable;

/// The tokens between which Llama 4 writes a list of calls.
const TOKENS: [&str; 2] = ["<|python_start|>", "<|python_end|>"];

/// Finds the calls. Those in a list are one part, any others are separate parts. What follows a call on its line was
/// meant as a call too, so it is reported if it cannot be read.
pub(super) fn parts(text: &str) -> Vec<FoundCalls> {
    let mut parts: Vec<FoundCalls> = Vec::new();
    // Where the last call that was read begins.
    let mut last = None;
    for LineCall { call, behind, .. } in line::calls(text, |name| Function::named(name).map(|_| Speakers::default())) {
        let (start, inside) = (call.span.start, call.wrap == Wrap::Words);
        let follows = behind.is_some() && behind == last;
        let call = unwrapped(call);
        let found = if is_own(&call, follows) {
            part(call)
        } else if let Some(why) = why(&call).or(follows.then_some(Unreadable::Json)) {
            FoundCalls {
                range: call.span.clone(),
                calls: vec![CallText::faulty(call.span, why)],
            }
        } else {
            continue;
        };
        match parts.last_mut().filter(|_| follows && !inside) {
            Some(before) => {
                before.range.end = found.range.end;
                before.calls.extend(found.calls);
            }
            None => parts.push(found),
        }
        if !inside {
            last = Some(start);
        }
    }
    parts.into_iter().map(|part| with_marks(text, part)).collect()
}

/// Adds the brackets and the tokens around a list to its part.
fn with_marks(text: &str, mut part: FoundCalls) -> FoundCalls {
    for [open, close] in [["[", "]"], TOKENS] {
        let before = text.get(..part.range.start).unwrap_or_default().trim_end();
        let behind = behind_blanks(text, part.range.end);
        if before.ends_with(open) && rest(text, behind).starts_with(close) {
            part.range = before.len() - open.len()..behind + close.len();
        }
    }
    part
}

/// If a call's only argument is an object, returns the call with the object's members as its arguments:
/// `wait({"seconds": 1})`.
fn unwrapped(mut call: RawCall) -> RawCall {
    if let ([Value::Object(_)], []) = (&call.args.positional[..], &call.args.named[..])
        && let Some(Value::Object(members)) = call.args.positional.pop()
    {
        call.args = Arguments::of(members);
    }
    call
}

/// Checks whether a call is complete and exactly one of FRANZ's own. Only what follows another call needs no arguments.
fn is_own(call: &RawCall, follows: bool) -> bool {
    let function = Function::named(&call.name);
    let takes = |name: &str| function.is_some_and(|function| function.param(name).is_some());
    call.wrap == Wrap::Line
        && (call.flaw, call.mended) == (None, None)
        && call.args.positional.is_empty()
        && (follows || !call.args.named.is_empty())
        && call.args.named.iter().all(|(name, _)| takes(name))
}

/// Returns what is wrong with a text in one of FRANZ's own calls on a line of its own.
fn why(call: &RawCall) -> Option<Unreadable> {
    let fault = match call.flaw {
        Some(Flaw::Quotes) => StringFault::Quotes,
        Some(Flaw::Backslash) => StringFault::Backslash,
        _ => return None,
    };
    let is_own = call.wrap == Wrap::Line && Function::named(&call.name).is_some();
    is_own.then_some(Unreadable::String(fault))
}

fn part(call: RawCall) -> FoundCalls {
    FoundCalls {
        range: call.span.clone(),
        calls: vec![CallText::new(call.name, call.args.object().to_string(), call.span)],
    }
}
