//! The values that a configuration key accepts, and how to turn text into such a value.

use std::fmt;

use franz_action::Tool;
use toml::Value;

use super::gate::GateRule;
use super::mask;

/// The kinds of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ValueKind {
    /// Any text.
    Text,
    /// A text that is not empty.
    Filled,
    /// `true` or `false`.
    Flag,
    /// A number in this range, ends included.
    Number(f64, f64),
    /// A whole number in this range, ends included.
    Count(i64, i64),
    /// How many bytes to keep: `all`, `none`, a number or a size such as `500 MB`. `true` means the number of bytes
    /// given here, `false` means none.
    Bytes(i64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of strings.
    Texts,
    /// A rectangle in pixels: left, top, width and height.
    Region,
    /// A list of tools, by name.
    Tools,
    /// A list of rules of the gate.
    Rules,
    /// A list of tables, each with a non-empty name and goal.
    Scenarios,
    /// A table of fields, passed on unchanged in each request.
    Fields,
    /// A list of masks, each for an area or for windows.
    Masks,
}

/// The units of a size. They are powers of ten, as is usual for disks.
pub(super) const UNITS: [(&str, i64); 3] = [("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)];

/// The least size in bytes that counts as one without a unit. A smaller number was probably meant as a number of
/// pictures or turns. A run's `config.toml` has sizes without units, at least this large.
pub(super) const LEAST_BYTES: i64 = 1_000;

/// The request fields that FRANZ sets.
const OWN_FIELDS: [&str; 9] = [
    "model",
    "messages",
    "tools",
    "tool_choice",
    "temperature",
    "top_p",
    "max_tokens",
    "stream",
    "stream_options",
];

impl ValueKind {
    /// Checks whether the value is of this kind. If not, the error says what it must be.
    pub(crate) fn check(self, value: &Value) -> Result<(), String> {
        if let (ValueKind::Fields, Value::Table(fields)) = (self, value)
            && let Some(own) = OWN_FIELDS.into_iter().find(|own| fields.contains_key(*own))
        {
            return Err(format!("a table without {own}, which FRANZ writes itself"));
        }
        if let (ValueKind::Rules, Value::Array(rules)) = (self, value) {
            return GateRule::list(rules)
                .map(drop)
                .map_err(|mistakes| format!("a list of rules ({mistakes})"));
        }
        if let (ValueKind::Tools, Value::Array(names)) = (self, value)
            && let Some(unknown) = names.iter().find(|name| name.as_str().and_then(Tool::named).is_none())
        {
            return Err(format!("a list of tools (there is no tool {unknown})"));
        }
        if self == ValueKind::Masks {
            return mask::mistakes(value).map_or(Ok(()), Err);
        }
        let fits = match (self, value) {
            (ValueKind::Text, Value::String(_))
            | (ValueKind::Flag | ValueKind::Bytes(_), Value::Boolean(_))
            | (ValueKind::Tools, Value::Array(_)) => true,
            (ValueKind::Filled, Value::String(text)) => !text.trim().is_empty(),
            (ValueKind::Number(least, most), Value::Float(number)) => (least..=most).contains(number),
            (ValueKind::Number(least, most), Value::Integer(number)) => (least..=most).contains(&(*number as f64)),
            (ValueKind::Count(least, most), Value::Integer(number)) => (least..=most).contains(number),
            (ValueKind::Choice(words), Value::String(word)) => words.contains(&word.as_str()),
            (ValueKind::Bytes(_), Value::String(size)) => bytes(size).is_some(),
            (ValueKind::Bytes(_), Value::Integer(bytes)) => *bytes == 0 || *bytes >= LEAST_BYTES,
            (ValueKind::Texts, Value::Array(texts)) => texts.iter().all(Value::is_str),
            (ValueKind::Region, Value::Array(sides)) => is_region(sides),
            (ValueKind::Scenarios, Value::Array(scenarios)) => scenarios.iter().all(is_scenario),
            (ValueKind::Fields, fields @ Value::Table(_)) => is_json(fields),
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.to_string()) }
    }

    /// Returns the canonical form of a value that can be written in several ways. For example, 600 becomes 600.0 if the
    /// number can have a fraction, and "500 MB" becomes a number of bytes.
    pub(crate) fn canonical(self, value: Value) -> Value {
        match (self, value) {
            (ValueKind::Number(..), Value::Integer(number)) => Value::Float(number as f64),
            (ValueKind::Bytes(_), Value::String(size)) => bytes(&size).map_or(Value::String(size), Value::Integer),
            (ValueKind::Bytes(usual), Value::Boolean(kept)) => Value::Integer(if kept { usual } else { 0 }),
            (_, value) => value,
        }
    }

    /// Parses text from the environment or a flag. A list is written as TOML; plain text stands for a list of one item.
    pub(crate) fn read(self, text: &str) -> Value {
        let as_text = || Value::String(text.to_owned());
        let as_toml = || text.trim().parse::<Value>().ok();
        match self {
            ValueKind::Text | ValueKind::Filled | ValueKind::Choice(_) => as_text(),
            ValueKind::Texts | ValueKind::Tools if text.trim_start().starts_with('[') => {
                as_toml().unwrap_or_else(as_text)
            }
            ValueKind::Texts | ValueKind::Tools => {
                Value::Array(vec![as_toml().filter(Value::is_str).unwrap_or_else(as_text)])
            }
            ValueKind::Region if !text.trim_start().starts_with('[') => {
                format!("[{text}]").parse().unwrap_or_else(|_| as_text())
            }
            ValueKind::Region
            | ValueKind::Flag
            | ValueKind::Number(..)
            | ValueKind::Count(..)
            | ValueKind::Bytes(_)
            | ValueKind::Rules
            | ValueKind::Scenarios
            | ValueKind::Fields
            | ValueKind::Masks => as_toml().unwrap_or_else(as_text),
        }
    }
}

/// Parses how many bytes to keep. `all` becomes a number larger than any disk.
fn bytes(size: &str) -> Option<i64> {
    match size {
        "all" => return Some(i64::MAX),
        "none" => return Some(0),
        _ => {}
    }
    let (number, unit) = UNITS
        .iter()
        .find_map(|(unit, bytes)| Some((size.strip_suffix(unit)?, *bytes)))?;
    let number = number.strip_suffix(' ').unwrap_or(number);
    let is_plain = (1..=9).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit());
    is_plain
        .then(|| number.parse::<i64>().ok()?.checked_mul(unit))
        .flatten()
}

fn is_region(sides: &[Value]) -> bool {
    let sides: Vec<i64> = sides.iter().filter_map(Value::as_integer).collect();
    let [x, y, width, height] = sides[..] else { return false };
    let place = 0..=i64::from(i16::MAX);
    let size = 16..=i64::from(i16::MAX);
    place.contains(&x) && place.contains(&y) && size.contains(&width) && size.contains(&height)
}

/// Returns whether JSON can represent the value. It has no dates and no infinite numbers.
fn is_json(value: &Value) -> bool {
    match value {
        Value::Datetime(_) => false,
        Value::Float(number) => number.is_finite(),
        Value::Array(items) => items.iter().all(is_json),
        Value::Table(fields) => fields.values().all(is_json),
        Value::String(_) | Value::Integer(_) | Value::Boolean(_) => true,
    }
}

fn is_scenario(value: &Value) -> bool {
    let filled = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    value.as_table().is_some_and(|table| {
        table.len() == 2
            && ["name", "goal"]
                .into_iter()
                .all(|part| table.get(part).is_some_and(filled))
    })
}

/// Describes the values of this kind, such as "a number from 0 to 10".
impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueKind::Text => f.write_str("a text"),
            ValueKind::Filled => f.write_str("a text that is not empty"),
            ValueKind::Flag => f.write_str("true or false"),
            ValueKind::Number(least, most) => write!(f, "a number from {least} to {most}"),
            ValueKind::Count(least, i64::MAX) => write!(f, "a whole number, at least {least}"),
            ValueKind::Count(least, most) => write!(f, "a whole number from {least} to {most}"),
            ValueKind::Bytes(_) => f.write_str("\"all\", \"none\", or a size in kB, MB or GB, such as \"500 MB\""),
            ValueKind::Choice([only]) => write!(f, "\"{only}\""),
            ValueKind::Choice(words) => write!(f, "one of \"{}\"", words.join("\", \"")),
            ValueKind::Texts => f.write_str("a list of strings"),
            ValueKind::Region => f.write_str("[left, top, width, height] in pixels, from 0 to 32767, sides from 16"),
            ValueKind::Tools => f.write_str("a list of tools"),
            ValueKind::Rules => f.write_str("a list of rules, each such as { keys = [\"ctrl+w\"], then = \"deny\" }"),
            ValueKind::Scenarios => f.write_str("a list of scenarios, each { name = \"...\", goal = \"...\" }"),
            ValueKind::Masks => {
                f.write_str("a list of masks, each { area = [x1, y1, x2, y2] } or { window = \"...\" }")
            }
            ValueKind::Fields => f.write_str("a table that JSON can represent, such as { top_k = 20 }"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use franz_chat::{CallForm, Conversation, Keep, Request, Sampling, Streaming};
    use serde_json::Map;

    use super::*;

    #[test]
    fn nobody_sets_a_field_that_franz_writes() {
        // This names every field of `Sampling`, so that a new field must be added here.
        let sampling = Sampling {
            model: Some("a".to_owned()),
            temperature: Some(1.0),
            top_p: Some(1.0),
            max_tokens: Some(1),
            binding: None,
            streaming: Streaming::WithUsage,
            extra: Map::new(),
        };
        let keep = Keep {
            screenshots: 1,
            most_screenshots: 1,
            thinks: 1,
            turns: 1,
        };
        let conversation = Conversation::new(keep);
        let request = Request::conversation("", "", &conversation, "[{}]", None, CallForm::Native, &sampling);
        let body: Map<String, serde_json::Value> = serde_json::from_slice(request.body()).unwrap();
        let written: BTreeSet<&str> = body.keys().map(String::as_str).collect();
        assert_eq!(written, BTreeSet::from(OWN_FIELDS));
    }

    #[test]
    fn a_text_is_parsed_as_a_value_or_rejected_with_a_reason() {
        let (number, count) = (ValueKind::Number(0.0, 10.0), ValueKind::Count(16, 8192));
        let choice = ValueKind::Choice(&["seeds", "merged"]);
        let kept = ValueKind::Bytes(256);
        let size = "\"all\", \"none\", or a size in kB, MB or GB, such as \"500 MB\"";
        let region = "[left, top, width, height] in pixels, from 0 to 32767, sides from 16";
        let scenarios = "a list of scenarios, each { name = \"...\", goal = \"...\" }";
        let fields = "a table that JSON can represent, such as { top_k = 20 }";
        let cases = [
            (number, "1", "1", None),
            (number, "hot", "\"hot\"", Some("a number from 0 to 10")),
            (count, "1.5", "1.5", Some("a whole number from 16 to 8192")),
            (choice, "merged", "\"merged\"", None),
            (choice, "odd", "\"odd\"", Some("one of \"seeds\", \"merged\"")),
            (kept, "all", "\"all\"", None),
            (kept, "500 MB", "\"500 MB\"", None),
            (kept, "false", "false", None),
            (kept, "500", "500", Some(size)),
            (kept, "1000", "1000", None),
            (kept, "1.5 GB", "\"1.5 GB\"", Some(size)),
            (kept, "-1", "-1", Some(size)),
            (kept, "some", "\"some\"", Some(size)),
            (kept, "+5 MB", "\"+5 MB\"", Some(size)),
            (kept, "5  MB", "\"5  MB\"", Some(size)),
            (kept, "9999999999 kB", "\"9999999999 kB\"", Some(size)),
            (ValueKind::Text, "4", "\"4\"", None),
            (ValueKind::Text, "", "\"\"", None),
            (ValueKind::Filled, "4", "\"4\"", None),
            (ValueKind::Filled, " ", "\" \"", Some("a text that is not empty")),
            (ValueKind::Flag, "yes", "\"yes\"", Some("true or false")),
            (ValueKind::Texts, "http://a:1", "[\"http://a:1\"]", None),
            (ValueKind::Texts, "4", "[\"4\"]", None),
            (ValueKind::Texts, "'quoted'", "[\"quoted\"]", None),
            (ValueKind::Texts, " ['a', \"b\"]", "[\"a\", \"b\"]", None),
            (ValueKind::Texts, "[]", "[]", None),
            (ValueKind::Texts, "['a', 4]", "[\"a\", 4]", Some("a list of strings")),
            (ValueKind::Texts, "['a'", "\"['a'\"", Some("a list of strings")),
            (ValueKind::Region, "10, 20,300,400", "[10, 20, 300, 400]", None),
            (ValueKind::Region, "[0,0,16,16]", "[0, 0, 16, 16]", None),
            (ValueKind::Region, "0,0,15,16", "[0, 0, 15, 16]", Some(region)),
            (ValueKind::Region, "left", "\"left\"", Some(region)),
            (ValueKind::Scenarios, "[]", "[]", None),
            (
                ValueKind::Scenarios,
                "[{name='a',goal='b'}]",
                "[{ name = \"a\", goal = \"b\" }]",
                None,
            ),
            (
                ValueKind::Scenarios,
                "[{name='a'}]",
                "[{ name = \"a\" }]",
                Some(scenarios),
            ),
            (
                ValueKind::Scenarios,
                "[{name=' ',goal='b'}]",
                "[{ name = \" \", goal = \"b\" }]",
                Some(scenarios),
            ),
            (ValueKind::Scenarios, "a house", "\"a house\"", Some(scenarios)),
            (
                ValueKind::Fields,
                "{top_k=20,x={y=[1]}}",
                "{ top_k = 20, x = { y = [1] } }",
                None,
            ),
            (ValueKind::Fields, "{a=inf}", "{ a = inf }", Some(fields)),
            (
                ValueKind::Fields,
                "{a=[2026-01-01]}",
                "{ a = [2026-01-01] }",
                Some(fields),
            ),
            (ValueKind::Fields, "[1]", "[1]", Some(fields)),
            (
                ValueKind::Fields,
                "{seed=1,stream=true}",
                "{ seed = 1, stream = true }",
                Some("a table without stream, which FRANZ writes itself"),
            ),
        ];
        for (kind, text, value, refused) in cases {
            let read = kind.read(text);
            assert_eq!(read, value.parse().unwrap(), "{text}");
            assert_eq!(kind.check(&read).err().as_deref(), refused, "{text}");
        }
        assert!(number.check(&Value::Float(f64::NAN)).is_err());
    }

    #[test]
    fn a_size_becomes_bytes() {
        let kept = ValueKind::Bytes(256);
        for (text, bytes) in [
            ("all", i64::MAX),
            ("none", 0),
            ("false", 0),
            ("true", 256),
            ("0", 0),
            ("7 kB", 7000),
            ("500MB", 500_000_000),
            ("2 GB", 2_000_000_000),
        ] {
            assert_eq!(kept.canonical(kept.read(text)), Value::Integer(bytes), "{text}");
        }
    }
}
