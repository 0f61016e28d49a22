//! The files that a run leaves on disk.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Fails unless the run has completed exactly this many turns.
pub(crate) fn ensure_turns(folder: &Path, expected: usize) -> Result<()> {
    let turns = turns(folder)?;
    ensure!(
        turns == expected,
        "{turns} turns were recorded in {}, not {expected}",
        folder.display()
    );
    Ok(())
}

/// Returns how many turns a run has completed. Each turn has one line.
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
