//! The API key, hidden wherever it appears, in whatever way it is written.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use memchr::memchr2;

/// What stands in its place.
const REDACTED: &[u8] = b"[redacted]";

/// A shorter secret is a dummy, such as `x` for servers that want any key: it would be found in names, numbers and hashes.
const DUMMY_BYTES: usize = 6;

/// A text that no answer may carry.
///
/// It is found as it is, with any of its characters escaped, and inside JSON that is a string of other JSON.
#[derive(Clone, Default)]
pub struct Secret {
    /// Without its backslashes, which are passed over in texts as well; `None`, also for a dummy, hides nothing.
    text: Option<Arc<[u8]>>,
}

impl Secret {
    /// Hides `secret`; blanks around it do not belong to it.
    pub fn new(secret: Option<&str>) -> Secret {
        let bytes = secret.unwrap_or_default().trim().bytes();
        let text: Vec<u8> = bytes.filter(|&byte| byte != b'\\').collect();
        Secret {
            text: (text.len() >= DUMMY_BYTES).then(|| text.into()),
        }
    }

    /// JSON, or lines of it, without the secret in its strings. It stays JSON.
    pub fn json<'a>(&self, json: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(secret) = &self.text else {
            return Cow::Borrowed(json);
        };
        let mut out = Vec::new();
        let mut rest = json;
        while let Some(open) = memchr::memchr(b'"', rest) {
            let (before, string) = rest.split_at(open + 1);
            let (inside, after) = string.split_at(string_length(string));
            out.extend_from_slice(before);
            hide(inside, secret, &mut out);
            let (quote, after) = after.split_at(after.len().min(1));
            out.extend_from_slice(quote);
            rest = after;
        }
        out.extend_from_slice(rest);
        Cow::Owned(out)
    }

    /// A text without the secret.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(secret) = &self.text else {
            return Cow::Borrowed(text);
        };
        let mut out = Vec::with_capacity(text.len());
        hide(text.as_bytes(), secret, &mut out);
        match String::from_utf8(out) {
            Ok(hidden) => Cow::Owned(hidden),
            Err(odd) => Cow::Owned(String::from_utf8_lossy(odd.as_bytes()).into_owned()),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Bytes up to the closing quote of the string that has just begun.
fn string_length(string: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = string.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if string.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    string.len()
}

/// Copies `text` without `secret`.
fn hide(text: &[u8], secret: &[u8], out: &mut Vec<u8>) {
    let (Some(&first), mut rest) = (secret.first(), text) else {
        return out.extend_from_slice(text);
    };
    while let Some(at) = memchr2(first, b'\\', rest) {
        let (before, from) = rest.split_at(at);
        out.extend_from_slice(before);
        if let Some(length) = length_at(from, secret) {
            out.extend_from_slice(REDACTED);
            rest = from.get(length..).unwrap_or_default();
        } else {
            let (passed, after) = from.split_at(from.len().min(step(from)));
            out.extend_from_slice(passed);
            rest = after;
        }
    }
    out.extend_from_slice(rest);
}

/// Bytes of the character or escape at the start, which must not be torn. Backslashes in a row, escaped ones too, are stepped
/// over at once: what holds behind the first of them holds behind all.
fn step(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let slashes = text.iter().skip(at).take_while(|&&byte| byte == b'\\').count();
        let behind = at + slashes;
        match (slashes % 2, text.get(behind)) {
            (0, _) => return behind.max(1),
            (_, Some(b'u')) => at = behind + 5,
            _ => return behind + 1,
        }
        if text.get(behind + 1..at).and_then(ascii) != Some(b'\\') {
            return at;
        }
    }
}

/// Bytes that the secret takes at the start of `text`, if it stands there.
fn length_at(text: &[u8], secret: &[u8]) -> Option<usize> {
    let mut at = 0;
    for &byte in secret {
        let (written, length) = meant(text.get(at..)?)?;
        if written != byte {
            return None;
        }
        at += length;
    }
    Some(at)
}

/// The byte that is meant at the start of `text`, whatever backslashes stand before it, and how many bytes write it.
fn meant(text: &[u8]) -> Option<(u8, usize)> {
    let mut at = 0;
    loop {
        let slashes = text.iter().skip(at).take_while(|&&byte| byte == b'\\').count();
        at += slashes;
        let byte = *text.get(at)?;
        if slashes == 0 || byte != b'u' {
            return Some((byte, at + 1));
        }
        match text.get(at + 1..at + 5).and_then(ascii) {
            Some(b'\\') => at += 5,
            Some(escaped) => return Some((escaped, at + 5)),
            None if slashes % 2 == 1 => return None,
            None => return Some((byte, at + 1)),
        }
    }
}

/// The ASCII character of four hexadecimal digits.
fn ascii(digits: &[u8]) -> Option<u8> {
    let [b'0', b'0', high, low] = digits else { return None };
    let high = char::from(*high).to_digit(8)?;
    let low = char::from(*low).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn it_is_found_in_every_way_of_writing() {
        let secret = Secret::new(Some(" sk-a/b\"c1 "));
        let hidden = [
            r#"{"a":"sk-a/b\"c1"}"#,
            r#"{"a":"sk-a\/b\u0022c1"}"#,
            r#"{"a":"\u0073\u006B-a\u002fb\"c1"}"#,
            r#"{"a":"{\"a\":\"sk-a\\/b\\\"c1\"}"}"#,
            r#"{"a":"\\u0073k-a/b\\\"c1"}"#,
            r#"{"sk-a/b\"c1":1}"#,
        ];
        for json in hidden {
            let out = String::from_utf8(secret.json(json.as_bytes()).into_owned()).unwrap();
            assert!(out.contains("[redacted]") && !out.contains("c1"), "{json} -> {out}");
            serde_json::from_str::<&RawValue>(&out).unwrap();
        }
        let kept = [
            r#"{"a":"sk-a/b","b":"\"c1"}"#,
            r#"["sk-a/b",":\"c1\\"]"#,
            r#"{"a":"\ud83dsk-a/b \"c1"}"#,
        ];
        for json in kept {
            assert_eq!(secret.json(json.as_bytes()), json.as_bytes());
        }
        assert_eq!(secret.text("the key sk-a/b\"c1."), "the key [redacted].");
        assert_eq!(format!("{secret:?}"), "Secret");
    }

    #[test]
    fn no_escape_is_torn() {
        let cases = [
            ("0073abcd", r#"["\u0073abcd"]"#),
            ("12345678u", r#"["12345678\u00e4"]"#),
            ("nnnnnnnn", r#"["\nnnnnnnnn"]"#),
        ];
        for (secret, json) in cases {
            let out = Secret::new(Some(secret)).json(json.as_bytes()).into_owned();
            serde_json::from_slice::<&RawValue>(&out).unwrap();
        }
    }

    #[test]
    fn a_dummy_key_leaves_names_and_numbers_alone() {
        let json = br#"{"turn":1, "x" : "an x", "n":17}"#;
        for none in [
            None,
            Some(""),
            Some("  "),
            Some("\\"),
            Some("x"),
            Some("1"),
            Some("dummy"),
        ] {
            assert!(matches!(Secret::new(none).json(json), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn many_backslashes_take_no_longer_than_other_text() {
        for text in ["\\".repeat(4 << 20), r"\u005c".repeat(1 << 20)] {
            assert_eq!(Secret::new(Some("sk-01234567")).text(&text), text);
        }
    }

    proptest! {
        #[test]
        fn json_stays_json(secret in "[\\x20-\\x7e]{6,9}", texts in prop::collection::vec("[\\x00-\\x7fä😀]{0,20}", 0..4)) {
            let json = serde_json::to_string(&texts).unwrap();
            let out = Secret::new(Some(&secret)).json(json.as_bytes()).into_owned();
            let read: Vec<String> = serde_json::from_slice(&out).unwrap();
            prop_assert_eq!(read.len(), texts.len());
        }

        #[test]
        fn nothing_of_it_stays(secret in "[a-z]{8,12}", before in "[^a-z\\\\]{0,9}", after in "[^a-z]{0,9}", escaped in any::<u16>()) {
            let mut json = String::from("[");
            json.push_str(&serde_json::to_string(&before).unwrap());
            json.pop();
            for (at, letter) in secret.bytes().enumerate() {
                if escaped >> at & 1 == 1 {
                    write!(json, "\\u{letter:04X}").unwrap();
                } else {
                    json.push(char::from(letter));
                }
            }
            json.push_str(&serde_json::to_string(&after).unwrap()[1..]);
            json.push(']');
            let out = Secret::new(Some(&secret)).json(json.as_bytes()).into_owned();
            let read: Vec<String> = serde_json::from_slice(&out).unwrap();
            prop_assert_eq!(&read[0], &format!("{before}[redacted]{after}"));
        }
    }
}
