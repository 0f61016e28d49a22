//! Whether what was unpacked runs, where nothing else of ours is.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::process::{output, run};
use crate::recorded;
use crate::windows;

const TURNS: usize = 3;

/// Runs both programs: a few turns with the built-in model.
pub(super) fn all(unpacked: &Path) -> Result<()> {
    for entry in fs::read_dir(unpacked)? {
        let folder = entry?.path();
        let linux = folder.join("franz");
        if linux.is_file() {
            natively(&linux, &folder.join("run"))?;
        } else {
            windows::try_program(&folder.join("franz.exe"))?;
        }
    }
    Ok(())
}

fn natively(program: &Path, recorded: &Path) -> Result<()> {
    let version = output(Command::new(program).arg("--version"))?;
    let version = String::from_utf8_lossy(&version);
    ensure!(
        version.trim() == concat!("franz ", env!("CARGO_PKG_VERSION")),
        "it says that it is {version}"
    );
    run(Command::new(program)
        .args([
            "run",
            "--upstream",
            "demo",
            "--no-open",
            "--dashboard",
            "127.0.0.1:0",
            "--max-turns",
        ])
        .args([&TURNS.to_string(), "--run-dir"])
        .arg(recorded)
        .env("XDG_STATE_HOME", recorded.with_extension("state")))?;
    recorded::ensure_turns(recorded, TURNS)
}
