//! The licences of everything linked into the program, with their texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use spdx::{Expression, ParseMode};

use crate::crates::{self, Crate};
use crate::process::{cargo, output, root};

/// The beginnings of licence file names, in lower case.
const NAMES: [&str; 6] = ["licen", "copying", "copyright", "notice", "unlicense", "patents"];

/// Everything that is linked but is not a crate. These parts are listed here because no crate lists them.
const BESIDE_CRATES: &str = include_str!("beside_crates.txt");

/// Returns the text of `THIRD-PARTY.txt` for a program of this triple.
pub(super) fn of_all_linked(triple: &str) -> Result<String> {
    let linked = linked(triple)?;
    let crates = crates::all()?;
    // Many crates have the same text, so list each text once, with all the crates that it belongs to.
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in crates.iter().filter(|one| one.source.is_some()) {
        let Crate { name, version, .. } = one;
        let label = format!("{name} {version}");
        if linked.contains(&label) {
            for text in texts_of(one)? {
                texts.entry(text).or_default().push(label.clone());
            }
        }
    }
    let told: BTreeSet<_> = texts.values().flatten().collect();
    ensure!(
        told.len() == linked.len(),
        "{} crates are linked, but only {} have a licence",
        linked.len(),
        told.len()
    );
    let font = root().join("crates/frame/assets/DejaVuSans-LICENSE.txt");
    texts.insert(read(&font)?, vec!["the font DejaVu Sans".to_owned()]);
    let mut all = BESIDE_CRATES.to_owned();
    for (text, owners) in texts {
        let rule = "=".repeat(80);
        write!(all, "\n{rule}\n{}\n{rule}\n\n{}\n", owners.join(", "), text.trim())?;
    }
    Ok(all)
}

/// Returns the names and versions of the third-party crates in the program. Leaves out macros.
pub(super) fn linked(triple: &str) -> Result<BTreeSet<String>> {
    let tree = output(
        cargo(&["tree", "--locked", "--package", "franz-agent", "--prefix", "none"]).args([
            "--edges",
            "normal,no-proc-macro",
            "--format",
            "{p}",
            "--target",
            triple,
        ]),
    )?;
    let tree = String::from_utf8(tree)?;
    let lines = tree.lines().filter(|line| !line.contains('('));
    let labels = lines
        .filter_map(|line| line.split_once(" v"))
        .map(|(name, version)| format!("{name} {version}"));
    Ok(labels.collect())
}

/// Returns the texts that come with a crate. If there are none, returns the standard texts of its licence.
fn texts_of(one: &Crate) -> Result<Vec<String>> {
    let folder = one.manifest_path.parent().context("a manifest without a folder")?;
    let mut paths: Vec<_> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.retain(|path| path.is_file() && is_licence(path));
    paths.sort();
    if paths.is_empty() {
        return known_texts(one);
    }
    paths.iter().map(|path| read(path)).collect()
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    NAMES.iter().any(|begin| name.starts_with(begin))
}

fn known_texts(one: &Crate) -> Result<Vec<String>> {
    let Crate {
        name, version, license, ..
    } = one;
    let expression = license
        .as_deref()
        .with_context(|| format!("{name} {version} names no licence"))?;
    let required = Expression::parse_mode(expression, ParseMode::LAX)?;
    let authors = one.authors.join(", ");
    let texts = required
        .requirements()
        .filter_map(|one| one.req.license.id())
        .map(|id| {
            let text = id.text();
            format!("{expression}; the package does not include the licence text. By {authors}\n\n{text}")
        });
    Ok(texts.collect())
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    // The same text with different line endings would be listed twice.
    Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolchain::WINDOWS;

    #[test]
    fn every_linked_crate_has_its_licence_listed() {
        for (triple, own, other) in [
            (WINDOWS.triple, "windows-sys 0.", "x11rb 0."),
            ("x86_64-unknown-linux-gnu", "x11rb 0.", "windows-sys 0."),
        ] {
            let text = of_all_linked(triple).unwrap();
            for present in [
                own,
                "ring 0.",
                "ruff_python_parser 0.",
                "Bitstream Vera",
                "Mozilla Foundation",
            ] {
                assert!(text.contains(present), "{triple}: {present}");
            }
            for absent in [other, "insta 1.", "serde_derive 1.", "franz-chat 0."] {
                assert!(!text.contains(absent), "{triple}: {absent}");
            }
        }
    }
}
