//! macOS: lints and tests on a Mac; elsewhere, lints without linking or running anything.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::process::{cargo, run, target};
use crate::toolchain::{Library, MACOS, Toolchain};

/// Stands in for a C compiler and an archiver: creates the empty file that they were to write. The C code of a
/// dependency needs Apple's headers, and matters only for linking.
const EMPTY: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    -o) shift; : > "$1" ;;
    *.a) : > "$1" ;;
    esac
    shift
done
"#;

/// Lints the program and all its crates for both kinds of Mac. On a Mac, also runs all tests that need no other programs.
pub(crate) fn check() -> Result<()> {
    if cfg!(target_os = "macos") {
        run(&mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]))?;
        return run(&mut cargo(&["test", "--workspace", "--no-fail-fast"]));
    }
    let cache = target()?.join("macos");
    let empty = stand_in(&cache)?;
    for target in &MACOS {
        let toolchain = Toolchain::provide(target, Library::Unoptimised, &cache.join(target.triple))?;
        let variable = target.triple.replace('-', "_");
        let mut check = toolchain.cargo("clippy");
        check
            .args(["--package", "franz-agent", "--quiet"])
            .env(format!("CC_{variable}"), &empty)
            .env(format!("AR_{variable}"), &empty)
            .env("SDKROOT", &cache)
            .args(["--", "-D", "warnings"]);
        run(&mut check)?;
        eprintln!("{}: type-checked, not linked or run", target.triple);
    }
    Ok(())
}

fn stand_in(cache: &Path) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt;

    fs::create_dir_all(cache)?;
    let path = cache.join("empty");
    fs::write(&path, EMPTY)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}
