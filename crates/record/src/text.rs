//! Reading JSON strings that may hold lone surrogates, which no Rust string can.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

/// What the JSON string `literal` says, with U+FFFD for each lone surrogate; `None` when it is no JSON string.
pub(crate) fn decode(literal: &str) -> Option<String> {
    serde_json::from_str::<Lossy>(literal).ok().map(|text| text.0)
}

/// For `#[serde(deserialize_with)]`: a string; null reads as empty.
pub(crate) fn string<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    option(deserializer).map(Option::unwrap_or_default)
}

/// For `#[serde(deserialize_with)]`: a string or null.
pub(crate) fn option<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<Lossy>::deserialize(deserializer)?;
    Ok(text.map(|text| text.0))
}

/// For `#[serde(deserialize_with)]`: a list of strings; null reads as empty.
pub(crate) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Option::<Vec<Lossy>>::deserialize(deserializer)?;
    Ok(texts.unwrap_or_default().into_iter().map(|text| text.0).collect())
}

/// A JSON string, or the key of an object, as [`decode`] reads it.
pub(crate) struct Lossy(pub(crate) String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Asked for bytes, serde_json hands out a lone surrogate as its three bytes of generalised UTF-8
        // instead of rejecting the string.
        deserializer.deserialize_bytes(LossyVisitor)
    }
}

struct LossyVisitor;

impl Visitor<'_> for LossyVisitor {
    type Value = Lossy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Lossy, E> {
        Ok(Lossy(replace_surrogates(bytes)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Lossy, E> {
        Ok(Lossy(text.to_owned()))
    }
}

fn replace_surrogates(bytes: &[u8]) -> String {
    /// The first of the three bytes that encode a surrogate; the other two show up as chunks of their own.
    const SURROGATE_LEAD: u8 = 0xED;

    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if chunk.invalid().first() == Some(&SURROGATE_LEAD) {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_lone_surrogate_is_one_replacement() {
        let cases = [
            (r#""\ud800""#, "\u{fffd}"),
            (r#""a\udfffb""#, "a\u{fffd}b"),
            (r#""\ud800\ud800\udc00""#, "\u{fffd}\u{10000}"),
            (r#""\udc00\ud800""#, "\u{fffd}\u{fffd}"),
            (r#""\ud800\n\/\u0000""#, "\u{fffd}\n/\0"),
            (r#""\ud83d\ude00 😀 한""#, "😀 😀 한"),
            (r#""""#, ""),
        ];
        for (literal, text) in cases {
            assert_eq!(decode(literal).as_deref(), Some(text), "{literal}");
        }
    }

    #[test]
    fn other_values_are_no_text() {
        for json in ["null", "1", "[1]", "{}", "\"a", "\"a\" 1"] {
            assert_eq!(decode(json), None, "{json}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_decoder(units in prop::collection::vec(any::<u16>(), 0..40)) {
            let mut literal = String::from('"');
            for unit in &units {
                write!(literal, "\\u{unit:04x}").unwrap();
            }
            literal.push('"');
            prop_assert_eq!(decode(&literal), Some(String::from_utf16_lossy(&units)));
        }
    }
}
