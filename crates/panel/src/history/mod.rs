//! The turns and verdicts of a run, read back by number, page, hash and word.

use std::path::{Path, PathBuf};

use franz_record::DiskError;

use crate::update::Summary;

/// A run that is read while it may still be written. Only places in files are kept in memory.
#[derive(Debug)]
pub struct History {
    directory: PathBuf,
}

impl History {
    /// Reads the index of the run in `directory`.
    pub fn open(directory: &Path) -> Result<History, DiskError> {
        Ok(History {
            directory: directory.to_owned(),
        })
    }

    /// The run's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// How many turns there are.
    pub fn turns(&self) -> u64 {
        0
    }

    /// Takes in what was appended since. Gives the summaries of the turns that are new.
    pub fn refresh(&self) -> Vec<Summary> {
        Vec::new()
    }
}
