//! One layer of the configuration: checked keys and values from a file, the environment or flags.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use franz_dialect::plan::shortened;
use franz_home::{View, file};
use franz_record::resume::CONFIG_FILE;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::folder;
use super::key::ConfigKey;
use super::origin::{FileKind, Origin};

/// How many characters of a value an error shows.
const LONGEST_VALUE: usize = 40;

/// How many characters of an unknown key an error shows.
const LONGEST_KEY: usize = 100;

/// The most bytes of a file. The longest text is a prompt, of a few kilobytes.
const MOST_BYTES: u64 = 8 << 20;

/// Keys by dotted name. [`Layer::over`] lays later layers over earlier ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    entries: BTreeMap<String, Entry>,
}

/// One value and its origin.
#[derive(Clone, Debug)]
struct Entry {
    value: Value,
    origin: Origin,
}

/// Layers are equal if they set the same values, whatever the origins.
impl PartialEq for Layer {
    fn eq(&self, other: &Layer) -> bool {
        self.iter().eq(other.iter())
    }
}

/// What is wrong with a layer, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LayerError {
    #[error("{source_name}: {message}")]
    Syntax { source_name: String, message: String },
    #[error("{source_name}: unknown key '{key}'{}", suggestion(.nearest.as_deref()))]
    Unknown {
        source_name: String,
        key: String,
        nearest: Option<String>,
    },
    #[error("{source_name}: {key} must be {wanted}, not {given}")]
    Value {
        source_name: String,
        key: String,
        wanted: String,
        given: String,
    },
    #[error("{source_name}: [keys] counts only in {own}; or allow one server with --key-for SERVER")]
    Keys { source_name: String, own: String },
    #[error("cannot read {path}: {reason}")]
    Unreadable { path: String, reason: String },
}

fn suggestion(nearest: Option<&str>) -> String {
    match nearest {
        Some(key) => format!("; did you mean '{key}'?"),
        None => "; `franz profiles --schema` prints the keys there are".to_owned(),
    }
}

impl Layer {
    /// Reads a TOML text from `source`.
    pub(crate) fn parse(text: &str, source: &Origin) -> Result<Layer, LayerError> {
        let at = |offset: usize| format!("{source}:{}", position(text, offset));
        let syntax = |error: toml::de::Error| LayerError::Syntax {
            source_name: error.span().map_or_else(|| source.to_string(), |span| at(span.start)),
            message: error.message().lines().collect::<Vec<_>>().join(" "),
        };
        let table = DeTable::parse(text).map_err(syntax)?;
        let mut layer = Layer::default();
        layer.flatten("", table.get_ref(), &Text { text, source })?;
        Ok(layer)
    }

    /// Reads the `config.toml` of a run; `None` if there is none.
    pub(crate) fn of_run(run: &View) -> Result<Option<Layer>, LayerError> {
        let Some(bytes) = bytes_of_run(run)? else {
            return Ok(None);
        };
        let path = run.path_of(CONFIG_FILE);
        Layer::parse(&decoded(&path, bytes)?, &Origin::file(FileKind::Run, &path)).map(Some)
    }

    /// Sets one key from text, as flags and the environment provide it.
    pub(crate) fn set(&mut self, name: &str, text: &str, origin: Origin) -> Result<(), LayerError> {
        let key = known(name, || origin.to_string())?;
        self.insert_checked(name, key, key.kind.read(text), origin, ToString::to_string)
    }

    /// Returns the value of a key, if it is set.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.entries.get(name).map(|entry| &entry.value)
    }

    /// Returns the origin of a key's value, if it is set.
    pub(crate) fn origin(&self, name: &str) -> Option<&Origin> {
        self.entries.get(name).map(|entry| &entry.origin)
    }

    /// Returns the keys that are set, with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.entries.iter().map(|(name, entry)| (name, &entry.value))
    }

    /// Sets a key to a value that fits it.
    pub(crate) fn insert(&mut self, name: impl Into<String>, value: Value, origin: Origin) {
        self.entries.insert(name.into(), Entry { value, origin });
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.entries.remove(name);
    }

    /// Returns this layer with `upper` laid over it.
    pub(crate) fn over(mut self, upper: Layer) -> Layer {
        self.entries.extend(upper.entries);
        self
    }

    /// Returns the keys as nested tables.
    pub(crate) fn table(&self) -> Table {
        let mut root = Table::new();
        for (name, value) in self.iter() {
            let mut parts: Vec<&str> = name.split('.').collect();
            let last = parts.pop().unwrap_or_default();
            let mut table = &mut root;
            for part in parts {
                let inner = table.entry(part).or_insert_with(|| Value::Table(Table::new()));
                let Value::Table(inner) = inner else {
                    unreachable!("no key is a prefix of another")
                };
                table = inner;
            }
            table.insert(last.to_owned(), value.clone());
        }
        root
    }

    fn insert_checked(
        &mut self,
        name: &str,
        key: ConfigKey,
        value: Value,
        origin: Origin,
        shown_origin: impl Fn(&Origin) -> String,
    ) -> Result<(), LayerError> {
        key.kind.check(&value).map_err(|wanted| LayerError::Value {
            source_name: shown_origin(&origin),
            key: name.to_owned(),
            wanted,
            given: shown(&value),
        })?;
        self.insert(name, key.kind.canonical(value), origin);
        Ok(())
    }

    fn flatten(&mut self, prefix: &str, table: &DeTable<'_>, from: &Text<'_>) -> Result<(), LayerError> {
        for (part, value) in table {
            let name = if prefix.is_empty() {
                part.get_ref().to_string()
            } else {
                format!("{prefix}.{}", part.get_ref())
            };
            let offset = part.span().start;
            if name == "keys" {
                from.check_keys(offset)?;
                continue;
            }
            match value.get_ref() {
                DeValue::Table(inner) if ConfigKey::named(&name).is_none() => {
                    let inside = format!("{name}.");
                    if !ConfigKey::names().iter().any(|key| key.starts_with(&inside)) {
                        known(&name, || from.place(offset))?;
                    }
                    self.flatten(&name, inner, from)?;
                }
                _ => {
                    let key = known(&name, || from.place(offset))?;
                    let value = owned(value.get_ref());
                    self.insert_checked(&name, key, value, from.origin(offset), |_| from.place(offset))?;
                }
            }
        }
        Ok(())
    }
}

/// A TOML text being read.
struct Text<'a> {
    text: &'a str,
    source: &'a Origin,
}

impl Text<'_> {
    /// Returns a place such as `franz.toml:3:1`.
    fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.source, position(self.text, offset))
    }

    /// Accepts a table of API keys only in the person's own `franz.toml`. The keys themselves are read elsewhere.
    fn check_keys(&self, offset: usize) -> Result<(), LayerError> {
        let own = folder::own().map(|folder| folder.join("franz.toml"));
        match (self.source, own) {
            (
                Origin::File {
                    path,
                    kind: FileKind::Own,
                    ..
                },
                _,
            ) if path.ends_with("franz.toml") => Ok(()),
            (_, own) => Err(LayerError::Keys {
                source_name: self.place(offset),
                own: own.map_or_else(
                    || "your own configuration folder".to_owned(),
                    |own| own.display().to_string(),
                ),
            }),
        }
    }

    fn origin(&self, offset: usize) -> Origin {
        self.source.at_line(line(self.text, offset))
    }
}

/// Returns the bytes of a settings file; `None` if there is none.
pub(crate) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, LayerError> {
    found(file::read(path, MOST_BYTES), path)
}

/// Returns the bytes of a run's `config.toml`; `None` if there is none.
pub(super) fn bytes_of_run(run: &View) -> Result<Option<Vec<u8>>, LayerError> {
    found(run.read(CONFIG_FILE, MOST_BYTES), &run.path_of(CONFIG_FILE))
}

fn found(read: io::Result<Vec<u8>>, path: &Path) -> Result<Option<Vec<u8>>, LayerError> {
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Decodes the bytes of a settings file.
pub(crate) fn decoded(path: &Path, bytes: Vec<u8>) -> Result<String, LayerError> {
    decode(bytes).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> LayerError {
    LayerError::Unreadable {
        path: path.display().to_string(),
        reason: error.to_string(),
    }
}

/// Returns the text of a run's `config.toml`.
pub(crate) fn text_of_run(run: &View) -> io::Result<String> {
    decode(run.read(CONFIG_FILE, MOST_BYTES)?)
}

fn decode(bytes: Vec<u8>) -> io::Result<String> {
    // `>` in Windows PowerShell writes this.
    let text = match &bytes[..] {
        [0xff, 0xfe, units @ ..] => utf16(units),
        _ => String::from_utf8(bytes).ok(),
    };
    text.ok_or_else(|| io::Error::other("it is no UTF-8 text; save it as UTF-8"))
}

/// Decodes UTF-16, least significant byte first.
fn utf16(bytes: &[u8]) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

fn known(name: &str, source_name: impl Fn() -> String) -> Result<ConfigKey, LayerError> {
    ConfigKey::named(name).ok_or_else(|| LayerError::Unknown {
        source_name: source_name(),
        key: shortened(name, LONGEST_KEY),
        nearest: ConfigKey::nearest(name),
    })
}

/// Returns the value as a tree of its own. Numbers that fit no type become ones that no key accepts.
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

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", shortened(text, LONGEST_VALUE)),
        Value::Table(_) => "a table".to_owned(),
        other => shortened(&other.to_string(), LONGEST_VALUE),
    }
}

/// Returns `line:column` of a byte offset, both from 1.
pub(super) fn position(text: &str, offset: usize) -> String {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    format!("{}:{}", line(text, offset), before[line_start..].chars().count() + 1)
}

/// Returns the line of a byte offset, from 1.
fn line(text: &str, offset: usize) -> usize {
    let before = &text[..text.floor_char_boundary(offset)];
    before.matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> Origin {
        Origin::file(FileKind::Directory, path)
    }

    fn error(text: &str) -> String {
        Layer::parse(text, &file("franz.toml")).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_place_and_the_nearest_key() {
        let cases = [
            (
                "[loop]\nexeuting_delay_s = 1",
                "franz.toml:2:1: unknown key 'loop.exeuting_delay_s'; did you mean 'loop.executing_delay_s'?",
            ),
            (
                "[image]\n  width = \"big\"",
                "franz.toml:2:3: image.width must be a whole number from 16 to 8192, not \"big\"",
            ),
            (
                "[modle]\nname = 'x'",
                "franz.toml:1:2: unknown key 'modle'; did you mean 'model'?",
            ),
            (
                "[marks]\nclassic = [1]",
                "franz.toml:2:1: marks.classic must be true or false, not [1]",
            ),
            (
                "model = 5",
                "franz.toml:1:1: unknown key 'model'; did you mean 'model.upstream'?",
            ),
        ];
        for (text, message) in cases {
            let shown = error(text);
            assert_eq!(shown, message);
        }
        let long = error(&format!("{} = 1", "k".repeat(1 << 20)));
        assert!(
            long.starts_with("franz.toml:1:1: unknown key 'kkk") && long.len() < 300,
            "{long:.300}"
        );
        assert!(
            error("[image]\nwidth = ").starts_with("franz.toml:2:"),
            "{}",
            error("[image]\nwidth = ")
        );
    }

    #[test]
    fn layers_are_laid_over_each_other() {
        let lower = Layer::parse("[image]\nwidth = 100\nheight = 50", &file("a")).unwrap();
        let mut upper = Layer::parse("[image]\nwidth = 200", &file("b")).unwrap();
        upper.set("model.name", "123", Origin::flag("--set")).unwrap();
        let whole = lower.over(upper);
        for (key, origin) in [
            ("image.width", Some("b:2")),
            ("image.height", Some("a:3")),
            ("model.name", Some("--set")),
            ("model.upstream", None),
        ] {
            assert_eq!(whole.origin(key).map(ToString::to_string).as_deref(), origin);
        }
        let table = whole.table();
        assert_eq!(table["image"]["width"].as_integer(), Some(200));
        assert_eq!(table["image"]["height"].as_integer(), Some(50));
        assert_eq!(table["model"]["name"].as_str(), Some("123"));
    }
}
