//! Builds the programs to measure, in the form that users run.

use std::path::PathBuf;

use anyhow::Result;

use crate::process::{cargo, run, target};

/// Builds the packages that `selected` names. Returns the path of `file` in the release directory.
pub(super) fn release(selected: &[&str], file: &str) -> Result<PathBuf> {
    run(&mut cargo(&[&["build", "--release"], selected].concat()))?;
    let name = format!("{file}{}", std::env::consts::EXE_SUFFIX);
    Ok(target()?.join("release").join(name))
}
