//! Resource limits for a suite's programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most processes of a check at the same time.
pub(crate) const MOST_PROCESSES: usize = 512;

/// The limits of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramLimits<'a> {
    /// How long it may take.
    pub(crate) time: Duration,
    /// How many processes it may have at the same time.
    pub(crate) processes: Option<usize>,
    /// Whether all processes of the attempt count, and not only those that the program started: a program on a desktop
    /// can leave others behind.
    #[cfg_attr(not(unix), expect(dead_code, reason = "processes are counted on Unix only"))]
    pub(crate) is_for_attempt: bool,
    /// How much it may write.
    pub(crate) folder: Option<FolderLimit<'a>>,
}

impl ProgramLimits<'_> {
    /// Limits only the time.
    pub(crate) fn of_time(time: Duration) -> ProgramLimits<'static> {
        ProgramLimits {
            time,
            processes: None,
            is_for_attempt: false,
            folder: None,
        }
    }
}

/// How much a folder may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FolderLimit<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) bytes: u64,
    pub(crate) files: u64,
}

impl FolderLimit<'_> {
    /// Returns whether the folder exceeds the limit; stops counting as soon as it does.
    pub(crate) fn is_exceeded(&self) -> bool {
        let (mut bytes, mut files) = (0, 0);
        let mut folders: Vec<PathBuf> = vec![self.folder.to_owned()];
        while let Some(folder) = folders.pop() {
            // Files that disappear in the meantime do not count.
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(status) = entry.metadata() else { continue };
                files += 1;
                if status.is_dir() {
                    folders.push(entry.path());
                } else {
                    bytes += status.len();
                }
                if bytes > self.bytes || files > self.files {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_full_by_bytes_or_by_files_at_any_depth() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        let limit = FolderLimit {
            folder,
            bytes: 100,
            files: 4,
        };
        fs::create_dir_all(folder.join("a/b")).unwrap();
        fs::write(folder.join("a/b/c"), [0; 100]).unwrap();
        assert!(!limit.is_exceeded());
        fs::write(folder.join("a/d"), "1").unwrap();
        assert!(limit.is_exceeded(), "101 bytes");
        fs::write(folder.join("a/d"), "").unwrap();
        assert!(!limit.is_exceeded());
        fs::write(folder.join("e"), "").unwrap();
        assert!(limit.is_exceeded(), "5 files and folders");
    }
}
