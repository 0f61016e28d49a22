//! A layer of the configuration: keys and values from a file, the environment or flags, already checked.

mod text;

use std::collections::BTreeMap;

use franz_action::text::shortened;
use toml::{Table, Value};

use super::key::ConfigKey;
use super::kind::ValueKind;
use super::mask;
use super::origin::Origin;

pub(super) use text::position;

/// How many characters of a value an error shows.
const LONGEST_VALUE: usize = 40;

/// How many characters of an unknown key an error shows.
const LONGEST_KEY: usize = 100;

/// Values by the dotted names of their keys. [`Layer::over`] puts one layer on top of another.
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

/// Layers are equal if they set the same values, even if these have different origins.
impl PartialEq for Layer {
    fn eq(&self, other: &Layer) -> bool {
        self.iter().eq(other.iter())
    }
}

/// A mistake in a layer, with its position.
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
    #[error(
        "{source_name}: [keys] has an effect only in {own}; move it there, or allow one server with --key-for SERVER"
    )]
    Keys { source_name: String, own: String },
    #[error("cannot read {path}: {reason}")]
    Unreadable { path: String, reason: String },
    #[error("{}", lines(.0))]
    Several(Vec<LayerError>),
}

/// Returns one line for each mistake.
fn lines(mistakes: &[LayerError]) -> String {
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

fn suggestion(nearest: Option<&str>) -> String {
    match nearest {
        Some(key) => format!("; did you mean '{key}'?"),
        None => "; `franz profiles --schema` prints all keys".to_owned(),
    }
}

impl Layer {
    /// Returns the layer of all defaults.
    pub(crate) fn defaults() -> Layer {
        let mut layer = Layer::default();
        for name in ConfigKey::names() {
            if let Some(text) = ConfigKey::named(&name).and_then(|key| key.default) {
                let set = layer.set(&name, text, Origin::Default);
                set.expect("the built-in defaults are checked by a test");
            }
        }
        layer
    }

    /// Sets a key from the text of a flag or an environment variable.
    pub(crate) fn set(&mut self, name: &str, text: &str, origin: Origin) -> Result<(), LayerError> {
        let place = origin.to_string();
        self.insert_checked(name, |kind| kind.read(text), origin, &place)
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

    /// Sets a key to a value that is valid for it.
    pub(crate) fn insert(&mut self, name: impl Into<String>, value: Value, origin: Origin) {
        self.entries.insert(name.into(), Entry { value, origin });
    }

    /// Puts one value on top of an existing one. Masks add up, so that no file can remove another file's masks. Only
    /// the person can remove them, with an empty list on the command line or in the environment.
    fn lay(&mut self, name: &str, mut entry: Entry) {
        let is_given = matches!(entry.origin, Origin::CommandLine { .. } | Origin::Environment { .. });
        let is_list = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
        if ConfigKey::named(name).is_some_and(|key| key.kind == ValueKind::Masks)
            && let Some(below) = self.entries.get(name)
            && (is_list(&entry.value) || !is_given)
        {
            entry.value = mask::joined(&below.value, &entry.value);
        }
        self.entries.insert(name.to_owned(), entry);
    }

    /// Puts the other layer's value for a key on top of the existing one.
    pub(crate) fn lay_from(&mut self, name: &str, from: &Layer) {
        if let Some(entry) = from.entries.get(name) {
            self.lay(name, entry.clone());
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.entries.remove(name);
    }

    /// Sets a key to the value in another layer, or removes it if that layer does not set it.
    pub(crate) fn copy(&mut self, name: &str, from: &Layer) {
        match from.entries.get(name) {
            Some(entry) => _ = self.entries.insert(name.to_owned(), entry.clone()),
            None => self.remove(name),
        }
    }

    /// Returns a layer with only the keys that are wanted.
    pub(crate) fn part(&self, is_wanted: impl Fn(&str) -> bool) -> Layer {
        let wanted = self.entries.iter().filter(|(name, _)| is_wanted(name));
        Layer {
            entries: wanted.map(|(name, entry)| (name.clone(), entry.clone())).collect(),
        }
    }

    /// Returns this layer with `upper` on top of it. Masks add up.
    pub(crate) fn over(mut self, upper: Layer) -> Layer {
        for (name, entry) in upper.entries {
            self.lay(&name, entry);
        }
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

    /// Sets a key if the name exists and the key accepts the value. Errors name the `place`.
    fn insert_checked(
        &mut self,
        name: &str,
        value: impl FnOnce(ValueKind) -> Value,
        origin: Origin,
        place: &str,
    ) -> Result<(), LayerError> {
        let kind = known(name, place)?.kind;
        let value = value(kind);
        kind.check(&value).map_err(|wanted| LayerError::Value {
            source_name: place.to_owned(),
            key: name.to_owned(),
            wanted,
            given: shown(&value),
        })?;
        let value = kind.canonical(value);
        self.lay(name, Entry { value, origin });
        Ok(())
    }
}

fn known(name: &str, place: &str) -> Result<ConfigKey, LayerError> {
    ConfigKey::named(name).ok_or_else(|| LayerError::Unknown {
        source_name: place.to_owned(),
        key: shortened(name, LONGEST_KEY),
        nearest: ConfigKey::nearest(name),
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", shortened(text, LONGEST_VALUE)),
        other => shortened(&other.to_string(), LONGEST_VALUE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::origin::FileKind;

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
        let all: Vec<&str> = cases.iter().map(|(_, message)| *message).collect();
        let many = error("[loop]\nexeuting_delay_s = 1\n[image]\nwidth = 'big'\nheight = 9");
        let many: Vec<&str> = many.lines().collect();
        assert_eq!((many.len(), many[0]), (3, all[0]), "{many:?}");
        assert!(many[1].starts_with("franz.toml:4:1: image.width must be"), "{many:?}");
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
    fn upper_layers_override_lower_ones() {
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
