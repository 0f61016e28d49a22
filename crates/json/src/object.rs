//! Reads JSON objects that come from outside. Every value stays raw, the last of several equal keys wins, and no field
//! can make the others unreadable.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::array::each_item;
use crate::literal::is;
use crate::value;

/// A JSON object as text. Each lookup reads all of it; to look up many members of a long object, use [`members`].
#[derive(Debug, Default)]
pub struct Object<'a>(&'a str);

/// The largest number of items kept from an array, more than any server lists.
const MOST_ITEMS: usize = 10_000;

impl<'a> Object<'a> {
    /// Returns the object in `json`; `None` if `json` is anything else.
    pub fn read(json: &'a str) -> Option<Self> {
        each_member(json, |_, _| ())?;
        Some(Object(json))
    }

    /// Returns the member called `name`. `null` is a value like any other.
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        let [value] = members(self.0, [name])?;
        value
    }

    /// Returns the member called `name` if it is an object.
    pub fn object(&self, name: &str) -> Option<Object<'a>> {
        Object::read(self.get(name)?.get())
    }

    /// Returns the first 10,000 items of the member called `name` if it is an array.
    pub fn items(&self, name: &str) -> Option<Vec<&'a RawValue>> {
        let mut items = Vec::new();
        let is_array = each_item(self.get(name)?.get(), |item| {
            if items.len() < MOST_ITEMS {
                items.push(item);
            }
        });
        is_array.then_some(items)
    }

    /// Returns the objects among the first 10,000 items of the member called `name` if it is an array.
    pub fn objects(&self, name: &str) -> Option<Vec<Object<'a>>> {
        let items = self.items(name)?;
        Some(items.iter().filter_map(|item| Object::read(item.get())).collect())
    }

    /// Returns the text of the member called `name` if it is a string.
    pub fn text(&self, name: &str) -> Option<String> {
        value::text(self.get(name)?)
    }

    /// Returns the value of the member called `name` if it is a non-negative whole number.
    pub fn count(&self, name: &str) -> Option<u64> {
        value::count(self.get(name)?)
    }

    /// Returns whether the object has no members.
    pub fn is_empty(&self) -> bool {
        let mut is_empty = true;
        each_member(self.0, |_, _| is_empty = false);
        is_empty
    }
}

/// Returns the values of the members called `names` of the object in `json`; if several members share a name, the last
/// one wins. Returns `None` if `json` is not an object.
pub fn members<'a, const N: usize>(json: &'a str, names: [&str; N]) -> Option<[Option<&'a RawValue>; N]> {
    members_and_repeated(json, names).map(|(members, _)| members)
}

/// Does the same as [`members`], and also returns the name of a member that appears more than once, because some
/// readers use the first of several members with the same name.
pub fn members_and_repeated<'a, 'n, const N: usize>(
    json: &'a str,
    names: [&'n str; N],
) -> Option<([Option<&'a RawValue>; N], Option<&'n str>)> {
    let mut values = [None; N];
    let mut repeated = None;
    each_member(json, |key, value| {
        for (place, name) in values.iter_mut().zip(names) {
            if is(key.get(), name) && place.replace(value).is_some() {
                repeated = Some(name);
            }
        }
    })?;
    Some((values, repeated))
}

/// Calls `take` with each member of the object in `json`. Returns `None` unless `json` is one complete object. Stores
/// nothing, because a hostile body can have any number of members.
pub fn each_member<'a>(json: &'a str, take: impl FnMut(&'a RawValue, &'a RawValue)) -> Option<()> {
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

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{Object, members, members_and_repeated};
    use crate::{says, text};

    #[test]
    fn the_last_of_two_equal_keys_wins_despite_escapes() {
        let object = Object::read(r#"{"a":1,"\ud800":2,"a":null,"\u0062":"x","b\"":3}"#).unwrap();
        assert_eq!(object.get("a").unwrap().get(), "null");
        assert_eq!(object.text("b").as_deref(), Some("x"));
        assert_eq!(object.count("b\""), Some(3));
        assert!(object.get("c").is_none() && object.get("b\\").is_none());
    }

    #[test]
    fn a_malformed_member_does_not_affect_the_others() {
        let json = r#" {"a":1,"\ud800":"\udc00","\u0061":"x","deep":[[[[{}]]]],"b":null} "#;
        let [a, b, c] = members(json, ["a", "b", "c"]).unwrap();
        assert_eq!(a.map(RawValue::get), Some("\"x\""));
        assert_eq!(b.map(RawValue::get), Some("null"));
        assert!(c.is_none() && says(a, "x") && !says(b, "null") && !says(c, ""));
        assert_eq!(text(a.unwrap()).as_deref(), Some("x"));
        let repeated = |names: [&'static str; 2]| members_and_repeated(json, names).unwrap().1;
        assert_eq!((repeated(["b", "a"]), repeated(["b", "c"])), (Some("a"), None));
    }

    #[test]
    fn text_that_is_not_an_object_is_none() {
        for json in [
            "",
            "[]",
            "null",
            "{",
            r#"{"a":}"#,
            "{}x",
            "{\"a\":1} x",
            "{\"a\"}",
            "\u{0}",
        ] {
            assert!(Object::read(json).is_none(), "{json}");
            assert!(members(json, ["a"]).is_none(), "{json}");
        }
    }

    #[test]
    fn no_nesting_is_too_deep() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(members(&deep, ["a"]).unwrap()[0].is_some());
    }
}
