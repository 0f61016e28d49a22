//! Whether the whole program runs there: a few turns with the built-in model, alone and with the panel.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::toolchain::TARGET;
use super::wine::Wine;
use crate::process::{run, target};

const TURNS: usize = 3;

/// Runs the program that was built, and counts the turns it has recorded.
pub(super) fn test(wine: &Wine, cache: &Path) -> Result<()> {
    let program = target()?.join(TARGET).join("debug/franz.exe");
    for (name, panel) in [
        ("alone", &["--no-panel"][..]),
        ("watched", &["--no-open", "--dashboard", "127.0.0.1:0"]),
    ] {
        let folder = cache.join("run").join(name);
        if folder.is_dir() {
            fs::remove_dir_all(&folder)?;
        }
        let mut franz = wine.command();
        franz
            .arg(&program)
            .args(["run", "--upstream", "demo", "--set", "loop.executing_delay_s=0"]);
        franz
            .args(["--max-turns", &TURNS.to_string(), "--run-dir"])
            .arg(&folder);
        run(franz.args(panel))?;
        let turns = turns(&folder)?;
        ensure!(
            turns == TURNS,
            "{turns} turns were recorded in {}, not {TURNS}",
            folder.display()
        );
    }
    let verdicts = fs::read_to_string(cache.join("run/watched/verdicts.jsonl"))?;
    let proven = |line: &&str| line.contains(r#""verdict":"first""#) || line.contains(r#""verdict":"match""#);
    ensure!(
        verdicts.lines().filter(proven).count() == TURNS,
        "not every turn was verified: {verdicts}"
    );
    Ok(())
}

/// How many turns a run has completed: a line each.
fn turns(folder: &Path) -> Result<usize> {
    let mut turns = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("turns_") && name.ends_with(".jsonl") {
            turns += fs::read_to_string(entry.path())?.lines().count();
        }
    }
    Ok(turns)
}
