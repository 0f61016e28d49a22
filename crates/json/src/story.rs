//! The story: a reply's content, kept byte for byte and sent back as the model's only memory.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::literal;
use crate::raw::Raw;
use crate::value::{kind, string};

/// The raw JSON string literal of `choices[0].message.content`, exactly as the server wrote it; for an array of parts,
/// their texts joined.
///
/// Nothing changes a story: records store exactly what a server wrote, and the next request sends it back. Two stories
/// are equal if their literals are, byte for byte. Only a string is a story; reading anything else from a record is an
/// error.
///
/// ```
/// use franz_json::Story;
///
/// let story = Story::from_raw(r#""caf\u00e9 \ud800""#).expect("a JSON string literal");
/// assert_eq!(story.raw(), r#""caf\u00e9 \ud800""#);
/// assert_eq!(story.text(), "café \u{fffd}");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct Story(Raw);

/// A value that is not a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAString {
    /// The kind of value: `a number`, `an object` and so on.
    pub kind: &'static str,
}

impl Story {
    /// Returns the story before the first reply: `""`.
    pub fn empty() -> Self {
        Self(Raw::string(""))
    }

    /// Returns the JSON string literal in `json` as a story; `None` for anything else. White space around it is
    /// dropped.
    pub fn from_raw(json: &str) -> Option<Self> {
        Raw::parse(json).ok()?.try_into().ok()
    }

    /// Does the same as [`from_raw`](Self::from_raw) for a value that is known to be JSON.
    pub fn from_value(value: &RawValue) -> Option<Self> {
        string(value).map(|_| Self(value.into()))
    }

    /// Returns the literal with its quotes, as it is sent over the wire and written to disk.
    pub fn raw(&self) -> &str {
        self.0.get()
    }

    /// Returns the text, for reading only: a lone surrogate becomes U+FFFD.
    pub fn text(&self) -> String {
        literal::decode(self.raw())
    }

    /// Returns the UTF-16 units of the text. Literals with the same text have the same units, however they are escaped.
    pub fn units(&self) -> Vec<u16> {
        literal::units(self.raw())
    }

    /// Returns whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.raw() == r#""""#
    }
}

impl TryFrom<Raw> for Story {
    type Error = NotAString;

    fn try_from(raw: Raw) -> Result<Self, NotAString> {
        let value = raw.value();
        match string(value) {
            Some(_) => Ok(Self(raw)),
            None => Err(NotAString { kind: kind(value) }),
        }
    }
}

impl Default for Story {
    fn default() -> Self {
        Self::empty()
    }
}

impl fmt::Debug for Story {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Story({})", self.raw())
    }
}

impl fmt::Display for NotAString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a story must be a string, not {}", self.kind)
    }
}

impl std::error::Error for NotAString {}

#[cfg(test)]
mod tests {
    use super::Story;
    use crate::literal::tests::any_literal;
    use proptest::prelude::*;

    #[test]
    fn only_a_string_literal_is_a_story() {
        for json in [
            "",
            "null",
            "1",
            "[]",
            "{}",
            "text",
            r#""open"#,
            r#""a" "b""#,
            "\"a\nb\"",
            r#""\x""#,
        ] {
            assert_eq!(Story::from_raw(json), None, "{json}");
        }
        assert_eq!(Story::from_raw(" \"a\"\n").unwrap().raw(), r#""a""#);
    }

    #[test]
    fn reading_another_value_is_an_error_that_names_it() {
        for (json, kind) in [
            ("7", "a number"),
            ("{}", "an object"),
            ("[]", "an array"),
            ("null", "null"),
        ] {
            let error = serde_json::from_str::<Story>(json).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("a story must be a string, not {kind}")),
                "{error}"
            );
        }
    }

    #[test]
    fn stories_compare_by_bytes_and_units_by_meaning() {
        let (plain, escaped) = (
            Story::from_raw(r#""A""#).unwrap(),
            Story::from_raw(r#""\u0041""#).unwrap(),
        );
        assert_ne!(plain, escaped);
        assert_eq!(plain.units(), escaped.units());
        assert!(Story::empty().is_empty() && !plain.is_empty());
    }

    proptest! {
        #[test]
        fn a_state_file_keeps_every_byte((units, literal) in any_literal()) {
            let story = Story::from_raw(&literal).expect("a legal literal");
            let read: Story = serde_json::from_str(&serde_json::to_string(&story).unwrap()).unwrap();
            prop_assert_eq!(read.raw(), literal);
            prop_assert_eq!(story.is_empty(), units.is_empty());
        }
    }
}
