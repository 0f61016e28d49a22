//! Checks that links lead somewhere and that the book contains every page.

use std::path::{Component, Path, PathBuf};

use crate::docs::markdown::{Document, root};

#[test]
fn every_link_leads_somewhere() {
    let documents = Document::all();
    let mut wrong = Vec::new();
    for document in &documents {
        for link in document.links() {
            if let Err(why) = follow(document, &link) {
                wrong.push(format!("{}: ({link}) {why}", document.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_book_has_every_page() {
    let contents = Document::named("docs/SUMMARY.md");
    let listed = contents.links();
    for document in Document::all() {
        if let Some(page) = document.name.strip_prefix("docs/").filter(|page| *page != "SUMMARY.md") {
            assert!(
                listed.iter().any(|link| link == page),
                "docs/SUMMARY.md does not list {page}"
            );
        }
    }
}

fn follow(document: &Document, link: &str) -> Result<(), String> {
    if link.starts_with("https://") || link.starts_with("http://") {
        return Ok(());
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => document.name.clone(),
        path => beside(&document.name, path),
    };
    if document.name.starts_with("docs/") && !target.starts_with("docs/") {
        return Err("leads out of the book".to_owned());
    }
    if !root().join(&target).exists() {
        return Err(format!("there is no {target}"));
    }
    let known = anchor.is_empty() || Document::named(&*target).anchors().iter().any(|known| known == anchor);
    known
        .then_some(())
        .ok_or_else(|| format!("{target} has no heading {anchor}"))
}

/// Returns the path from the root to a file that a document names.
fn beside(document: &str, path: &str) -> String {
    let mut whole = PathBuf::new();
    for part in Path::new(document).with_file_name(path).components() {
        match part {
            Component::ParentDir => assert!(whole.pop(), "{document}: {path} leads out of the tree"),
            part => whole.push(part),
        }
    }
    whole.to_string_lossy().replace('\\', "/")
}
