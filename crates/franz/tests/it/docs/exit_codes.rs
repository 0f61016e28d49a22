//! Checks that the table of exit codes matches the program.

use franz_record::Exit;

use crate::docs::markdown::Document;

#[test]
fn the_table_lists_every_exit_code() {
    let documents = Document::all();
    let page = documents.iter().find(|page| page.name == "docs/configuration.md");
    let text = &page.expect("the page on configuration").text;
    let table = text
        .split_once("| code | means |\n|---|---|\n")
        .expect("a table of exit codes")
        .1;
    let rows: Vec<&str> = table.lines().take_while(|line| line.starts_with("| ")).collect();
    let expected = Exit::ALL.map(|exit| format!("| {} | {} |", exit.code(), exit.meaning()));
    assert_eq!(rows, expected);
}
