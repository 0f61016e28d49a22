//! Whether each crate can be published: whole by itself, and with nothing in it that is not its own.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};

use crate::process::{cargo, run, target};

/// Packs all of them, and builds each from what was packed.
pub(super) fn check() -> Result<()> {
    // Cargo unpacks and builds a version of a crate once; under the same version an earlier check had another text.
    forget_unpacked()?;
    let built = target()?.join("publish");
    if built.exists() {
        fs::remove_dir_all(&built).with_context(|| format!("cannot remove {}", built.display()))?;
    }
    let mut package = cargo(&["package", "--workspace", "--exclude", "xtask", "--locked", "--quiet"]);
    // What is not committed yet is packed, too; an archive of it is made just as well.
    run(package.arg("--allow-dirty").arg("--target-dir").arg(&built))
}

fn forget_unpacked() -> Result<()> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registry = home.context("cargo has no home")?.join("registry");
    for kind in ["src", "cache"] {
        // A registry that is a folder has no host, with which the names of others begin.
        for local in entries(&registry.join(kind), "-")? {
            for unpacked in entries(&local, "franz-")? {
                let removed = if unpacked.is_dir() {
                    fs::remove_dir_all(&unpacked)
                } else {
                    fs::remove_file(&unpacked)
                };
                removed.with_context(|| format!("cannot remove {}", unpacked.display()))?;
            }
        }
    }
    Ok(())
}

/// What lies in a folder under such a name; nothing where there is no folder.
fn entries(folder: &Path, beginning: &str) -> Result<Vec<PathBuf>> {
    let found = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found.with_context(|| format!("cannot list {}", folder.display()))?,
    };
    let mut paths = Vec::new();
    for entry in found {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(beginning) {
            paths.push(entry.path());
        }
    }
    Ok(paths)
}
