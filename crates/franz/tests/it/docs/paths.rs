//! Checks that every file named in the documents exists.

use std::path::Path;

use crate::docs::markdown::{Document, root};

/// The beginnings of paths from the root of the repository. Source files with other names may be in any directory.
const ROOTS: [&str; 5] = [".github/", "crates/", "docs/", "fuzz/", "xtask/"];

/// Paths that only a task creates, so that no clone contains them.
const MADE: [&str; 1] = ["fuzz/artifacts"];

#[test]
fn every_path_in_the_documents_exists() {
    let files = files();
    let mut named = 0;
    let mut wrong = Vec::new();
    for document in Document::all() {
        for path in paths(&document.text) {
            named += 1;
            if !exists(path, &files) {
                wrong.push(format!("{}: there is no {path}", document.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(named > 50, "the documents name {named} paths only");
}

fn exists(path: &str, files: &[String]) -> bool {
    if ROOTS.iter().any(|beginning| path.starts_with(beginning)) {
        return MADE.contains(&path) || root().join(path).exists();
    }
    files.iter().any(|file| file.ends_with(&format!("/{path}")))
}

/// Returns the words that name a file or a directory in this repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "/._-*".contains(c)));
    let words = words.map(|word| word.trim_end_matches(['.', '/']));
    words.filter(|word| {
        let of_ours = ROOTS.iter().any(|beginning| word.starts_with(beginning));
        (of_ours || word.strip_suffix(".rs").is_some()) && !word.contains('*') && !word.starts_with('/')
    })
}

/// Returns the paths of all source files, from the root.
fn files() -> Vec<String> {
    let mut files = Vec::new();
    for folder in ["crates", "fuzz/fuzz_targets", "xtask/src"] {
        gather(&root().join(folder), &mut files);
    }
    files
}

fn gather(folder: &Path, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            if !path.ends_with("node_modules") {
                gather(&path, files);
            }
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            files.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
}

#[test]
fn paths_are_found_and_missing_ones_detected() {
    let text = "`crates/chat/src/retry.rs`, then agent/act.rs. See docs/x.md and `crates/panel/assets/`; add-*.md, https://rustup.rs";
    let found: Vec<&str> = paths(text).collect();
    assert_eq!(
        found,
        [
            "crates/chat/src/retry.rs",
            "agent/act.rs",
            "docs/x.md",
            "crates/panel/assets"
        ]
    );
    let files = files();
    assert!(exists("agent/act.rs", &files) && exists("crates/chat", &files));
    assert!(!exists("agent/atc.rs", &files) && !exists("act", &files) && !exists("crates/caht", &files));
}
