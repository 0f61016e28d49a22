//! Writes floats as text in the same way as `CPython`.

/// Returns the shortest text that reads back as the same float: `1.0`, `1e+16`, `0.0001`, `nan`.
pub(crate) fn repr(float: f64) -> String {
    if !float.is_finite() {
        return special(float).to_owned();
    }
    let (negative, digits, exponent) = digits(&format!("{float:e}"));
    let sign = if negative { "-" } else { "" };
    if (-4..16).contains(&exponent) {
        let text = positional(&digits, exponent);
        return if text.contains('.') {
            format!("{sign}{text}")
        } else {
            format!("{sign}{text}.0")
        };
    }
    format!("{sign}{}", scientific(&digits, exponent, 'e'))
}

/// Returns `inf`, `-inf` or `nan`.
pub(crate) fn special(float: f64) -> &'static str {
    match float {
        _ if float.is_nan() => "nan",
        _ if float > 0.0 => "inf",
        _ => "-inf",
    }
}

/// No float has more digits than this after the point; any further digits are zeros.
const MOST_DIGITS: usize = 1100;

/// Formats a finite float with this many digits after the point.
pub(crate) fn fixed(float: f64, precision: usize) -> String {
    let mut text = format!("{float:.*}", precision.min(MOST_DIGITS));
    text.extend(std::iter::repeat_n('0', precision.saturating_sub(MOST_DIGITS)));
    text
}

/// Formats a finite float as `d.ddde+xx`.
pub(crate) fn exponential(float: f64, precision: usize, letter: char) -> String {
    let (negative, mut digits, exponent) = digits(&format!("{float:.*e}", precision.min(MOST_DIGITS)));
    digits.extend(std::iter::repeat_n('0', precision.saturating_sub(MOST_DIGITS)));
    let sign = if negative { "-" } else { "" };
    format!("{sign}{}", scientific(&digits, exponent, letter))
}

/// Formats a finite float with this many significant digits, in the shorter of the two forms; `alternate` keeps
/// trailing zeros.
pub(crate) fn general(float: f64, precision: usize, letter: char, alternate: bool) -> String {
    let precision = precision.max(1);
    let (negative, mut digits, exponent) = digits(&format!("{float:.*e}", precision.min(MOST_DIGITS) - 1));
    if alternate {
        digits.extend(std::iter::repeat_n('0', precision.saturating_sub(digits.len())));
    } else {
        while digits.len() > 1 && digits.ends_with('0') {
            digits.pop();
        }
    }
    let sign = if negative { "-" } else { "" };
    let text = if (-4..precision as i64).contains(&exponent) {
        positional(&digits, exponent)
    } else {
        scientific(&digits, exponent, letter)
    };
    format!("{sign}{text}")
}

/// Splits Rust's `-d.ddde-x` into sign, digits and exponent.
fn digits(text: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits = mantissa.chars().filter(char::is_ascii_digit).collect();
    (mantissa.starts_with('-'), digits, exponent.parse().unwrap_or(0))
}

fn positional(digits: &str, exponent: i64) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{digits}{}", "0".repeat(whole - digits.len()));
    }
    format!("{}.{}", &digits[..whole], &digits[whole..])
}

fn scientific(digits: &str, exponent: i64, letter: char) -> String {
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{first}{point}{rest}{letter}{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn floats_are_formatted_like_cpython() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (123_456_789_012_345.6, "123456789012345.6"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (5e-324, "5e-324"),
            (1.5e300, "1.5e+300"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (float, text) in cases {
            assert_eq!(repr(float), text);
        }
        assert_eq!(general(1234.5, 6, 'e', false), "1234.5");
        assert_eq!(general(1_234_567.0, 6, 'e', false), "1.23457e+06");
        assert_eq!(general(0.5, 3, 'e', true), "0.500");
        assert_eq!(exponential(0.0, 2, 'E'), "0.00E+00");
        assert_eq!(fixed(2.5, 0), "2");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(float in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
            prop_assert_eq!(repr(float).parse::<f64>(), Ok(float));
        }
    }
}
