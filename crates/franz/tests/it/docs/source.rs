//! The source of all crates.

use std::path::Path;

use crate::docs::markdown::root;

/// Returns the text of every file below these parts of the crates, such as `src`.
pub(crate) fn texts(parts: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    for crate_ in std::fs::read_dir(root().join("crates")).unwrap() {
        let crate_ = crate_.unwrap().path();
        for directory in parts.iter().map(|part| crate_.join(part)).filter(|part| part.is_dir()) {
            gather(&directory, &mut texts);
        }
    }
    texts
}

fn gather(directory: &Path, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, texts);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            texts.push(std::fs::read_to_string(&path).unwrap());
        }
    }
}
