//! Whether the whole program runs there: a few turns with the built-in model, alone and with the panel.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use super::wine::Wine;
use crate::process::run;
use crate::recorded;

const TURNS: usize = 3;

/// Runs a program, and counts the turns it has recorded.
pub(super) fn test(wine: &Wine, cache: &Path, program: &Path) -> Result<()> {
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
            .arg(program)
            .args(["run", "--upstream", "demo", "--set", "loop.executing_delay_s=0"]);
        franz
            .args(["--max-turns", &TURNS.to_string(), "--run-dir"])
            .arg(&folder);
        run(franz.args(panel))?;
        recorded::ensure_turns(&folder, TURNS)?;
    }
    let verdicts = fs::read_to_string(cache.join("run/watched/verdicts.jsonl"))?;
    let proven = |line: &&str| line.contains(r#""verdict":"first""#) || line.contains(r#""verdict":"match""#);
    ensure!(
        verdicts.lines().filter(proven).count() == TURNS,
        "not every turn was verified: {verdicts}"
    );
    Ok(())
}
