//! Makes JSON readable without interpreting it: only white space between tokens changes.

use memchr::memchr2;
use serde_json::value::RawValue;

/// Text larger than this is left unchanged: nobody reads it, and indentation can make it many times larger.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Text nested deeper than this is left unchanged, because each line would be mostly indentation.
const MAX_DEPTH: usize = 32;

const INDENT: &[u8] = b"  ";

/// Returns `text` with one member or element per line, indented by two spaces per level. Returns `None` if `text` is
/// not JSON, or is too large or too deeply nested for people to read. Every token is kept byte for byte, in order.
pub fn indent(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() > MAX_BYTES || serde_json::from_slice::<&RawValue>(text).is_err() {
        return None;
    }
    let mut indenter = Indenter {
        out: Vec::with_capacity(text.len() * 2),
        depth: 0,
    };
    let mut rest = text.trim_ascii_start();
    while let Some((token, after)) = split_token(rest) {
        let after = after.trim_ascii_start();
        rest = indenter.token(token, after)?;
    }
    Some(indenter.out)
}

struct Indenter {
    out: Vec<u8>,
    depth: usize,
}

impl Indenter {
    /// Writes `token` and, if it opens an empty array or object, its closing bracket as well. Returns the rest of
    /// `after`.
    fn token<'a>(&mut self, token: &[u8], after: &'a [u8]) -> Option<&'a [u8]> {
        match token {
            b"{" | b"[" => {
                self.out.extend(token);
                if let [close @ (b'}' | b']'), rest @ ..] = after {
                    self.out.push(*close);
                    return Some(rest.trim_ascii_start());
                }
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return None;
                }
                self.new_line();
            }
            b"}" | b"]" => {
                self.depth -= 1;
                self.new_line();
                self.out.extend(token);
            }
            b"," => {
                self.out.push(b',');
                self.new_line();
            }
            b":" => self.out.extend(b": "),
            scalar => self.out.extend(scalar),
        }
        Some(after)
    }

    fn new_line(&mut self) {
        self.out.push(b'\n');
        for _ in 0..self.depth {
            self.out.extend(INDENT);
        }
    }
}

/// Returns the first token of valid JSON and the text after it; `None` at the end.
fn split_token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = match text.first()? {
        // Every string in valid JSON is terminated.
        b'"' => inside(&text[1..]) + 2,
        b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
        _ => text
            .iter()
            .position(|byte| b",:]} \t\n\r".contains(byte))
            .unwrap_or(text.len()),
    };
    Some(text.split_at(length))
}

/// Returns the number of bytes before the closing quote of the string that has just begun, or before the end of the
/// text if there is no closing quote.
fn inside(string: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = string.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if string.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    string.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn indented(text: &str) -> Option<String> {
        indent(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn tokens_stay_to_the_byte() {
        let cases = [
            (r#"{"a":1,"a":2}"#, "{\n  \"a\": 1,\n  \"a\": 2\n}"),
            (
                r#" [ 1.50e+0 , "\ud800\/\u0000" ] "#,
                "[\n  1.50e+0,\n  \"\\ud800\\/\\u0000\"\n]",
            ),
            (
                r#"{"a":{ },"b":[ ],"c":[[]]}"#,
                "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    []\n  ]\n}",
            ),
            (r#""{\"a\":[1,2]}\\""#, r#""{\"a\":[1,2]}\\""#),
            ("\n-0 ", "-0"),
            ("\"b64 sha=\u{e9}\"", "\"b64 sha=\u{e9}\""),
        ];
        for (text, pretty) in cases {
            assert_eq!(indented(text).as_deref(), Some(pretty));
        }
    }

    #[test]
    fn other_text_is_left_alone() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let large = format!("\"{}\"", "x".repeat(MAX_BYTES));
        for text in ["", "<html>", "{\"a\":1", "1 2", "data: {}\n\n", &deep, &large] {
            assert_eq!(indented(text), None);
        }
        assert_eq!(indent(b"\"\xff\""), None);
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 60, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn looks_like_serde_json_pretty(value in json()) {
            prop_assert_eq!(indented(&value.to_string()), Some(serde_json::to_string_pretty(&value).unwrap()));
        }

        #[test]
        fn only_valid_json_is_indented(text in prop::collection::vec(any::<u8>(), 0..60)) {
            let valid = serde_json::from_slice::<&RawValue>(&text).is_ok();
            prop_assert_eq!(indent(&text).is_some(), valid);
        }
    }
}
