//! Builds the programs to measure, in the form that users run.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process::{cargo, root, run, target};

/// Builds the packages that `selected` names, at a low priority that leaves the machine usable. Returns the path of
/// `file` in the release directory.
pub(super) fn release(selected: &[&str], file: &str) -> Result<PathBuf> {
    let build = cargo(&[&["build", "--release"], selected].concat());
    let mut nice = Command::new("nice");
    run(nice.arg(build.get_program()).args(build.get_args()).current_dir(root()))?;
    let name = format!("{file}{}", std::env::consts::EXE_SUFFIX);
    Ok(target()?.join("release").join(name))
}
