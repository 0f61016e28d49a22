//! The documents as an HTML book, built with mdBook.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process::{root, run, target};
use crate::tool::Tool;

const MDBOOK: Tool = Tool {
    name: "mdbook",
    options: &["--no-default-features", "--features", "search"],
};

/// Builds the book. Installs mdBook first if necessary.
pub(crate) fn make() -> Result<()> {
    build(&MDBOOK.provide()?)
}

/// Builds the book if mdBook is installed. Otherwise, reports that it is not. Tests check the contents of the documents
/// without mdBook.
pub(crate) fn make_where_possible() -> Result<()> {
    if let Some(program) = MDBOOK.installed()? {
        return build(&program);
    }
    eprintln!("SKIPPED: the book, because mdBook is not installed; cargo xtask book installs it in target/tools");
    Ok(())
}

fn build(program: &Path) -> Result<()> {
    let book = target()?.join("book");
    run(Command::new(program)
        .args(["build", "docs", "--dest-dir"])
        .arg(&book)
        .current_dir(root()))?;
    eprintln!("the book is {}", book.join("index.html").display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::Cli;
    use crate::process::root;
    use crate::workflows;

    /// Returns the commands that the documents mention. Each is the text from `cargo xtask` up to the end of the code.
    fn told(text: &str) -> Vec<String> {
        let behind = text.split("cargo xtask").skip(1);
        let commands = behind.map(|rest| {
            let end = rest.find(['`', '\n', '#', ';', '|']).unwrap_or(rest.len());
            rest[..end].trim().to_owned()
        });
        commands.filter(|command| !command.is_empty()).collect()
    }

    #[test]
    fn every_task_in_the_documents_and_workflows_exists() {
        let docs = root().join("docs");
        let pages = std::fs::read_dir(docs).unwrap().map(|entry| entry.unwrap().path());
        let first = [
            "AGENTS.md",
            "CONTRIBUTING.md",
            "README.md",
            ".github/pull_request_template.md",
        ];
        let named = first
            .map(|name| root().join(name))
            .into_iter()
            .chain(workflows::files().unwrap());
        let mut commands = 0;
        for page in named.chain(pages.filter(|page| page.extension().is_some_and(|kind| kind == "md"))) {
            for command in told(&std::fs::read_to_string(&page).unwrap()) {
                let words = command.split_whitespace().map(|word| word.trim_end_matches([',', '.']));
                let parsed = Cli::try_parse_from(std::iter::once("cargo xtask").chain(words));
                assert!(parsed.is_ok(), "{}: cargo xtask {command}", page.display());
                commands += 1;
            }
        }
        assert!(commands > 5, "the documents tell of no tasks any more");
        assert!(Cli::try_parse_from(["cargo xtask", "no-such-task"]).is_err());
    }
}
