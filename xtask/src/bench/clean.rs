//! Measures how long it takes to build the program from scratch.

use std::fs;
use std::time::Instant;

use anyhow::{Context, Result};

use super::goal::Row;
use crate::process::{cargo, root, run};

const COMMAND: &str = "cargo xtask bench build";

/// Builds in a separate directory, which it removes afterwards. Uses crates that were downloaded earlier.
pub(super) fn build() -> Result<Vec<Row>> {
    run(&mut cargo(&["fetch", "--locked"]))?;
    let folder = root().join("target/bench/build");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let mut build = cargo(&[
        "build",
        "--release",
        "--locked",
        "--package",
        "franz-agent",
        "--target-dir",
    ]);
    let begun = Instant::now();
    run(build.arg(&folder))?;
    let seconds = begun.elapsed().as_secs();
    fs::remove_dir_all(&folder)?;
    let cores = std::thread::available_parallelism()?;
    Ok(vec![Row {
        what: "a release build from nothing".to_owned(),
        goal: "360 s on 2 cores",
        measured: format!("{seconds} s on {cores} cores"),
        met: seconds <= 360,
        ..Row::of(COMMAND)
    }])
}
