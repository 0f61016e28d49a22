//! Tests whether the whole program runs on Windows. It does a few turns with the built-in model, first on its own and
//! then with the panel.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::recorded;

const TURNS: usize = 3;

/// Runs the program returned by `start`, and counts the recorded turns.
pub(super) fn test(start: &dyn Fn() -> Command, cache: &Path) -> Result<()> {
    for (name, panel) in [
        ("alone", &["--no-panel"][..]),
        ("watched", &["--no-open", "--dashboard", "127.0.0.1:0"]),
    ] {
        let folder = cache.join("run").join(name);
        let run = || {
            if folder.is_dir() {
                fs::remove_dir_all(&folder)?;
            }
            let mut franz = start();
            franz.args(["run", "--upstream", "demo", "--set", "loop.executing_delay_s=0"]);
            franz
                .args(["--max-turns", &TURNS.to_string(), "--run-dir"])
                .arg(&folder);
            eprintln!("$ franz.exe, {name}");
            franz
                .args(panel)
                .status()
                .with_context(|| format!("cannot start franz.exe, {name}"))
        };
        let mut status = run()?;
        if status.code().is_none() {
            // A Windows program that fails has an exit code. A signal ends it only if Wine itself crashes, which rarely
            // happens when a program with several threads exits.
            eprintln!("Wine crashed ({status}): trying again");
            status = run()?;
        }
        ensure!(status.success(), "franz.exe, {name}: {status}");
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
