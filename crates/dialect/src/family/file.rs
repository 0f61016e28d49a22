//! Reads family files. Reports all mistakes at once, each with its line, its key and the allowed values.

use std::fmt;
use std::ops::Range;

use toml::Value;
use toml::de::{DeTable, DeValue};

use super::{CallChannel, Family, PictureRule, Reasoning};
use crate::dialect::Dialect;
use crate::dialects::{self, DIALECTS};
use crate::geometry::{Axes, Space};
use crate::manner::{EnvelopeForm, Manner, ScrollUnit, Swipe};

/// One mistake in a family file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, and what is allowed instead.
    pub what: String,
}

/// The mistakes of a family file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file's name or path.
    pub name: String,
    /// All mistakes in the file, in the order of their lines.
    pub mistakes: Vec<Mistake>,
}

impl std::error::Error for FileError {}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Mistake { line, what }) in self.mistakes.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}, line {line}: {what}", self.name)?;
        }
        Ok(())
    }
}

const KEYS: [&str; 16] = [
    "models",
    "not",
    "dialect",
    "space",
    "axes",
    "calls",
    "reasoning",
    "tool",
    "verbs",
    "envelope",
    "scroll",
    "swipe",
    "enter",
    "answer",
    "picture",
    "model",
];
/// The model settings that a family file can contain.
const MODEL_KEYS: [&str; 2] = ["temperature", "top_p"];

/// Reads the text of a family file.
pub(super) fn read(name: &str, text: &str) -> Result<Family, FileError> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut file = File {
        text,
        mistakes: Vec::new(),
    };
    for error in errors {
        let at = error.span().unwrap_or(0..0);
        file.mistake(&at, error.message().to_owned());
    }
    let table = table.get_ref();
    for (key, value) in table {
        if !KEYS.contains(&key.get_ref().as_ref()) {
            file.unknown(&key.span(), key.get_ref(), &KEYS);
            let _ = value;
        }
    }
    let family = file.family(name, table);
    if file.mistakes.is_empty() {
        return Ok(family);
    }
    file.mistakes.sort_by_key(|mistake| mistake.line);
    Err(FileError {
        name: format!("{name}.toml"),
        mistakes: file.mistakes,
    })
}

struct File<'a> {
    text: &'a str,
    mistakes: Vec<Mistake>,
}

type Spanned<'a> = toml::Spanned<DeValue<'a>>;

impl File<'_> {
    fn mistake(&mut self, at: &Range<usize>, what: String) {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        self.mistakes.push(Mistake {
            line: before.matches('\n').count() + 1,
            what,
        });
    }

    fn unknown(&mut self, at: &Range<usize>, key: &str, known: &[&str]) {
        self.mistake(
            at,
            format!("there is no key '{key}'; the keys are {}", known.join(", ")),
        );
    }

    fn family(&mut self, name: &str, table: &DeTable<'_>) -> Family {
        let dialects: Vec<(&str, _)> = DIALECTS.iter().map(|dialect| (dialect.name, *dialect)).collect();
        let calls = [
            ("text", CallChannel::Text),
            ("native", CallChannel::Native),
            ("auto", CallChannel::Auto),
        ];
        let reasoning = [("keep", Reasoning::Keep), ("drop", Reasoning::Drop)];
        let needed = ["models", "dialect", "space"]
            .into_iter()
            .filter(|key| table.get(*key).is_none());
        for key in needed {
            self.mistake(&(0..0), format!("the key '{key}' is missing"));
        }
        let dialect = self.one_of(table, "dialect", &dialects).unwrap_or(dialects::own());
        Family {
            name: name.to_owned(),
            models: self.globs(table, "models"),
            not: self.globs(table, "not"),
            dialect,
            space: self.one_of(table, "space", &Space::NAMES).unwrap_or(Space::Unknown),
            axes: self.one_of(table, "axes", &Axes::NAMES).unwrap_or(Axes::Xy),
            calls: self.one_of(table, "calls", &calls).unwrap_or(CallChannel::Auto),
            reasoning: self.one_of(table, "reasoning", &reasoning),
            manner: self.manner(table, dialect),
            picture: self.picture(table),
            model: self.model(table),
        }
    }

    fn manner(&mut self, table: &DeTable<'_>, dialect: &Dialect) -> Manner {
        let envelopes = [
            ("json", EnvelopeForm::Json),
            ("xml", EnvelopeForm::Xml),
            ("action", EnvelopeForm::Action),
        ];
        let scroll = [("notches", ScrollUnit::Notches), ("pixels", ScrollUnit::Pixels)];
        let swipe = [("content", Swipe::Content), ("finger", Swipe::Finger)];
        let enter = [("asked", false), ("usual", true)];
        let answer = [("call", false), ("words", true)];
        let tools: Vec<(&str, &str)> = dialect.tools.iter().map(|tool| (*tool, *tool)).collect();
        Manner {
            envelope: self.one_of(table, "envelope", &envelopes).unwrap_or_default(),
            scroll: self.one_of(table, "scroll", &scroll).unwrap_or_default(),
            swipe: self.one_of(table, "swipe", &swipe).unwrap_or_default(),
            enters: self.one_of(table, "enter", &enter).unwrap_or_default(),
            words_answer: self.one_of(table, "answer", &answer).unwrap_or_default(),
            tool: self.one_of(table, "tool", &tools).map(str::to_owned),
            verbs: self.verbs(table, dialect),
        }
    }

    fn verbs(&mut self, table: &DeTable<'_>, dialect: &Dialect) -> Vec<String> {
        let Some(value) = table.get("verbs") else {
            return Vec::new();
        };
        let Some(list) = value.get_ref().as_array() else {
            self.mistake(
                &value.span(),
                "'verbs' must be a list of strings such as [\"click\"]".to_owned(),
            );
            return Vec::new();
        };
        let mut verbs = Vec::new();
        for one in list {
            let verb = one.get_ref().as_str().unwrap_or_default();
            if dialect.rows.iter().any(|row| row.names.contains(&verb)) {
                verbs.push(verb.to_owned());
            } else {
                let known: Vec<&str> = dialect
                    .rows
                    .iter()
                    .filter_map(|row| row.names.first().copied())
                    .collect();
                let what = format!(
                    "'{verb}' is not a verb of {}, which has {}",
                    dialect.name,
                    known.join(", ")
                );
                self.mistake(&one.span(), what);
            }
        }
        verbs
    }

    fn one_of<T: Copy>(&mut self, table: &DeTable<'_>, key: &str, known: &[(&str, T)]) -> Option<T> {
        let value = table.get(key)?;
        let found = value
            .get_ref()
            .as_str()
            .and_then(|word| known.iter().find(|(name, _)| *name == word));
        if found.is_none() {
            let names: Vec<String> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            self.mistake(&value.span(), format!("'{key}' must be one of {}", names.join(", ")));
        }
        found.map(|(_, value)| *value)
    }

    fn globs(&mut self, table: &DeTable<'_>, key: &str) -> Vec<String> {
        let Some(value) = table.get(key) else { return Vec::new() };
        let mut globs = Vec::new();
        let Some(list) = value.get_ref().as_array() else {
            self.mistake(
                &value.span(),
                format!("'{key}' must be a list of strings such as [\"*qwen3-vl*\"]"),
            );
            return globs;
        };
        for one in list {
            match one.get_ref().as_str() {
                Some(glob) if glob.trim_matches('*').is_empty() => {
                    self.mistake(
                        &one.span(),
                        format!("'{glob}' in '{key}' fits every model; write a part of the model's name"),
                    );
                }
                Some(glob) => globs.push(glob.to_lowercase()),
                None => self.mistake(
                    &one.span(),
                    format!("'{key}' must be a list of strings such as [\"*qwen3-vl*\"]"),
                ),
            }
        }
        globs
    }

    fn section<'t, 'i>(&mut self, table: &'t DeTable<'i>, key: &str, known: &[&str]) -> Vec<(String, &'t Spanned<'i>)> {
        let Some(value) = table.get(key) else { return Vec::new() };
        let Some(section) = value.get_ref().as_table() else {
            self.mistake(&value.span(), format!("'{key}' must be a section: [{key}]"));
            return Vec::new();
        };
        let mut members = Vec::new();
        for (name, value) in section {
            if known.contains(&name.get_ref().as_ref()) {
                members.push((name.get_ref().to_string(), value));
            } else {
                self.unknown(&name.span(), name.get_ref(), known);
            }
        }
        members
    }

    fn picture(&mut self, table: &DeTable<'_>) -> PictureRule {
        let mut rule = PictureRule {
            multiple: 1,
            most_pixels: 0,
        };
        for (key, value) in self.section(table, "picture", &["multiple", "most_pixels"]) {
            let number = value
                .get_ref()
                .as_integer()
                .and_then(|number| number.as_str().replace('_', "").parse::<u64>().ok());
            match (key.as_str(), number) {
                ("multiple", Some(number @ 1..=1024)) => rule.multiple = number as u32,
                ("multiple", _) => {
                    self.mistake(
                        &value.span(),
                        "'multiple' must be a whole number from 1 to 1024".to_owned(),
                    );
                }
                (_, Some(number @ 10_000..=100_000_000)) => rule.most_pixels = number,
                _ => self.mistake(
                    &value.span(),
                    "'most_pixels' must be a whole number from 10000 to 100000000".to_owned(),
                ),
            }
        }
        rule
    }

    fn model(&mut self, table: &DeTable<'_>) -> toml::Table {
        let mut settings = toml::Table::new();
        for (key, value) in self.section(table, "model", &MODEL_KEYS) {
            let number = match value.get_ref() {
                DeValue::Integer(number) => number.as_str().parse::<i64>().ok().map(Value::Integer),
                DeValue::Float(number) => number
                    .as_str()
                    .parse::<f64>()
                    .ok()
                    .filter(|number| number.is_finite())
                    .map(Value::Float),
                _ => None,
            };
            match number {
                Some(number) => {
                    settings.insert(key, number);
                }
                None => self.mistake(&value.span(), format!("'{key}' must be a number")),
            }
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let text = "models = [\"*a*\", 5]\nspace = \"inches\"\ncolour = 1\n[picture]\nmultiple = 0\nside = 3\n[model]\ntemperature = \"hot\"\n";
        let told = read("mine", text).unwrap_err().to_string();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(
            lines,
            [
                "mine.toml, line 1: the key 'dialect' is missing",
                "mine.toml, line 1: 'models' must be a list of strings such as [\"*qwen3-vl*\"]",
                "mine.toml, line 2: 'space' must be one of \"thousandths\", \"1024ths\", \"pixels\", \"fractions\", \"percent\", \"letterboxed\", \"unknown\"",
                "mine.toml, line 3: there is no key 'colour'; the keys are models, not, dialect, space, axes, calls, reasoning, tool, verbs, envelope, scroll, swipe, enter, answer, picture, model",
                "mine.toml, line 5: 'multiple' must be a whole number from 1 to 1024",
                "mine.toml, line 6: there is no key 'side'; the keys are multiple, most_pixels",
                "mine.toml, line 8: 'temperature' must be a number",
            ]
        );
    }

    #[test]
    fn broken_toml_is_reported_with_its_line() {
        let told = read("mine", "models = [\"*a*\"]\ndialect = = 5\nspace = \"pixels\"\n").unwrap_err();
        assert!(told.mistakes.iter().any(|mistake| mistake.line == 2), "{told}");
    }
}
