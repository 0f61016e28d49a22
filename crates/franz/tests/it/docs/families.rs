//! Checks that the documents' table of families matches the family files. Each row names the evidence for it.

use std::collections::BTreeSet;

use franz_dialect::{Axes, Family};

use crate::docs::markdown::check_or_write_table;

const PAGE: &str = "docs/models.md";
const BEGIN: &str = "<!-- The families: written by the test `families`, not by hand. -->\n";
const END: &str = "<!-- The end of the families. -->\n";

/// Families whose sources leave the format open, as the table says.
const OPEN: [&str; 3] = ["holo4", "qwen2-vl", "ui-venus"];

/// The tests with a real model server, which name a model of each family.
const REAL_SERVER: &str = include_str!("../real_server/families.rs");

#[test]
fn the_table_of_families_is_complete() {
    check_or_write_table(PAGE, [BEGIN, END], &table());
}

fn table() -> String {
    let served = served();
    let rows: Vec<String> = Family::all().iter().map(|family| row(family, &served)).collect();
    let head =
        "| family | dialect | numbers count | where its format was looked up | shown by |\n|---|---|---|---|---|\n";
    format!("\n{head}{}\n", rows.concat())
}

fn row(family: &Family, served: &BTreeSet<String>) -> String {
    let order = match family.axes {
        Axes::Xy => "",
        Axes::Yx => ", y before x",
    };
    let text = Family::text(&family.name).expect("it is built in");
    let source = text.lines().next().and_then(|line| line.strip_prefix("# "));
    let source = source.expect("a family file begins with its source");
    let marks = [
        (
            "format",
            family.name != Family::franz().name && !OPEN.contains(&&*family.name),
        ),
        ("template", served.contains(&family.name)),
        ("simulated", !family.dialect.is_read_only()),
    ];
    let marks: Vec<&str> = marks
        .iter()
        .filter(|(_, holds)| *holds)
        .map(|(mark, _)| *mark)
        .collect();
    format!(
        "| `{}` | `{}` | {}{order} | {source} | {} |\n",
        family.name,
        family.dialect.name,
        family.space.name(),
        marks.join(", ")
    )
}

/// Returns the families of the models in the tests with a real model server.
fn served() -> BTreeSet<String> {
    let families = Family::all();
    let named = REAL_SERVER
        .lines()
        .filter_map(|line| line.trim().strip_prefix("model: \""));
    let models = named.filter_map(|rest| rest.strip_suffix("\","));
    let family = |model: &str| Family::matching(&families, model).unwrap().expect(model).name.clone();
    let served: BTreeSet<String> = models.map(family).collect();
    assert!(
        !served.is_empty(),
        "no model is named in the tests with a real model server"
    );
    served
}
