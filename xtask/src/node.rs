//! Runs scripts with Node, using the packages installed next to them.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::packages::install;
use crate::process::{output, run, succeeds};

/// The oldest version of Node that the scripts support.
const OLDEST: u32 = 18;

/// Returns a command that runs Node with a script from this directory. Installs the packages in the directory's lock
/// file first.
pub(crate) fn script(folder: &Path, script: &str) -> Result<Command> {
    provide()?;
    let mut packages = Command::new("npm");
    run(packages
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefer-offline",
            "--loglevel=error",
        ])
        .current_dir(folder))?;
    let mut node = Command::new("node");
    node.arg(script).current_dir(folder);
    Ok(node)
}

/// Ensures that Node and npm are installed.
fn provide() -> Result<()> {
    install(
        &format!("the browser and workflow tests need Node {OLDEST} or later and npm"),
        &missing(),
    )?;
    let version = output(Command::new("node").arg("--version"))?;
    let version = String::from_utf8_lossy(&version);
    let major = major(&version).with_context(|| format!("node --version says {version}"))?;
    ensure!(
        major >= OLDEST,
        "Node {} is too old; install {OLDEST} or later",
        version.trim()
    );
    Ok(())
}

/// Returns the Debian packages that are not installed yet.
pub(crate) fn missing() -> Vec<&'static str> {
    let is_missing = |program: &&str| !succeeds(Command::new(program).arg("--version"));
    let programs = [("node", "nodejs"), ("npm", "npm")];
    let missing = programs.into_iter().filter(|(program, _)| is_missing(program));
    missing.map(|(_, package)| package).collect()
}

fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_read() {
        for (text, expected) in [
            ("v18.20.4\n", Some(18)),
            ("v22.0.0-rc.1", Some(22)),
            ("18", None),
            ("", None),
        ] {
            assert_eq!(major(text), expected, "{text}");
        }
    }
}
