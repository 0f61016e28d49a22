//! Reads strings into serde structs, with U+FFFD in place of each lone surrogate.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

/// Reads a string, for `#[serde(deserialize_with)]`; `null` becomes an empty string.
pub fn string<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    option(deserializer).map(Option::unwrap_or_default)
}

/// Reads a string or `null`, for `#[serde(deserialize_with)]`.
pub fn option<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<Lossy>::deserialize(deserializer)?;
    Ok(text.map(|text| text.0))
}

/// Reads a list of strings, for `#[serde(deserialize_with)]`; `null` becomes an empty list.
pub fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Option::<Vec<Lossy>>::deserialize(deserializer)?;
    Ok(texts.unwrap_or_default().into_iter().map(|text| text.0).collect())
}

struct Lossy(String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // When asked for bytes, serde_json passes on a lone surrogate as its three bytes of generalised UTF-8 instead
        // of rejecting the string.
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
    /// The first of the three bytes that encode a surrogate; the other two form chunks of their own.
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
    use proptest::prelude::*;
    use serde::Deserialize;

    use crate::literal::tests::any_literal;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Texts {
        #[serde(deserialize_with = "super::string")]
        one: String,
        #[serde(deserialize_with = "super::option")]
        maybe: Option<String>,
        #[serde(deserialize_with = "super::list")]
        many: Vec<String>,
    }

    fn read(one: &str, maybe: &str, many: &str) -> serde_json::Result<Texts> {
        serde_json::from_str(&format!(r#"{{"one":{one},"maybe":{maybe},"many":{many}}}"#))
    }

    fn one(literal: &str) -> Option<String> {
        read(literal, "null", "null").ok().map(|texts| texts.one)
    }

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
            ("null", ""),
        ];
        for (literal, text) in cases {
            assert_eq!(one(literal).as_deref(), Some(text), "{literal}");
        }
    }

    #[test]
    fn lists_and_absent_texts_are_read() {
        let texts = read(r#""a""#, r#""\ud800""#, r#"["b","\udfff"]"#).unwrap();
        let expected = Texts {
            one: "a".to_owned(),
            maybe: Some("\u{fffd}".to_owned()),
            many: vec!["b".to_owned(), "\u{fffd}".to_owned()],
        };
        assert_eq!(texts, expected);
        assert_eq!(read("null", "null", "null").unwrap().maybe, None);
    }

    #[test]
    fn other_values_are_errors() {
        for json in ["1", "[1]", "{}", "true", "\"a"] {
            assert_eq!(one(json), None, "{json}");
            assert!(
                read("\"\"", json, "[]").is_err() && read("\"\"", "null", &format!("[{json}]")).is_err(),
                "{json}"
            );
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_decoder((units, literal) in any_literal()) {
            prop_assert_eq!(one(&literal), Some(String::from_utf16_lossy(&units)));
        }
    }
}
