//! A folder with results, on a disk that many machines may share.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::place::{PublishedTry, ResultPlace, attempt_name, attempt_number, result_path, try_path};
use super::{DUPLICATE_FILE, Publication, RESULT_FILE, SUITE_FOLDER, StoreError};
use crate::folder::{self, FolderError};

/// A folder with results.
#[derive(Clone, Debug)]
pub(super) struct ResultFolder(pub(super) PathBuf);

impl ResultPlace for ResultFolder {
    fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let file = self.at(path);
        match folder::read(&file, most) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(FolderError::Disk { error, .. }) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn has(&self, path: &str) -> Result<bool, StoreError> {
        let file = self.at(path);
        Ok(file.try_exists().map_err(FolderError::at(&file))?)
    }

    fn put(&self, path: &str, bytes: &[u8], id: &str) -> Result<(), StoreError> {
        Ok(put(&self.at(path), bytes, id)?)
    }

    fn written(&self, path: &str) -> Result<SystemTime, StoreError> {
        let file = self.at(path);
        let status = file.metadata().and_then(|status| status.modified());
        Ok(status.map_err(FolderError::at(&file))?)
    }

    fn decided(&self) -> Result<BTreeSet<u32>, StoreError> {
        let attempts = attempts(&self.0)?;
        Ok(attempts
            .into_iter()
            .filter(|attempt| self.at(&result_path(*attempt)).exists())
            .collect())
    }

    fn tries(&self, of: Option<&BTreeSet<u32>>) -> Result<Vec<PublishedTry>, StoreError> {
        let attempts = match of {
            Some(attempts) => attempts.clone(),
            None => attempts(&self.0)?,
        };
        let mut tries = Vec::new();
        for attempt in attempts {
            let folder = self.at(&attempt_name(attempt));
            if !folder.exists() {
                continue;
            }
            for name in names(&folder)? {
                let Some(id) = name.strip_prefix("try_") else { continue };
                let own = folder.join(&name);
                tries.push(PublishedTry {
                    attempt,
                    id: id.to_owned(),
                    has_result: own.join(RESULT_FILE).exists(),
                    is_duplicate: own.join(DUPLICATE_FILE).exists(),
                });
            }
        }
        Ok(tries)
    }

    fn publish(&self, one: &PublishedTry, files: &Path, note: &[u8], id: &str) -> Result<bool, StoreError> {
        let finished = self.at(&one.folder());
        let unfinished = self.at(&format!("{}/.try_{}.{id}", attempt_name(one.attempt), one.id));
        folder::copy(files, &unfinished)?;
        let name = Path::new(&one.note())
            .file_name()
            .map(PathBuf::from)
            .unwrap_or_default();
        put(&unfinished.join(name), note, id)?;
        sync_all(&unfinished)?;
        Ok(appear(&unfinished, &finished)?)
    }

    fn commit(&self, one: &PublishedTry) -> Result<Publication, StoreError> {
        let folder = self.at(&one.folder());
        let (own, whole) = (folder.join(RESULT_FILE), self.at(&result_path(one.attempt)));
        if link(&own, &whole).map_err(FolderError::at(&whole))? {
            return Ok(Publication::First);
        }
        let mark = folder.join(DUPLICATE_FILE);
        write(&mark, b"").map_err(FolderError::at(&mark))?;
        Ok(Publication::Duplicate)
    }

    fn fetch(&self, path: &str, to: &Path) -> Result<bool, StoreError> {
        let file = self.at(path);
        match copy_file(&file, to) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound && !file.exists() => Ok(false),
            Err(error) => Err(FolderError::at(&file)(error).into()),
        }
    }

    fn fetch_try(&self, one: &PublishedTry, to: &Path) -> Result<(), StoreError> {
        folder::copy(&self.at(&try_path(one.attempt, &one.id)), to)?;
        let mark = to.join(DUPLICATE_FILE);
        if mark.exists() {
            folder::remove(&mark)?;
        }
        Ok(())
    }

    fn put_suite(&self, suite: &Path, without: &[PathBuf]) -> Result<(), StoreError> {
        Ok(folder::copy_without(suite, &self.at(SUITE_FOLDER), without)?)
    }

    fn fetch_suite(&self, to: &Path) -> Result<(), StoreError> {
        Ok(folder::copy(&self.at(SUITE_FOLDER), to)?)
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.0)
    }
}

/// Gives a folder its final name. Returns `false` if another process was faster.
#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
fn appear(unfinished: &Path, finished: &Path) -> Result<bool, FolderError> {
    match fs::rename(unfinished, finished) {
        Ok(()) => {}
        // A network file system may report an error although it renamed the folder.
        Err(_) if finished.exists() && !unfinished.exists() => {}
        Err(_) if finished.exists() => {
            fs::remove_dir_all(unfinished).map_err(FolderError::at(unfinished))?;
            return Ok(false);
        }
        Err(error) => return Err(FolderError::at(finished)(error)),
    }
    sync_parent(finished);
    Ok(true)
}

/// Gives a file a second name. Returns `false` if another file has that name.
#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
fn link(own: &Path, whole: &Path) -> io::Result<bool> {
    match fs::hard_link(own, whole) {
        Ok(()) => {
            sync_parent(whole);
            Ok(true)
        }
        // A network file system may report any error although it made the link, if the server's answer was lost.
        Err(_) if is_linked(own, whole) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether two names are those of the same file. If the second cannot be seen, perhaps because this machine still
/// remembers that it was not there, the number of names of the first one decides.
#[cfg(unix)]
fn is_linked(own: &Path, whole: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(status) = fs::symlink_metadata(own) else {
        return false;
    };
    match fs::symlink_metadata(whole) {
        Ok(other) => (other.dev(), other.ino()) == (status.dev(), status.ino()),
        Err(_) => status.nlink() > 1,
    }
}

#[cfg(not(unix))]
fn is_linked(_: &Path, _: &Path) -> bool {
    false
}

/// Returns the attempts that have a folder.
pub(super) fn attempts(folder: &Path) -> Result<BTreeSet<u32>, FolderError> {
    Ok(names(folder)?.iter().filter_map(|name| attempt_number(name)).collect())
}

fn names(folder: &Path) -> Result<Vec<String>, FolderError> {
    let entries = fs::read_dir(folder).map_err(FolderError::at(folder))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(FolderError::at(folder))?;
        names.extend(entry.file_name().to_str().map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

/// Writes a file in one step. The `id` keeps two writers apart.
#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
pub(crate) fn put(finished: &Path, bytes: &[u8], id: &str) -> Result<(), FolderError> {
    let name = finished.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = finished.with_file_name(format!(".{name}.{id}"));
    let written = write(&unfinished, bytes).and_then(|()| match fs::rename(&unfinished, finished) {
        // A network file system may report an error although it renamed the file.
        Err(_) if finished.exists() && !unfinished.exists() => Ok(()),
        renamed => renamed,
    });
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    written.map_err(FolderError::at(finished))
}

/// Writes a file to the disk.
#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Waits until everything in a folder is on the disk.
#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
fn sync_all(folder: &Path) -> Result<(), FolderError> {
    for path in folder::paths(folder)? {
        let path = folder.join(path);
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(FolderError::at(&path))?;
    }
    Ok(())
}

/// Waits until a new name is on the disk. Not every file system can say so.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
fn sync_parent(path: &Path) {
    if let Some(folder) = path.parent().and_then(|parent| File::open(parent).ok()) {
        let _ = folder.sync_all();
    }
}

/// Windows cannot open a folder like a file.
#[cfg(not(unix))]
fn sync_parent(_: &Path) {}

#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_whose_answer_was_lost_is_recognised() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let (own, other, whole) = (path("own"), path("other"), path("whole"));
        for file in [&own, &other] {
            fs::write(file, "").unwrap();
        }
        assert!(!is_linked(&own, &whole), "nothing is there");
        assert!(link(&own, &whole).unwrap());
        assert!(link(&own, &whole).unwrap(), "the second request is told that it exists");
        assert!(!link(&other, &whole).unwrap());
        // This machine still remembers that the name was not there.
        assert!(is_linked(&own, &path("unseen")) && !is_linked(&other, &path("unseen")));
    }

    #[test]
    fn a_folder_that_was_renamed_after_all_has_appeared() {
        let place = tempfile::tempdir().unwrap();
        let (unfinished, finished) = (place.path().join(".try"), place.path().join("try"));
        fs::create_dir(&unfinished).unwrap();
        fs::write(unfinished.join("f"), "").unwrap();
        assert!(appear(&unfinished, &finished).unwrap());
        // Its second request finds nothing to rename.
        assert!(appear(&unfinished, &finished).unwrap());
        fs::create_dir(&unfinished).unwrap();
        fs::write(unfinished.join("g"), "").unwrap();
        assert!(!appear(&unfinished, &finished).unwrap(), "another process was faster");
        assert!(finished.join("f").exists() && !unfinished.exists());
    }
}
