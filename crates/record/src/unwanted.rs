//! The last reply's actions when they must not be performed, although the record does not show that any has begun.

use franz_home::{DiskError, Home};

use crate::run_end::{END_FILE, RunEnd};

/// The empty file that exists if the run went on without being recorded.
const LOST_FILE: &str = "record.lost";

/// The reason why the last reply's actions must not be performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwanted {
    /// The person ended the run while no agent could record that they are withdrawn.
    Stopped,
    /// The run went on without being recorded, so they might have been performed. If their outcomes are recorded, more
    /// might have been done since.
    Unrecorded,
}

impl Unwanted {
    pub(crate) fn of(home: &Home) -> Option<Unwanted> {
        if is_lost(home) {
            return Some(Unwanted::Unrecorded);
        }
        let end = RunEnd::of(home).filter(|end| end.withdraws);
        end.map(|_| Unwanted::Stopped)
    }
}

/// Checks whether the run went on without being recorded.
pub(crate) fn is_lost(home: &Home) -> bool {
    home.has_file(LOST_FILE)
}

/// Notes that nothing is recorded from now on. The file needs no space, so a full disk usually has room for it.
pub(crate) fn note_loss(home: &Home, durable: bool) -> Result<(), DiskError> {
    home.replace(LOST_FILE, b"", durable)
}

/// Removes the files that say how an earlier process ended.
pub(crate) fn settle(home: &Home) -> Result<(), DiskError> {
    for file in [END_FILE, LOST_FILE] {
        let gone = home.remove_if_there(file);
        gone.map_err(DiskError::when("remove", &home.path_of(file)))?;
    }
    Ok(())
}
