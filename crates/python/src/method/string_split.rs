//! Methods of strings: splitting them into parts.

use std::rc::Rc;

use super::string::receiver;
use crate::budget::Reserved;
use crate::builtin::{Arity, Native};
use crate::machine::{Args, Machine};
use crate::value::{Class, Eval, Value, type_error, value_error};

pub(super) static METHODS: &[Native] = &[
    Native::new("partition", Arity::One, partition),
    Native::new("rpartition", Arity::One, rpartition),
    Native::new("rsplit", Arity::Between(0, 2), rsplit).with_keywords(&["sep", "maxsplit"]),
    Native::new("split", Arity::Between(0, 2), split).with_keywords(&["sep", "maxsplit"]),
    Native::new("splitlines", Arity::Between(0, 1), splitlines).with_keywords(&["keepends"]),
];

fn partition(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let (text, separator) = (receiver(machine, value)?, separator(machine, args.at(0))?);
    match text.split_once(&*separator) {
        Some((before, after)) => three(machine, [before, &separator, after]),
        None => three(machine, [&text, "", ""]),
    }
}

fn rpartition(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let (text, separator) = (receiver(machine, value)?, separator(machine, args.at(0))?);
    match text.rsplit_once(&*separator) {
        Some((before, after)) => three(machine, [before, &separator, after]),
        None => three(machine, ["", "", &text]),
    }
}

fn separator(machine: &Machine<'_>, value: Value) -> Eval<Rc<str>> {
    let Some(separator) = machine.text_of(value)? else {
        let class = Class::of(value, &machine.heap).name();
        return Err(type_error(format!("must be str, not {class}")));
    };
    if separator.is_empty() {
        return Err(value_error("empty separator"));
    }
    Ok(separator)
}

fn three(machine: &mut Machine<'_>, parts: [&str; 3]) -> Eval<Value> {
    let parts = parts.map(|part| machine.string(part));
    let [before, separator, after] = parts;
    machine.tuple(&[before?, separator?, after?])
}

fn split(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let (text, separator, most) = split_arguments(machine, value, args)?;
    let _room = room_for_parts(machine, &text, separator.as_deref())?;
    let parts: Vec<&str> = match &separator {
        Some(separator) => text.splitn(most, &**separator).collect(),
        None => words(&text, most),
    };
    list_of(machine, &parts)
}

fn rsplit(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let (text, separator, most) = split_arguments(machine, value, args)?;
    let _room = room_for_parts(machine, &text, separator.as_deref())?;
    let mut parts: Vec<&str> = match &separator {
        Some(separator) => text.rsplitn(most, &**separator).collect(),
        None => words_from_end(&text, most),
    };
    parts.reverse();
    list_of(machine, &parts)
}

/// Returns the string, the separator if there is one, and the maximum number of parts.
fn split_arguments(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<(Rc<str>, Option<Rc<str>>, usize)> {
    let text = receiver(machine, value)?;
    let separator = match args.either(0, "sep") {
        None | Some(Value::None) => None,
        Some(given @ Value::Str(_)) => Some(separator(machine, given)?),
        Some(given) => {
            let class = Class::of(given, &machine.heap).name();
            return Err(type_error(format!("must be str or None, not {class}")));
        }
    };
    let most = args
        .either(1, "maxsplit")
        .map_or(Ok(-1), |most| machine.size_argument(most))?;
    let most = usize::try_from(most).map_or(usize::MAX, |most| most.saturating_add(1));
    Ok((text, separator, most))
}

/// Splits a string at whitespace. The last of `most` parts keeps its inner and trailing whitespace.
fn words(text: &str, most: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && parts.len() + 1 < most {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        parts.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

/// Splits a string at whitespace from the end, last word first.
fn words_from_end(text: &str, most: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim_end();
    while !rest.is_empty() && parts.len() + 1 < most {
        let blank = rest.char_indices().rfind(|(_, character)| character.is_whitespace());
        let start = blank.map_or(0, |(at, character)| at + character.len_utf8());
        parts.push(&rest[start..]);
        rest = rest[..start].trim_end();
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

/// Charges for the parts of a string before it is split. There is at most one part more than there are separators or
/// whitespace characters.
fn room_for_parts(machine: &Machine<'_>, text: &str, separator: Option<&str>) -> Eval<Reserved> {
    machine.budget.walk(text.len())?;
    let separators = match separator {
        Some(separator) => text.matches(separator).count(),
        None => text
            .chars()
            .filter(|character| character.is_whitespace() || is_line_end(*character))
            .count(),
    };
    Ok(machine
        .budget
        .reserve((separators + 1).saturating_mul(2 * size_of::<&str>()))?)
}

fn list_of(machine: &mut Machine<'_>, parts: &[&str]) -> Eval<Value> {
    let mut values = machine.values()?;
    for part in parts {
        machine.budget.step()?;
        let part = machine.string(part)?;
        values.push(part)?;
    }
    machine.list(values)
}

fn splitlines(machine: &mut Machine<'_>, value: Value, args: &Args) -> Eval<Value> {
    let keep = args.either(0, "keepends").is_some_and(|keep| machine.truth(keep));
    let text = receiver(machine, value)?;
    let _room = room_for_parts(machine, &text, None)?;
    let mut parts = Vec::new();
    let mut rest = &*text;
    while let Some(at) = rest.find(is_line_end) {
        let end = rest[at..].chars().next().map_or(1, char::len_utf8);
        let end = if rest[at..].starts_with("\r\n") { 2 } else { end };
        parts.push(&rest[..if keep { at + end } else { at }]);
        rest = &rest[at + end..];
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    list_of(machine, &parts)
}

fn is_line_end(character: char) -> bool {
    matches!(
        character,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limited_split_keeps_the_rest_of_the_line() {
        assert_eq!(words("  a b  c ", usize::MAX), ["a", "b", "c"]);
        assert_eq!(words("  a b  c ", 2), ["a", "b  c "]);
        assert_eq!(words_from_end("  a b  c ", 2), ["c", "  a b"]);
        assert_eq!(words("   ", usize::MAX), [""; 0]);
    }
}
