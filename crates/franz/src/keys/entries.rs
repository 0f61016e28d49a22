//! `[keys]` in the person's own `franz.toml`. Each entry has a server, and the variable or the file that contains its
//! key.

use std::path::Path;

use anyhow::Result;
use franz_chat::{ApiKey, ServerOrigin};
use toml::{Table, Value};

use super::{file, key, variable};
use crate::config::settings_file;
use crate::exit::Unusable;
use crate::terminal::complain;

/// Reads the servers and their keys. Leaves out a server whose variable is not set, and reports it.
pub(super) fn read(folder: Option<&Path>) -> Result<Vec<(ServerOrigin, ApiKey)>> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let path = folder.join("franz.toml");
    // Other code reads the file's settings and reports any other mistake in the file.
    let Ok(Some(bytes)) = settings_file::bytes(&path) else {
        return Ok(Vec::new());
    };
    let text = settings_file::decoded(&path, bytes).unwrap_or_default();
    let table: Table = text.parse().unwrap_or_default();
    let wrong = |what: String| Unusable::usage(format!("{}: {what}", path.display()));
    let entries = match table.get("keys") {
        None => return Ok(Vec::new()),
        Some(Value::Table(entries)) => entries,
        Some(_) => return Err(wrong("keys must be a table".to_owned()).into()),
    };
    let mut keys = Vec::new();
    for (server, source) in entries {
        let server: ServerOrigin = server.parse().map_err(|error| wrong(format!("[keys] {error}")))?;
        let source = Source::of(source).ok_or_else(|| {
            wrong(format!("[keys] \"{server}\" must be the name of an environment variable, or {{ file = \"PATH\" }}; never the key itself"))
        })?;
        if let Some(text) = source.text(folder)? {
            keys.push((server, key(&text, &source.to_string())?));
        } else {
            complain(&format!("no key for {server}: {source} is not set"));
        }
    }
    Ok(keys)
}

/// The place where a key is kept.
enum Source {
    Variable(String),
    File(String),
}

impl Source {
    fn of(value: &Value) -> Option<Source> {
        match value {
            Value::String(name) if is_name(name) => Some(Source::Variable(name.clone())),
            Value::Table(table) if table.len() == 1 => Some(Source::File(table.get("file")?.as_str()?.to_owned())),
            _ => None,
        }
    }

    fn text(&self, folder: &Path) -> Result<Option<String>> {
        match self {
            Source::Variable(name) => Ok(variable(name)),
            Source::File(path) => file::read("the API key", &folder.join(path)).map(Some),
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Variable(name) | Source::File(name) => f.write_str(name),
        }
    }
}

/// Checks whether this can be the name of a variable. A key that was put there by mistake usually cannot be one, and an
/// error must not show such a key.
fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_uppercase() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_from(text: &str) -> Result<Vec<(ServerOrigin, ApiKey)>, String> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("franz.toml"), text).unwrap();
        let key = directory.path().join("key");
        std::fs::write(&key, "sk-of-a-file\n").unwrap();
        std::fs::write(directory.path().join("placeholder"), "<your key>").unwrap();
        #[cfg(unix)]
        for name in ["key", "placeholder"] {
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            std::fs::set_permissions(directory.path().join(name), private).unwrap();
        }
        read(Some(directory.path())).map_err(|error| error.to_string())
    }

    #[test]
    fn a_server_has_the_key_of_a_file_or_a_variable() {
        let keys =
            read_from("[keys]\n\"https://H.example:443\" = { file = \"key\" }\n\"http://h:1\" = \"NO_SUCH_VARIABLE\"")
                .unwrap();
        let shown: Vec<_> = keys
            .iter()
            .map(|(server, key)| (server.to_string(), key.text()))
            .collect();
        assert_eq!(shown, [("https://h.example".to_owned(), "sk-of-a-file")]);
        for none in ["", "[model]\nname = 'm'", "no toml at all ["] {
            assert!(read_from(none).unwrap().is_empty());
        }
        assert!(read(None).unwrap().is_empty());
    }

    #[test]
    fn invalid_key_entries_are_reported_without_the_key() {
        for (text, said) in [
            ("keys = 1", "must be a table"),
            ("[keys]\n\"h:1\" = \"A\"", "has no scheme"),
            ("[keys]\n\"https://h/v1\" = \"A\"", "has a path"),
            ("[keys]\n\"https://a@h\" = \"A\"", "user name or password"),
            ("[keys]\n\"https://h\" = \"sk-secret\"", "never the key itself"),
            (
                "[keys]\n\"https://h\" = { key = \"sk-secret\" }",
                "never the key itself",
            ),
            ("[keys]\n\"https://h\" = { file = \"none\" }", "the API key in"),
            (
                "[keys]\n\"https://h\" = { file = \"placeholder\" }",
                "placeholder: the API key contains",
            ),
        ] {
            let error = read_from(text).unwrap_err();
            assert!(error.contains(said) && !error.contains("sk-secret"), "{error}");
        }
    }
}
