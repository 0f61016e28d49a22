//! Checks that everything named in `docs/security.md` exists: its tests, its paths and its fuzz targets. Also checks
//! that it lists every fuzz target.

use std::collections::BTreeSet;

use crate::docs::markdown::{Document, root};
use crate::docs::source;

/// Returns the rows of the tables that have this many columns.
fn rows(page: &Document, columns: usize) -> Vec<Vec<String>> {
    let lines = page
        .text
        .lines()
        .filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    let rows = lines.map(|line| {
        line.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().to_owned())
            .collect()
    });
    rows.filter(|row: &Vec<String>| row.len() == columns && !row[0].is_empty())
        .collect()
}

/// Returns the words in backticks.
fn named(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns the names of all test functions.
fn tests() -> BTreeSet<String> {
    let all = source::texts(&["src", "tests"]).concat();
    let marked = all.split("#[test]").skip(1).chain(all.split("#[tokio::test").skip(1));
    let name = |text: &str| Some(text.split_once("fn ")?.1.split_once('(')?.0.to_owned());
    marked.filter_map(name).collect()
}

#[test]
fn every_test_and_path_on_the_security_page_exists() {
    let page = Document::named("docs/security.md");
    let (rows, tests) = (rows(&page, 4), tests());
    assert!(rows.len() > 30, "the tables were not found");
    let mut wrong = Vec::new();
    for row in rows.iter().filter(|row| row[0] != "threat") {
        let shown: Vec<&str> = named(&row[3]).filter(|name| !name.contains('.')).collect();
        if shown.is_empty() {
            wrong.push(format!("nothing shows: {}", row[0]));
        }
        wrong.extend(
            shown
                .iter()
                .filter(|name| !tests.contains(**name))
                .map(|name| format!("no test {name}")),
        );
        let missing = named(&row[2]).filter(|path| !root().join("crates").join(path).exists());
        wrong.extend(missing.map(|path| format!("no place {path}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_fuzz_target_is_listed_and_no_other() {
    let page = Document::named("docs/security.md");
    let listed: BTreeSet<String> = rows(&page, 2)
        .iter()
        .filter(|row| row[1] != "target")
        .flat_map(|row| named(&row[1]).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let files = std::fs::read_dir(root().join("fuzz/fuzz_targets")).unwrap();
    let there: BTreeSet<String> = files
        .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(listed, there);
    for target in &there {
        let corpus = root().join("fuzz/corpus").join(target);
        assert!(
            corpus.read_dir().is_ok_and(|mut files| files.next().is_some()),
            "no corpus of {target}"
        );
    }
}
