//! Tests the dashboard in a real browser, using the tests in `crates/panel/browser`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::desktop;
use crate::node;
use crate::packages::install;
use crate::process::{cargo, root, run, target};

/// The path of the browser, unless `CHROMIUM` names another one.
const CHROMIUM: &str = "/usr/bin/chromium";

/// The browser's Debian package.
const BROWSER: &str = "chromium";

/// Runs the tests whose file names contain one of these words, or all tests if there are no words.
pub(crate) fn test(named: &[String]) -> Result<()> {
    run(suite(&build()?)?.args(named))
}

/// Returns the command that runs the tests with this `franz`.
pub(crate) fn suite(program: &Path) -> Result<Command> {
    node("suite.mjs", program)
}

/// Returns a command that runs Node with a script from that directory, after providing everything that the script
/// needs.
pub(crate) fn node(script: &str, program: &Path) -> Result<Command> {
    let chromium = provide()?;
    // One of the tests takes over a private desktop in the page.
    let mut missing = desktop::missing();
    missing.retain(|package| *package != BROWSER);
    install("the browser tests need an X server and real programs", &missing)?;
    let mut node = node::script(&root().join("crates/panel/browser"), script)?;
    node.env("FRANZ_BIN", program).env("CHROMIUM", chromium);
    node.env("BROWSER_PICTURES", target()?.join("browser"));
    Ok(node)
}

/// Builds `franz` and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    run(&mut cargo(&["build", "--package", "franz-agent", "--quiet"]))?;
    program()
}

/// Returns the path of `franz` in the build output.
pub(crate) fn program() -> Result<PathBuf> {
    let name = format!("franz{}", std::env::consts::EXE_SUFFIX);
    Ok(target()?.join("debug").join(name))
}

/// Ensures that a browser is installed, and returns the browser's path.
pub(crate) fn provide() -> Result<PathBuf> {
    let chromium = match std::env::var_os("CHROMIUM").map(PathBuf::from) {
        Some(named) => {
            ensure!(named.is_file(), "CHROMIUM does not name a file: {}", named.display());
            named
        }
        None => CHROMIUM.into(),
    };
    if !chromium.is_file() {
        install("the browser tests need Chromium", &[BROWSER, "fonts-dejavu-core"])?;
    }
    ensure!(chromium.is_file(), "there is no browser at {}", chromium.display());
    Ok(chromium)
}
