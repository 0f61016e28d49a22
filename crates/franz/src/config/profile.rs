//! Profiles: TOML files that combine a prompt, a protocol, memory, a screen and sampling. They are either built in or
//! the person's own.

use std::path::Path;

use super::folder;
use super::layer::{Layer, LayerError};
use super::origin::{FileKind, Origin};
use super::settings_file;
use super::stack::Stack;

/// A built-in profile.
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    /// The profile's TOML text, which `franz profiles NAME` also prints.
    pub(crate) text: &'static str,
}

/// The profile of a run that does not name one.
pub(crate) const DEFAULT: &str = "draw";

/// The built-in profiles.
pub(crate) const BUILT_IN: [BuiltIn; 4] = [
    BuiltIn {
        name: "draw",
        text: include_str!("../../assets/profiles/draw.toml"),
    },
    BuiltIn {
        name: "sketch",
        text: include_str!("../../assets/profiles/sketch.toml"),
    },
    BuiltIn {
        name: "companion",
        text: include_str!("../../assets/profiles/companion.toml"),
    },
    BuiltIn {
        name: "operator",
        text: include_str!("../../assets/profiles/operator.toml"),
    },
];

/// The profile for `franz mcp`. It is never listed, because no model can run with it.
pub(crate) const HOST: BuiltIn = BuiltIn {
    name: "mcp",
    text: include_str!("../../assets/profiles/mcp.toml"),
};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ProfileError {
    #[error(
        "there is no profile '{name}': choose {known}, or name a file of your own, for example --profile ./mine.toml"
    )]
    Unknown { name: String, known: String },
    #[error("there is no profile file {name}; `franz profiles draw > {name}` creates one")]
    Missing { name: String },
    #[error(transparent)]
    Layer(#[from] LayerError),
}

impl BuiltIn {
    /// Returns the built-in profile with this name.
    pub(crate) fn named(name: &str) -> Option<&'static BuiltIn> {
        BUILT_IN.iter().chain([&HOST]).find(|profile| profile.name == name)
    }

    /// Returns the settings in the profile.
    pub(crate) fn layer(&self) -> Layer {
        let layer = Layer::parse(self.text, &Origin::BuiltInProfile(self.name));
        layer.expect("the built-in profiles are checked by a test")
    }

    /// Returns the profile's purpose in one line, which is the first comment in its file.
    pub(crate) fn summary(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first
            .trim_start_matches(['#', ' '])
            .split_once(": ")
            .map_or(first, |(_, summary)| summary)
    }
}

/// Puts a built-in profile, or the file at that path, on top of the layers below.
pub(super) fn load(name: &str, below: Stack) -> Result<Stack, ProfileError> {
    if let Some(built_in) = BuiltIn::named(name) {
        return Ok(below.own(built_in.layer()));
    }
    let path = Path::new(name);
    match below.file(path, folder::kind_of(path, FileKind::Profile))? {
        (stack, true) => Ok(stack),
        (_, false) => Err(missing(name, path)),
    }
}

/// Puts the usable part of a profile on top of the layers below, and returns every mistake in the profile.
pub(super) fn load_leniently(name: &str, below: Stack) -> Result<(Stack, Vec<LayerError>), ProfileError> {
    if let Some(built_in) = BuiltIn::named(name) {
        return Ok((below.own(built_in.layer()), Vec::new()));
    }
    let path = Path::new(name);
    let kind = folder::kind_of(path, FileKind::Profile);
    match settings_file::read_leniently(path, kind)? {
        Some((layer, file, mistakes)) => Ok((below.stranger(layer, file, kind), mistakes)),
        None => Err(missing(name, path)),
    }
}

fn missing(name: &str, path: &Path) -> ProfileError {
    let name = name.to_owned();
    if path.extension().is_some() || path.components().count() > 1 {
        return ProfileError::Missing { name };
    }
    let known = BUILT_IN.map(|profile| format!("'{}'", profile.name)).join(", ");
    ProfileError::Unknown { name, known }
}

/// Returns the name to show for a profile, which can be a file.
pub(crate) fn short_name(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
