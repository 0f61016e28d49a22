//! The contents of an archive besides the program: documents, completions and manual pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::archive::{Content, Files};
use super::licences;
use super::program::Program;
use crate::process::{output, root};

/// Documents from this repository.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// The shells, each with the file name that it expects.
const COMPLETIONS: [(&str, &str); 4] = [
    ("bash", "franz.bash"),
    ("fish", "franz.fish"),
    ("powershell", "_franz.ps1"),
    ("zsh", "_franz"),
];

/// Returns the files that are the same for all systems. The program for this machine prints the completions and pages.
pub(super) fn common(program: &Path) -> Result<Files> {
    let mut files = Files::new();
    for name in TEXTS {
        let bytes = fs::read(root().join(name)).with_context(|| format!("cannot read {name}"))?;
        files.insert(name.to_owned(), text(bytes));
    }
    for (shell, name) in COMPLETIONS {
        let script = output(Command::new(program).args(["completions", shell]))?;
        files.insert(format!("completions/{name}"), text(script));
    }
    let page = output(Command::new(program).arg("man"))?;
    let commands = commands(&String::from_utf8_lossy(&page));
    ensure!(!commands.is_empty(), "the manual page lists no commands");
    for command in commands {
        let page = output(Command::new(program).args(["man", &command]))?;
        files.insert(format!("man/franz-{command}.1"), text(page));
    }
    files.insert("man/franz.1".to_owned(), text(page));
    Ok(files)
}

/// Returns the files for one system.
pub(super) fn with_program(common: &Files, program: &Program) -> Result<Files> {
    let mut files = common.clone();
    let third_party = licences::of_all_linked(program.triple)?;
    files.insert("THIRD-PARTY.txt".to_owned(), text(third_party.into_bytes()));
    let needs = format!("This program needs {}.\n", program.needs);
    files.insert("NEEDS.txt".to_owned(), text(needs.into_bytes()));
    let file = &program.file;
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    files.insert(name, Content { bytes, program: true });
    Ok(files)
}

fn text(bytes: Vec<u8>) -> Content {
    Content { bytes, program: false }
}

/// Returns the commands that the manual page refers to, in the form `franz\-run(1)`.
fn commands(page: &str) -> Vec<String> {
    let named = page.lines().filter_map(|line| {
        let name = line.strip_prefix("franz\\-")?.strip_suffix("(1)")?;
        Some(name.replace("\\-", "-"))
    });
    // `franz help` has no page.
    named.filter(|name| name != "help").collect()
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_are_found_in_the_page() {
        let page = ".SH SUBCOMMANDS\n.TP\nfranz\\-run(1)\nRuns\n.TP\nfranz\\-demo\\-model(1)\n.TP\nfranz\\-help(1)\n";
        assert_eq!(commands(page), ["run", "demo-model"]);
    }
}
