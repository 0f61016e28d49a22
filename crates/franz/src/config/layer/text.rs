//! Reads a layer from TOML text. Checks each key, and remembers its position in the text.

use toml::Value;
use toml::de::{DeTable, DeValue};

use super::{Layer, LayerError, known};
use crate::config::folder;
use crate::config::key::ConfigKey;
use crate::config::origin::{FileKind, Origin};

impl Layer {
    /// Parses TOML text from `source`. The error names every mistake.
    pub(crate) fn parse(text: &str, source: &Origin) -> Result<Layer, LayerError> {
        let (layer, mut mistakes) = Layer::parse_leniently(text, source)?;
        match mistakes.pop() {
            None => Ok(layer),
            Some(only) if mistakes.is_empty() => Err(only),
            Some(last) => {
                mistakes.push(last);
                Err(LayerError::Several(mistakes))
            }
        }
    }

    /// Parses TOML text from `source`. Returns the usable part, and every mistake in the order of the text.
    pub(crate) fn parse_leniently(text: &str, source: &Origin) -> Result<(Layer, Vec<LayerError>), LayerError> {
        let from = Text { text, source };
        let syntax = |error: toml::de::Error| LayerError::Syntax {
            source_name: error
                .span()
                .map_or_else(|| source.to_string(), |span| from.place(span.start)),
            message: error.message().lines().collect::<Vec<_>>().join(" "),
        };
        let table = DeTable::parse(text).map_err(syntax)?;
        let mut layer = Layer::default();
        let mut mistakes = Vec::new();
        layer.flatten("", table.get_ref(), &from, &mut mistakes);
        mistakes.sort_by_key(|(offset, _)| *offset);
        Ok((layer, mistakes.into_iter().map(|(_, mistake)| mistake).collect()))
    }

    fn flatten(&mut self, prefix: &str, table: &DeTable<'_>, from: &Text<'_>, mistakes: &mut Vec<(usize, LayerError)>) {
        for (part, value) in table {
            let name = if prefix.is_empty() {
                part.get_ref().to_string()
            } else {
                format!("{prefix}.{}", part.get_ref())
            };
            let offset = part.span().start;
            let place = from.place(offset);
            let checked = match value.get_ref() {
                _ if name == "keys" => from.check_keys(place),
                DeValue::Table(inner) if ConfigKey::named(&name).is_none() => {
                    check_table(&name, &place).map(|()| self.flatten(&name, inner, from, mistakes))
                }
                value => self.insert_checked(&name, |_| owned(value), from.origin(offset), &place),
            };
            mistakes.extend(checked.err().map(|mistake| (offset, mistake)));
        }
    }
}

/// Refuses a table that is part of no key's name.
fn check_table(name: &str, place: &str) -> Result<(), LayerError> {
    let inside = format!("{name}.");
    if ConfigKey::names().iter().any(|key| key.starts_with(&inside)) {
        return Ok(());
    }
    known(name, place).map(drop)
}

/// TOML text that is being read.
struct Text<'a> {
    text: &'a str,
    source: &'a Origin,
}

impl Text<'_> {
    /// Returns a position such as `franz.toml:3:1`.
    fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.source, position(self.text, offset))
    }

    /// Accepts a table of API keys only in the person's own `franz.toml`. Other code reads the keys in it.
    fn check_keys(&self, place: String) -> Result<(), LayerError> {
        match self.source {
            Origin::File {
                path,
                kind: FileKind::Own,
                ..
            } if path.ends_with("franz.toml") => Ok(()),
            _ => Err(LayerError::Keys {
                source_name: place,
                own: folder::own().map_or_else(
                    || "your own configuration folder".to_owned(),
                    |own| own.join("franz.toml").display().to_string(),
                ),
            }),
        }
    }

    fn origin(&self, offset: usize) -> Origin {
        self.source.at_line(line(self.text, offset))
    }
}

/// Converts a value into an owned one. A number that fits no type becomes one that no key accepts.
fn owned(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            let digits = number.as_str();
            i64::from_str_radix(digits, number.radix()).map_or_else(|_| Value::Float(f64::INFINITY), Value::Integer)
        }
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        DeValue::Datetime(time) => Value::Datetime(*time),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| owned(item.get_ref())).collect()),
        DeValue::Table(table) => {
            let parts = table.iter();
            Value::Table(
                parts
                    .map(|(part, value)| (part.get_ref().to_string(), owned(value.get_ref())))
                    .collect(),
            )
        }
    }
}

/// Returns `line:column` of a byte offset, both counted from 1.
pub(in super::super) fn position(text: &str, offset: usize) -> String {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    format!("{}:{}", line(text, offset), before[line_start..].chars().count() + 1)
}

/// Returns the number of the line that contains a byte offset, counted from 1.
fn line(text: &str, offset: usize) -> usize {
    let before = &text[..text.floor_char_boundary(offset)];
    before.matches('\n').count() + 1
}
