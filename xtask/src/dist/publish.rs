//! Checks that each crate can be published: it must be complete and contain only its own files.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};

use crate::process::{cargo, run, target};

/// Packs all crates, and builds each from its package.
pub(super) fn check() -> Result<()> {
    // Cargo unpacks and builds each version of a crate only once. An earlier check might have packed other contents
    // under the same version.
    forget_unpacked()?;
    let built = target()?.join("publish");
    if built.exists() {
        fs::remove_dir_all(&built).with_context(|| format!("cannot remove {}", built.display()))?;
    }
    let mut package = cargo(&["package", "--workspace", "--exclude", "xtask", "--locked", "--quiet"]);
    // Uncommitted changes are packed too, because archives are also made from them.
    run(package.arg("--allow-dirty").arg("--target-dir").arg(&built))
}

fn forget_unpacked() -> Result<()> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registry = home.context("cargo has no home directory")?.join("registry");
    for kind in ["src", "cache"] {
        // The directory name of a local registry does not begin with a host, unlike the names of other registries.
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

/// Returns the entries of a directory whose names begin with `beginning`; none if the directory does not exist.
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
