//! File errors, grouped by what the user can do about them.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file or directory of the run could not be used.
#[derive(Debug, Error)]
pub enum DiskError {
    /// The disk is full, or the quota is used up.
    #[error("cannot {doing} {}: the disk is full; free some space, or lower record.keep_pictures", path.display())]
    Full {
        /// What was attempted, as an infinitive.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error that the system returned.
        source: io::Error,
    },
    /// The file system is read-only.
    #[error("cannot {doing} {}: the file system is read-only; choose another directory with --run-dir or record.dir", path.display())]
    ReadOnly {
        /// What was attempted, as an infinitive.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error that the system returned.
        source: io::Error,
    },
    /// The user lacks permission.
    #[error("cannot {doing} {}: permission denied; check who owns it, or choose another directory with --run-dir or record.dir", path.display())]
    Denied {
        /// What was attempted, as an infinitive.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error that the system returned.
        source: io::Error,
    },
    /// Anything else.
    #[error("cannot {doing} {}: {source}; check the disk and the path", path.display())]
    Other {
        /// What was attempted, as an infinitive.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error that the system returned.
        source: io::Error,
    },
}

impl DiskError {
    /// Returns a function for `map_err` that turns a failure of `doing` on `path` into an error, grouped by what the
    /// user can do about it.
    pub fn when(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full { doing, path, source },
            ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { doing, path, source },
            ErrorKind::PermissionDenied => Self::Denied { doing, path, source },
            _ => Self::Other { doing, path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_to_do() {
        let cases = [
            (
                ErrorKind::StorageFull,
                "cannot write a/b: the disk is full; free some space",
            ),
            (
                ErrorKind::QuotaExceeded,
                "cannot write a/b: the disk is full; free some space",
            ),
            (
                ErrorKind::ReadOnlyFilesystem,
                "cannot write a/b: the file system is read-only; choose another directory",
            ),
            (
                ErrorKind::PermissionDenied,
                "cannot write a/b: permission denied; check who owns it",
            ),
            (
                ErrorKind::NotADirectory,
                "cannot write a/b: not a directory; check the disk and the path",
            ),
        ];
        for (kind, message) in cases {
            let error = DiskError::when("write", Path::new("a/b"))(kind.into());
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }
}
