//! The special tokens that other models write around calls. Servers without the right parser leave them in the text.

use serde_json::{Map, Value};

use super::{Arguments, Flaw, RawCall, Wrap, bare_name, line, object, rest};
use crate::bound::LONGEST_CALL;
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

/// The tokens, each with the models whose template it is from.
const TOKENS: [(&str, Read); 15] = [
    // Kimi K2.
    ("<|tool_call_begin|>", kimi),
    // Kimi K3.
    ("<|open|>call tool=\"", kimi_arguments),
    // LFM2.
    ("<|tool_call_start|>", listed),
    // Gemma 4.
    ("<|tool_call>", gemma),
    // `FunctionGemma`.
    ("<start_function_call>", function_gemma),
    // Granite.
    ("<|tool_call|>", objects),
    // Mistral and Pixtral.
    ("[TOOL_CALLS]", mistral),
    // Models without a form of their own behind LM Studio.
    ("[TOOL_REQUEST]", requested),
    // Phi-4.
    ("functools[", list),
    // Llama 3.
    ("<|python_tag|>", llama),
    // `DeepSeek` V3.
    ("<\u{ff5c}tool\u{2581}call\u{2581}begin\u{ff5c}>", deepseek),
    // Doubao.
    ("<|FunctionCallBegin|>", objects),
    // Cohere's Command A.
    ("<|START_ACTION|>", cohere),
    // gpt-oss.
    ("to=functions.", harmony),
    // `MiniMax` M3.
    ("]<]minimax[>[<invoke name=\"", minimax),
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

/// What ends each of Kimi K3's tags.
const SEPARATOR: &str = "<|sep|>";
/// The maximum length of the inside of such a tag, in bytes.
const LONGEST_TAG: usize = 200;

/// Reads `NAME" index="1"<|sep|>`, followed by the arguments, each as
/// `<|open|>argument key="KEY" type="TYPE"<|sep|>VALUE<|close|>argument<|sep|>`, or all of them as one object, and by
/// `<|close|>call<|sep|>`.
fn kimi_arguments(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    let (name, _, mut left) = attributes(rest(text, at))?;
    let mut args = Arguments::default();
    if let Some(object) = left.strip_prefix("<|open|>json type=\"object\"<|sep|>") {
        let read = json::value_at(object, 0, Closers::Needed).ok()?;
        args = Arguments::of(serde_json::from_str(&read.text).ok()?);
        left = rest(object, read.span.end).trim_start();
        left = left.strip_prefix("<|close|>json<|sep|>")?;
    }
    while let Some(argument) = left.strip_prefix("<|open|>argument key=\"") {
        let (key, others, behind) = attributes(argument)?;
        let (written, behind) = behind.split_once("<|close|>argument<|sep|>")?;
        let value = if others.contains("type=\"string\"") {
            Value::from(written)
        } else {
            serde_json::from_str(&json::value(written, Closers::Needed).ok()?.text).ok()?
        };
        args.named.push((key.to_owned(), value));
        left = behind;
        if args.named.len() > 64 || text.len() - left.len() - at > LONGEST_CALL {
            return None;
        }
    }
    let behind = left.strip_prefix("<|close|>call<|sep|>")?;
    let behind = behind.strip_prefix("<|close|>tools<|sep|>").unwrap_or(behind);
    let end = text.len() - behind.len();
    Some((vec![RawCall::new(name, args, at..end, Wrap::Tag)], end))
}

/// Reads `VALUE" NAME="VALUE"<|sep|>`. Returns the first value, the other attributes, and the text behind them.
fn attributes(text: &str) -> Option<(&str, &str, &str)> {
    let (inside, behind) = upto(text, SEPARATOR)?;
    let (first, others) = inside.split_once('"')?;
    Some((first, others, behind))
}

/// What `MiniMax` M3 writes before each tag.
pub(crate) const MINIMAX: &str = "]<]minimax[>[";
/// How deep a list of such tags can be in others.
const DEPTH: usize = 3;

/// Reads `NAME">`, followed by the arguments, each as `<KEY>VALUE</KEY>`, and by `</invoke>`, with `MiniMax`'s mark
/// before each tag.
fn minimax(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    let (name, mut left) = upto(rest(text, at), "\">")?;
    let mut args = Arguments::default();
    loop {
        left = left.trim_start().strip_prefix(MINIMAX)?;
        if let Some(behind) = left.strip_prefix("</invoke>") {
            let end = text.len() - behind.len();
            return Some((vec![RawCall::new(name, args, at..end, Wrap::Tag)], end));
        }
        let (key, behind) = upto(left.strip_prefix('<')?, ">")?;
        let (value, behind) = minimax_value(behind, key, DEPTH)?;
        args.named.push((key.to_owned(), value));
        left = behind;
        if args.named.len() > 64 || text.len() - left.len() - at > LONGEST_CALL {
            return None;
        }
    }
}

/// Reads a value up to the tag that closes it: any text, or a list of `<item>VALUE</item>`. Also returns the text behind
/// that tag.
fn minimax_value<'a>(text: &'a str, key: &str, depth: usize) -> Option<(Value, &'a str)> {
    let item = format!("{MINIMAX}<item>");
    let close = format!("{MINIMAX}</{key}>");
    let mut left = text.trim_start();
    if !left.starts_with(&item) {
        let (written, behind) = text.split_once(&close)?;
        return (!written.contains(MINIMAX)).then(|| (Value::from(written), behind));
    }
    let mut items = Vec::new();
    while let Some(inside) = left.strip_prefix(&item) {
        let (value, behind) = minimax_value(inside, "item", depth.checked_sub(1)?)?;
        items.push(typed(value));
        left = behind.trim_start();
        if text.len() - left.len() > LONGEST_CALL {
            return None;
        }
    }
    Some((Value::from(items), left.strip_prefix(&close)?))
}

/// Returns a text as the number or the keyword that it is, if it is one.
fn typed(value: Value) -> Value {
    let read = value.as_str().and_then(|text| json::value(text, Closers::Needed).ok());
    let read = read.and_then(|read| serde_json::from_str(&read.text).ok());
    read.unwrap_or(value)
}

/// Returns the text before this mark, which must not be far, and the text behind it.
fn upto<'a>(text: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let (before, _) = text.get(..text.floor_char_boundary(LONGEST_TAG))?.split_once(mark)?;
    Some((before, rest(text, before.len() + mark.len())))
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
    line::listed(text, at, Wrap::Tag).ok()
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
    let length = call.find(close).unwrap_or(call.len()).min(LONGEST_CALL);
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
    keyed_objects(text, at, "name")
}

/// Reads `[{"tool_call_id": "0", "tool_name": NAME, "parameters": {...}}]`.
fn cohere(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    keyed_objects(text, at, "tool_name")
}

/// Reads `{...}`. Without an object, this is not a call.
fn requested(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    if rest(text, at).starts_with(['{', '[']) {
        objects(text, at)
    } else {
        Some((Vec::new(), at))
    }
}

/// Reads objects with the name of the function under this key.
fn keyed_objects(text: &str, at: usize, key: &str) -> Option<(Vec<RawCall>, usize)> {
    let sequence = json::sequence(text, at, Closers::Implied).ok()?;
    let read = |read: &json::ReadValue| match serde_json::from_str(&read.text) {
        Ok(Value::Object(mut members)) => {
            if let Some(name) = members.remove(key) {
                members.insert("name".to_owned(), name);
            }
            object::call(members, read.span.clone(), Wrap::Tag)
        }
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
    line::listed(text, at, Wrap::Tag).ok()
}

/// Reads `function<sep>NAME` followed by a fence with JSON, or `NAME<sep>{...}`.
fn deepseek(text: &str, at: usize) -> Option<(Vec<RawCall>, usize)> {
    const SEP: &str = "<\u{ff5c}tool\u{2581}sep\u{ff5c}>";
    let here = rest(text, at);
    let header = here.get(..here.floor_char_boundary(64 + SEP.len()))?;
    let before = header.split_once(SEP)?.0;
    let start = at + before.len() + SEP.len();
    if rest(text, behind_blanks(text, start)).starts_with('{') {
        return named(text, before, behind_blanks(text, start), at);
    }
    let name = super::word(rest(text, start));
    let open = rest(text, start).find('{').filter(|found| *found < 200)?;
    named(text, name, start + open, at)
}
