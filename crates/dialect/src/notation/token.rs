//! The special tokens that other models write around calls. Servers without the right parser leave them in the text.

use serde_json::{Map, Value};

use super::{Arguments, Flaw, RawCall, Wrap, bare_name, line, object, rest};
use crate::json::{self, Closers, behind_blanks};

/// Reads the calls after a token that begins here. Also returns where they end. Returns `None` if no token begins here.
pub(crate) fn calls(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    let here = rest(text, at);
    for (token, read) in TOKENS {
        if here.starts_with(token) {
            let inside = behind_blanks(text, at + token.len());
            let read = read(text, inside);
            return Some(read.unwrap_or_else(|| {
                let end = rest(text, inside).find('\n').map_or(text.len(), |end| inside + end);
                (vec![RawCall::flawed(Flaw::Broken, at..end, Wrap::Tag)], end)
            }));
        }
    }
    None
}

type Read = fn(&str, usize) -> Option<(Vec<RawCall>, usize)>;

const TOKENS: [(&str, Read); 11] = [
    ("<|tool_call_begin|>", kimi),
    ("<|tool_call_start|>", listed),
    ("<|tool_call>", gemma),
    ("<start_function_call>", function_gemma),
    ("<|tool_call|>", objects),
    ("[TOOL_CALLS]", mistral),
    ("functools[", list),
    ("<|python_tag|>", llama),
    ("<\u{ff5c}tool\u{2581}call\u{2581}begin\u{ff5c}>", deepseek),
    ("<|FunctionCallBegin|>", objects),
    ("to=functions.", harmony),
];

/// Checks whether the text begins with a token.
pub(crate) fn begins(text: &str) -> bool {
    TOKENS.iter().any(|(token, _)| text.starts_with(token))
}

/// Reads `functions.NAME:0<|tool_call_argument_begin|>{...}<|tool_call_end|>`.
fn kimi(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    const ARGUMENT: &str = "<|tool_call_argument_begin|>";
    let end = rest(text, at)
        .get(..200.min(rest(text, at).len()))
        .unwrap_or(rest(text, at))
        .find(ARGUMENT)?;
    let name = bare_name(rest(text, at).get(..end)?);
    named(text, name, at + end + ARGUMENT.len(), at)
}

/// Reads `NAME <|constrain|>json<|message|>{...}<|call|>`. Without a message, this is not a call.
fn harmony(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    const MESSAGE: &str = "<|message|>";
    let here = rest(text, at);
    let header = here.get(..here.floor_char_boundary(200)).unwrap_or_default();
    match header.find(MESSAGE) {
        Some(message) => named(text, super::word(here), at + message + MESSAGE.len(), at),
        None => Some((Vec::new(), at)),
    }
}

/// Reads the object that contains the arguments of a function with this name.
fn named(text: &str, name: &str, arguments: usize, start: usize) -> Option<(Vec<RawCall>, usize)> {
    let read = json::value_at(text, arguments, Closers::Needed).ok()?;
    let members: Map<String, Value> = serde_json::from_str(&read.text).ok()?;
    let call = RawCall::new(name.trim(), Arguments::of(members), start..read.span.end, Wrap::Tag);
    Some((vec![call], read.span.end))
}

/// Reads `[f(a=1), g()]` or `[{...}]`.
fn listed(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    let inside = rest(text, at).strip_prefix('[').unwrap_or(rest(text, at));
    if inside.trim_start().starts_with('{') {
        return objects(text, at);
    }
    line::listed(text, at, Wrap::Tag)
}

/// Reads `call:NAME{key:<|"|>value<|"|>}<tool_call|>`.
fn gemma(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    braced(text, at, "<|\\\"|>", "<tool_call|>")
}

/// Reads `call:NAME{key:<escape>value<escape>}<end_function_call>`.
fn function_gemma(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    braced(text, at, "<escape>", "<end_function_call>")
}

/// Reads a call whose strings are between marks instead of quotes. `mark` is such a mark with its quotes escaped.
fn braced(text: &str, at: usize, mark: &str, close: &str) -> Option<(Vec<RawCall>, usize)> {
    let call = rest(text, at).strip_prefix("call:")?;
    let length = call.find(close).unwrap_or(call.len()).min(crate::bound::LONGEST_CALL);
    let call = call.get(..call.floor_char_boundary(length))?;
    let (name, arguments) = call.split_at(call.find('{')?);
    let plain = arguments.replace('"', "\\\"").replace(mark, "\"");
    let read = json::value(&plain, Closers::Needed).ok()?;
    let members: Map<String, Value> = serde_json::from_str(&read.text).ok()?;
    let end = at + "call:".len() + call.len();
    let found = RawCall::new(name.trim(), Arguments::of(members), at..end, Wrap::Tag);
    Some((vec![found], end))
}

/// Reads `[{...}]`, `{...}` or several of them in a row.
fn objects(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    let sequence = json::sequence(text, at, Closers::Implied).ok()?;
    let read = |read: &json::ReadValue| match serde_json::from_str(&read.text) {
        Ok(Value::Object(members)) => object::call(members, read.span.clone(), Wrap::Tag),
        _ => RawCall::flawed(Flaw::Broken, read.span.clone(), Wrap::Tag),
    };
    Some((sequence.values.iter().map(read).collect(), sequence.end))
}

fn list(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    let bracket = text.get(..at)?.rfind('[')?;
    objects(text, bracket)
}

/// Reads `[{...}]` or `NAME[CALL_ID]ID[ARGS]{...}`. Only some versions write the id, and not all the mark before the
/// arguments.
fn mistral(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    if rest(text, at).starts_with(['[', '{']) {
        return objects(text, at);
    }
    let name = super::word(rest(text, at));
    let behind = rest(text, at + name.len());
    let behind = behind
        .strip_prefix("[CALL_ID]")
        .map_or(behind, |id| rest(id, super::word(id).len()));
    let arguments = behind.strip_prefix("[ARGS]").unwrap_or(behind);
    named(text, name, text.len() - arguments.len(), at)
}

/// Reads `{"name": ..., "parameters": ...}` or `name.call(...)`.
fn llama(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    if rest(text, at).starts_with('{') {
        return objects(text, at);
    }
    line::listed(text, at, Wrap::Tag)
}

/// Reads `function<sep>NAME` followed by a fence with JSON, or `NAME<sep>{...}`.
fn deepseek(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    const SEPARATOR: &str = "<\u{ff5c}tool\u{2581}sep\u{ff5c}>";
    let here = rest(text, at);
    let header = here.get(..here.floor_char_boundary(64 + SEPARATOR.len()))?;
    let before = header.split_once(SEPARATOR)?.0;
    let start = at + before.len() + SEPARATOR.len();
    if rest(text, behind_blanks(text, start)).starts_with('{') {
        return named(text, before, behind_blanks(text, start), at);
    }
    let name = super::word(rest(text, start));
    let open = rest(text, start).find('{').filter(|found| *found < 200)?;
    named(text, name, start + open, at)
}
