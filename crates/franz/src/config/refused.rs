//! Values that a file may not set, and how the person can still set them.

use std::fmt;

use franz_action::text::shortened;
use franz_home::shell;
use toml::Value;

use super::key::ConfigKey;
use super::origin::Origin;
use super::settings_file::FileRead;
use super::trust::Permission;

/// How many characters of a value an error shows.
const LONGEST_VALUE: usize = 300;

/// A value that a file may not set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RefusedSetting {
    pub(crate) key: String,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    pub(crate) grant: Permission,
    /// The file, which the person would have to trust to make the value apply.
    pub(crate) file: FileRead,
}

/// All refused values, one line each.
#[derive(Debug)]
pub(crate) struct RefusedSettings(pub(crate) Vec<RefusedSetting>);

/// Returns the flag that sets a key to a value.
pub(crate) fn flag(key: &str, value: &Value) -> String {
    let shown = |text: &str| shortened(&text.replace('\n', " "), LONGEST_VALUE);
    match (ConfigKey::named(key).and_then(|key| key.flag), value) {
        (Some(flag), Value::String(text)) => format!("{flag} {}", shell::word(&shown(text))),
        // A number's own flag can refuse a value that the key accepts, such as --max-turns 0, so use `--set`.
        (_, Value::String(text)) => format!("--set {}", shell::word(&format!("{key}={}", shown(text)))),
        (_, other) => format!("--set {}", shell::word(&format!("{key}={}", shown(&other.to_string())))),
    }
}

impl fmt::Display for RefusedSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, flag) = (&self.key, flag(&self.key, &self.value));
        let words = self.grant.words();
        let path = shell::path(&self.file.path);
        write!(
            f,
            "{}: {key} {words}, which only you may do: add {flag}, or allow the file: franz trust {path}",
            self.origin
        )
    }
}

impl fmt::Display for RefusedSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(|one| one.to_string().replace('\n', " ")).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for RefusedSettings {}
