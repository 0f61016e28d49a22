//! Where results are. Both kinds of place keep the same names: `attempt_NNNN/try_ID/…` and `attempt_NNNN/result.json`.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{FAILED_FILE, Publication, RESULT_FILE, StoreError};

/// A try that was published.
#[derive(Clone, Debug)]
pub(super) struct PublishedTry {
    /// Its attempt.
    pub(super) attempt: u32,
    /// Its identity.
    pub(super) id: String,
    /// Whether it has a result; otherwise it failed.
    pub(super) has_result: bool,
    /// Whether it is marked as a duplicate.
    pub(super) is_duplicate: bool,
}

impl PublishedTry {
    /// Returns the path of its folder.
    pub(super) fn folder(&self) -> String {
        try_path(self.attempt, &self.id)
    }

    /// Returns the path of the file with its result or failure. A try that is there has this file.
    pub(super) fn note(&self) -> String {
        let name = if self.has_result { RESULT_FILE } else { FAILED_FILE };
        format!("{}/{name}", self.folder())
    }
}

/// What a small file holds, or why it is damaged.
pub(super) type ReadFile = Result<Vec<u8>, StoreError>;

/// A place for results. Paths are relative to it, with `/` between their parts.
///
/// Each step may be done by any number of processes at once: a try appears as a whole or not at all, and exactly one try
/// becomes the result of its attempt.
pub(super) trait ResultPlace: fmt::Debug + Send + Sync {
    /// Returns a path as a person would write it.
    fn at(&self, path: &str) -> PathBuf;

    /// Reads a file of at most `most` bytes; `None` if there is none. A damaged file is a `BadResult`.
    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Reads many small files. Those that are damaged do not keep the others from being read.
    fn read_all(&self, paths: &[String], most: u64) -> Result<Vec<ReadFile>, StoreError> {
        let there = |path: &String| match self.read(path, most) {
            Ok(Some(bytes)) => Ok(Ok(bytes)),
            Ok(None) => Ok(Err(StoreError::BadResult {
                file: self.at(path),
                problem: "it has gone".to_owned(),
            })),
            Err(error @ StoreError::BadResult { .. }) => Ok(Err(error)),
            Err(error) => Err(error),
        };
        paths.iter().map(there).collect()
    }

    /// Returns whether there is such a file.
    fn has(&self, path: &str) -> Result<bool, StoreError>;

    /// Writes a file, or replaces it, in one step. The `id` distinguishes concurrent writers.
    fn put(&self, path: &str, bytes: &[u8], id: &str) -> Result<(), StoreError>;

    /// Returns when a file was written.
    fn written(&self, path: &str) -> Result<SystemTime, StoreError>;

    /// Returns the attempts that have a result.
    fn decided(&self) -> Result<BTreeSet<u32>, StoreError>;

    /// Returns the published tries of these attempts, or of all, by attempt.
    fn tries(&self, of: Option<&BTreeSet<u32>>) -> Result<Vec<PublishedTry>, StoreError>;

    /// Makes a try appear in one step, with all files of a folder, and with its note. Returns `false` if it is there
    /// already. The `id` distinguishes processes that publish the same try.
    fn publish(&self, one: &PublishedTry, files: &Path, note: &[u8], id: &str) -> Result<bool, StoreError>;

    /// Makes a published try the result of its attempt unless there is one, and marks it as a duplicate if there is.
    fn commit(&self, one: &PublishedTry) -> Result<Publication, StoreError>;

    /// Copies a file to a new file on this machine. Returns `false` if there is none.
    fn fetch(&self, path: &str, to: &Path) -> Result<bool, StoreError>;

    /// Copies all files of a try, except the mark of a duplicate, to a folder on this machine, which is created.
    fn fetch_try(&self, one: &PublishedTry, to: &Path) -> Result<(), StoreError>;

    /// Puts the files of a suite there, except those whose paths below its folder are in `without`.
    fn put_suite(&self, suite: &Path, without: &[PathBuf]) -> Result<(), StoreError>;

    /// Copies the files of the suite to a new folder on this machine.
    fn fetch_suite(&self, to: &Path) -> Result<(), StoreError>;

    /// Removes the files of publications that stopped long ago.
    fn remove_unfinished(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the folder, if the place is one on a disk.
    fn folder(&self) -> Option<&Path>;
}

/// Returns the name of an attempt's folder.
pub(super) fn attempt_name(attempt: u32) -> String {
    format!("attempt_{attempt:04}")
}

/// Returns the number of the attempt with this folder.
pub(super) fn attempt_number(name: &str) -> Option<u32> {
    let attempt = name.strip_prefix("attempt_")?.parse().ok()?;
    (attempt_name(attempt) == name).then_some(attempt)
}

/// Returns the path of a try's folder.
pub(super) fn try_path(attempt: u32, id: &str) -> String {
    format!("{}/try_{id}", attempt_name(attempt))
}

/// Returns the path of an attempt's result.
pub(super) fn result_path(attempt: u32) -> String {
    format!("{}/{RESULT_FILE}", attempt_name(attempt))
}
