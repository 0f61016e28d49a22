//! A stack of layers, which decides which values of a file of unknown origin apply.

use std::path::Path;

use toml::Value;

use super::ConfigError;
use super::desktop_tools;
use super::key::ConfigKey;
use super::layer::{Layer, LayerError};
use super::origin::{FileKind, Origin};
use super::refused::{RefusedSetting, RefusedSettings};
use super::settings_file::{self, FileRead};
use super::trust::Trust;

/// Layers, weakest first.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    parts: Vec<Part>,
    /// Values that apply where the parts leave the default. Files are judged without them.
    fallback: Layer,
    /// Whether the person trusts exactly this file.
    trusts: fn(&FileRead) -> bool,
}

#[derive(Clone, Debug)]
struct Part {
    layer: Layer,
    /// The file of unknown origin that contains the values; `None` if the values are the person's.
    stranger: Option<FileRead>,
}

/// The result of stacking the layers.
pub(crate) struct Judged {
    pub(crate) layer: Layer,
    /// The values that do not apply, by layer and then by line.
    pub(crate) refused: Vec<RefusedSetting>,
}

impl Stack {
    pub(crate) fn trusting(trusts: fn(&FileRead) -> bool) -> Stack {
        Stack {
            parts: Vec::new(),
            fallback: Layer::default(),
            trusts,
        }
    }

    /// Sets values that apply where all parts leave the default.
    pub(super) fn fallback(self, fallback: Layer) -> Stack {
        Stack { fallback, ..self }
    }

    /// Puts values that the person gave on top of the stack. Flags, environment, defaults and built-in profiles count
    /// as theirs.
    pub(crate) fn own(mut self, layer: Layer) -> Stack {
        self.parts.push(Part { layer, stranger: None });
        self
    }

    /// Puts a file on top of the stack, if it exists. A file in the person's own folder, or one that they trust, counts
    /// as theirs.
    pub(crate) fn file(self, path: &Path, kind: FileKind) -> Result<(Stack, bool), LayerError> {
        let Some((layer, file)) = settings_file::read(path, kind)? else {
            return Ok((self, false));
        };
        Ok((self.stranger(layer, file, kind), true))
    }

    /// Puts a file that has already been read on top of the stack.
    pub(crate) fn stranger(mut self, layer: Layer, file: FileRead, kind: FileKind) -> Stack {
        let is_own = kind == FileKind::Own || (self.trusts)(&file);
        self.parts.push(Part {
            layer,
            stranger: (!is_own).then_some(file),
        });
        self
    }

    /// Puts the tools of a desktop below the profile if the run needs them.
    pub(super) fn with_desktop_tools(mut self) -> Stack {
        if let Some(layer) = desktop_tools::below(&self.judged().layer) {
            let above_defaults = self.parts.len().min(1);
            let stranger = None;
            self.parts.insert(above_defaults, Part { layer, stranger });
        }
        self
    }

    /// Returns the values once none of them is refused. Asks the person about each file that sets more than it may.
    pub(crate) fn settled(
        mut self,
        allows: &mut dyn FnMut(&FileRead, &[RefusedSetting]) -> bool,
    ) -> Result<Layer, ConfigError> {
        loop {
            let judged = self.judged();
            let Some(first) = judged.refused.first() else {
                return Ok(judged.layer);
            };
            let file = first.file.clone();
            let of_file: Vec<RefusedSetting> = judged.refused.iter().filter(|one| one.file == file).cloned().collect();
            if !allows(&file, &of_file) {
                return Err(RefusedSettings(judged.refused).into());
            }
            self.trust(&file);
        }
    }

    /// Makes all values of a file apply.
    pub(super) fn trust(&mut self, file: &FileRead) {
        for part in &mut self.parts {
            if part.stranger.as_ref() == Some(file) {
                part.stranger = None;
            }
        }
    }

    /// Separates the values that apply from those that do not. A refused value that the person sets as well is no
    /// longer refused, because the person's value applies.
    pub(crate) fn judged(&self) -> Judged {
        let mut layer = Layer::default();
        let mut refused: Vec<RefusedSetting> = Vec::new();
        for part in &self.parts {
            let line = |(name, _): &(&String, &Value)| part.layer.origin(name).map(Origin::line);
            let mut in_order: Vec<_> = part.layer.iter().collect();
            in_order.sort_by_key(line);
            for (name, value) in in_order {
                let trust = ConfigKey::named(name).map_or(Trust::Any, |key| key.trust);
                let mut laid = layer.part(|known| known == name);
                laid.lay_from(name, &part.layer);
                match (&part.stranger, trust.grant()) {
                    (Some(file), Some(grant)) if !trust.admits(layer.get(name), laid.get(name)) => {
                        refused.push(RefusedSetting {
                            key: name.clone(),
                            value: value.clone(),
                            origin: part.layer.origin(name).cloned().unwrap_or(Origin::Default),
                            grant,
                            file: file.clone(),
                        });
                        continue;
                    }
                    (Some(_), _) => {}
                    (None, _) => refused.retain(|refusal| refusal.key != *name),
                }
                layer.copy(name, &laid);
            }
        }
        for (name, _) in self.fallback.iter() {
            if matches!(layer.origin(name), None | Some(Origin::Default)) {
                layer.copy(name, &self.fallback);
            }
        }
        Judged { layer, refused }
    }
}
