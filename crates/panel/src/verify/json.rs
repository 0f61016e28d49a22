//! Reads JSON that others wrote without keeping more of it than is asked for: every value stays raw.

use std::fmt;

use franz_chat::literal;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The values of these members of the object in `json`, the last of equal ones; `None` when it is no object.
pub(crate) fn members<'a, const N: usize>(json: &'a str, names: [&str; N]) -> Option<[Option<&'a RawValue>; N]> {
    members_and_repeated(json, names).map(|(members, _)| members)
}

/// As [`members`], with the name of one that is there more than once: of two equal ones some readers take the first.
pub(crate) fn members_and_repeated<'a, 'n, const N: usize>(
    json: &'a str,
    names: [&'n str; N],
) -> Option<([Option<&'a RawValue>; N], Option<&'n str>)> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let members = Members(names).deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(members)
}

/// Gives each item of the array in `json` to `take`, as far as it can be read. Says whether it is an array to its end.
pub(crate) fn each_item<'a>(json: &'a str, take: impl FnMut(&'a RawValue)) -> bool {
    let mut reader = serde_json::Deserializer::from_str(json);
    Items(take).deserialize(&mut reader).is_ok() && reader.end().is_ok()
}

/// The text of a value, when it is a string: a lone surrogate becomes U+FFFD.
pub(crate) fn text(value: &RawValue) -> Option<String> {
    string(value).map(literal::decode)
}

/// The literal of a value, when it is a string.
pub(crate) fn string(value: &RawValue) -> Option<&str> {
    Some(value.get()).filter(|json| json.starts_with('"'))
}

/// Whether a value is a string that says `expected`.
pub(crate) fn says(value: Option<&RawValue>, expected: &str) -> bool {
    value.and_then(string).is_some_and(|literal| is(literal, expected))
}

fn is(literal: &str, expected: &str) -> bool {
    let inner = literal.trim_matches('"');
    inner == expected || (inner.contains('\\') && literal::decode(literal) == expected)
}

struct Members<'n, const N: usize>([&'n str; N]);

impl<'de, 'n, const N: usize> DeserializeSeed<'de> for Members<'n, N> {
    type Value = ([Option<&'de RawValue>; N], Option<&'n str>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, 'n, const N: usize> Visitor<'de> for Members<'n, N> {
    type Value = ([Option<&'de RawValue>; N], Option<&'n str>);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = [None; N];
        let mut repeated = None;
        while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            for (place, name) in values.iter_mut().zip(self.0) {
                if is(key.get(), name) && place.replace(value).is_some() {
                    repeated = Some(name);
                }
            }
        }
        Ok((values, repeated))
    }
}

struct Items<F>(F);

impl<'de, F: FnMut(&'de RawValue)> DeserializeSeed<'de> for Items<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for Items<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            (self.0)(item);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{each_item, members, members_and_repeated, says, text};

    #[test]
    fn the_last_of_equal_members_counts_and_no_other_can_spoil_it() {
        let json = r#" {"a":1,"\ud800":"\udc00","\u0061":"x","deep":[[[[{}]]]],"b":null} "#;
        let [a, b, c] = members(json, ["a", "b", "c"]).unwrap();
        assert_eq!(a.map(RawValue::get), Some("\"x\""));
        assert_eq!(b.map(RawValue::get), Some("null"));
        assert!(c.is_none() && says(a, "x") && !says(b, "null") && !says(c, ""));
        assert_eq!(text(a.unwrap()).as_deref(), Some("x"));
        let repeated = |names: [&'static str; 2]| members_and_repeated(json, names).unwrap().1;
        assert_eq!((repeated(["b", "a"]), repeated(["b", "c"])), (Some("a"), None));
        for other in ["", "[]", "{", "{\"a\":1} x", "{\"a\"}", "null", "\u{0}"] {
            assert!(members(other, ["a"]).is_none(), "{other}");
        }
    }

    #[test]
    fn items_come_in_order() {
        let mut items = Vec::new();
        assert!(each_item(r#"[1, {"a":[]} ,"\ud800"]"#, |item| items.push(item.get())));
        assert_eq!(items, ["1", r#"{"a":[]}"#, r#""\ud800""#]);
        for other in ["", "{}", "[1", "[1,]", "[] []"] {
            assert!(!each_item(other, |_| ()), "{other}");
        }
    }

    #[test]
    fn no_nesting_is_too_deep() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(members(&deep, ["a"]).unwrap()[0].is_some());
    }
}
