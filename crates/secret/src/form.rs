//! Builds one regular expression for all forms in which a key can appear.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64_simd::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Returns an expression that matches every form of these keys, or `None` if there are no keys.
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

/// Returns the base64 characters that depend only on the key, not on the bytes before or after it.
fn determined(text: &str, before: usize, length: usize) -> &[u8] {
    let first = (before * 8).div_ceil(6);
    let end = (before + length) * 8 / 6;
    text.as_bytes().get(first..end).unwrap_or_default()
}

/// Returns the expression for a base64 character; letters and digits are never escaped.
fn of_base64(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() {
        char::from(byte).to_string()
    } else {
        escapable(&[byte])
    }
}

/// Returns the expression for these bytes. Each can be literal, escaped as in JSON (including JSON nested in JSON
/// strings) or percent-encoded.
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

/// Returns the expression for a hexadecimal digit, in upper or lower case.
fn digit(value: u8) -> String {
    match char::from_digit(u32::from(value), 16) {
        Some(letter @ 'a'..='f') => format!("[{letter}{}]", letter.to_ascii_uppercase()),
        digit => digit.map(String::from).unwrap_or_default(),
    }
}

/// Returns the expression for two hexadecimal digits per byte, in upper or lower case.
fn hex(key: &[u8]) -> String {
    key.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
}
