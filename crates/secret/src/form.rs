//! The forms in which a key may be repeated, as one regular expression.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64_simd::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// An expression that matches every form of these keys; `None` of no keys.
pub(crate) fn expression(keys: &[&str]) -> Option<String> {
    let forms: BTreeSet<String> = keys.iter().flat_map(|key| forms(key.as_bytes())).collect();
    (!forms.is_empty()).then(|| Vec::from_iter(forms).join("|"))
}

fn forms(key: &[u8]) -> impl Iterator<Item = String> {
    let encoded = [STANDARD_NO_PAD, URL_SAFE_NO_PAD]
        .into_iter()
        .flat_map(move |alphabet| {
            (0..3).map(move |before| {
                let text = alphabet.encode_to_string([&[0; 2][..before], key].concat());
                determined(&text, before, key.len())
                    .iter()
                    .map(|byte| of_base64(*byte))
                    .collect()
            })
        });
    let plain = escapable(key);
    std::iter::once(plain).chain(encoded).chain([hex(key)])
}

/// The characters of base64 in which no bit belongs to a byte before or behind the key.
fn determined(text: &str, before: usize, length: usize) -> &[u8] {
    let first = (before * 8).div_ceil(6);
    let end = (before + length) * 8 / 6;
    text.as_bytes().get(first..end).unwrap_or_default()
}

/// A character of base64, of which letters and digits are never escaped.
fn of_base64(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() {
        char::from(byte).to_string()
    } else {
        escapable(&[byte])
    }
}

/// These bytes, each as it is, escaped as in JSON (also in JSON that is a string of other JSON) or percent-encoded.
fn escapable(bytes: &[u8]) -> String {
    let mut expression = String::new();
    for &byte in bytes {
        let [high, low] = [byte >> 4, byte & 15].map(digit);
        let _ = match byte {
            b'\\' => write!(expression, r"(?:\\+(?:u005[cC])?|%(?:25)*5[cC])"),
            _ => write!(expression, r"(?:\\*\x{byte:02x}|\\+u00{high}{low}|%(?:25)*{high}{low})"),
        };
    }
    expression
}

/// A hexadecimal digit in either case.
fn digit(value: u8) -> String {
    match char::from_digit(u32::from(value), 16) {
        Some(letter @ 'a'..='f') => format!("[{letter}{}]", letter.to_ascii_uppercase()),
        digit => digit.map(String::from).unwrap_or_default(),
    }
}

/// Two hexadecimal digits for each byte, in either case.
fn hex(key: &[u8]) -> String {
    key.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
}
