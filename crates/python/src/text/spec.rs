//! The format specification mini-language: `format(value, ">8.2f")`.

use num_bigint::BigInt;
use num_traits::Signed;

use super::float;
use super::repr::decimal;
use crate::budget::{Budget, Reserved};
use crate::machine::Machine;
use crate::value::{Buffer, Class, Eval, ExceptionKind, Number, Unwind, Value, fault, overflow_error, value_error};

/// A parsed specification.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spec {
    pub(crate) fill: Option<char>,
    pub(crate) align: Option<char>,
    pub(crate) sign: Option<char>,
    /// `z`: a number rounded to zero has no sign.
    pub(crate) no_negative_zero: bool,
    pub(crate) alternate: bool,
    pub(crate) zero: bool,
    pub(crate) width: usize,
    pub(crate) grouping: Option<char>,
    pub(crate) precision: Option<usize>,
    pub(crate) kind: Option<char>,
}

impl Spec {
    /// Reads a specification for a value of this class.
    fn parse(text: &str, class: &str) -> Eval<Spec> {
        let mut spec = Spec::default();
        let mut chars = text.chars().peekable();
        let second = text.chars().nth(1);
        if second.is_some_and(is_align) {
            spec.fill = chars.next();
        }
        spec.align = chars.next_if(|c| is_align(*c));
        spec.sign = chars.next_if(|c| matches!(c, '+' | '-' | ' '));
        spec.no_negative_zero = chars.next_if_eq(&'z').is_some();
        spec.alternate = chars.next_if_eq(&'#').is_some();
        spec.zero = spec.fill.is_none() && chars.next_if_eq(&'0').is_some();
        spec.width = digits(&mut chars)?.unwrap_or(0);
        spec.grouping = chars.next_if(|c| matches!(c, ',' | '_'));
        if let Some(second) = chars.next_if(|c| matches!(c, ',' | '_')) {
            return Err(value_error(if spec.grouping == Some(second) {
                format!("Cannot specify '{second}' with '{second}'.")
            } else {
                "Cannot specify both ',' and '_'.".to_owned()
            }));
        }
        if chars.next_if_eq(&'.').is_some() {
            let precision = digits(&mut chars)?;
            spec.precision = Some(precision.ok_or_else(|| value_error("Format specifier missing precision"))?);
        }
        spec.kind = chars.next();
        if chars.next().is_some() {
            let message = format!("Invalid format specifier '{text}' for object of type '{class}'");
            return Err(value_error(message));
        }
        Ok(spec)
    }

    /// Writes a number or text, padded to the width. Padding zeros go between the sign and the digits.
    fn write(&self, text: &mut Buffer, sign: &str, body: &str, default_align: char) -> Eval<()> {
        let len = sign.chars().count() + body.chars().count();
        let missing = self.width.saturating_sub(len);
        let default_align = if self.zero && default_align == '>' {
            '='
        } else {
            default_align
        };
        let fill = self.fill.unwrap_or(if self.zero { '0' } else { ' ' });
        let (before, between, behind) = match self.align.unwrap_or(default_align) {
            '<' => (0, 0, missing),
            '^' => (missing / 2, 0, missing - missing / 2),
            '=' => (0, missing, 0),
            _ => (missing, 0, 0),
        };
        text.fill(fill, before)?;
        text.push_str(sign)?;
        text.fill(fill, between)?;
        text.push_str(body)?;
        text.fill(fill, behind)
    }

    fn sign_of(&self, negative: bool) -> &'static str {
        match (negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        }
    }
}

fn is_align(character: char) -> bool {
    matches!(character, '<' | '>' | '=' | '^')
}

fn digits(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Eval<Option<usize>> {
    let mut number = None;
    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
        let digit = digit as usize - '0' as usize;
        let next = number
            .unwrap_or(0usize)
            .checked_mul(10)
            .and_then(|number| number.checked_add(digit));
        let fits = next.filter(|number| i64::try_from(*number).is_ok());
        number = Some(fits.ok_or_else(|| value_error("Too many decimal digits in format string"))?);
    }
    Ok(number)
}

impl Machine<'_> {
    /// Writes `format(value, spec)`.
    pub(crate) fn format(&mut self, text: &mut Buffer, value: Value, spec: &str) -> Eval<()> {
        if spec.is_empty() {
            return self.write_str(text, value);
        }
        self.budget.walk(spec.len())?;
        let class = Class::of(value, &self.heap).name();
        if let Value::Str(handle) = value {
            let shown = self.heap[handle].read(&self.budget)?;
            return format_text(text, &shown, &Spec::parse(spec, class)?);
        }
        match self.number_of(value) {
            Some(number) => {
                let spec = Spec::parse(spec, class)?;
                self.format_number(text, &number, &spec, class)
            }
            None => Err(fault(
                ExceptionKind::TypeError,
                format!("unsupported format string passed to {class}.__format__"),
            )),
        }
    }

    /// Charges for the digits needed to format a number, and for this many more characters.
    pub(crate) fn room_for_digits(&self, number: Option<&Number>, more: usize) -> Eval<Reserved> {
        let digits = match number {
            // Binary has the most digits.
            Some(Number::Big(big)) => big.bits() as usize,
            _ => 0,
        };
        let characters = digits.saturating_add(more);
        // Make room for the digits as they are produced, grouped, and padded.
        let room = self.budget.reserve(characters.saturating_mul(4))?;
        self.budget.walk(characters)?;
        Ok(room)
    }

    fn format_number(&mut self, text: &mut Buffer, number: &Number, spec: &Spec, class: &str) -> Eval<()> {
        let more = spec.width.saturating_add(spec.precision.unwrap_or(0));
        let _room = self.room_for_digits(Some(number), more)?;
        match (number, spec.kind) {
            (Number::Float(float), None | Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%')) => {
                write_float(text, *float, spec)
            }
            (Number::Int(_) | Number::Big(_), Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%')) => {
                write_float(text, number.float()?, spec)
            }
            (Number::Int(_) | Number::Big(_), None | Some('d' | 'n' | 'b' | 'o' | 'x' | 'X' | 'c')) => {
                write_integer(text, number, spec, &self.budget)
            }
            (_, Some(kind)) => Err(unknown_code(kind, class)),
        }
    }
}

fn format_text(written: &mut Buffer, text: &str, spec: &Spec) -> Eval<()> {
    if let Some(kind) = spec.kind.filter(|kind| *kind != 's') {
        return Err(unknown_code(kind, "str"));
    }
    if let Some(sign) = spec.sign {
        let name = if sign == ' ' { "Space" } else { "Sign" };
        return Err(value_error(format!("{name} not allowed in string format specifier")));
    }
    if spec.alternate {
        return Err(value_error("Alternate form (#) not allowed in string format specifier"));
    }
    if spec.align == Some('=') {
        return Err(value_error("'=' alignment not allowed in string format specifier"));
    }
    if let Some(grouping) = spec.grouping {
        return Err(value_error(format!("Cannot specify '{grouping}' with 's'.")));
    }
    let shown = spec.precision.and_then(|most| text.char_indices().nth(most));
    let text = shown.map_or(text, |(end, _)| &text[..end]);
    spec.write(written, "", text, '<')
}

fn unknown_code(kind: char, class: &str) -> Unwind {
    value_error(format!("Unknown format code '{kind}' for object of type '{class}'"))
}

fn write_integer(text: &mut Buffer, number: &Number, spec: &Spec, budget: &Budget) -> Eval<()> {
    if spec.precision.is_some() {
        return Err(value_error("Precision not allowed in integer format specifier"));
    }
    if spec.no_negative_zero {
        return Err(value_error(
            "Negative zero coercion (z) not allowed in integer format specifier",
        ));
    }
    let integer = number.integer(budget)?.unwrap_or_default();
    if spec.kind == Some('c') {
        return write_character(text, &integer, spec);
    }
    let (radix, prefix) = match spec.kind {
        Some('b') => (2, "0b"),
        Some('o') => (8, "0o"),
        Some('x') => (16, "0x"),
        Some('X') => (16, "0X"),
        _ => (10, ""),
    };
    if let (Some(','), Some(kind)) = (spec.grouping, spec.kind.filter(|kind| *kind != 'd')) {
        return Err(value_error(format!("Cannot specify ',' with '{kind}'.")));
    }
    let magnitude = integer.abs();
    let mut body = if radix == 10 {
        decimal(&Number::from(magnitude), budget)?
    } else {
        magnitude.to_str_radix(radix)
    };
    if spec.kind == Some('X') {
        body.make_ascii_uppercase();
    }
    let prefix = if spec.alternate { prefix } else { "" };
    let sign = format!("{}{prefix}", spec.sign_of(integer.is_negative()));
    let every = if radix == 10 { 3 } else { 4 };
    finish(text, spec, &sign, &body, "", every)
}

fn write_character(text: &mut Buffer, code: &BigInt, spec: &Spec) -> Eval<()> {
    if spec.sign.is_some() {
        return Err(value_error("Sign not allowed with integer format specifier 'c'"));
    }
    let code = u32::try_from(code).ok().filter(|code| *code <= 0x10_ffff);
    let Some(code) = code else {
        return Err(overflow_error("%c arg not in range(0x110000)"));
    };
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    spec.write(text, "", character.encode_utf8(&mut [0; 4]), '<')
}

fn write_float(text: &mut Buffer, float: f64, spec: &Spec) -> Eval<()> {
    let body = format_float(float, spec);
    let zero = spec.no_negative_zero && !body.contains(|digit| ('1'..='9').contains(&digit)) && float.is_finite();
    let sign = spec.sign_of(float.is_sign_negative() && !float.is_nan() && !zero);
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = body.split_at(digits);
    finish(text, spec, sign, whole, rest, 3)
}

/// Returns the digits of a float, without its sign.
pub(super) fn format_float(float: f64, spec: &Spec) -> String {
    let percent = spec.kind == Some('%');
    let magnitude = if percent { float.abs() * 100.0 } else { float.abs() };
    let upper = matches!(spec.kind, Some('E' | 'F' | 'G'));
    let mut body = if magnitude.is_finite() {
        finite(magnitude, spec)
    } else {
        float::special(magnitude).to_owned()
    };
    if upper {
        body.make_ascii_uppercase();
    }
    if percent {
        body.push('%');
    }
    body
}

fn finite(magnitude: f64, spec: &Spec) -> String {
    let precision = spec.precision.unwrap_or(6);
    let mut text = match spec.kind {
        Some('e' | 'E') => float::exponential(magnitude, precision, 'e'),
        Some('f' | 'F' | '%') => float::fixed(magnitude, precision),
        Some(_) => float::general(magnitude, precision, 'e', spec.alternate),
        None => match spec.precision {
            None => float::repr(magnitude),
            Some(precision) => without_kind(magnitude, precision),
        },
    };
    if spec.alternate && !text.contains('.') {
        let at = text.find('e').unwrap_or(text.len());
        text.insert(at, '.');
    }
    text
}

/// Formats like `g`, but with at least one digit after the point.
fn without_kind(magnitude: f64, precision: usize) -> String {
    let text = float::general(magnitude, precision, 'e', false);
    let whole = !text.contains(['.', 'e']);
    let digits = text.len();
    match whole {
        true if digits < precision.max(1) => text + ".0",
        // No digits are left for the fraction.
        true => float::exponential(magnitude, precision.max(1) - 1, 'e')
            .split_once('e')
            .map_or(text.clone(), |(mantissa, exponent)| {
                let mantissa = if mantissa.contains('.') {
                    mantissa.trim_end_matches('0').trim_end_matches('.')
                } else {
                    mantissa
                };
                format!("{mantissa}e{exponent}")
            }),
        false => text,
    }
}

/// Groups the whole part, fills with zeros if requested, and pads.
fn finish(text: &mut Buffer, spec: &Spec, sign: &str, whole: &str, rest: &str, every: usize) -> Eval<()> {
    let Some(separator) = spec.grouping else {
        return spec.write(text, sign, &format!("{whole}{rest}"), '>');
    };
    let mut digits = whole.to_owned();
    let zero_filled = spec.zero && spec.align.is_none() || spec.align == Some('=') && spec.fill == Some('0');
    // Infinity has no digits.
    if zero_filled && !digits.is_empty() {
        let room = spec.width.saturating_sub(sign.len() + rest.len());
        let mut wanted = digits.len();
        while wanted + (wanted - 1) / every < room {
            wanted += 1;
        }
        digits.insert_str(0, &"0".repeat(wanted - digits.len()));
    }
    let grouped = grouped(&digits, separator, every);
    spec.write(text, sign, &format!("{grouped}{rest}"), '>')
}

fn grouped(digits: &str, separator: char, every: usize) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(every) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}
