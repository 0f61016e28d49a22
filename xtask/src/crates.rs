//! The crates that Cargo.lock names, ours and those of others.

use std::path::PathBuf;

use anyhow::Result;
use serde::Deserialize;

use crate::process::{cargo, output};

/// One of them, of one version.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) version: String,
    /// An SPDX expression.
    pub(crate) license: Option<String>,
    /// `None`: in this repository.
    pub(crate) source: Option<String>,
    pub(crate) authors: Vec<String>,
    /// Beside its source, licence and all.
    pub(crate) manifest_path: PathBuf,
}

/// All of them, for whatever system and kind of dependency.
pub(crate) fn all() -> Result<Vec<Crate>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Crate>,
    }
    let json = output(&mut cargo(&["metadata", "--format-version", "1", "--locked"]))?;
    Ok(serde_json::from_slice::<Metadata>(&json)?.packages)
}
