//! Checks whether runs can be recorded.

use std::path::Path;

use anyhow::{Context, Result};
use franz_home::{ClaimError, Home};

use super::finding::Finding;
use crate::config::settings::Settings;
use crate::exit::Unusable;

/// The name of the file that is written to test the directory.
const PROBE: &str = "probe";

pub(super) fn examine(settings: &Settings) -> Finding {
    let runs = Path::new(&settings.record.dir);
    match try_out(runs) {
        Ok(()) => Finding::fine("records", format!("runs are recorded in {}", runs.display())),
        Err(error) => Finding::problem("records", &error),
    }
}

/// Writes to the directory where runs are created, and removes everything that it has written.
fn try_out(runs: &Path) -> Result<()> {
    // A run would create missing directories in the innermost path that exists, even if that is a file.
    let there = runs.ancestors().find(|place| place.exists());
    let there = there.unwrap_or(Path::new("."));
    let advice = || {
        format!(
            "cannot write in {}; make it writable, or set record.dir to a directory that is",
            there.display()
        )
    };
    let probe = there.join(format!(".franz-doctor-{}", std::process::id()));
    let home = match Home::create(&probe) {
        Err(ClaimError::Disk(error)) => return Err(error).with_context(advice),
        // A run would refuse such a directory, too.
        made => made.map_err(Unusable::usage)?,
    };
    let written = home.replace(PROBE, b"probe", false);
    let removed = home.remove_if_there(PROBE);
    drop(home);
    #[expect(clippy::disallowed_methods, reason = "it is the directory made above, and empty")]
    let gone = std::fs::remove_dir(&probe);
    written.with_context(advice)?;
    removed.and(gone).with_context(advice)
}
