//! Functions as elements: `<function=click><parameter=point>1 2</parameter></function>`. The spellings of Qwen, Seed
//! and others are recognised by the beginning of each tag's name.

use std::borrow::Cow;

use serde_json::Value;

use super::{Arguments, Flaw, RawCall, Wrap, rest, without_frame};
use crate::bound::LONGEST_CALL;
use crate::json::{self, Closers, behind_blanks};

/// The maximum length of a tag's name including its attributes.
const LONGEST_TAG: usize = 200;

/// What stands before the name of each tag in the templates of `DeepSeek`, Muse and Step3.
const NAMESPACES: [&str; 3] = ["\u{ff5c}DSML\u{ff5c}", "atem:", "steptml:"];

/// The opening tag of a function or a parameter.
struct Opening<'a> {
    name: &'a str,
    /// Whether the value is JSON (`string="false"`).
    json: bool,
    end: usize,
}

/// Reads `<function=X>`, `<functionNU=X>` or `<function name="X">`, or the same for another kind of tag.
fn opening<'a>(text: &'a str, at: usize, kind: &str) -> Option<Opening<'a>> {
    let inside = unmarked(rest(text, at).strip_prefix('<')?).strip_prefix(kind)?;
    let start = text.len() - inside.len();
    let inside = inside.get(..inside.floor_char_boundary(LONGEST_TAG.min(inside.len())))?;
    let close = inside.find('>')?;
    let tag = inside.get(..close)?;
    let end = start + close + 1;
    let (lead, value) = tag.split_once('=')?;
    let lead = lead.trim();
    let json = tag.contains("string=\"false\"") || tag.contains("string='false'");
    let is_suffix = |lead: &str| lead.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let name = match lead.strip_suffix("name") {
        Some(before) if before.is_empty() || before.ends_with(' ') || before.trim().is_empty() => {
            let quoted = value.trim_start();
            let quote = quoted.chars().next().filter(|c| json::is_quote(*c));
            match quote {
                Some(quote) => quoted.get(quote.len_utf8()..)?.split(quote).next()?,
                None => quoted.split([' ', '/']).next()?,
            }
        }
        _ if is_suffix(lead) => {
            let value = value.trim();
            value.split(' ').next()?.trim_matches(json::is_quote)
        }
        _ => return None,
    };
    Some(Opening { name, json, end })
}

/// Returns a tag without the namespace before its name.
fn unmarked(tag: &str) -> &str {
    rest(tag, namespace(tag).len())
}

/// Returns the namespace before a tag's name, which can be empty.
fn namespace(tag: &str) -> &'static str {
    let found = NAMESPACES.into_iter().find(|namespace| tag.starts_with(namespace));
    found.unwrap_or_default()
}

/// Checks whether a function begins here.
pub(crate) fn begins(text: &str, at: usize) -> bool {
    opening(text, at, "function").is_some() || opening(text, at, "invoke").is_some()
}

/// Reads the function that begins here. Also returns where it ends.
pub(crate) fn call(text: &str, start: usize, wrap: Wrap) -> (RawCall, usize) {
    let function = opening(text, start, "function").or_else(|| opening(text, start, "invoke"));
    let Some(function) = function else {
        return (RawCall::flawed(Flaw::Broken, start..start + 1, wrap), start + 1);
    };
    let name = function.name.trim().to_owned();
    let types = wrap == Wrap::Seed && matches!(&*name, "type" | "input" | "input_text");
    let mut args = Arguments::default();
    let mut at = function.end;
    loop {
        at = behind_blanks(text, at);
        let here = rest(text, at);
        let closed = here.strip_prefix("</").map(unmarked).unwrap_or_default();
        if closed.starts_with("functi") || closed.starts_with("invoke") {
            at += here.find('>').map_or(here.len(), |close| close + 1);
            break;
        }
        // The enclosing tag ends a function too.
        if here.starts_with("</") {
            break;
        }
        // Llama 3.1 writes all arguments as one object.
        if here.starts_with('{') && args.named.is_empty() {
            match json::value_at(text, at, Closers::Needed) {
                Ok(read) if read.span.end - start <= LONGEST_CALL => {
                    args = Arguments::of(serde_json::from_str(&read.text).unwrap_or_default());
                    at = read.span.end;
                }
                read => {
                    let flaw = read.as_ref().err().map_or(Flaw::Broken, |broken| Flaw::of(*broken));
                    let end = read.map_or_else(|broken| broken.at, |read| read.span.end);
                    let end = text.ceil_char_boundary(end.clamp(at + 1, text.len()));
                    let flawed = RawCall::flawed(flaw, start..end, wrap);
                    return (RawCall { name, ..flawed }, end);
                }
            }
            continue;
        }
        match parameter(text, at, types) {
            Ok((Some((key, value)), end)) => {
                args.named.push((key, value));
                at = end;
            }
            Ok((None, end)) => at = end,
            Err((flaw, end)) => {
                let end = text.ceil_char_boundary(end.clamp(start + 1, text.len()));
                let flawed = RawCall::flawed(flaw, start..end, wrap);
                return (RawCall { name, ..flawed }, end);
            }
        }
        if at - start > LONGEST_CALL || args.named.len() > 64 {
            return (RawCall::flawed(Flaw::Broken, start..at, wrap), at);
        }
    }
    (RawCall::new(name, args, start..at, wrap), at)
}

type ReadParameter = (Option<(String, Value)>, usize);

/// Reads one parameter, or nothing if the tag only opens another one. `types` is set for a call with which Seed types.
fn parameter(text: &str, at: usize, types: bool) -> Result<ReadParameter, (Flaw, usize)> {
    let Some(open) = opening(text, at, "parameter") else {
        return Err((Flaw::Broken, at));
    };
    let inside = behind_blanks(text, open.end);
    if opening(text, inside, "parameter").is_some() {
        return Ok((None, inside));
    }
    if begins(text, inside) {
        let end = rest(text, inside)
            .find("</parameter")
            .map_or(text.len(), |end| inside + end);
        return Err((Flaw::Nested, end));
    }
    let closing = format!("</{}parameter", namespace(rest(text, at + 1)));
    let Some(length) = rest(text, open.end).find(&closing) else {
        return Err((Flaw::Broken, text.len()));
    };
    let written = text.get(open.end..open.end + length).unwrap_or_default();
    let close = open.end + length;
    let end = rest(text, close).find('>').map_or(text.len(), |end| close + end + 1);
    let plain = if types {
        typed_by_seed(open.name.trim(), written)
    } else {
        Cow::Borrowed(without_frame(written))
    };
    let value = if open.json {
        let read = json::value(&plain, Closers::Needed).ok();
        read.and_then(|read| serde_json::from_str(&read.text).ok())
    } else {
        None
    };
    let value = value.unwrap_or_else(|| Value::from(without_text_tag(&plain)));
    Ok((Some((open.name.trim().to_owned(), value)), end))
}

/// Returns a value of a call with which Seed types. Seed puts no line breaks around a text but submits one that ends in
/// a line break, which it can also write as the two characters `\n`. If the text also begins with a line break, both
/// belong to the notation.
fn typed_by_seed<'a>(name: &str, written: &'a str) -> Cow<'a, str> {
    if name != "content" || written.starts_with(['\n', '\r']) {
        return Cow::Borrowed(without_frame(written));
    }
    match written.strip_suffix("\\n") {
        Some(text) if !text.ends_with('\\') => Cow::Owned(format!("{text}\n")),
        _ => Cow::Borrowed(written),
    }
}

fn without_text_tag(value: &str) -> &str {
    let inside = value.strip_prefix("<text").and_then(|inside| inside.split_once('>'));
    match inside {
        Some((_, inside)) => inside.rsplit_once("</text").map_or(value, |(inside, _)| inside),
        None => value,
    }
}
