//! Calls between the tokens of other templates, which servers without the right parser leave in the text:
//! `[TOOL_CALLS]wait[ARGS]{"seconds": 1}`.
//!
//! Only complete calls of FRANZ's own functions are read, because other calls between such tokens might use other
//! coordinates.

use serde_json::Value;

use super::{FoundCalls, parameters};
use crate::json::{Closers, behind_blanks};
use crate::notation::token::MINIMAX;
use crate::notation::{RawCall, find, rest, tag};
use crate::tools::function::Function;
use crate::tools::written::CallText;

/// The beginnings of the tokens before a call.
const OPENINGS: [&str; 13] = [
    "<|",
    "<\u{ff5c}",
    "<tool_calls>",
    "<tool_call>",
    "]<]minimax[>[",
    "<atem:",
    "<function",
    "<invoke",
    "<start_function_call>",
    "[TOOL_CALLS]",
    "[TOOL_REQUEST]",
    "functools[",
    "to=functions.",
];

/// What LM Studio asks models to write after a call.
const REQUEST_END: &str = "[END_TOOL_REQUEST]";

/// Finds the calls, each as a separate part. Returns none if there is any other call between the same tokens.
pub(super) fn parts(text: &str, closers: Closers) -> Vec<FoundCalls> {
    if !OPENINGS.iter().any(|opening| find(text, 0, opening).is_some()) {
        return Vec::new();
    }
    let calls = tag::calls(text, closers);
    let own = |call: &RawCall| call.flaw.is_none() && Function::named(&call.name).is_some();
    if !calls.iter().all(own) {
        return Vec::new();
    }
    let mut from = 0;
    let part = |call: RawCall| {
        let start = before_tokens(text, from, call.span.start);
        from = behind_tokens(text, call.span.end);
        FoundCalls {
            range: start..from,
            calls: vec![call_text(call)],
        }
    };
    calls.into_iter().map(part).collect()
}

/// Returns the call with its arguments as JSON. Values between tags have no types.
fn call_text(call: RawCall) -> CallText {
    let function = Function::named(&call.name);
    let member = |(key, value): &(String, Value)| match value {
        Value::String(written) => parameters::member(function, key, written),
        other => format!("{}:{other}", Value::from(key.as_str())),
    };
    let members: Vec<String> = call.args.named.iter().map(member).collect();
    CallText::new(call.name, format!("{{{}}}", members.join(",")), call.span)
}

/// Returns where the tokens before the call begin, but does not look before `from`.
fn before_tokens(text: &str, from: usize, call: usize) -> usize {
    let before = text.get(from..call).unwrap_or_default();
    let line = before.trim_end().rfind('\n').map_or(0, |line| line + 1);
    let lead = rest(before, line);
    let Some(first) = OPENINGS.iter().filter_map(|opening| lead.find(opening)).min() else {
        return call;
    };
    let mut start = line + first;
    while let Some(above) = before.get(..start).and_then(token_line) {
        start = above;
    }
    from + start
}

/// Returns where the last line begins, if it is only a token.
fn token_line(text: &str) -> Option<usize> {
    let text = text.trim_end();
    let start = text.rfind('\n').map_or(0, |line| line + 1);
    let line = rest(text, start);
    let opens = OPENINGS.iter().any(|opening| line.starts_with(opening));
    (opens && line.ends_with('>') && !line.contains(char::is_whitespace)).then_some(start)
}

/// Returns where the tokens after a call end, or what separates it from the next one in a list.
fn behind_tokens(text: &str, call: usize) -> usize {
    let close = behind_blanks(text, call);
    let behind = rest(text, close);
    let listed = behind.starts_with([',', ']']) && !behind.starts_with(MINIMAX);
    let mut at = if listed { close + 1 } else { call };
    loop {
        let here = rest(text, at).trim_start();
        let bare = here.strip_prefix(MINIMAX).unwrap_or(here);
        if let Some(inside) = bare.strip_prefix('<')
            && let Some(end) = inside.find('>').filter(|end| *end < 64)
        {
            at = text.len() - inside.len() + end + 1;
        } else if let Some(behind) = bare.strip_prefix(REQUEST_END) {
            at = text.len() - behind.len();
        } else {
            return at;
        }
    }
}
