//! The suites whose code the person lets run here, each identified by the digest over its files.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};

use franz_suite::{Suite, SuiteDigest};

use crate::state_folder::{self, StateError, unusable};
use crate::terminal::one_line;

/// The folder in the state folder, with an empty file for each digest.
const TRUSTED: &str = "trusted-suites";

/// Returns whether the person trusts the suite with this digest.
pub(crate) fn has(digest: &SuiteDigest) -> bool {
    let folder = state_folder::look(TRUSTED);
    folder.is_some_and(|folder| folder.read(digest.as_str(), 0).is_ok())
}

/// Remembers that the person trusts it.
pub(crate) fn remember(digest: &SuiteDigest) -> Result<(), StateError> {
    let folder = state_folder::make(TRUSTED)?;
    folder.replace(digest.as_str(), b"", false).map_err(unusable)
}

/// Shows what a suite runs, where it sends pictures and which variables it reads, and reads the answer. Anything but a
/// yes means no.
pub(crate) fn ask(
    suite: &Suite,
    digest: &SuiteDigest,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<bool> {
    let mut line = |text: &str| writeln!(output, "{}", one_line(text));
    line(&format!("The suite {} runs this code on your machine:", suite.name))?;
    for task in &suite.tasks {
        for command in &task.start {
            line(&format!("  {}: starts {command}", task.name))?;
        }
        let solve = task.solve.iter().map(|solve| format!(", solved by {solve}"));
        line(&format!(
            "  {}: checked by {}{}",
            task.name,
            task.check,
            solve.collect::<String>()
        ))?;
    }
    let settings: BTreeSet<&String> = suite.tasks.iter().flat_map(|task| task.set.keys()).collect();
    let settings = settings
        .into_iter()
        .chain(suite.models.iter().flat_map(|model| model.set.keys()));
    let settings: BTreeSet<&String> = settings.collect();
    for key in settings {
        line(&format!("  it sets {key}"))?;
    }
    for model in &suite.models {
        let file = model
            .upstream_file
            .as_ref()
            .map(|file| format!("the address in {}", file.display()));
        let server = model.upstream.clone().or(file).unwrap_or_default();
        let key = model.key_env.as_ref().map(|name| format!(" with the key in {name}"));
        line(&format!(
            "  {} sends pictures to {server}{}",
            model.name,
            key.unwrap_or_default()
        ))?;
    }
    line(&format!("Digest over its files: {digest}"))?;
    write!(output, "Allow this suite, as it is now? [y/N] ")?;
    output.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
