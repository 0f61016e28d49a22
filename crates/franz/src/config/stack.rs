//! The layers of a configuration, the weakest first, and what of them counts: a file of unknown origin widens nothing.

use std::fmt;
use std::path::{Path, PathBuf};

use franz_dialect::plan::shortened;
use franz_home::View;
use franz_record::digest::sha256_hex;
use franz_record::resume::CONFIG_FILE;
use toml::Value;

use super::key::ConfigKey;
use super::layer::{self, Layer, LayerError};
use super::origin::{FileKind, Origin};
use super::trust::{Permission, Trust};

/// Characters of a value that an error shows.
const LONGEST_VALUE: usize = 300;

/// Layers, the weakest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    layer: Layer,
    /// The file of unknown origin that it is; `None`: its values are the person's to give.
    stranger: Option<FileRead>,
}

/// A file of settings as it was read, once: what is trusted is what counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileRead {
    pub(crate) path: PathBuf,
    /// The SHA-256 of its bytes.
    pub(crate) digest: String,
}

/// A value that its file may not give.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RefusedSetting {
    pub(crate) key: String,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    pub(crate) grant: Permission,
    /// The file, when trusting it would let the value count.
    pub(crate) file: FileRead,
}

/// What the layers come to.
pub(crate) struct Judged {
    pub(crate) layer: Layer,
    /// What does not count, in the order of the layers and of the lines in each.
    pub(crate) refused: Vec<RefusedSetting>,
}

/// All that was refused, a line each.
#[derive(Debug)]
pub(crate) struct RefusedSettings(pub(crate) Vec<RefusedSetting>);

impl Stack {
    /// Lays what the person gave over the rest: flags, environment, defaults and built-in profiles are theirs.
    pub(crate) fn own(mut self, layer: Layer) -> Stack {
        self.parts.push(Part { layer, stranger: None });
        self
    }

    /// Lays a file over the rest, where there is one. What is in the person's own folder, and what they `trust`, is theirs.
    pub(crate) fn file(
        self,
        path: &Path,
        kind: FileKind,
        trust: &dyn Fn(&FileRead) -> bool,
    ) -> Result<(Stack, bool), LayerError> {
        let Some((layer, file)) = read(path, kind)? else {
            return Ok((self, false));
        };
        Ok((self.stranger(layer, file, kind, trust), true))
    }

    /// Lays a file that was read over the rest.
    pub(crate) fn stranger(
        mut self,
        layer: Layer,
        file: FileRead,
        kind: FileKind,
        trust: &dyn Fn(&FileRead) -> bool,
    ) -> Stack {
        let is_own = kind == FileKind::Own || trust(&file);
        self.parts.push(Part {
            layer,
            stranger: (!is_own).then_some(file),
        });
        self
    }

    /// Makes the values of a file count.
    pub(crate) fn trust(&mut self, file: &FileRead) {
        for part in &mut self.parts {
            if part.stranger.as_ref() == Some(file) {
                part.stranger = None;
            }
        }
    }

    /// What counts, and what does not. What the person gives anyway is not refused: it counts instead.
    pub(crate) fn judged(&self) -> Judged {
        let mut layer = Layer::default();
        let mut refused: Vec<RefusedSetting> = Vec::new();
        for part in &self.parts {
            let line = |(name, _): &(&String, &Value)| part.layer.origin(name).map(Origin::line);
            let mut in_order: Vec<_> = part.layer.iter().collect();
            in_order.sort_by_key(line);
            for (name, value) in in_order {
                let origin = part.layer.origin(name).unwrap_or(&Origin::Default);
                let trust = ConfigKey::named(name).map_or(Trust::Any, |key| key.trust);
                match (&part.stranger, trust.grant()) {
                    (Some(file), Some(grant)) if !trust.admits(layer.get(name), Some(value)) => {
                        refused.push(RefusedSetting {
                            key: name.clone(),
                            value: value.clone(),
                            origin: origin.clone(),
                            grant,
                            file: file.clone(),
                        });
                        continue;
                    }
                    (Some(_), _) => {}
                    (None, _) => refused.retain(|refusal| refusal.key != *name),
                }
                layer.insert(name, value.clone(), origin.clone());
            }
        }
        Judged { layer, refused }
    }
}

/// Reads a file of settings, and what it was; `None` when there is none.
pub(crate) fn read(path: &Path, kind: FileKind) -> Result<Option<(Layer, FileRead)>, LayerError> {
    layer::bytes(path)?.map(|bytes| parsed(bytes, path, kind)).transpose()
}

/// Reads the `config.toml` of a run, and what it was; `None` when there is none.
pub(crate) fn read_run(run: &View) -> Result<Option<(Layer, FileRead)>, LayerError> {
    let bytes = layer::bytes_of_run(run)?;
    let path = run.path_of(CONFIG_FILE);
    bytes.map(|bytes| parsed(bytes, &path, FileKind::Run)).transpose()
}

fn parsed(bytes: Vec<u8>, path: &Path, kind: FileKind) -> Result<(Layer, FileRead), LayerError> {
    let file = FileRead {
        path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        digest: sha256_hex(&bytes),
    };
    let text = layer::decoded(path, bytes)?;
    Ok((Layer::parse(&text, &Origin::file(kind, path))?, file))
}

/// The SHA-256 of a file of settings, where it can be read.
pub(crate) fn digest(path: &Path) -> Option<String> {
    layer::bytes(path).ok().flatten().map(|bytes| sha256_hex(&bytes))
}

/// What of a layer only the person may give, or has bounded.
pub(crate) fn bounds(whole: &Layer) -> Layer {
    let mut bounds = Layer::default();
    for (name, value) in whole.iter() {
        if ConfigKey::named(name).is_some_and(|key| key.trust != Trust::Any) {
            let origin = whole.origin(name).unwrap_or(&Origin::Default);
            bounds.insert(name, value.clone(), origin.clone());
        }
    }
    bounds
}

/// The flag that gives a key a value.
pub(crate) fn flag(key: &str, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = shortened(&text.replace('\n', " "), LONGEST_VALUE);
    let named = [
        ("model.upstream", "--upstream"),
        ("screen.kind", "--screen"),
        ("panel.relay", "--relay"),
        ("panel.dashboard", "--dashboard"),
    ];
    match named.iter().find(|(name, _)| *name == key) {
        Some((_, flag)) => format!("{flag} {}", quoted(&text)),
        None => format!("--set {}", quoted(&format!("{key}={text}"))),
    }
}

/// The text as one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/=,@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

impl fmt::Display for RefusedSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, flag) = (&self.key, flag(&self.key, &self.value));
        let words = self.grant.words();
        let path = quoted(&self.file.path.display().to_string());
        write!(
            f,
            "{}: {key} {words}, which only you may: add {flag}, or allow the file: franz trust {path}",
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

#[cfg(test)]
mod tests;
