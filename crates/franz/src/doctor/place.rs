//! Whether runs can be recorded.

use std::path::Path;

use anyhow::{Context, Result};

use super::finding::Finding;
use crate::config::settings::Settings;

pub(super) fn examine(settings: &Settings) -> Finding {
    let runs = Path::new(&settings.record.dir);
    match try_out(runs) {
        Ok(()) => Finding::fine("records", format!("runs are recorded in {}", runs.display())),
        Err(error) => Finding::problem("records", &error),
    }
}

/// Writes where runs are made, and leaves nothing behind.
fn try_out(runs: &Path) -> Result<()> {
    // The parts that are missing would be made; what is there, also when it is a file, is what they would be made in.
    let there = runs.ancestors().find(|place| place.exists());
    let there = there.unwrap_or(Path::new("."));
    let advice = || {
        format!(
            "nothing can be written in {}; make it writable, or set record.dir to a directory that is",
            there.display()
        )
    };
    let probe = there.join(format!(".franz-doctor-{}", std::process::id()));
    std::fs::create_dir(&probe).with_context(advice)?;
    let written = std::fs::write(probe.join("probe"), b"probe");
    let removed = std::fs::remove_dir_all(&probe);
    written.and(removed).with_context(advice)
}
