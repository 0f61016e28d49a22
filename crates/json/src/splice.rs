//! Builds objects around values without changing them.

/// Returns the JSON of an object with these members. The names come from FRANZ and need no escapes. The values can come
/// from anywhere but must be valid JSON, and are copied byte for byte. The result is allocated only once.
///
/// ```
/// let object = franz_json::splice([("content", r#""\ud800""#), ("calls", "[ ]")]);
/// assert_eq!(object, r#"{"content":"\ud800","calls":[ ]}"#);
/// ```
pub fn splice<'a, V: AsRef<str>>(members: impl IntoIterator<Item = (&'a str, V)>) -> String {
    let members: Vec<(&str, V)> = members.into_iter().collect();
    let room = |(name, value): &(&str, V)| name.len() + value.as_ref().len() + r#""":,"#.len();
    let mut object = String::with_capacity("{}".len() + members.iter().map(room).sum::<usize>());
    for (name, value) in members {
        object.push_str(if object.is_empty() { "{\"" } else { ",\"" });
        object.push_str(name);
        object.push_str("\":");
        object.push_str(value.as_ref());
    }
    object.push_str(if object.is_empty() { "{}" } else { "}" });
    object
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::splice;
    use crate::literal::tests::any_literal;
    use crate::{Object, members};

    #[test]
    fn an_object_may_be_empty() {
        assert_eq!(splice::<&str>([]), "{}");
    }

    proptest! {
        #[test]
        fn spliced_values_are_read_back_byte_for_byte((_, one) in any_literal(), (_, two) in any_literal()) {
            let object = splice([("one", &one), ("two", &two)]);
            let [first, second] = members(&object, ["one", "two"]).unwrap();
            prop_assert_eq!((first.unwrap().get(), second.unwrap().get()), (one.as_str(), two.as_str()));
            prop_assert!(Object::read(&object).is_some());
        }
    }
}
