//! `<function=name><parameter=key>value</parameter></function>`, as Qwen3-Coder writes calls, usually in a
//! `<tool_call>`, and `<function=name>{"key": value}</function>`, as Llama 3.1 does.
//!
//! Values have no types in this form. A value is read as a number or a list if the function expects one.

use std::ops::Range;

use serde_json::Value;

use super::tagged::{FUNCTION, end_of_broken};
use super::{FoundCalls, is_enough};
use crate::bound::LONGEST_CALL;
use crate::json::{self, Closers, behind_blanks};
use crate::notation::{find, rest, tag, without_frame};
use crate::tools::function::Function;
use crate::tools::written::CallText;

const CLOSE: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const PARAMETER_CLOSE: &str = "</parameter>";
/// The maximum length of a name, in characters.
const LONGEST_NAME: usize = 200;

/// Finds every function in angle brackets, including the tag around it.
pub(super) fn parts(text: &str, _closers: Closers) -> Vec<FoundCalls> {
    let mut parts = Vec::new();
    let mut at = 0;
    while !is_enough(&parts)
        && let Some(open) = find(text, at, FUNCTION)
    {
        let start = with_tag(text, at, open);
        let (call, end) = match call(text, open) {
            Ok(call) => {
                let end = behind_tag(text, call.span.end);
                (call, end)
            }
            Err(broken) => {
                let end = end_of_broken(text, broken);
                (CallText::unreadable(open..end), end)
            }
        };
        at = end;
        parts.push(FoundCalls {
            range: start..end,
            calls: vec![call],
        });
    }
    parts
}

/// Returns where the tag around a function begins, but does not look before `from`. Without such a tag, returns where
/// the function begins.
fn with_tag(text: &str, from: usize, open: usize) -> usize {
    let before = text.get(from..open).unwrap_or_default().trim_end();
    match before.strip_suffix(tag::OPEN) {
        Some(before) => from + before.len(),
        None => open,
    }
}

fn behind_tag(text: &str, at: usize) -> usize {
    let close = behind_blanks(text, at);
    if rest(text, close).starts_with(tag::CLOSE) {
        close + tag::CLOSE.len()
    } else {
        at
    }
}

/// Reads one function. The error says how far it could be read.
fn call(text: &str, open: usize) -> Result<CallText, usize> {
    let (name, mut at) = name(text, open + FUNCTION.len())?;
    let function = Function::named(name);
    let mut members = Vec::new();
    let inside = behind_blanks(text, at);
    if rest(text, inside).starts_with('{') {
        let read = json::value_at(text, inside, Closers::Needed).map_err(|broken| broken.at.max(inside))?;
        let close = behind_blanks(text, read.span.end);
        if !rest(text, close).starts_with(CLOSE) || close - open > LONGEST_CALL {
            return Err(close);
        }
        return Ok(CallText::new(name.to_owned(), read.text, open..close + CLOSE.len()));
    }
    loop {
        at = behind_blanks(text, at);
        let here = rest(text, at);
        if here.starts_with(CLOSE) {
            at += CLOSE.len();
            break;
        }
        // The tag ends the parameters too.
        if here.starts_with(tag::CLOSE) {
            break;
        }
        if !here.starts_with(PARAMETER) {
            return Err(at);
        }
        let (key, value) = self::name(text, at + PARAMETER.len())?;
        let length = rest(text, value).find(PARAMETER_CLOSE).ok_or(text.len())?;
        // A call that is too long is treated like one without an end.
        if value + length - open > LONGEST_CALL {
            return Err(value + length);
        }
        let written = text.get(value..value + length).unwrap_or_default();
        at = value + length + PARAMETER_CLOSE.len();
        members.push(member(function, key, written));
    }
    let arguments = format!("{{{}}}", members.join(","));
    let span: Range<usize> = open..at;
    Ok(CallText::new(name.to_owned(), arguments, span))
}

/// Reads the name up to the bracket. Also returns where the text after it begins.
fn name(text: &str, at: usize) -> Result<(&str, usize), usize> {
    let here = rest(text, at);
    let stop = here
        .char_indices()
        .take(LONGEST_NAME)
        .find(|(_, c)| matches!(c, '>' | '<' | '\n'));
    match stop {
        Some((length, '>')) => Ok((here.get(..length).unwrap_or_default().trim(), at + length + 1)),
        _ => Err(at),
    }
}

/// Returns a member of the arguments as JSON.
pub(super) fn member(function: Option<&Function>, key: &str, written: &str) -> String {
    let param = function.and_then(|function| function.param(key));
    let is_words = param.is_none_or(|param| param.kind.is_words());
    let typed = json::value(written, Closers::Needed).ok().filter(|_| !is_words);
    let value = typed.map_or_else(|| Value::from(without_frame(written)).to_string(), |read| read.text);
    format!("{}:{value}", Value::from(key))
}
