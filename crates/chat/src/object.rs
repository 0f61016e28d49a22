//! Reads JSON objects that others wrote: every value stays raw, the last of two equal keys wins, no field can spoil another.

use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::literal;

/// The text of a JSON object.
#[derive(Debug, Default)]
pub(crate) struct Object<'a>(&'a str);

/// Keeps at most this many items of an array: more than any server lists.
const MOST_ITEMS: usize = 10_000;

impl<'a> Object<'a> {
    /// The object that a text holds; `None` when it holds anything else.
    pub(crate) fn read(json: &'a str) -> Option<Self> {
        each_member(json, |_, _| ())?;
        Some(Object(json))
    }

    /// The member of that name. `null` is a value like any other.
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let mut newest = None;
        each_member(self.0, |key, value| {
            if is(key, name) {
                newest = Some(value);
            }
        });
        newest
    }

    /// The member of that name, when it is an object.
    pub(crate) fn object(&self, name: &str) -> Option<Object<'a>> {
        Object::read(self.get(name)?.get())
    }

    /// The first [`MOST_ITEMS`] items of the member of that name, when it is an array.
    pub(crate) fn items(&self, name: &str) -> Option<Vec<&'a RawValue>> {
        let mut reader = serde_json::Deserializer::from_str(self.get(name)?.get());
        reader.deserialize_seq(Items).ok()
    }

    /// The objects among the items of the member of that name, when it is an array.
    pub(crate) fn objects(&self, name: &str) -> Option<Vec<Object<'a>>> {
        let items = self.items(name)?;
        Some(items.iter().filter_map(|item| Object::read(item.get())).collect())
    }

    /// The text of the member of that name, when it is a string.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        text(self.get(name)?)
    }

    /// The value of the member of that name, when it is a whole number that is not negative.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        let number = self.get(name)?.get();
        let float = || number.parse::<f64>().ok();
        let whole = || float().filter(|float| *float >= 0.0 && float.fract() == 0.0);
        number.parse().ok().or_else(|| whole().map(|float| float as u64))
    }

    /// Whether the object has no members.
    pub(crate) fn is_empty(&self) -> bool {
        let mut is_empty = true;
        each_member(self.0, |_, _| is_empty = false);
        is_empty
    }
}

/// The text of a value, when it is a string.
pub(crate) fn text(value: &RawValue) -> Option<String> {
    let raw = value.get();
    raw.starts_with('"').then(|| literal::decode(raw))
}

fn is(key: &RawValue, name: &str) -> bool {
    let inner = key.get().trim_matches('"');
    inner == name || (inner.contains('\\') && literal::decode(key.get()) == name)
}

/// Calls `take` with each member of the object in `json`; returns `None` unless `json` is one whole object. It stores nothing:
/// a hostile body may have any number of members.
fn each_member<'a>(json: &'a str, take: impl FnMut(&'a RawValue, &'a RawValue)) -> Option<()> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_map(Members(take)).ok()?;
    reader.end().ok()
}

struct Members<F>(F);

impl<'de, F: FnMut(&'de RawValue, &'de RawValue)> Visitor<'de> for Members<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((key, value)) = map.next_entry()? {
            (self.0)(key, value);
        }
        Ok(())
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut first = Vec::new();
        while let Some(item) = items.next_element()? {
            if first.len() < MOST_ITEMS {
                first.push(item);
            }
        }
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use super::Object;

    #[test]
    fn the_last_of_two_equal_keys_wins_however_it_is_written() {
        let object = Object::read(r#"{"a":1,"\ud800":2,"a":null,"\u0062":"x","b\"":3}"#).unwrap();
        assert_eq!(object.get("a").unwrap().get(), "null");
        assert_eq!(object.text("b").as_deref(), Some("x"));
        assert_eq!(object.count("b\""), Some(3));
        assert!(object.get("c").is_none());
    }

    #[test]
    fn counts_are_whole_and_not_negative() {
        let object = Object::read(r#"{"a":7,"b":7.0,"c":-7,"d":"7","e":7.5,"f":1e3,"g":1e999,"h":null}"#).unwrap();
        let counts = ["a", "b", "c", "d", "e", "f", "h"].map(|name| object.count(name));
        assert_eq!(counts, [Some(7), Some(7), None, None, None, Some(1000), None]);
    }

    #[test]
    fn what_is_no_object_is_none() {
        for json in ["", "[]", "null", "{", r#"{"a":}"#, "{}x"] {
            assert!(Object::read(json).is_none(), "{json}");
        }
    }
}
