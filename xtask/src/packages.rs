//! Debian packages: installs those that a task lacks, without asking if possible.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{output, run};

/// Installs these packages, which `what` needs. If that is impossible, the error says how to install them by hand.
pub(crate) fn install(what: &str, packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    if !can_install() {
        bail!(
            "{what}; on Debian: sudo apt-get update && sudo apt-get install {}",
            packages.join(" ")
        );
    }
    run(&mut apt(&["update", "--quiet"]))?;
    run(apt(&["install", "--yes", "--quiet", "--no-install-recommends"]).args(packages))
}

/// Returns whether packages can be installed on this machine without asking.
pub(crate) fn can_install() -> bool {
    is_debian() && is_root()
}

/// Returns whether this is Debian or a derivative.
pub(crate) fn is_debian() -> bool {
    Path::new("/etc/debian_version").is_file()
}

fn apt(arguments: &[&str]) -> Command {
    let mut apt = Command::new("apt-get");
    apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    apt
}

/// Returns whether this task runs as root.
pub(crate) fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim_ascii() == b"0")
}
