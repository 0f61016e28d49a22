//! The dashboard in a real browser: the tests in `crates/panel/browser`, and the picture in the documentation.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::packages::install;
use crate::process::{cargo, output, root, run, succeeds, target};

/// The oldest Node that the tests run on.
const NODE: u32 = 18;

/// Where the browser is that no `CHROMIUM` names.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Runs the tests whose files are named like one of these, or all of them.
pub(crate) fn test(named: &[String]) -> Result<()> {
    run(suite(&build()?)?.args(named))
}

/// The tests, with that `franz`.
pub(crate) fn suite(program: &Path) -> Result<Command> {
    node("suite.mjs", program)
}

/// Draws the picture of the dashboard that the documentation shows.
pub(crate) fn screenshot() -> Result<()> {
    run(node("screenshot.mjs", &build()?)?.arg(root().join("docs/dashboard.png")))
}

/// Node with a script of that folder, with everything that the script needs.
fn node(script: &str, program: &Path) -> Result<Command> {
    let chromium = provide()?;
    let folder = root().join("crates/panel/browser");
    let mut install = Command::new("npm");
    run(install
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefer-offline",
            "--loglevel=error",
        ])
        .current_dir(&folder))?;
    let mut node = Command::new("node");
    node.arg(script).current_dir(folder);
    node.env("FRANZ_BIN", program).env("CHROMIUM", chromium);
    node.env("BROWSER_PICTURES", target()?.join("browser"));
    Ok(node)
}

/// Builds `franz` and says where it is.
fn build() -> Result<PathBuf> {
    run(&mut cargo(&["build", "--package", "franz", "--quiet"]))?;
    let name = format!("franz{}", std::env::consts::EXE_SUFFIX);
    Ok(target()?.join("debug").join(name))
}

/// Makes sure that Node, npm and a browser are there, and gives the browser's path.
fn provide() -> Result<PathBuf> {
    let chromium = match std::env::var_os("CHROMIUM").map(PathBuf::from) {
        Some(named) => {
            ensure!(named.is_file(), "CHROMIUM names no file: {}", named.display());
            named
        }
        None => CHROMIUM.into(),
    };
    let what = format!("the tests in the browser need Node {NODE} or later, npm and Chromium");
    install(&what, &missing(&chromium))?;
    check_node()?;
    ensure!(chromium.is_file(), "there is no browser at {}", chromium.display());
    Ok(chromium)
}

/// What Debian calls what is not there yet.
fn missing(chromium: &Path) -> Vec<&'static str> {
    let runs = |program| succeeds(Command::new(program).arg("--version"));
    let needed = [
        (runs("node"), &["nodejs"][..]),
        (runs("npm"), &["npm"]),
        (chromium.is_file(), &["chromium", "fonts-dejavu-core"]),
    ];
    let missing = needed.into_iter().filter(|(there, _)| !there);
    missing.flat_map(|(_, packages)| packages).copied().collect()
}

fn check_node() -> Result<()> {
    let version = output(Command::new("node").arg("--version"))?;
    let version = String::from_utf8_lossy(&version);
    let major = major(&version).with_context(|| format!("node --version says {version}"))?;
    ensure!(
        major >= NODE,
        "Node {} is too old; install {NODE} or later",
        version.trim()
    );
    Ok(())
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
