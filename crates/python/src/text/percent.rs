//! Formatting with `%`.

use std::iter::Peekable;
use std::rc::Rc;
use std::str::Chars;

use num_traits::Signed;

use super::repr::decimal;
use super::spec::{Spec, format_float};
use crate::machine::Machine;
use crate::value::{Buffer, Class, Eval, Number, Value, key_error, overflow_error, type_error, value_error};

/// The values for the conversions of a format, in order.
struct Given {
    values: Rc<[Value]>,
    next: usize,
    /// A dict passed instead of a tuple, from which `%(name)s` gets its value.
    mapping: Option<Value>,
}

impl Given {
    fn next(&mut self) -> Eval<Value> {
        let value = self.values.get(self.next).copied();
        self.next += 1;
        value.ok_or_else(|| type_error("not enough arguments for format string"))
    }
}

/// One conversion: `%-8.2f`.
#[derive(Default)]
struct Conversion {
    left: bool,
    sign: Option<char>,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

impl Machine<'_> {
    /// Evaluates `format % given`.
    pub(crate) fn percent(&mut self, format: &str, given: Value) -> Eval<Value> {
        let mut given = match given {
            Value::Tuple(tuple) => Given {
                values: self.heap[tuple].read(&self.budget)?,
                next: 0,
                mapping: None,
            },
            _ => Given {
                values: Rc::from([given]),
                next: 0,
                mapping: matches!(given, Value::Dict(_)).then_some(given),
            },
        };
        let mut text = self.buffer()?;
        let mut chars = format.chars().peekable();
        while let Some(character) = chars.next() {
            if character == '%' {
                self.conversion(&mut chars, &mut given, &mut text, format)?;
            } else {
                text.push(character)?;
            }
        }
        if given.next < given.values.len() && given.mapping.is_none() {
            return Err(type_error("not all arguments converted during string formatting"));
        }
        self.written(text)
    }

    fn conversion(
        &mut self,
        chars: &mut Peekable<Chars<'_>>,
        given: &mut Given,
        text: &mut Buffer,
        format: &str,
    ) -> Eval<()> {
        self.budget.step()?;
        let named = self.named(chars, given)?;
        let mut conversion = flags(chars);
        conversion.width = match self.size(chars, given)? {
            Some(width) if width < 0 => {
                conversion.left = true;
                width.unsigned_abs() as usize
            }
            width => width.unwrap_or(0) as usize,
        };
        if chars.next_if_eq(&'.').is_some() {
            conversion.precision = Some(self.size(chars, given)?.unwrap_or(0).max(0) as usize);
        }
        while chars.next_if(|c| matches!(c, 'h' | 'l' | 'L')).is_some() {}
        let Some(kind) = chars.next() else {
            return Err(value_error("incomplete format"));
        };
        if kind == '%' {
            return text.push('%');
        }
        if !"diuoxXeEfFgGcrsa".contains(kind) {
            let place = format.chars().count() - chars.clone().count() - 1;
            let shown = if super::repr::is_printable(kind) { kind } else { '?' };
            return Err(value_error(format!(
                "unsupported format character '{shown}' (0x{:x}) at index {place}",
                u32::from(kind)
            )));
        }
        let value = match named {
            Some(value) => value,
            None => given.next()?,
        };
        self.converted_text(text, kind, &conversion, value)
    }

    /// Returns the value of `%(name)`.
    fn named(&mut self, chars: &mut Peekable<Chars<'_>>, given: &mut Given) -> Eval<Option<Value>> {
        if chars.next_if_eq(&'(').is_none() {
            return Ok(None);
        }
        let mut name = self.buffer()?;
        let mut depth = 1;
        loop {
            let character = chars.next().ok_or_else(|| value_error("incomplete format key"))?;
            match character {
                '(' => depth += 1,
                ')' if depth == 1 => break,
                ')' => depth -= 1,
                _ => {}
            }
            name.push(character)?;
        }
        self.lookup(&name, given).map(Some)
    }

    fn lookup(&mut self, name: &str, given: &mut Given) -> Eval<Value> {
        let Some(Value::Dict(dict)) = given.mapping else {
            return Err(type_error("format requires a mapping"));
        };
        let name = self.string(name)?;
        let key = self.key(name)?;
        given.next = given.values.len();
        self.heap[dict]
            .get(key)
            .map(|entry| entry.value)
            .ok_or_else(|| key_error(name))
    }

    /// Reads a width or precision, written out or as `*`.
    fn size(&mut self, chars: &mut Peekable<Chars<'_>>, given: &mut Given) -> Eval<Option<i64>> {
        if chars.next_if_eq(&'*').is_some() {
            let value = given.next()?;
            return match self.integer_of(value) {
                Some(Number::Int(int)) => Ok(Some(int)),
                Some(_) => Err(overflow_error("Python int too large to convert to C ssize_t")),
                None => Err(type_error("* wants int")),
            };
        }
        let mut size: Option<i64> = None;
        while let Some(digit) = chars.next_if(char::is_ascii_digit) {
            let digit = digit as i64 - '0' as i64;
            let next = size
                .unwrap_or(0)
                .checked_mul(10)
                .and_then(|size| size.checked_add(digit));
            size = Some(next.ok_or_else(|| value_error("width too big"))?);
        }
        Ok(size)
    }

    fn converted_text(&mut self, text: &mut Buffer, kind: char, conversion: &Conversion, value: Value) -> Eval<()> {
        let room = conversion.width.saturating_add(conversion.precision.unwrap_or(0));
        match kind {
            's' | 'r' | 'a' => {
                let mut shown = self.buffer()?;
                match kind {
                    's' => self.write_str(&mut shown, value)?,
                    'r' => self.write_repr(&mut shown, value)?,
                    _ => shown = self.ascii(value)?,
                }
                let end = conversion.precision.and_then(|most| shown.char_indices().nth(most));
                let shown = end.map_or(&*shown, |(end, _)| &shown[..end]);
                conversion.write(text, "", shown, false)
            }
            'c' => {
                let character = self.percent_character(value)?;
                conversion.write(text, "", &character, false)
            }
            'd' | 'i' | 'u' | 'o' | 'x' | 'X' => {
                let _room = self.room_for_digits(self.number_of(value).as_ref(), room)?;
                let (sign, digits) = self.percent_integer(kind, conversion, value)?;
                conversion.write(text, &sign, &digits, true)
            }
            _ => {
                let _room = self.room_for_digits(None, room)?;
                let (sign, digits, is_finite) = self.percent_float(kind, conversion, value)?;
                conversion.write(text, sign, &digits, is_finite)
            }
        }
    }

    fn percent_character(&mut self, value: Value) -> Eval<String> {
        match (value, self.integer_of(value)) {
            (Value::Str(text), _) if self.heap[text].chars() == 1 => {
                Ok(self.heap[text].read(&self.budget)?.to_string())
            }
            (_, Some(number)) => {
                let code = match number {
                    Number::Int(code) => u32::try_from(code).ok(),
                    _ => None,
                };
                let code = code.filter(|code| *code <= 0x10_ffff);
                let code = code.ok_or_else(|| overflow_error("%c arg not in range(0x110000)"))?;
                Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).to_string())
            }
            _ => Err(type_error("%c requires int or char")),
        }
    }

    fn percent_integer(&mut self, kind: char, conversion: &Conversion, value: Value) -> Eval<(String, String)> {
        let hexadecimal = matches!(kind, 'o' | 'x' | 'X');
        let number = match self.number_of(value) {
            Some(Number::Float(float)) if !hexadecimal => crate::value::number::whole(float)?,
            Some(number @ (Number::Int(_) | Number::Big(_))) => number,
            _ => {
                let class = Class::of(value, &self.heap).name();
                let wanted = if hexadecimal { "an integer" } else { "a real number" };
                return Err(type_error(format!("%{kind} format: {wanted} is required, not {class}")));
            }
        };
        let integer = number.integer(&self.budget)?.unwrap_or_default();
        let magnitude = integer.abs();
        let (prefix, mut digits) = match kind {
            'o' => ("0o", magnitude.to_str_radix(8)),
            'x' => ("0x", magnitude.to_str_radix(16)),
            'X' => ("0X", magnitude.to_str_radix(16).to_ascii_uppercase()),
            _ => ("", decimal(&Number::from(magnitude), &self.budget)?),
        };
        if let Some(least) = conversion.precision {
            digits.insert_str(0, &"0".repeat(least.saturating_sub(digits.len())));
        }
        let prefix = if conversion.alternate { prefix } else { "" };
        let sign = format!("{}{prefix}", conversion.sign_of(integer.is_negative()));
        Ok((sign, digits))
    }

    fn percent_float(
        &mut self,
        kind: char,
        conversion: &Conversion,
        value: Value,
    ) -> Eval<(&'static str, String, bool)> {
        let Some(number) = self.number_of(value) else {
            let class = Class::of(value, &self.heap).name();
            return Err(type_error(format!("must be real number, not {class}")));
        };
        let float = number.float()?;
        let spec = Spec {
            alternate: conversion.alternate,
            precision: conversion.precision,
            kind: Some(kind),
            ..Spec::default()
        };
        let sign = conversion.sign_of(float.is_sign_negative() && !float.is_nan());
        Ok((sign, format_float(float.abs(), &spec), float.is_finite()))
    }
}

impl Conversion {
    fn sign_of(&self, negative: bool) -> &'static str {
        match (negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(_)) => " ",
            (false, None) => "",
        }
    }

    fn write(&self, text: &mut Buffer, sign: &str, body: &str, may_zero: bool) -> Eval<()> {
        let missing = self.width.saturating_sub(sign.len() + body.chars().count());
        let zeros = self.zero && may_zero && !self.left;
        if !zeros && !self.left {
            text.fill(' ', missing)?;
        }
        text.push_str(sign)?;
        if zeros {
            text.fill('0', missing)?;
        }
        text.push_str(body)?;
        if self.left {
            text.fill(' ', missing)?;
        }
        Ok(())
    }
}

fn flags(chars: &mut Peekable<Chars<'_>>) -> Conversion {
    let mut conversion = Conversion::default();
    while let Some(flag) = chars.next_if(|c| matches!(c, '-' | '+' | ' ' | '#' | '0')) {
        match flag {
            '-' => conversion.left = true,
            '+' => conversion.sign = Some('+'),
            ' ' => conversion.sign = conversion.sign.or(Some(' ')),
            '#' => conversion.alternate = true,
            _ => conversion.zero = true,
        }
    }
    conversion
}
