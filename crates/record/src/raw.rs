//! JSON text that is kept to the byte.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::text;

/// One JSON value exactly as somebody wrote it: every escape, every lone surrogate, every duplicate key.
///
/// It is written back verbatim; [`Raw::text`] is for reading only.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// Takes one JSON value; white space around it is dropped.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// `text` as a JSON string.
    pub fn string(text: &str) -> Self {
        let literal = serde_json::Value::from(text).to_string();
        Self(RawValue::from_string(literal).expect("a serialised string is JSON"))
    }

    /// The JSON text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// What a JSON string says, with U+FFFD for each lone surrogate; `None` for any other value.
    pub fn text(&self) -> Option<String> {
        text::decode(self.get())
    }
}

impl From<Box<RawValue>> for Raw {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl PartialEq for Raw {
    /// Equal to the byte; `"/"` and `"\/"` differ.
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Raw {}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_a_value_would_lose() {
        for json in [r#""\ud800""#, r#""\/""#, r#"{"a":1,"a":2}"#, "1.50e0", r#""\u0000""#] {
            let raw = Raw::parse(json).unwrap();
            assert_eq!(serde_json::to_string(&raw).unwrap(), json);
        }
    }

    #[test]
    fn refuses_what_is_not_one_value() {
        for json in ["", "{", "\"a", "1 2", "\"a\nb\"", r#""\ud8""#] {
            assert!(Raw::parse(json).is_err(), "{json}");
        }
    }

    #[test]
    fn reads_strings_only() {
        assert_eq!(Raw::string("a \"b\"\n\0").text().unwrap(), "a \"b\"\n\0");
        assert_eq!(Raw::parse("null").unwrap().text(), None);
        assert_eq!(Raw::parse("[\"a\"]").unwrap().text(), None);
    }
}
