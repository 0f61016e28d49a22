//! The crates in Cargo.lock, both our own and third-party ones.

use std::path::PathBuf;

use anyhow::Result;
use serde::Deserialize;

use crate::process::{cargo, output};

/// One version of a crate.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The licence as an SPDX expression.
    pub(crate) license: Option<String>,
    /// The crate's source; `None` for crates in this repository.
    pub(crate) source: Option<String>,
    pub(crate) authors: Vec<String>,
    /// The oldest Rust that compiles it; `None` if it does not say.
    pub(crate) rust_version: Option<String>,
    /// The manifest, which is in the same directory as the crate's source and licence.
    pub(crate) manifest_path: PathBuf,
}

/// Returns all crates, for every system and kind of dependency.
pub(crate) fn all() -> Result<Vec<Crate>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Crate>,
    }
    let json = output(&mut cargo(&["metadata", "--format-version", "1", "--locked"]))?;
    Ok(serde_json::from_slice::<Metadata>(&json)?.packages)
}
