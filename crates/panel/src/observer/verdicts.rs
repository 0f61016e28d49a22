//! `verdicts.jsonl`: every verdict a line.

use std::path::{Path, PathBuf};

use franz_record::Lines;

use super::{Judged, Output};

/// The file in the run's directory.
pub(super) const FILE: &str = "verdicts.jsonl";

pub(super) struct Verdicts {
    path: PathBuf,
    /// Opened at the first verdict, and again where that failed.
    lines: Option<Lines>,
}

impl Verdicts {
    pub(super) fn new(directory: &Path) -> Self {
        Self {
            path: directory.join(FILE),
            lines: None,
        }
    }

    fn open(&self) -> Result<Lines, String> {
        let (lines, cut) = Lines::open(&self.path).map_err(|error| error.to_string())?;
        if let Some(cut) = cut {
            tracing::warn!("an unterminated last verdict was moved aside to {}", cut.display());
        }
        Ok(lines)
    }
}

impl Output for Verdicts {
    fn take(&mut self, judged: &Judged<'_>) -> Result<(), String> {
        let mut lines = match self.lines.take() {
            Some(lines) => lines,
            None => self.open()?,
        };
        lines.append(&judged.verdict).map_err(|error| error.to_string())?;
        self.lines = Some(lines);
        Ok(())
    }
}
