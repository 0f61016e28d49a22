//! Parses numbers from text: `int("0x1f", 16)` and `float("1e3")`.

use num_bigint::BigInt;

use super::repr::MOST_DIGITS;
use super::repr::write_quoted;
use crate::budget::Budget;
use crate::value::{Buffer, Eval, Number, Unwind, value_error};

/// Evaluates `int(text, base)`. For base 0, the text's prefix determines the base.
pub(crate) fn integer(text: &str, base: u32, budget: &Budget) -> Eval<Number> {
    budget.walk(text.len())?;
    // Make room for the copies without whitespace and underscores.
    let _room = budget.reserve(text.len().saturating_mul(2))?;
    let invalid = || invalid(&format!("invalid literal for int() with base {base}"), text, budget);
    let trimmed = text.trim();
    let (negative, unsigned) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let (radix, digits, prefixed) = split_prefix(unsigned, base);
    let digits = without_underscores(digits, prefixed).ok_or_else(invalid)?;
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(invalid());
    }
    if base == 0 && !prefixed && digits.len() > 1 && digits.starts_with('0') && !digits.trim_matches('0').is_empty() {
        return Err(invalid());
    }
    if !radix.is_power_of_two() && digits.len() > MOST_DIGITS {
        return Err(value_error(format!(
            "Exceeds the limit ({MOST_DIGITS} digits) for integer string conversion: value has {} digits; \
             use sys.set_int_max_str_digits() to increase the limit",
            digits.len()
        )));
    }
    // Except in bases that are powers of two, a number's length is limited, so this is quick.
    let magnitude = BigInt::parse_bytes(digits.as_bytes(), radix).ok_or_else(invalid)?;
    Ok(Number::from(if negative { -magnitude } else { magnitude }))
}

/// Builds the error for text that is not a number.
fn invalid(message: &str, text: &str, budget: &Budget) -> Unwind {
    // CPython shows this much of text that it cannot parse.
    let shown: String = text.chars().take(200).collect();
    let quoted = Buffer::new(budget).and_then(|mut quoted| {
        write_quoted(&mut quoted, &shown)?;
        Ok(quoted)
    });
    match quoted {
        Ok(quoted) => value_error(format!("{message}: {}", &*quoted)),
        Err(stop) => stop,
    }
}

fn split_prefix(text: &str, base: u32) -> (u32, &str, bool) {
    let prefix = text.get(..2).map(str::to_ascii_lowercase);
    let marked = match prefix.as_deref() {
        Some("0x") => 16,
        Some("0o") => 8,
        Some("0b") => 2,
        _ => 0,
    };
    if marked != 0 && (base == 0 || base == marked) {
        return (marked, &text[2..], true);
    }
    (if base == 0 { 10 } else { base }, text, false)
}

/// Removes underscores, which are allowed only between digits, and between a prefix and the first digit.
fn without_underscores(text: &str, prefixed: bool) -> Option<String> {
    let text = if prefixed {
        text.strip_prefix('_').unwrap_or(text)
    } else {
        text
    };
    let misplaced = text.is_empty() || text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (!misplaced).then(|| text.replace('_', ""))
}

/// Evaluates `float(text)`.
pub(crate) fn float(text: &str, budget: &Budget) -> Eval<f64> {
    budget.walk(text.len())?;
    // Make room for the copies without whitespace and underscores.
    let _room = budget.reserve(text.len().saturating_mul(2))?;
    let invalid = || invalid("could not convert string to float", text, budget);
    let trimmed = text.trim();
    let plain = trimmed.chars().all(|c| c.is_ascii_digit() || "+-.eE_".contains(c));
    let unsigned = trimmed.trim_start_matches(['+', '-']);
    let named = ["inf", "infinity", "nan"]
        .iter()
        .any(|name| unsigned.eq_ignore_ascii_case(name));
    if !plain && !named || trimmed.len() - unsigned.len() > 1 {
        return Err(invalid());
    }
    let digits = trimmed.split(['+', '-', '.', 'e', 'E']).filter(|part| !part.is_empty());
    if digits
        .clone()
        .any(|part| !named && without_underscores(part, false).is_none())
    {
        return Err(invalid());
    }
    trimmed.replace('_', "").parse().map_err(|_| invalid())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn integers_in_every_form() {
        let cases = [
            ("12", 10, Some(12)),
            (" -1_000\n", 10, Some(-1000)),
            ("0x1f", 16, Some(31)),
            ("0x1f", 0, Some(31)),
            ("1f", 16, Some(31)),
            ("z", 36, Some(35)),
            ("010", 0, None),
            ("000", 0, Some(0)),
            ("1__0", 10, None),
            ("", 10, None),
            ("0x", 16, None),
            ("1.5", 10, None),
            ("- 1", 10, None),
        ];
        let budget = Budget::new(Limits::default());
        for (text, base, wanted) in cases {
            let read = integer(text, base, &budget).ok();
            let read = read.and_then(|number| number.integer(&budget).ok().flatten());
            assert_eq!(read, wanted.map(BigInt::from), "{text} {base}");
        }
    }

    #[test]
    fn floats_in_every_form() {
        let budget = Budget::new(Limits::default());
        for (text, wanted) in [
            ("1.5", 1.5),
            (" 1e3 ", 1000.0),
            ("-.5", -0.5),
            ("5.", 5.0),
            ("1_0.2_5", 10.25),
        ] {
            assert_eq!(float(text, &budget), Ok(wanted), "{text}");
        }
        assert_eq!(float("-Infinity", &budget), Ok(f64::NEG_INFINITY));
        for text in ["", "abc", "1_", "_1", "1e", "0x10", "--1", "1 2", "infin"] {
            assert!(float(text, &budget).is_err(), "{text}");
        }
    }
}
