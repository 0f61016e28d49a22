//! Decodes a JSON string literal for reading, also where its text is no legal Unicode.
//!
//! A model server may write `"\ud800"`: legal JSON, yet no Rust string. So that such a literal never rejects what
//! stands around it, fields are kept raw and decoded here, lossily, at the moment somebody reads them.

/// The text of a JSON string literal, which is given with its quotes.
///
/// Surrogates that pair up become the character they mean; a lone one becomes U+FFFD. What is no legal literal is read
/// as far as it makes sense: this never fails and never panics.
///
/// ```
/// assert_eq!(franz_chat::literal::decode(r#""a\n\ud83d\ude00\ud800""#), "a\n😀\u{fffd}");
/// ```
pub fn decode(literal: &str) -> String {
    let inner = unquoted(literal);
    if inner.contains('\\') {
        String::from_utf16_lossy(&units(literal))
    } else {
        inner.to_owned()
    }
}

/// The UTF-16 units of a JSON string literal, lone surrogates included.
///
/// Two literals mean the same text exactly when their units are equal, however each is escaped.
pub fn units(literal: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(literal.len());
    let mut rest = unquoted(literal);
    while let Some(at) = rest.find('\\') {
        units.extend(rest[..at].encode_utf16());
        let (unit, length) = escape(&rest[at + 1..]);
        units.push(unit);
        rest = &rest[at + 1 + length..];
    }
    units.extend(rest.encode_utf16());
    units
}

fn unquoted(literal: &str) -> &str {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    inner.strip_suffix('"').unwrap_or(inner)
}

/// The unit that an escape stands for, and how many bytes behind the backslash belong to it.
fn escape(behind: &str) -> (u16, usize) {
    const REPLACEMENT: u16 = 0xfffd;
    match behind.as_bytes().first() {
        Some(b'u') => match behind.get(1..5).and_then(hex) {
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

/// Four hexadecimal digits; `from_str_radix` alone would take a sign.
fn hex(digits: &str) -> Option<u16> {
    let only_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    only_digits.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{decode, units};
    use proptest::prelude::*;

    /// A JSON literal of arbitrary UTF-16 units, each escaped in one of the ways JSON allows.
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
    fn reads_what_json_allows_and_survives_what_it_does_not() {
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

    proptest! {
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
