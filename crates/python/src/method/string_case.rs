//! Methods of strings: upper and lower case, and tests for kinds of characters.

use std::rc::Rc;

use super::string::receiver;
use crate::builtin::{Arity, Native};
use crate::machine::{Args, Machine};
use crate::text::is_printable;
use crate::value::{Eval, Value};

pub(super) static METHODS: &[Native] = &[
    Native::new("capitalize", Arity::Zero, capitalize),
    Native::new("casefold", Arity::Zero, casefold),
    Native::new("isalnum", Arity::Zero, isalnum),
    Native::new("isalpha", Arity::Zero, isalpha),
    Native::new("isascii", Arity::Zero, isascii),
    Native::new("isdecimal", Arity::Zero, isdecimal),
    Native::new("isdigit", Arity::Zero, isdigit),
    Native::new("isidentifier", Arity::Zero, isidentifier),
    Native::new("islower", Arity::Zero, islower),
    Native::new("isnumeric", Arity::Zero, isnumeric),
    Native::new("isprintable", Arity::Zero, isprintable),
    Native::new("isspace", Arity::Zero, isspace),
    Native::new("istitle", Arity::Zero, istitle),
    Native::new("isupper", Arity::Zero, isupper),
    Native::new("lower", Arity::Zero, lower),
    Native::new("swapcase", Arity::Zero, swapcase),
    Native::new("title", Arity::Zero, title),
    Native::new("upper", Arity::Zero, upper),
];

/// Applies a function to a string, charging for the result.
fn changed(machine: &mut Machine<'_>, value: Value, change: impl Fn(&str) -> String) -> Eval<Value> {
    let text = characters(machine, value)?;
    // A character becomes at most three characters, and the result is copied once.
    let _room = machine.budget.reserve(text.len().saturating_mul(3))?;
    machine.string(&change(&text))
}

/// Returns the string on which a method was called, charging for one pass over its characters.
fn characters(machine: &mut Machine<'_>, value: Value) -> Eval<Rc<str>> {
    let text = receiver(machine, value)?;
    machine.budget.walk(text.len())?;
    Ok(text)
}

fn lower(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    changed(machine, value, str::to_lowercase)
}

fn upper(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    changed(machine, value, str::to_uppercase)
}

fn casefold(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    changed(machine, value, |text| text.to_lowercase().replace('\u{df}', "ss"))
}

fn capitalize(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    changed(machine, value, |text| {
        let mut chars = text.chars();
        let first: String = chars.next().into_iter().flat_map(title_case).collect();
        first + &chars.as_str().to_lowercase()
    })
}

fn title(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    changed(machine, value, |text| {
        let mut titled = String::with_capacity(text.len());
        let mut inside = false;
        for character in text.chars() {
            if inside {
                titled.extend(character.to_lowercase());
            } else {
                titled.extend(title_case(character));
            }
            inside = is_cased(character);
        }
        titled
    })
}

fn swapcase(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    changed(machine, value, |text| {
        let mut swapped = String::with_capacity(text.len());
        for character in text.chars() {
            if character.is_uppercase() {
                swapped.extend(character.to_lowercase());
            } else {
                swapped.extend(character.to_uppercase());
            }
        }
        swapped
    })
}

/// Capitalises a character at the start of a word. If its upper case has several letters, only the first stays a
/// capital.
fn title_case(character: char) -> impl Iterator<Item = char> {
    let first = usize::from(character.to_uppercase().len() > 0);
    let upper = character.to_uppercase().take(first);
    let rest = character.to_uppercase().skip(first).flat_map(char::to_lowercase);
    upper.chain(rest)
}

fn is_cased(character: char) -> bool {
    character.is_uppercase() || character.is_lowercase()
}

/// Checks whether there are characters and all of them satisfy the predicate.
fn all(machine: &mut Machine<'_>, value: Value, like: impl Fn(char) -> bool) -> Eval<Value> {
    let text = characters(machine, value)?;
    Ok(Value::Bool(!text.is_empty() && text.chars().all(like)))
}

fn isalnum(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    all(machine, value, char::is_alphanumeric)
}

fn isalpha(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    all(machine, value, char::is_alphabetic)
}

fn isascii(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let text = characters(machine, value)?;
    Ok(Value::Bool(text.is_ascii()))
}

fn isdecimal(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    all(machine, value, |character| character.is_ascii_digit())
}

fn isdigit(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    all(machine, value, |character| {
        character.is_ascii_digit() || matches!(character, '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}'..='\u{2089}')
    })
}

fn isnumeric(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    all(machine, value, char::is_numeric)
}

fn isidentifier(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let text = characters(machine, value)?;
    let first = text
        .chars()
        .next()
        .is_some_and(|first| first == '_' || first.is_alphabetic());
    let rest = text
        .chars()
        .all(|character| character == '_' || character.is_alphanumeric());
    Ok(Value::Bool(first && rest))
}

fn islower(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let text = characters(machine, value)?;
    let found = text.chars().any(char::is_lowercase) && !text.chars().any(char::is_uppercase);
    Ok(Value::Bool(found))
}

fn isupper(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let text = characters(machine, value)?;
    let found = text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
    Ok(Value::Bool(found))
}

fn isprintable(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let text = characters(machine, value)?;
    Ok(Value::Bool(text.chars().all(is_printable)))
}

fn isspace(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    all(machine, value, char::is_whitespace)
}

fn istitle(machine: &mut Machine<'_>, value: Value, _: &Args) -> Eval<Value> {
    let text = characters(machine, value)?;
    let (mut inside, mut found) = (false, false);
    for character in text.chars() {
        let wrong = character.is_uppercase() && inside || character.is_lowercase() && !inside;
        if wrong {
            return Ok(Value::Bool(false));
        }
        inside = is_cased(character);
        found |= inside;
    }
    Ok(Value::Bool(found))
}
