//! Checks which crates start processes. Only the `franz` and `screen` crates may do so, not the crates that relay,
//! watch or read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::process::root;

/// The directories of the crates that may start processes.
const STARTERS: [&str; 2] = ["franz", "screen"];

/// The Rust names for starting a process.
const NAMES: [&str; 4] = ["std::process", "tokio::process", "process::Command", "Command::new"];

/// This starts no process: it returns the number of our own.
const HARMLESS: &str = "std::process::id()";

/// Fails if another crate uses one of these names. The error lists the files.
pub(crate) fn check() -> Result<()> {
    let mut found = Vec::new();
    for folder in entries(&root().join("crates"))? {
        let may = STARTERS.iter().any(|name| folder.ends_with(name));
        if !may {
            search(&folder.join("src"), &mut found)?;
        }
    }
    ensure!(
        found.is_empty(),
        "only crates/franz and crates/screen start processes: {}; move the code there, or justify the exception in xtask/src/starters.rs",
        found.join(", ")
    );
    Ok(())
}

/// Adds the source files below `path` that use one of these names. Skips tests.
fn search(path: &Path, found: &mut Vec<String>) -> Result<()> {
    if path.file_stem().is_some_and(|stem| stem == "tests") {
        return Ok(());
    }
    if path.is_dir() {
        return entries(path)?.iter().try_for_each(|entry| search(entry, found));
    }
    if path.extension().is_some_and(|extension| extension == "rs") {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        if starts_a_process(&text) {
            found.push(path.strip_prefix(root()).unwrap_or(path).display().to_string());
        }
    }
    Ok(())
}

fn starts_a_process(text: &str) -> bool {
    let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let product = product.replace(HARMLESS, "");
    NAMES.iter().any(|name| product.contains(name))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    Ok(entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_program_and_the_screens_start_processes() {
        check().unwrap();
    }

    #[test]
    fn a_process_is_found_however_it_is_named() {
        for text in [
            "let child = std::process::Command::new(\"sh\");",
            "use tokio::process::Child;",
            "use std::{io, process::Command};",
            "use std as s; fn f() { Command::new(\"sh\"); }",
        ] {
            assert!(starts_a_process(text), "{text}");
        }
        for text in [
            "use rustix::process::geteuid;",
            "pub enum Command { Pause }",
            "fn f() {}\n#[cfg(test)]\nmod tests {\n    use std::process::Command;\n}",
        ] {
            assert!(!starts_a_process(text), "{text}");
        }
        let mut found = Vec::new();
        search(&root().join("crates/franz/src/watch"), &mut found).unwrap();
        assert!(
            found.iter().any(|file| file.ends_with("supervisor.rs")),
            "what may start some is not searched: {found:?}"
        );
    }
}
