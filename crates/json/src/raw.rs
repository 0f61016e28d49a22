//! Any JSON value, kept byte for byte.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::literal;
use crate::value::text;

/// One JSON value exactly as written: every escape, every lone surrogate, every duplicate key.
///
/// The value is written back verbatim; [`Raw::text`] is for reading only.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// Parses one JSON value; white space around it is dropped.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// Returns `text` as a JSON string.
    pub fn string(text: &str) -> Self {
        Value::from(text).into()
    }

    /// Returns the JSON string for exactly these UTF-16 units, lone surrogates included.
    pub fn of_units(units: &[u16]) -> Self {
        Self(RawValue::from_string(literal::of_units(units)).expect("a string literal is JSON"))
    }

    /// Returns the JSON text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Returns the text of a JSON string, with U+FFFD for each lone surrogate; `None` for any other value.
    pub fn text(&self) -> Option<String> {
        text(&self.0)
    }

    pub(crate) fn value(&self) -> &RawValue {
        &self.0
    }
}

impl From<Value> for Raw {
    fn from(value: Value) -> Self {
        Self(RawValue::from_string(value.to_string()).expect("a serialised value is JSON"))
    }
}

impl From<&RawValue> for Raw {
    fn from(raw: &RawValue) -> Self {
        Self(raw.to_owned())
    }
}

impl From<Box<RawValue>> for Raw {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl PartialEq for Raw {
    /// Compares byte for byte; `"/"` and `"\/"` differ.
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
    use super::Raw;
    use crate::literal;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn any_units_can_be_written(units in prop::collection::vec(prop_oneof![any::<u16>(), 0..0x80_u16], 0..60)) {
            let raw = Raw::of_units(&units);
            prop_assert_eq!(literal::units(raw.get()), &units[..]);
            prop_assert_eq!(raw.text(), Some(String::from_utf16_lossy(&units)));
        }
    }
}
