//! The API key, hidden wherever it appears, in whatever way it is written.

mod ours;
mod word;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use memchr::memchr2;
use serde_json::value::RawValue;

use crate::literal;

/// What stands in its place.
const REDACTED: &[u8] = b"[redacted]";

/// A shorter secret, such as `x` for servers that want any key, is in every other word, number and hash. It is hidden where it is
/// a word of its own.
const SHORT_BYTES: usize = 6;

/// A text that nothing may carry which is shown.
///
/// It is found as it is, with any of its characters escaped, and inside JSON that is a string of other JSON. A short one is found
/// only beside no other letter and no digit, and in JSON never in names, numbers and words of our own, so that pages go on working.
#[derive(Clone, Default)]
pub struct Secret {
    /// Without its backslashes, which are passed over in texts as well; `None` hides nothing.
    text: Option<Arc<[u8]>>,
}

impl Secret {
    /// Hides `secret`; blanks around it do not belong to it.
    pub fn new(secret: Option<&str>) -> Secret {
        let bytes = secret.unwrap_or_default().trim().bytes();
        let text: Vec<u8> = bytes.filter(|&byte| byte != b'\\').collect();
        Secret {
            text: (!text.is_empty()).then(|| text.into()),
        }
    }

    /// JSON, or lines of it, without the secret in its strings. It stays JSON.
    pub fn json<'a>(&self, json: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(secret) = &self.text else {
            return Cow::Borrowed(json);
        };
        let mut out = Vec::new();
        let mut name: &[u8] = b"";
        let mut rest = json;
        while let Some(open) = memchr::memchr(b'"', rest) {
            let (before, string) = rest.split_at(open + 1);
            let (inside, after) = string.split_at(literal::inside(string));
            let (quote, after) = after.split_at(after.len().min(1));
            let is_name = after.trim_ascii_start().starts_with(b":");
            out.extend_from_slice(before);
            if is_short(secret) && (is_name || ours::is_ours(name, inside)) {
                out.extend_from_slice(inside);
            } else {
                hide(inside, secret, &mut out);
            }
            out.extend_from_slice(quote);
            name = if is_name { inside } else { b"" };
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
        if is_short(secret) && ours::is_ours(b"", text.as_bytes()) {
            return Cow::Borrowed(text);
        }
        let mut out = Vec::with_capacity(text.len());
        hide(text.as_bytes(), secret, &mut out);
        match String::from_utf8(out) {
            Ok(hidden) => Cow::Owned(hidden),
            Err(odd) => Cow::Owned(String::from_utf8_lossy(odd.as_bytes()).into_owned()),
        }
    }

    /// The body of a request or response without the secret: JSON, a stream of events, or any other bytes.
    pub fn body<'a>(&self, body: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(secret) = &self.text else {
            return Cow::Borrowed(body);
        };
        if is_short(secret) && is_json(body) {
            return self.json(body);
        }
        let mut out = Vec::with_capacity(body.len());
        for line in body.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_prefix(b"data:") {
                Some(event) if is_short(secret) && is_json(event) => {
                    out.extend_from_slice(b"data:");
                    out.extend_from_slice(&self.json(event));
                }
                _ => hide(line, secret, &mut out),
            }
        }
        Cow::Owned(out)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

fn is_short(secret: &[u8]) -> bool {
    secret.len() < SHORT_BYTES
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(text).is_ok()
}

/// Copies `text` without `secret`.
fn hide(text: &[u8], secret: &[u8], out: &mut Vec<u8>) {
    let (Some(&first), mut rest) = (secret.first(), text) else {
        return out.extend_from_slice(text);
    };
    while let Some(at) = memchr2(first, b'\\', rest) {
        let (before, from) = rest.split_at(at);
        out.extend_from_slice(before);
        let found = length_at(from, secret);
        if let Some(length) =
            found.filter(|&length| !is_short(secret) || word::is_word(text, text.len() - from.len(), length))
        {
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
            (_, Some(b'u')) if is_unit(text.get(behind + 1..behind + 5)) => at = behind + 5,
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
            None if slashes % 2 == 1 && is_unit(text.get(at + 1..at + 5)) => return None,
            None => return Some((byte, at + 1)),
        }
    }
}

/// Whether these are the four hexadecimal digits of an escape; what only begins like one is text.
fn is_unit(digits: Option<&[u8]>) -> bool {
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// The ASCII character of four hexadecimal digits.
fn ascii(digits: &[u8]) -> Option<u8> {
    let [b'0', b'0', high, low] = digits else { return None };
    let high = char::from(*high).to_digit(8)?;
    let low = char::from(*low).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

#[cfg(test)]
mod tests;
