//! Virtual environments of Python in the build output, with pinned packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::packages::install;
use crate::process::{run, succeeds, target};

/// Succeeds if Python can create virtual environments and is new enough for the packages.
const SUITS: &str = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";

/// Installs exactly the packages in a list, and runs none of their code.
const INSTALL: [&str; 8] = [
    "install",
    "--quiet",
    "--no-deps",
    "--no-compile",
    "--only-binary",
    ":all:",
    "--disable-pip-version-check",
    "--requirement",
];

/// Returns the interpreter of an environment with exactly the packages in a list. Installs them first if necessary.
pub(crate) fn environment(name: &str, packages: &Path) -> Result<PathBuf> {
    let place = target()?.join(name);
    let python = place.join("bin/python");
    let (wanted, installed) = (fs::read_to_string(packages)?, place.join("installed.txt"));
    // An upgrade of the system's Python breaks the environment.
    let runs = succeeds(Command::new(&python).arg("--version"));
    if runs && fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    create(&place)?;
    run(Command::new(&python).args(["-m", "pip"]).args(INSTALL).arg(packages))?;
    fs::write(&installed, wanted).with_context(|| format!("cannot write {}", installed.display()))?;
    Ok(python)
}

/// Creates an empty environment, and replaces an old one.
pub(crate) fn create(place: &Path) -> Result<()> {
    install(NEED, &missing())?;
    ensure!(
        missing().is_empty(),
        "python3 is older than 3.11, or cannot make virtual environments"
    );
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(place))
}

const NEED: &str = "the tests with programs in Python need Python 3.11 or later with venv";

/// Returns the Debian packages that are not installed yet.
pub(crate) fn missing() -> Vec<&'static str> {
    let suits = succeeds(Command::new("python3").args(["-c", SUITS]));
    if suits { Vec::new() } else { vec!["python3-venv"] }
}
