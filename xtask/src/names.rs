//! Checks the names of types. Two types may share a name only for a stated reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::process::root;

/// The names that several types share, each with its reason.
const SHARED: [(&str, &str); 2] = [
    ("Handle", "one for each platform; only one of them is compiled"),
    (
        "Target",
        "what a calibration points at, and the desktop to open; nothing deals with both",
    ),
];

/// The visibilities that let code outside the parent of a type's module see the type.
const VISIBLE: [&str; 2] = ["pub", "pub(crate)"];
const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "union"];

/// Fails if two visible types in the crates share a name without a stated reason, or if a stated reason is no longer
/// needed.
pub(crate) fn check() -> Result<()> {
    let mut found = BTreeMap::new();
    collect(&root().join("crates"), &mut found)?;
    found.retain(|_, files: &mut Vec<String>| files.len() > 1);
    let mut complaints = String::new();
    for (name, files) in &found {
        if SHARED.iter().all(|(shared, _)| shared != name) {
            writeln!(
                complaints,
                "{name} is defined in {}: rename one, or give the reason",
                files.join(", ")
            )?;
        }
    }
    for (name, _) in SHARED {
        if !found.contains_key(name) {
            writeln!(complaints, "{name} is defined once: remove its reason")?;
        }
    }
    ensure!(complaints.is_empty(), "in xtask/src/names.rs:\n{complaints}");
    Ok(())
}

/// Collects the types in all sources below a directory of crates, each with its file. Skips tests and examples.
fn collect(directory: &Path, found: &mut BTreeMap<String, Vec<String>>) -> Result<()> {
    let mut entries: Vec<_> = fs::read_dir(directory)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for path in entries.iter().map(fs::DirEntry::path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !["tests", "examples"].contains(&name.as_ref()) {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests.rs" {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let file = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            for name in types(&text) {
                found.entry(name.to_owned()).or_default().push(file.clone());
            }
        }
    }
    Ok(())
}

/// Returns the visible types that are defined at the top level of a source.
fn types(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = VISIBLE
            .iter()
            .find_map(|visible| line.strip_prefix(visible)?.strip_prefix(' '))?;
        let (keyword, rest) = rest.split_once(' ')?;
        let end = rest
            .find(|letter: char| !letter.is_alphanumeric())
            .unwrap_or(rest.len());
        KEYWORDS.contains(&keyword).then(|| rest.get(..end)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_share_a_name_have_a_reason() {
        check().unwrap();
    }

    #[test]
    fn visible_types_are_found() {
        let text = "pub struct Frame {\npub(crate) enum Mode<T> {\n    pub struct Inner;\npub(super) struct Near;\npub trait Screen: Send {\npub fn Nothing() {}\npub struct Id(u8);\nstruct Own;";
        assert_eq!(types(text).collect::<Vec<_>>(), ["Frame", "Mode", "Screen", "Id"]);
    }
}
