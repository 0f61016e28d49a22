//! Virtual environments of Python in the build output, with pinned packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::packages::install;
use crate::process::{run, succeeds, target};

/// Succeeds if Python can create virtual environments and is new enough for the packages.
const SUITS: &str = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))";

/// Returns the interpreter of an environment with exactly the packages in a list. Installs them first if necessary.
pub(crate) fn environment(name: &str, packages: &Path) -> Result<PathBuf> {
    let place = target()?.join(name);
    let python = place.join("bin/python");
    let (wanted, installed) = (fs::read_to_string(packages)?, place.join("installed.txt"));
    if fs::read_to_string(&installed).ok().as_ref() == Some(&wanted) {
        return Ok(python);
    }
    if !succeeds(Command::new("python3").args(["-c", SUITS])) {
        install(
            "the tests of clients need Python 3.10 or later with venv",
            &["python3-venv"],
        )?;
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&place))?;
    run(Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-compile",
            "--only-binary",
            ":all:",
            "--requirement",
        ])
        .arg(packages))?;
    fs::write(&installed, wanted).with_context(|| format!("cannot write {}", installed.display()))?;
    Ok(python)
}
