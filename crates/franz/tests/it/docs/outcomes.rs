//! Checks that the page and the documents list the outcomes of actions in the order of the records.

use franz_action::Outcome;

#[test]
fn every_part_knows_the_same_outcomes() {
    let page = include_str!("../../../../panel/assets/feedback.js");
    let shown = page
        .split_once("const OUTCOMES = {")
        .unwrap()
        .1
        .split_once("};")
        .unwrap()
        .0;
    let shown = shown.lines().filter_map(|line| line.trim().split_once(": ["));
    assert_eq!(shown.map(|(name, _)| name).collect::<Vec<_>>(), Outcome::NAMES);
    let page = include_str!("../../../../../docs/protocols.md");
    let rows = page.split_once("| outcome | means |\n|---|---|\n").unwrap().1;
    let rows = rows.lines().take_while(|line| line.starts_with("| `"));
    let documented = rows.filter_map(|row| row.split('`').nth(1));
    assert_eq!(documented.collect::<Vec<_>>(), Outcome::NAMES);
}
