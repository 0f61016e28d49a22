//! JSON as models write it, read tolerantly and written back strictly.
//!
//! Only syntax is repaired: trailing commas, quotes and punctuation from other scripts, Python's keywords and tuples,
//! unquoted names, comments, line breaks in strings, doubled braces, and escapes unknown to JSON. Unclosed strings,
//! strings in which `\n` could also be a backslash and a letter, and missing values are never repaired. Strict JSON
//! keeps its meaning, except that a lone surrogate becomes U+FFFD.
//!
//! The text is walked once, with the open brackets on an explicit stack, so neither length nor nesting can do harm.

mod literal;
mod sequence;
mod walk;

pub(crate) use literal::{Escapes, closers, escape, is_quote, string};
pub(crate) use sequence::sequence;

use std::ops::Range;

use serde_json::{Deserializer, Map, Value};

use crate::bound::window;

/// How to treat closing brackets that are missing at the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closers {
    /// They are added if nothing else can be missing.
    Implied,
    /// They must be present.
    Needed,
}

impl Closers {
    /// Returns how to treat them in a reply. If the reply was `cut` off, anything else can be missing too.
    pub(crate) fn of(cut: bool) -> Closers {
        if cut { Closers::Needed } else { Closers::Implied }
    }
}

/// The text is not JSON, not even in the forms that models write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid JSON starting at byte {at}")]
pub(crate) struct Broken {
    /// How far the text could be read.
    pub(crate) at: usize,
    /// What is wrong with a string, if that is why.
    pub(crate) string: Option<StringFault>,
}

/// What is wrong with a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StringFault {
    /// A quote inside it ended it.
    #[error("write a backslash before each quote inside a string")]
    Quotes,
    /// Some of its backslashes seem to be those of a path, so the others are not certain to begin an escape.
    #[error("in a string, write \\\\ for a backslash and \\n for a line break")]
    Backslash,
}

impl Broken {
    fn at(at: usize) -> Broken {
        Broken { at, string: None }
    }
}

/// The names of members that only explain a call.
const REMARKS: [&str; 14] = [
    "thought",
    "thoughts",
    "thinking",
    "reasoning",
    "reason",
    "note",
    "memory",
    "intent",
    "description",
    "explanation",
    "comment",
    "label",
    "element",
    "element_info",
];

/// Checks whether a member only explains a call. It is never typed, so it does not matter what its backslashes mean.
pub(crate) fn is_remark(key: &str) -> bool {
    REMARKS.contains(&key.trim())
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadValue {
    /// Strict, compact JSON, with the keys in their original order.
    pub(crate) text: String,
    /// Where the value is in the text.
    pub(crate) span: Range<usize>,
}

/// Reads the only value in the text. Ignores surplus closing brackets after it.
pub(crate) fn value(text: &str, closers: Closers) -> Result<ReadValue, Broken> {
    let read = walk::value(text, 0, closers)?;
    let end = behind_surplus(text, read.span.end);
    if text.get(end..).is_some_and(|rest| rest.trim_start().is_empty()) {
        Ok(read)
    } else {
        Err(Broken::at(end))
    }
}

/// Reads the value that begins here. Ignores what follows it.
pub(crate) fn value_at(text: &str, from: usize, closers: Closers) -> Result<ReadValue, Broken> {
    walk::value(text, from, closers)
}

/// Reads the object that begins here if it is strict JSON, which most objects are. Faster than [`value_at`], with the
/// same result. Also returns where the object ends.
pub(crate) fn strict_object_at(text: &str, from: usize) -> Option<(Map<String, Value>, usize)> {
    let behind = text.get(from..)?;
    let seen = window(behind);
    let mut values = Deserializer::from_str(seen).into_iter();
    let members = values.next()?.ok()?;
    let length = values.byte_offset();
    let ended = length < seen.len() || seen.len() == behind.len();
    ended.then_some((members, from + length))
}

/// Returns where the text continues after whitespace.
pub(crate) fn behind_blanks(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes().get(at..).unwrap_or_default();
    let blanks = bytes
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
    let behind = at + blanks.count();
    match text.as_bytes().get(behind) {
        // Other kinds of whitespace are rare.
        Some(byte) if !byte.is_ascii() || byte.is_ascii_control() => {
            let rest = text.get(behind..).unwrap_or_default();
            behind + rest.len() - rest.trim_start().len()
        }
        _ => behind,
    }
}

/// Returns where the text continues after surplus closing brackets.
fn behind_surplus(text: &str, at: usize) -> usize {
    let mut end = at;
    for (offset, c) in text.get(at..).unwrap_or_default().char_indices() {
        match plain(c) {
            '}' | ']' => end = at + offset + c.len_utf8(),
            c if c.is_whitespace() => {}
            _ => break,
        }
    }
    end
}

fn first(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Checks whether JSON must end here, either because the text ends or because a tag or a fence follows.
fn ends(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        None | Some(b'<') => true,
        Some(b'`') => text.get(at..).is_some_and(|rest| rest.starts_with("```")),
        Some(_) => false,
    }
}

/// Returns the JSON equivalent of punctuation from other scripts.
fn plain(c: char) -> char {
    match c {
        '\u{ff5b}' => '{',
        '\u{ff5d}' => '}',
        '\u{ff3b}' => '[',
        '\u{ff3d}' => ']',
        '\u{ff08}' => '(',
        '\u{ff09}' => ')',
        '\u{ff1a}' => ':',
        '\u{ff0c}' => ',',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn strict(text: &str) -> Option<String> {
        value(text, Closers::Implied).ok().map(|read| read.text)
    }

    #[test]
    fn syntax_is_mended() {
        let cases = [
            (r#" { "b" : 1 , "a" : [ ] } "#, r#"{"b":1,"a":[]}"#),
            (r#"{"a": [1, 2,], }"#, r#"{"a":[1,2]}"#),
            ("{'a': 'say \"hi\"'}", r#"{"a":"say \"hi\""}"#),
            (r"{'a': 'it\'s'}", r#"{"a":"it's"}"#),
            ("{\u{201c}a\u{201d}: \u{201d}b \"c\"\u{201c}}", r#"{"a":"b \"c\""}"#),
            (
                "\u{ff5b}\"a\u{ff0c}\"\u{ff1a}\u{ff3b}1\u{ff0c}2\u{ff3d}\u{ff5d}",
                "{\"a\u{ff0c}\":[1,2]}",
            ),
            (
                "{'a': True, 'b': False, 'c': None, 'd': (1, 2)}",
                r#"{"a":true,"b":false,"c":null,"d":[1,2]}"#,
            ),
            ("{a: 1, b_2: {}}", r#"{"a":1,"b_2":{}}"#),
            ("{\"a\": \"one\ntwo\tthree\"}", r#"{"a":"one\ntwo\tthree"}"#),
            (r#"{{"a": {{"b": 1}}}}"#, r#"{"a":{"b":1}}"#),
            (r#"{{"a": {"b": 1}}}"#, r#"{"a":{"b":1}}"#),
            (r#"{{"a": 1}"#, r#"{"a":1}"#),
            ("{{}", "{}"),
            (r#"{"a": [{"b": "c"}"#, r#"{"a":[{"b":"c"}]}"#),
            (r#"{"a": "b""#, r#"{"a":"b"}"#),
            (r#"{"a": 1}}]}"#, r#"{"a":1}"#),
            (
                r#"["\ud83d\ude00", "\ud800", "\u00e9\/"]"#,
                "[\"\u{1f600}\",\"\u{fffd}\",\"\u{e9}/\"]",
            ),
            (
                r#"["\x41\U0001f600", "C:\Users\qed", "\xg \u12"]"#,
                "[\"A\u{1f600}\",\"C:\\\\Users\\\\qed\",\"\\\\xg \\\\u12\"]",
            ),
            (
                r#"{'thought': 'in C:\Users\nick', "b": 1}"#,
                r#"{"thought":"in C:\\Users\nick","b":1}"#,
            ),
            (r#"{"a": "echo \$HOME\n"}"#, r#"{"a":"echo \\$HOME\n"}"#),
            ("[+5, .5, 5., -0, 1e3, 007]", "[5,0.5,5,-0,1e3,7]"),
            ("[NaN, -Infinity, 1e999]", r#"["NaN","-Infinity","1e999"]"#),
            ("5", "5"),
            ("\"a\"", "\"a\""),
        ];
        for (written, wanted) in cases {
            assert_eq!(strict(written).as_deref(), Some(wanted), "{written}");
        }
    }

    #[test]
    fn missing_or_ambiguous_json_is_not_mended() {
        for written in [
            "",
            " ",
            "{",
            "[",
            r#"{"a"#,
            r#"{"a""#,
            r#"{"a":"#,
            r#"{"a": "b"#,
            r#"{"a": "b\"#,
            r#"{"a": 12"#,
            r#"{"a": [1, 2"#,
            r#"{"a": tru"#,
            r#"{"a": true"#,
            r#"{"a": 1,"#,
            r#"{"a": "b","#,
            r#"{"a": 1]"#,
            "[1}",
            "(1]",
            "{,}",
            "[,]",
            "[1,,2]",
            r#"{"a" 1}"#,
            r#"{"a": 1 "b": 2}"#,
            r#"{"a": b}"#,
            r#"{"a": "5"x7" photo"}"#,
            r#"{"a": "C:\Users\nick"}"#,
            r#"{"a": "\d\t", "b": 1}"#,
            r#"{"thought": "a", "b": "C:\Users\nick"}"#,
            r"{'a': '\alpha \beta'}",
            "{'it's': 1}",
            "{5: 1}",
            "{-a: 1}",
            r#"{"a": 1} x"#,
            r#"{"a": 1}, "b": 2}"#,
            "[1_000]",
            "[0x10]",
            r#"{{"a": 1}, "b": 2}"#,
            "{[]}",
            "nothing",
            "\"a\" \"b\"",
            "\u{201c}a\"",
        ] {
            assert_eq!(strict(written), None, "{written}");
        }
    }

    #[test]
    fn a_broken_string_is_named() {
        let broken = |text: &str| value(text, Closers::Needed).unwrap_err();
        let path = r#"{"a": "C:\Users\nick", "b": 1}"#;
        let wanted = Broken {
            at: path.find(',').unwrap(),
            string: Some(StringFault::Backslash),
        };
        assert_eq!(broken(path), wanted);
        for (text, fault) in [
            (r#"{"a": "say "hi""}"#, Some(StringFault::Quotes)),
            (r#"{"a": ["5"x7" photo"]}"#, Some(StringFault::Quotes)),
            (r#"{"a": b}"#, None),
            (r#"{"a": "b" "c": 1}"#, None),
            (r#"{"a": "b"]"#, None),
            (r#"{"a" "b"}"#, None),
            (r#"{"a": "b"#, None),
        ] {
            assert_eq!(broken(text).string, fault, "{text}");
        }
    }

    #[test]
    fn missing_closers_are_implied_only_where_allowed() {
        for written in [r#"{"a": [1]"#, r#"{"a": "b""#, "[[]"] {
            assert!(value(written, Closers::Implied).is_ok(), "{written}");
            assert!(value(written, Closers::Needed).is_err(), "{written}");
        }
        // After a number that a tag follows, nothing else can be missing.
        let sequence = sequence("{\"a\": 12</tool_call>", 0, Closers::Implied).unwrap();
        assert_eq!((sequence.values[0].text.as_str(), sequence.end), (r#"{"a":12}"#, 8));
    }

    #[test]
    fn deep_or_long_input_is_survived() {
        for text in [
            "[".repeat(1 << 20),
            "{".repeat(1 << 20),
            format!("{}{}", "[".repeat(1 << 19), "]".repeat(1 << 19)),
            format!("\"{}", "\\".repeat(1 << 20)),
            "1".repeat(1 << 20),
            format!("{{\"a\":{}1{}}}", "[".repeat(1 << 19), "]".repeat(1 << 19)),
        ] {
            let _ = strict_object_at(&text, 0);
            let _ = value(&text, Closers::Implied);
            let _ = sequence(&text, 0, Closers::Implied);
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6).prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn strict_json_keeps_its_meaning(json in any_json()) {
            for text in [json.to_string(), serde_json::to_string_pretty(&json).unwrap()] {
                prop_assert_eq!(strict(&text), Some(json.to_string()), "{}", text);
                prop_assert_eq!(value(&text, Closers::Needed).map(|read| read.text), Ok(json.to_string()));
            }
        }

        #[test]
        fn strict_objects_read_the_same_as_by_the_lenient_reader(
            text in "\\{([\\[\\]{}:,\"\\\\ \n0-9a-z.-]|\"a\":|\"\\\\u(d83d|de00|0041)\"|'b'|1e999|true|\\PC){0,12}\\}?[x }]?",
            json in any_json()
        ) {
            for text in [text, format!("{json} and more"), json!({ "a": json, "b": [1.5e3, "\u{e9}"] }).to_string()] {
                if let Some((members, end)) = strict_object_at(&text, 0) {
                    let read = value_at(&text, 0, Closers::Needed).unwrap();
                    prop_assert_eq!(read.span.end, end, "{}", text);
                    prop_assert_eq!(serde_json::from_str::<Value>(&read.text).unwrap(), Value::Object(members), "{}", text);
                }
            }
        }

        #[test]
        fn every_mended_value_is_strict_json(
            text in "([\\[\\](){}:,'\"\\\\ \n0-9a-z.<\u{201c}\u{201d}\u{ff1a}-]|\"a\":|True|```|\\PC){0,40}"
        ) {
            if let Ok(read) = value(&text, Closers::Implied) {
                prop_assert!(serde_json::from_str::<Value>(&read.text).is_ok(), "{} from {}", read.text, text);
                prop_assert!(text.get(read.span).is_some());
                prop_assert_eq!(strict(&read.text), Some(read.text));
            }
            if let Ok(sequence) = sequence(&text, 0, Closers::Implied) {
                prop_assert!(text.is_char_boundary(sequence.end));
            }
        }
    }
}
