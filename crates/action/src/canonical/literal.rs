//! Parses the arguments of a canonical call: JSON values, and Python's `True` and `False`.

use std::collections::VecDeque;

use serde_json::Value;

use crate::point::Point;

/// The positional and the named arguments of a call.
pub(super) struct Arguments {
    positional: VecDeque<Value>,
    named: Vec<(String, Value)>,
}

impl Arguments {
    /// Reads the text between the brackets of a call.
    pub(super) fn of(text: &str) -> Option<Arguments> {
        let mut args = Arguments {
            positional: VecDeque::new(),
            named: Vec::new(),
        };
        if text.is_empty() {
            return Some(args);
        }
        for part in parts(text) {
            let name = part.split_once('=').filter(|(name, _)| is_name(name));
            match name {
                Some((name, written)) => args.named.push((name.to_owned(), value(written)?)),
                None if args.named.is_empty() => args.positional.push_back(value(part)?),
                None => return None,
            }
        }
        Some(args)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.positional.is_empty() && self.named.is_empty()
    }

    /// Takes the next positional argument.
    pub(super) fn next(&mut self) -> Option<Value> {
        self.positional.pop_front()
    }

    /// Takes the argument with this name.
    pub(super) fn named(&mut self, name: &str) -> Option<Value> {
        let at = self.named.iter().position(|(known, _)| known == name)?;
        Some(self.named.remove(at).1)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        match self.next()? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn place(&mut self) -> Option<Point> {
        let (x, y) = (self.next()?.as_f64()?, self.next()?.as_f64()?);
        Point::on_screen(x, y)
    }

    /// Takes a point, if there is one. Returns `None` if one of its coordinates is missing.
    #[expect(clippy::option_option, reason = "whether it could be read, and whether there is one")]
    pub(super) fn place_if_any(&mut self) -> Option<Option<Point>> {
        if self.positional.is_empty() {
            return Some(None);
        }
        self.place().map(Some)
    }
}

/// Returns a string as a JSON string literal, which is also a Python literal.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn value(written: &str) -> Option<Value> {
    match written {
        "True" => Some(Value::Bool(true)),
        "False" => Some(Value::Bool(false)),
        number if number.starts_with(|c: char| c.is_ascii_digit() || c == '-') => match number.parse::<i64>() {
            Ok(whole) => Some(Value::from(whole)),
            // Unlike a JSON parser, this conversion is exact to the last digit.
            Err(_) => number
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .map(Value::from),
        },
        other => serde_json::from_str(other)
            .ok()
            .filter(|value: &Value| !value.is_boolean()),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Splits at `, ` outside strings and lists.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => quoted = true,
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + if text[at..].starts_with(", ") { 2 } else { 1 };
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
