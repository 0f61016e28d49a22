//! The arguments of a call that is not Python: lists, names with colons, numbers without commas, strings without
//! quotes. Only unambiguous arguments are read.

use serde_json::{Map, Value};

use super::quote;
use crate::meaning::Means;
use crate::notation::{Arguments, literal};

/// Arguments, and where their call ends.
pub(super) struct Loose {
    pub(super) args: Arguments,
    pub(super) end: usize,
}

/// Reads the arguments after this bracket, for a verb with this meaning.
pub(super) fn arguments(text: &str, bracket: usize, means: Means) -> Option<Loose> {
    let open = bracket + text.get(bracket..)?.chars().next()?.len_utf8();
    if let Ok(read) = literal::plain(text, open)
        && read.mended.is_none()
        && read.joined.is_none()
        && spelled(text.get(open..read.end)?, means)
        && quoted_once(text.get(open..read.end)?)
    {
        return Some(Loose {
            args: read.args,
            end: read.end,
        });
    }
    let end = quote::closed(text, bracket)?;
    let inside = text.get(open..end)?;
    let inside = inside.strip_suffix([')', '\u{ff09}'])?.trim();
    let args = match means {
        Means::Click(_) | Means::Move | Means::Drag => numbers(inside)?,
        Means::Type(_) => words(inside)?,
        Means::Look => Arguments::default(),
        _ => return None,
    };
    Some(Loose { args, end })
}

/// Checks that a string without quotes can be spelled in only one way, as a whole number can.
fn spelled(arguments: &str, means: Means) -> bool {
    let quoted = arguments.contains([
        '"', '\'', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}', '\u{ff02}', '\u{ff07}',
    ]);
    !matches!(means, Means::Type(_)) || quoted || !arguments.contains('.')
}

/// Checks that each string ends at the first quote that could end it, ignoring apostrophes.
fn quoted_once(arguments: &str) -> bool {
    let (mut before, mut inside) = ('(', None);
    let mut chars = arguments.char_indices();
    while let Some((at, c)) = chars.next() {
        let behind = arguments.get(at + c.len_utf8()..).unwrap_or_default();
        match inside {
            Some(_) if c == '\\' => {
                chars.next();
            }
            None if matches!(c, '"' | '\'') => inside = Some(c),
            Some(quote) if c == quote => {
                let apostrophe = c == '\'' && before.is_alphanumeric() && behind.starts_with(char::is_alphanumeric);
                let ends = behind
                    .trim_start()
                    .starts_with([',', ')', ']', '}', ':', '\u{ff0c}', '\u{ff09}']);
                if !apostrophe && !ends {
                    return false;
                }
                inside = inside.filter(|_| apostrophe);
            }
            _ => {}
        }
        before = c;
    }
    inside.is_none()
}

/// Reads numbers with only marks and labels between them: `x 110, y 40`, `100, 200 -> 300, 400`.
fn numbers(inside: &str) -> Option<Arguments> {
    let plain = inside.replace("->", " ").replace('\u{2192}', " ");
    let between = |c: char| c.is_whitespace() || ",;:=<>[](){}\"'\u{3001}\u{ff0c}\u{ff1b}\u{ff1a}".contains(c);
    let mut args = Arguments::default();
    let mut label: Option<&str> = None;
    for word in plain.split(between).filter(|word| !word.is_empty()) {
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let known = label.is_none() && COORDINATES.contains(&word);
            label = Some(word).filter(|_| known);
            label?;
            continue;
        }
        let number: f64 = word.parse().ok().filter(|number: &f64| number.is_finite())?;
        let number = Value::from(number);
        match label.take() {
            Some(label) => args.named.push((label.to_owned(), number)),
            None => args.positional.push(number),
        }
    }
    let counts = (args.positional.len(), args.named.len());
    (label.is_none() && matches!(counts, (2 | 4, 0) | (0, 2 | 4))).then_some(args)
}

const COORDINATES: [&str; 10] = ["x", "y", "x1", "y1", "x2", "y2", "start_x", "start_y", "end_x", "end_y"];

/// Reads a string without quotes, unless it could be something else: a placeholder, a name or an expression.
fn words(inside: &str) -> Option<Arguments> {
    let said = inside.strip_prefix("text=").unwrap_or(inside).trim();
    let named = said.split_once('=').is_some_and(|(name, _)| is_name(name.trim()));
    let marks = [
        '"', '\'', '<', '>', '[', ']', '{', '}', '\u{2026}', '\u{201c}', '\u{201d}',
    ];
    let placeholder = said.contains(marks) || said.contains("...") || PLACEHOLDERS.contains(&&*said.to_lowercase());
    let literal = ["None", "True", "False", "null", "true", "false"].contains(&said);
    let number = said.parse::<f64>().is_ok() && !said.chars().all(|c| c.is_ascii_digit());
    let bracketed = said.contains(['(', ')', '+']) && !said.contains(' ');
    if said.is_empty() || named || placeholder || literal || number || bracketed || ends_in_place(said) {
        return None;
    }
    let mut members = Map::new();
    members.insert("text".to_owned(), Value::from(said));
    Some(Arguments::of(members))
}

/// Checks whether text ends in two numbers, which could be a place: `hello, 500, 300`.
fn ends_in_place(said: &str) -> bool {
    let mut parts = said.rsplit([',', '\u{ff0c}']).map(|part| {
        let part = part.trim_matches(|c: char| c.is_whitespace() || "()\u{ff08}\u{ff09}".contains(c));
        let number = part.rsplit(['=', ':']).next().unwrap_or_default();
        number.trim().parse::<f64>().is_ok()
    });
    [parts.next(), parts.next()] == [Some(true); 2]
}

const PLACEHOLDERS: [&str; 12] = [
    "text",
    "string",
    "content",
    "message",
    "value",
    "the text",
    "a text",
    "your text",
    "your text here",
    "text here",
    "some text",
    "x",
];

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
