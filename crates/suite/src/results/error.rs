//! Why results cannot be read or written.

use std::io::ErrorKind;
use std::path::PathBuf;

use zip::result::ZipError;

use super::DamagedResult;
use crate::archive::ArchiveError;
use crate::folder::FolderError;
use crate::plan::{PLAN_FILE, PlanError};

/// Disk errors caused by the choice of folder.
const LASTING: [ErrorKind; 6] = [
    ErrorKind::NotFound,
    ErrorKind::PermissionDenied,
    ErrorKind::AlreadyExists,
    ErrorKind::NotADirectory,
    ErrorKind::IsADirectory,
    ErrorKind::ReadOnlyFilesystem,
];

/// Why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no plan.
    #[error("{} has no {PLAN_FILE}; make one: franz suite plan SUITE -o {}", place.display(), place.display())]
    NoPlan {
        /// The folder or object store.
        place: PathBuf,
    },
    /// There is another plan.
    #[error("{} already holds another plan, of the suite {suite} with {attempts} attempts; choose another folder with -o", place.display())]
    OtherPlan {
        /// The folder or object store.
        place: PathBuf,
        /// The suite of the plan that is there.
        suite: String,
        /// Its number of attempts.
        attempts: usize,
    },
    /// Results of two plans would be mixed.
    #[error("{} and {} have different plans; gather takes results of one plan only", place.display(), own.display())]
    PlansDiffer {
        /// Where the results would come from.
        place: PathBuf,
        /// Where they would go.
        own: PathBuf,
    },
    /// A result belongs to another plan.
    #[error("{} is the result of another plan; results of two plans cannot be mixed, so move it out of the folder", file.display())]
    OtherResult {
        /// The result.
        file: PathBuf,
    },
    /// The folder holds the files of another suite.
    #[error("{} holds other files than the planned suite; remove it and plan again, or choose another folder with -o", folder.display())]
    OtherSuite {
        /// The folder with the files.
        folder: PathBuf,
    },
    /// A result cannot be read.
    #[error("{} cannot be read: {problem}", file.display())]
    BadResult {
        /// The result.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A result does not count.
    #[error(transparent)]
    Damaged(#[from] DamagedResult),
    /// The plan cannot be read.
    #[error("{}: {source}", place.display())]
    Plan {
        /// The folder or object store.
        place: PathBuf,
        /// What is wrong with it.
        source: PlanError,
    },
    /// The address is not that of an object store that this program can use.
    #[error("{address}: {problem}")]
    Address {
        /// The address.
        address: String,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// The object store does not do what it is asked. Whatever is there stays there.
    #[error("{}: the object store failed: {problem}", path.display())]
    ObjectStore {
        /// The object.
        path: PathBuf,
        /// What it answered.
        problem: String,
    },
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A try's files cannot be packed or unpacked.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl StoreError {
    /// Returns whether a retry may succeed, because a disk or a server caused the error.
    pub fn may_pass(&self) -> bool {
        match self {
            StoreError::ObjectStore { .. } => true,
            StoreError::Folder(FolderError::Disk { error, .. })
            | StoreError::Archive(
                ArchiveError::Folder(FolderError::Disk { error, .. })
                | ArchiveError::Unwritten {
                    source: ZipError::Io(error),
                    ..
                },
            ) => !LASTING.contains(&error.kind()),
            _ => false,
        }
    }
}
