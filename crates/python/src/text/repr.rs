//! `repr`, `str` and `ascii`.

use std::rc::Rc;

use super::float;
use crate::budget::{Budget, Exceeded};
use crate::machine::Machine;
use crate::value::{
    Buffer, Class, DictView, Entries, Eval, Exception, ExceptionKind, Number, Unwind, Value, value_error,
};

/// Integers with more digits than this are not converted to decimal text, as in `CPython`.
pub(crate) const MOST_DIGITS: usize = 4300;

/// Data nested deeper than this is not shown.
const MOST_DEPTH: usize = 60;

impl Machine<'_> {
    /// Returns `str(value)`.
    pub(crate) fn str(&mut self, value: Value) -> Eval<Rc<str>> {
        if let Some(text) = self.text_of(value)? {
            return Ok(text);
        }
        let mut text = self.buffer()?;
        self.write_str(&mut text, value)?;
        Ok(Rc::from(&*text))
    }

    /// Writes `str(value)`.
    pub(crate) fn write_str(&mut self, text: &mut Buffer, value: Value) -> Eval<()> {
        match value {
            Value::Str(handle) => text.push_str(&self.heap[handle].read(&self.budget)?),
            Value::Exception(exception) => {
                let Exception { kind, args, .. } = &self.heap[exception];
                match (args.len(), args.get(0)) {
                    (0, _) => Ok(()),
                    // A key is shown in quotes, because otherwise an empty one would be invisible.
                    (1, Some(key)) if kind.is_a(ExceptionKind::KeyError) => self.write_repr(text, key),
                    (1, Some(argument)) => self.write_argument(text, argument),
                    _ => {
                        let args = self.data(value, "args")?;
                        self.write_repr(text, args.unwrap_or(Value::None))
                    }
                }
            }
            _ => self.write_repr(text, value),
        }
    }

    /// Writes an exception's argument, which can itself be an exception.
    fn write_argument(&mut self, text: &mut Buffer, mut argument: Value) -> Eval<()> {
        for _ in 0..MOST_DEPTH {
            match argument {
                Value::Exception(inner) if self.heap[inner].kind != ExceptionKind::KeyError => {
                    match (self.heap[inner].args.len(), self.heap[inner].args.get(0)) {
                        (1, Some(only)) => argument = only,
                        _ => break,
                    }
                }
                _ => break,
            }
        }
        match argument {
            Value::Str(_) => self.write_str(text, argument),
            Value::Exception(inner) if self.heap[inner].args.is_empty() => Ok(()),
            _ => self.write_repr(text, argument),
        }
    }

    /// Returns `repr(value)`.
    pub(crate) fn repr(&mut self, value: Value) -> Eval<Buffer> {
        let mut text = self.buffer()?;
        self.write_repr(&mut text, value)?;
        Ok(text)
    }

    /// Writes `repr(value)`.
    pub(crate) fn write_repr(&mut self, text: &mut Buffer, value: Value) -> Eval<()> {
        self.write_value(text, value, &mut Vec::new())
    }

    /// Returns `ascii(value)`.
    pub(crate) fn ascii(&mut self, value: Value) -> Eval<Buffer> {
        let text = self.repr(value)?;
        let mut ascii = self.buffer()?;
        for character in text.chars() {
            if character.is_ascii() {
                ascii.push(character)?;
            } else {
                escape(&mut ascii, character)?;
            }
        }
        Ok(ascii)
    }

    /// Converts a value to a string by `!s`, `!r` or `!a`.
    pub(crate) fn converted(&mut self, value: Value, conversion: char) -> Eval<Value> {
        let text = match conversion {
            'r' => self.repr(value)?,
            'a' => self.ascii(value)?,
            _ if matches!(value, Value::Str(_)) => return Ok(value),
            _ => {
                let mut text = self.buffer()?;
                self.write_str(&mut text, value)?;
                text
            }
        };
        self.written(text)
    }

    /// Writes a value; `around` lists the containers that surround it.
    fn write_value(&mut self, text: &mut Buffer, value: Value, around: &mut Vec<Value>) -> Eval<()> {
        self.budget.step()?;
        if around.contains(&value) {
            return text.push_str(match value {
                Value::List(_) => "[...]",
                Value::Dict(_) => "{...}",
                _ => "...",
            });
        }
        if around.len() > MOST_DEPTH {
            return Err(Exceeded::Depth(" while getting the repr of an object").into());
        }
        match value {
            Value::List(list) => {
                let items = self.heap[list].again()?;
                self.write_items(text, value, items.read()?, ("[", "]"), around)
            }
            Value::Tuple(tuple) => {
                let items = self.heap[tuple].read(&self.budget)?;
                let close = if items.len() == 1 { ",)" } else { ")" };
                self.write_items(text, value, &items, ("(", close), around)
            }
            Value::Set(set) => {
                let mut items = self.values()?;
                for entry in self.heap[set].read()? {
                    items.push(entry.key)?;
                }
                let brackets = if items.is_empty() { ("set(", ")") } else { ("{", "}") };
                self.write_items(text, value, items.read()?, brackets, around)
            }
            Value::Dict(dict) => self.write_entries(text, value, self.heap[dict].entries()?, around),
            Value::View(view, dict) => {
                text.push_str(Class::of(value, &self.heap).name())?;
                let mut items = self.values()?;
                for entry in self.heap[dict].entries()? {
                    items.push(self.shown(view, entry.key, entry.value)?)?;
                }
                self.write_items(text, value, items.read()?, ("([", "])"), around)
            }
            Value::Exception(exception) => {
                text.push_str(self.heap[exception].kind.name())?;
                let args = self.heap[exception].args.again()?;
                self.write_items(text, value, args.read()?, ("(", ")"), around)
            }
            Value::Slice(slice) => {
                let slice = self.heap[slice];
                text.push_str("slice")?;
                self.write_items(text, value, &[slice.lower, slice.upper, slice.step], ("(", ")"), around)
            }
            _ => self.write_plain(text, value),
        }
    }

    fn write_items(
        &mut self,
        text: &mut Buffer,
        container: Value,
        items: &[Value],
        (open, close): (&str, &str),
        around: &mut Vec<Value>,
    ) -> Eval<()> {
        around.push(container);
        text.push_str(open)?;
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                text.push_str(", ")?;
            }
            self.write_value(text, *item, around)?;
        }
        around.pop();
        text.push_str(close)
    }

    fn write_entries(
        &mut self,
        text: &mut Buffer,
        dict: Value,
        entries: Entries<Value>,
        around: &mut Vec<Value>,
    ) -> Eval<()> {
        around.push(dict);
        text.push_str("{")?;
        for (i, entry) in entries.enumerate() {
            if i > 0 {
                text.push_str(", ")?;
            }
            self.write_value(text, entry.key, around)?;
            text.push_str(": ")?;
            self.write_value(text, entry.value, around)?;
        }
        around.pop();
        text.push_str("}")
    }

    /// Writes a value that contains no other values.
    fn write_plain(&mut self, text: &mut Buffer, value: Value) -> Eval<()> {
        match value {
            Value::Str(handle) => write_quoted(text, &self.heap[handle].read(&self.budget)?),
            Value::Bytes(bytes) => write_quoted_bytes(text, &self.heap[bytes].read(&self.budget)?),
            Value::Big(_) => {
                let number = self.number_of(value).unwrap_or(Number::Int(0));
                text.push_str(&decimal(&number, &self.budget)?)
            }
            Value::Range(range) => {
                let range = self.heap[range];
                let step = if range.step == 1 {
                    String::new()
                } else {
                    format!(", {}", range.step)
                };
                text.push_str(&format!("range({}, {}{step})", range.start, range.stop))
            }
            _ => text.push_str(&self.plain(value)),
        }
    }

    fn plain(&self, value: Value) -> String {
        match value {
            Value::None => "None".to_owned(),
            Value::Ellipsis => "Ellipsis".to_owned(),
            Value::Bool(bool) => if bool { "True" } else { "False" }.to_owned(),
            Value::Int(int) => int.to_string(),
            Value::Float(float) => float::repr(float),
            Value::Function(_) | Value::Host(_) => format!("<function {}>", self.qualified_name(value)),
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
            Value::View(DictView::Keys, _) => "dict_keys".to_owned(),
            _ => format!("<{} object>", Class::of(value, &self.heap).name()),
        }
    }
}

/// Returns an integer in decimal.
///
/// # Errors
/// `ValueError` if there are more digits than `CPython` converts.
pub(crate) fn decimal(number: &Number, budget: &Budget) -> Eval<String> {
    let too_long = || -> Unwind {
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
            // Charge for the conversion, which divides by a power of ten for every few digits.
            budget.spend(MOST_DIGITS as u64 / 64)?;
            let text = big.read(budget)?.to_string();
            if text.trim_start_matches('-').len() > MOST_DIGITS {
                return Err(too_long());
            }
            Ok(text)
        }
    }
}

/// Writes a string literal as Python does.
pub(crate) fn write_quoted(quoted: &mut Buffer, text: &str) -> Eval<()> {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    quoted.push(quote)?;
    for character in text.chars() {
        match character {
            '\\' => quoted.push_str("\\\\")?,
            '\n' => quoted.push_str("\\n")?,
            '\r' => quoted.push_str("\\r")?,
            '\t' => quoted.push_str("\\t")?,
            _ if character == quote => quoted.extend(['\\', quote].into_iter())?,
            ' ' => quoted.push(' ')?,
            _ if is_printable(character) => quoted.push(character)?,
            _ => escape(quoted, character)?,
        }
    }
    quoted.push(quote)
}

/// Checks whether Python shows a character unchanged: it is not a control character, nor a separator other than the
/// space.
pub(crate) fn is_printable(character: char) -> bool {
    let separator = character.is_whitespace() && character != ' ';
    let invisible = matches!(u32::from(character), 0xad | 0x600..=0x605 | 0x61c | 0x200b..=0x200f | 0x202a..=0x202e
        | 0x2060..=0x206f | 0xe000..=0xf8ff | 0xfeff | 0xfff0..=0xfffb | 0xe0001..=0x10_ffff);
    !(character.is_control() || separator || invisible)
}

fn escape(text: &mut Buffer, character: char) -> Eval<()> {
    let code = u32::from(character);
    text.push_str(&match code {
        0..=0xff => format!("\\x{code:02x}"),
        0x100..=0xffff => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    })
}

fn write_quoted_bytes(quoted: &mut Buffer, bytes: &[u8]) -> Eval<()> {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    quoted.push('b')?;
    quoted.push(quote)?;
    for byte in bytes {
        match byte {
            b'\\' => quoted.push_str("\\\\")?,
            b'\n' => quoted.push_str("\\n")?,
            b'\r' => quoted.push_str("\\r")?,
            b'\t' => quoted.push_str("\\t")?,
            _ if char::from(*byte) == quote => quoted.extend(['\\', quote].into_iter())?,
            b' '..=b'~' => quoted.push(char::from(*byte))?,
            _ => escape(quoted, char::from(*byte))?,
        }
    }
    quoted.push(quote)
}
