//! Checks that the document on MiniWoB++ lists exactly the pages for which the oracle has a rule as solved, and no page
//! twice. `cargo xtask miniwob` compares the list with the package's pages.

use std::collections::BTreeSet;
use std::fs;

use crate::docs::markdown::root;

/// Returns what stands between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Returns the names in the decorators of the oracle's rules.
fn ruled() -> Vec<String> {
    let folder = root().join("crates/suite/tests/miniwob/rules");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().extension().is_none_or(|end| end != "py") {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        for rule in text.split("\n@rule(").skip(1) {
            let (listed, _) = rule.split_once(")\n").unwrap();
            names.extend(listed.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
    names
}

#[test]
fn every_page_with_a_rule_is_listed_and_no_page_twice() {
    let page = fs::read_to_string(root().join("docs/miniwob.md")).unwrap();
    let (with, without) = page.split_once("## Pages without a rule").unwrap();
    let mut solved = Vec::new();
    for row in with.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        let cells: Vec<&str> = row.split('|').collect();
        let names = quoted(cells[2]);
        let number = format!("({})", names.len());
        assert!(cells[1].trim_end().ends_with(&number), "{} {number}", cells[1]);
        solved.extend(names);
    }
    let rows = without.lines().filter(|line| line.starts_with("| `"));
    let unsolved: Vec<&str> = rows.flat_map(|row| quoted(row.split('|').nth(1).unwrap())).collect();
    let all: BTreeSet<&str> = solved.iter().chain(&unsolved).copied().collect();
    assert_eq!(all.len(), solved.len() + unsolved.len(), "a page is listed twice");
    let ruled = ruled();
    assert_eq!(
        solved.iter().copied().collect::<BTreeSet<_>>(),
        ruled.iter().map(String::as_str).collect()
    );
    let told = format!("all {} episodes of the {} pages", 5 * ruled.len(), ruled.len());
    assert!(page.replace('\n', " ").contains(&told), "docs/miniwob.md lacks: {told}");
    assert_eq!((solved.len(), unsolved.len()), (107, 27));
}
