//! Reads JSON arrays and leaves every item raw.

use std::fmt;

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Calls `take` with each readable item of the array in `json`. Returns whether `json` is one complete array.
pub fn each_item<'a>(json: &'a str, take: impl FnMut(&'a RawValue)) -> bool {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_seq(Items(take)).is_ok() && reader.end().is_ok()
}

struct Items<F>(F);

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
    use super::each_item;

    #[test]
    fn items_come_in_order() {
        let mut items = Vec::new();
        assert!(each_item(r#"[1, {"a":[]} ,"\ud800"]"#, |item| items.push(item.get())));
        assert_eq!(items, ["1", r#"{"a":[]}"#, r#""\ud800""#]);
        for other in ["", "{}", "[1", "[1,]", "[] []"] {
            assert!(!each_item(other, |_| ()), "{other}");
        }
    }
}
