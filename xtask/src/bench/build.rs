//! Building what is measured as people run it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use serde::Deserialize;

use crate::process::{cargo, output, root, run};

#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
}

/// Builds what `selected` names, at a priority that leaves the machine usable, and gives the path of `file` in the release directory.
pub(super) fn release(selected: &[&str], file: &str) -> Result<PathBuf> {
    let build = cargo(&[&["build", "--release"], selected].concat());
    let mut nice = Command::new("nice");
    run(nice.arg(build.get_program()).args(build.get_args()).current_dir(root()))?;
    let metadata = output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Metadata = serde_json::from_slice(&metadata)?;
    let name = format!("{file}{}", std::env::consts::EXE_SUFFIX);
    Ok(metadata.target_directory.join("release").join(name))
}
