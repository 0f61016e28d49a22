//! Mends valid JSON that no Rust string can hold, to make it readable.

use std::borrow::Cow;

use crate::literal;

/// Returns the same JSON with every lone surrogate escape replaced by `\ufffd`, and every byte that is not UTF-8 by
/// U+FFFD.
///
/// Use this only in code that reads JSON and needs a [`serde_json::Value`]. Code that passes text on must never mend
/// it.
pub fn mend(json: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(json);
    let lone = lone_surrogates(text.as_bytes());
    if lone.is_empty() {
        return text;
    }
    let mut mended = text.into_owned();
    for at in lone {
        mended.replace_range(at..at + ESCAPE, "\\ufffd");
    }
    Cow::Owned(mended)
}

/// The length of `\uXXXX`.
const ESCAPE: usize = 6;

/// Returns the positions of `\uXXXX` escapes that encode half of a character.
fn lone_surrogates(json: &[u8]) -> Vec<usize> {
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(found) = json[at..].iter().position(|&byte| byte == b'\\') {
        at += found;
        match (unit(json, at), unit(json, at + ESCAPE)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => at += 2 * ESCAPE,
            (Some(0xd800..0xe000), _) => {
                lone.push(at);
                at += ESCAPE;
            }
            _ => at = json.len().min(at + 2),
        }
    }
    lone
}

/// Returns the UTF-16 unit of the escape at `at`, if there is one.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    literal::unit(std::str::from_utf8(digits).ok()?)
}

#[cfg(test)]
mod tests {
    use super::mend;
    use proptest::prelude::*;

    #[test]
    fn only_lone_surrogates_change() {
        let cases = [
            (r#""plain""#, r#""plain""#),
            (r#""\ud83d\ude00 \u00e9""#, r#""\ud83d\ude00 \u00e9""#),
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""\uDC00\uD800""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud800""#, r#""\\ud800""#),
            (r#""\\\ud800x""#, r#""\\\ufffdx""#),
            (r#""\u+123""#, r#""\u+123""#),
            (r"\ud8", r"\ud8"),
            ("\\", "\\"),
        ];
        for (json, mended) in cases {
            assert_eq!(mend(json.as_bytes()), mended, "{json}");
        }
        assert_eq!(mend(b"\"\xff\""), "\"\u{fffd}\"");
    }

    proptest! {
        #[test]
        fn every_sequence_of_units_becomes_readable(units: Vec<u16>) {
            let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let read: String = serde_json::from_str(&mend(format!("\"{}\"", escapes.concat()).as_bytes())).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }

        #[test]
        fn mending_never_panics(bytes: Vec<u8>) {
            mend(&bytes);
        }
    }
}
