//! `repr`, `str` and `ascii`.

use std::fmt::Write;
use std::rc::Rc;

use super::float;
use crate::python::budget::Exceeded;
use crate::python::machine::Machine;
use crate::python::value::{Class, Dict, Handle, Kind, Number, Run, Stop, Value, View, value_error};

/// Integers longer than this are not turned into decimal text, as in `CPython`.
pub(crate) const MOST_DIGITS: usize = 4300;

/// Data nested deeper than this is shown no further.
const MOST_DEPTH: usize = 60;

impl Machine<'_> {
    /// `str(value)`.
    pub(crate) fn str(&mut self, value: Value) -> Run<Rc<str>> {
        match value {
            Value::Str(handle) => {
                let text = Rc::clone(&self.heap[handle].text);
                self.budget.scan(text.len())?;
                Ok(text)
            }
            Value::Exception(exception) => {
                let (kind, args) = (self.heap[exception].kind, self.heap[exception].args.clone());
                match args.as_slice() {
                    [] => Ok(Rc::from("")),
                    // A key is shown as it is written, or an empty one would not be seen.
                    [key] if kind.is_a(Kind::KeyError) => self.repr(*key).map(Rc::from),
                    [argument] => self.nested_str(*argument),
                    _ => {
                        let args = self.tuple(args)?;
                        self.repr(args).map(Rc::from)
                    }
                }
            }
            _ => self.repr(value).map(Rc::from),
        }
    }

    /// An exception may carry an exception.
    fn nested_str(&mut self, mut argument: Value) -> Run<Rc<str>> {
        for _ in 0..MOST_DEPTH {
            match argument {
                Value::Exception(inner) if self.heap[inner].kind != Kind::KeyError => {
                    match self.heap[inner].args.as_slice() {
                        [only] => argument = *only,
                        _ => break,
                    }
                }
                _ => break,
            }
        }
        match argument {
            Value::Str(_) => self.str(argument),
            Value::Exception(inner) if self.heap[inner].args.is_empty() => Ok(Rc::from("")),
            _ => self.repr(argument).map(Rc::from),
        }
    }

    /// `repr(value)`.
    pub(crate) fn repr(&mut self, value: Value) -> Run<String> {
        let mut text = String::new();
        self.write_repr(&mut text, value, &mut Vec::new())?;
        Ok(text)
    }

    /// `ascii(value)`.
    pub(crate) fn ascii(&mut self, value: Value) -> Run<String> {
        let text = self.repr(value)?;
        self.budget.room(10 * text.len())?;
        Ok(text
            .chars()
            .fold(String::with_capacity(text.len()), |mut ascii, character| {
                if character.is_ascii() {
                    ascii.push(character);
                } else {
                    escape(&mut ascii, character);
                }
                ascii
            }))
    }

    /// A string value after `!s`, `!r` or `!a`.
    pub(crate) fn converted(&mut self, value: Value, conversion: char) -> Run<Value> {
        match conversion {
            'r' => {
                let text = self.repr(value)?;
                self.string(text)
            }
            'a' => {
                let text = self.ascii(value)?;
                self.string(text)
            }
            _ => {
                let text = self.str(value)?;
                self.string(text)
            }
        }
    }

    /// Writes a value; `around` are the containers it is inside of.
    fn write_repr(&mut self, text: &mut String, value: Value, around: &mut Vec<Value>) -> Run<()> {
        self.budget.step()?;
        self.budget.room(text.len())?;
        if around.contains(&value) {
            text.push_str(match value {
                Value::List(_) => "[...]",
                Value::Dict(_) => "{...}",
                _ => "...",
            });
            return Ok(());
        }
        if around.len() > MOST_DEPTH {
            return Err(Exceeded::Depth(" while getting the repr of an object").into());
        }
        match value {
            Value::List(list) => self.write_items(text, value, &self.heap[list].clone(), ("[", "]"), around),
            Value::Tuple(tuple) => {
                let items = Rc::clone(&self.heap[tuple]);
                let close = if items.len() == 1 { ",)" } else { ")" };
                self.write_items(text, value, &items, ("(", close), around)
            }
            Value::Set(set) | Value::FrozenSet(set) => {
                let items: Vec<_> = self.heap[set].iter().map(|(_, entry)| entry.key).collect();
                let brackets = match (value, items.is_empty()) {
                    (Value::Set(_), true) => ("set(", ")"),
                    (Value::Set(_), false) => ("{", "}"),
                    (_, true) => ("frozenset(", ")"),
                    (_, false) => ("frozenset({", "})"),
                };
                self.write_items(text, value, &items, brackets, around)
            }
            Value::Dict(dict) => self.write_entries(text, value, &self.pairs(dict), around),
            Value::View(view, dict) => {
                text.push_str(Class::of(value, &self.heap).name());
                let items = self
                    .pairs(dict)
                    .into_iter()
                    .map(|(key, entry)| self.shown(view, key, entry));
                let items = items.collect::<Run<Vec<_>>>()?;
                self.write_items(text, value, &items, ("([", "])"), around)
            }
            Value::Exception(exception) => {
                text.push_str(self.heap[exception].kind.name());
                let args = self.heap[exception].args.clone();
                self.write_items(text, value, &args, ("(", ")"), around)
            }
            Value::Slice(slice) => {
                let slice = self.heap[slice];
                text.push_str("slice");
                self.write_items(text, value, &[slice.lower, slice.upper, slice.step], ("(", ")"), around)
            }
            _ => self.write_plain(text, value),
        }
    }

    fn pairs(&self, dict: Handle<Dict>) -> Vec<(Value, Value)> {
        let entries = self.heap[dict].iter();
        entries.map(|(_, entry)| (entry.key, entry.value)).collect()
    }

    fn write_items(
        &mut self,
        text: &mut String,
        container: Value,
        items: &[Value],
        (open, close): (&str, &str),
        around: &mut Vec<Value>,
    ) -> Run<()> {
        around.push(container);
        text.push_str(open);
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                text.push_str(", ");
            }
            self.write_repr(text, *item, around)?;
        }
        text.push_str(close);
        around.pop();
        Ok(())
    }

    fn write_entries(
        &mut self,
        text: &mut String,
        dict: Value,
        entries: &[(Value, Value)],
        around: &mut Vec<Value>,
    ) -> Run<()> {
        around.push(dict);
        text.push('{');
        for (i, (key, value)) in entries.iter().enumerate() {
            if i > 0 {
                text.push_str(", ");
            }
            self.write_repr(text, *key, around)?;
            text.push_str(": ");
            self.write_repr(text, *value, around)?;
        }
        text.push('}');
        around.pop();
        Ok(())
    }

    /// Writes a value that contains no others.
    fn write_plain(&mut self, text: &mut String, value: Value) -> Run<()> {
        match value {
            Value::Str(handle) => {
                let string = Rc::clone(&self.heap[handle].text);
                self.budget.scan(string.len())?;
                // Every character may become an escape of up to ten.
                self.budget.room(text.len() + string.len())?;
                text.push_str(&quoted(&string));
            }
            Value::Bytes(bytes) => text.push_str(&quoted_bytes(&self.heap[bytes].0)),
            Value::Big(_) => {
                let number = self.number_of(value).unwrap_or(Number::Int(0));
                text.push_str(&decimal(&number)?);
            }
            Value::Range(range) => {
                let range = self.heap[range];
                let step = if range.step == 1 {
                    String::new()
                } else {
                    format!(", {}", range.step)
                };
                let _ = write!(text, "range({}, {}{step})", range.start, range.stop);
            }
            _ => text.push_str(&self.plain(value)),
        }
        Ok(())
    }

    fn plain(&self, value: Value) -> String {
        match value {
            Value::None => "None".to_owned(),
            Value::Ellipsis => "Ellipsis".to_owned(),
            Value::Bool(bool) => if bool { "True" } else { "False" }.to_owned(),
            Value::Int(int) => int.to_string(),
            Value::Float(float) => float::repr(float),
            Value::Function(_) | Value::Tool(_) => format!("<function {}>", self.qualified_name(value)),
            Value::Native(native) => format!("<built-in function {}>", native.name),
            Value::Class(class) => format!("<class '{}'>", class.name()),
            Value::Method(handle) => {
                let method = self.heap[handle];
                let (name, class) = (method.native.name, method.class.name());
                match method.receiver {
                    Some(_) => format!("<built-in method {name} of {class} object>"),
                    None => format!("<method '{name}' of '{class}' objects>"),
                }
            }
            Value::View(View::Keys, _) => "dict_keys".to_owned(),
            _ => format!("<{} object>", Class::of(value, &self.heap).name()),
        }
    }
}

/// An integer in decimal.
///
/// # Errors
/// `ValueError` beyond the digits that `CPython` converts.
pub(crate) fn decimal(number: &Number) -> Run<String> {
    let too_long = || -> Stop {
        value_error(format!(
            "Exceeds the limit ({MOST_DIGITS} digits) for integer string conversion; \
             use sys.set_int_max_str_digits() to increase the limit"
        ))
    };
    match number {
        Number::Int(int) => Ok(int.to_string()),
        Number::Float(float) => Ok(float::repr(*float)),
        Number::Big(big) => {
            // Each digit takes more than 3.32 bits.
            if big.bits() > MOST_DIGITS as u64 * 10 / 3 {
                return Err(too_long());
            }
            let text = big.to_string();
            if text.trim_start_matches('-').len() > MOST_DIGITS {
                return Err(too_long());
            }
            Ok(text)
        }
    }
}

/// A string literal as Python writes it.
pub(crate) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(quote);
    for character in text.chars() {
        match character {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if character == quote => quoted.extend(['\\', quote]),
            ' ' => quoted.push(' '),
            _ if is_printable(character) => quoted.push(character),
            _ => escape(&mut quoted, character),
        }
    }
    quoted.push(quote);
    quoted
}

/// Whether Python shows a character as it is: no control, no separator but the space.
pub(crate) fn is_printable(character: char) -> bool {
    let separator = character.is_whitespace() && character != ' ';
    let invisible = matches!(u32::from(character), 0xad | 0x600..=0x605 | 0x61c | 0x200b..=0x200f | 0x202a..=0x202e
        | 0x2060..=0x206f | 0xe000..=0xf8ff | 0xfeff | 0xfff0..=0xfffb | 0xe0001..=0x10_ffff);
    !(character.is_control() || separator || invisible)
}

fn escape(text: &mut String, character: char) {
    let code = u32::from(character);
    let _ = match code {
        0..=0xff => write!(text, "\\x{code:02x}"),
        0x100..=0xffff => write!(text, "\\u{code:04x}"),
        _ => write!(text, "\\U{code:08x}"),
    };
}

fn quoted_bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    let mut quoted = format!("b{quote}");
    for byte in bytes {
        match byte {
            b'\\' => quoted.push_str("\\\\"),
            b'\n' => quoted.push_str("\\n"),
            b'\r' => quoted.push_str("\\r"),
            b'\t' => quoted.push_str("\\t"),
            _ if char::from(*byte) == quote => quoted.extend(['\\', quote]),
            b' '..=b'~' => quoted.push(char::from(*byte)),
            _ => escape(&mut quoted, char::from(*byte)),
        }
    }
    quoted.push(quote);
    quoted
}
