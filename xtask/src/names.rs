//! Checks the names of types. Two types may share a name only for a stated reason, or if no reader could mistake one for
//! the other: only the module of one sees it, and the other belongs to another crate.

use std::collections::{BTreeMap, BTreeSet};
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

/// Where a type is defined.
struct Definition {
    file: String,
    /// Whether code outside the parent of its module sees it.
    is_visible: bool,
}

impl Definition {
    /// Returns the name of its crate's directory.
    fn crate_name(&self) -> &str {
        self.file.split(['/', '\\']).nth(1).unwrap_or_default()
    }
}

/// Fails if two types in the crates share a name without a stated reason, or if a stated reason is no longer needed.
pub(crate) fn check() -> Result<()> {
    let mut found = BTreeMap::new();
    collect(&root().join("crates"), &mut found)?;
    found.values_mut().for_each(keep_mistakable);
    found.retain(|_, definitions| definitions.len() > 1);
    let mut complaints = String::new();
    for (name, definitions) in &found {
        if SHARED.iter().all(|(shared, _)| shared != name) {
            let files: Vec<&str> = definitions.iter().map(|definition| definition.file.as_str()).collect();
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

/// Keeps the definitions of a name that are visible, and all others in their crates.
fn keep_mistakable(definitions: &mut Vec<Definition>) {
    let visible = definitions.iter().filter(|definition| definition.is_visible);
    let crates: BTreeSet<String> = visible.map(|definition| definition.crate_name().to_owned()).collect();
    definitions.retain(|definition| crates.contains(definition.crate_name()));
}

/// Collects the types in all sources below a directory of crates, each with its file. Skips tests and examples.
fn collect(directory: &Path, found: &mut BTreeMap<String, Vec<Definition>>) -> Result<()> {
    let mut entries: Vec<_> = fs::read_dir(directory)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for path in entries.iter().map(fs::DirEntry::path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !["tests", "examples"].contains(&name.as_ref()) {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests.rs" {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let file = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            for (name, is_visible) in types(&text) {
                let file = file.clone();
                found
                    .entry(name.to_owned())
                    .or_default()
                    .push(Definition { file, is_visible });
            }
        }
    }
    Ok(())
}

/// Returns the types that are defined at the top level of a source, and whether each is visible.
fn types(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().filter_map(|line| {
        let (visibility, rest) = visibility(line);
        let (keyword, rest) = rest.split_once(' ')?;
        let end = rest
            .find(|letter: char| !letter.is_alphanumeric())
            .unwrap_or(rest.len());
        let name = rest.get(..end).filter(|_| KEYWORDS.contains(&keyword))?;
        (!name.is_empty()).then(|| (name, VISIBLE.contains(&visibility)))
    })
}

/// Splits the visibility, which may be empty, from the rest of a line.
fn visibility(line: &str) -> (&str, &str) {
    let end = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => line.find(')').map_or(0, |bracket| bracket + 1),
        Some(_) => "pub".len(),
        None => 0,
    };
    let (visibility, rest) = line.split_at(end);
    (visibility, rest.strip_prefix(' ').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_share_a_name_have_a_reason() {
        check().unwrap();
    }

    #[test]
    fn types_at_the_top_level_are_found() {
        let text = "pub struct Frame {\npub(crate) enum Mode<T> {\n    pub struct Inner;\n    struct Inmost;\npub(super) struct Near;\npub(in crate::desktop) struct Within;\npub trait Screen: Send {\npub fn Nothing() {}\npub struct Id(u8);\nstruct Own;";
        let wanted = [
            ("Frame", true),
            ("Mode", true),
            ("Near", false),
            ("Within", false),
            ("Screen", true),
            ("Id", true),
            ("Own", false),
        ];
        assert_eq!(types(text).collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn only_types_that_can_be_mistaken_for_each_other_are_kept() {
        for (files, wanted) in [
            (["+crates/a/x.rs", "+crates/b/x.rs"], 2),
            (["+crates/a/x.rs", "-crates/a/src/y.rs"], 2),
            (["+crates/a/x.rs", "-crates/b/x.rs"], 1),
            (["-crates/a/x.rs", "-crates/a/y.rs"], 0),
        ] {
            let definition = |file: &&str| Definition {
                file: file[1..].to_owned(),
                is_visible: file.starts_with('+'),
            };
            let mut definitions: Vec<Definition> = files.iter().map(definition).collect();
            keep_mistakable(&mut definitions);
            assert_eq!(definitions.len(), wanted, "{files:?}");
        }
    }
}
