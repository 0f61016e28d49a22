//! The story: a reply's content, kept to the byte and sent back as the model's only memory.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::literal;

/// The raw JSON string literal of `choices[0].message.content`, exactly as the server wrote it.
///
/// There is no way from text to a story and none to change one: what a server wrote is what the next request carries.
/// Two stories are equal when their literals are, byte for byte.
///
/// ```
/// use franz_chat::Story;
///
/// let story = Story::from_raw(r#""caf\u00e9 \ud800""#).expect("a JSON string literal");
/// assert_eq!(story.raw(), r#""caf\u00e9 \ud800""#);
/// assert_eq!(story.text(), "café \u{fffd}");
/// ```
#[derive(Clone)]
pub struct Story(Box<RawValue>);

impl Story {
    /// The story before the first reply: `""`.
    pub fn empty() -> Self {
        Self::from_raw(r#""""#).expect("two quotes are a JSON string literal")
    }

    /// The story that a JSON string literal holds; `None` for anything else. Blanks around the literal are dropped.
    pub fn from_raw(json: &str) -> Option<Self> {
        let raw = serde_json::from_str::<&RawValue>(json).ok()?;
        Self::from_value(raw)
    }

    /// As [`from_raw`](Self::from_raw), of a value that is known to be JSON.
    pub fn from_value(raw: &RawValue) -> Option<Self> {
        raw.get().starts_with('"').then(|| Self(raw.to_owned()))
    }

    /// The literal with its quotes: what goes on the wire and on disk.
    pub fn raw(&self) -> &str {
        self.0.get()
    }

    /// The text, for reading only: a lone surrogate becomes U+FFFD.
    pub fn text(&self) -> String {
        literal::decode(self.raw())
    }

    /// The UTF-16 units of the text: equal for two literals that mean the same, however they are escaped.
    pub fn units(&self) -> Vec<u16> {
        literal::units(self.raw())
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.raw() == r#""""#
    }
}

impl Default for Story {
    fn default() -> Self {
        Self::empty()
    }
}

impl PartialEq for Story {
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}

impl Eq for Story {}

impl fmt::Debug for Story {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Story({})", self.raw())
    }
}

impl Serialize for Story {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Story {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::from_value(&raw).ok_or_else(|| D::Error::custom("a story must be a JSON string"))
    }
}

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
    fn equality_is_that_of_bytes_and_units_are_that_of_meaning() {
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
