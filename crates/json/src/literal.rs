//! Decodes a JSON string literal for reading, even one that is not valid Unicode, and writes literals.
//!
//! A model server can write `"\ud800"`: valid JSON, but not a Rust string. To keep such a literal from making the whole
//! document unreadable, fields stay raw and are decoded here, lossily, only when they are read.

use std::str::EncodeUtf16;

/// Returns the text of a JSON string literal, given with its quotes.
///
/// Surrogate pairs become the character that they encode; a lone surrogate becomes U+FFFD. An invalid literal is
/// decoded as far as possible: this never fails and never panics.
///
/// ```
/// assert_eq!(franz_json::literal::decode(r#""a\n\ud83d\ude00\ud800""#), "a\n😀\u{fffd}");
/// ```
pub fn decode(literal: &str) -> String {
    let inner = unquoted(literal);
    if inner.contains('\\') {
        String::from_utf16_lossy(&units(literal))
    } else {
        inner.to_owned()
    }
}

/// Returns the UTF-16 units of a JSON string literal, lone surrogates included.
///
/// Two literals represent the same text exactly if their units are equal, however each is escaped.
pub fn units(literal: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(literal.len());
    units.extend(each_unit(literal));
    units
}

/// Iterates over the same units as [`units`] without allocating, so even the longest literals can be compared.
pub fn each_unit(literal: &str) -> Units<'_> {
    let mut units = Units {
        plain: "".encode_utf16(),
        rest: unquoted(literal),
    };
    units.find_escape();
    units
}

/// Checks whether a literal represents `text`, however it is escaped.
pub(crate) fn is(literal: &str, text: &str) -> bool {
    let inner = unquoted(literal);
    inner == text || (inner.contains('\\') && each_unit(literal).eq(text.encode_utf16()))
}

/// Returns the part of a literal between its quotes, with its escapes.
pub fn unquoted(literal: &str) -> &str {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    inner.strip_suffix('"').unwrap_or(inner)
}

/// Returns the length of `inside`, which can be cut off at any point, without a truncated escape at its end.
pub fn whole_escapes(inside: &str) -> usize {
    let bytes = inside.as_bytes();
    let mut at = 0;
    while let Some(next) = inside.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + next;
        let end = escape + if bytes.get(escape + 1) == Some(&b'u') { 6 } else { 2 };
        if end > bytes.len() {
            return escape;
        }
        at = end;
    }
    bytes.len()
}

/// Returns `text` as a string literal.
pub fn of_text(text: &str) -> String {
    serde_json::to_string(text).expect("every str is JSON")
}

/// Returns a literal that represents exactly these UTF-16 units.
pub(crate) fn of_units(units: &[u16]) -> String {
    let mut literal = String::from('"');
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok(plain) if plain < ' ' || plain == '\u{7f}' => literal.push_str(&escaped(plain as u16)),
            Ok(quoted @ ('"' | '\\')) => literal.extend(['\\', quoted]),
            Ok(plain) => literal.push(plain),
            Err(lone) => literal.push_str(&escaped(lone.unpaired_surrogate())),
        }
    }
    literal.push('"');
    literal
}

/// Returns the escape of a unit: `\u` and four digits.
pub fn escaped(unit: u16) -> String {
    format!("\\u{unit:04x}")
}

/// The UTF-16 units of a JSON string literal, returned by [`each_unit`].
#[derive(Debug, Clone)]
pub struct Units<'a> {
    /// The rest of the text before the next escape.
    plain: EncodeUtf16<'a>,
    /// The next escape and everything after it; empty at the end.
    rest: &'a str,
}

impl Units<'_> {
    fn find_escape(&mut self) {
        let (plain, rest) = self.rest.split_at(self.rest.find('\\').unwrap_or(self.rest.len()));
        self.plain = plain.encode_utf16();
        self.rest = rest;
    }
}

impl Iterator for Units<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if let Some(unit) = self.plain.next() {
            return Some(unit);
        }
        let behind = self.rest.strip_prefix('\\')?;
        let (unit, length) = unescape(behind);
        self.rest = behind.get(length..).unwrap_or_default();
        self.find_escape();
        Some(unit)
    }
}

/// Returns the unit that an escape stands for, and the escape's length after the backslash in bytes.
fn unescape(behind: &str) -> (u16, usize) {
    const REPLACEMENT: u16 = 0xfffd;
    match behind.as_bytes().first() {
        Some(b'u') => match behind.get(1..5).and_then(unit) {
            Some(unit) => (unit, 5),
            None => (REPLACEMENT, 1),
        },
        Some(b'b') => (0x08, 1),
        Some(b'f') => (0x0c, 1),
        Some(b'n') => (0x0a, 1),
        Some(b'r') => (0x0d, 1),
        Some(b't') => (0x09, 1),
        Some(&plain @ (b'"' | b'\\' | b'/')) => (u16::from(plain), 1),
        _ => (REPLACEMENT, 0),
    }
}

/// Parses four hexadecimal digits as a unit; `from_str_radix` alone would accept a sign.
pub(crate) fn unit(digits: &str) -> Option<u16> {
    let only_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    only_digits.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{decode, is, of_text, units, unquoted, whole_escapes};
    use proptest::prelude::*;

    /// Generates JSON literals of arbitrary UTF-16 units, each escaped in one of the ways JSON allows.
    pub(crate) fn any_literal() -> impl Strategy<Value = (Vec<u16>, String)> {
        let unit = prop_oneof![
            any::<u16>(),
            0x20..0x7f_u16,
            0xd800..0xe000_u16,
            Just(u16::from(b'"')),
            Just(u16::from(b'\\')),
            Just(0),
        ];
        prop::collection::vec((unit, 0..4_u8), 0..60).prop_map(|choices| {
            let units = choices.iter().map(|&(unit, _)| unit).collect::<Vec<_>>();
            (units, write(&choices))
        })
    }

    fn write(choices: &[(u16, u8)]) -> String {
        let mut literal = String::from('"');
        for &(unit, way) in choices {
            literal.push_str(&written(unit, way));
        }
        literal.push('"');
        literal
    }

    fn written(unit: u16, way: u8) -> String {
        let short = b"\"\\/\x08\x0c\n\r\t".iter().position(|&byte| u16::from(byte) == unit);
        let plain = char::from_u32(u32::from(unit)).filter(|&plain| plain >= ' ' && plain != '"' && plain != '\\');
        match (way, short, plain) {
            (0, Some(at), _) => format!("\\{}", char::from(b"\"\\/bfnrt"[at])),
            (1 | 2, _, Some(plain)) => plain.to_string(),
            (3, _, _) => format!("\\u{unit:04X}"),
            _ => format!("\\u{unit:04x}"),
        }
    }

    #[test]
    fn reads_valid_escapes_and_survives_invalid_ones() {
        let cases = [
            (r#""""#, ""),
            (r#""plain é 😀""#, "plain é 😀"),
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ud83d and \ude00""#, "\u{fffd} and \u{fffd}"),
            (r#""\udE00\uD83d""#, "\u{fffd}\u{fffd}"),
            (r#""nul \u0000.""#, "nul \0."),
            (r#""\u12"#, "\u{fffd}12"),
            (r#""\u+123""#, "\u{fffd}+123"),
            (r#""\ué12""#, "\u{fffd}é12"),
            (r#""\"#, "\u{fffd}"),
            (r#""\x""#, "\u{fffd}x"),
            ("", ""),
            ("\"", ""),
        ];
        for (literal, text) in cases {
            assert_eq!(decode(literal), text, "{literal}");
        }
    }

    #[test]
    fn a_literal_equals_its_text_however_it_is_escaped() {
        for literal in [r#""type""#, r#""t\u0079pe""#, r#""\u0074\u0079\u0070\u0065""#] {
            assert!(is(literal, "type"), "{literal}");
            assert!(
                !is(literal, "typ") && !is(literal, "types") && !is(literal, "\"type\""),
                "{literal}"
            );
        }
        assert!(is(r#""a\"""#, "a\"") && !is(r#""a\"""#, "a\\"));
    }

    proptest! {
        #[test]
        fn every_text_is_read_back(text in any::<String>()) {
            let literal = of_text(&text);
            prop_assert!(is(&literal, &text));
            prop_assert_eq!(decode(&literal), text);
        }

        #[test]
        fn a_literal_that_is_cut_is_legal_up_to_its_last_whole_escape((_, literal) in any_literal(), cut in 0..400_usize) {
            let inside = unquoted(&literal);
            let cut = inside.floor_char_boundary(cut);
            let whole = whole_escapes(&inside[..cut]);
            prop_assert!(cut - whole < 6);
            let read = serde_json::from_str::<&serde_json::value::RawValue>(&format!("\"{}\"", &inside[..whole])).is_ok();
            prop_assert!(read, "{inside} cut at {cut}");
            prop_assert_eq!(whole_escapes(inside), inside.len());
        }

        #[test]
        fn every_way_of_escaping_reads_the_same((expected, literal) in any_literal()) {
            prop_assert_eq!(units(&literal), &expected[..]);
            prop_assert_eq!(decode(&literal), String::from_utf16_lossy(&expected));
        }

        #[test]
        fn nothing_panics(garbage in ".*") {
            decode(&garbage);
        }
    }
}
