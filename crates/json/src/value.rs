//! Reads one raw value.

use serde_json::value::RawValue;

use crate::literal;

/// Returns the literal of a value if it is a string.
pub fn string(value: &RawValue) -> Option<&str> {
    Some(value.get()).filter(|json| json.starts_with('"'))
}

/// Returns the text of a value if it is a string, with U+FFFD for each lone surrogate.
pub fn text(value: &RawValue) -> Option<String> {
    string(value).map(literal::decode)
}

/// Checks whether a value is a string whose text is `expected`, however it is escaped.
pub fn says(value: Option<&RawValue>, expected: &str) -> bool {
    value
        .and_then(string)
        .is_some_and(|literal| literal::is(literal, expected))
}

/// Returns the value as a number if it is a non-negative whole number.
pub fn count(value: &RawValue) -> Option<u64> {
    let number = value.get();
    let float = || number.parse::<f64>().ok();
    let whole = || float().filter(|float| *float >= 0.0 && float.fract() == 0.0);
    number.parse().ok().or_else(|| whole().map(|float| float as u64))
}

/// Returns the type of a value, for messages: `a string`, `an object`, `null` and so on.
pub fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'[') => "an array",
        Some(b'{') => "an object",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{count, kind, says, string, text};

    fn value(json: &str) -> &RawValue {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn only_a_string_has_a_text() {
        for (json, read) in [
            (r#""\u0061\ud800""#, Some("a\u{fffd}")),
            ("null", None),
            (r#"["a"]"#, None),
        ] {
            assert_eq!(text(value(json)).as_deref(), read, "{json}");
            assert_eq!(string(value(json)).is_some(), read.is_some(), "{json}");
        }
        assert!(says(Some(value(r#""\u0061""#)), "a") && !says(Some(value("null")), "null") && !says(None, ""));
    }

    #[test]
    fn counts_are_whole_and_not_negative() {
        let cases = [
            ("7", Some(7)),
            ("7.0", Some(7)),
            ("1e3", Some(1000)),
            ("-7", None),
            ("7.5", None),
            ("1e999", None),
            (r#""7""#, None),
            ("null", None),
        ];
        for (json, number) in cases {
            assert_eq!(count(value(json)), number, "{json}");
        }
    }

    #[test]
    fn every_type_has_a_name() {
        let cases = [
            ("\"\"", "a string"),
            ("[]", "an array"),
            ("{}", "an object"),
            ("true", "a boolean"),
            ("false", "a boolean"),
            ("null", "null"),
            ("-1", "a number"),
            ("0", "a number"),
        ];
        for (json, name) in cases {
            assert_eq!(kind(value(json)), name, "{json}");
        }
    }
}
