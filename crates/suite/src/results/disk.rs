//! A folder with results, on a disk that many machines may share.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::place::{PublishedTry, ResultPlace, attempt_name, attempt_number, result_path, try_path};
use super::{DUPLICATE_FILE, Publication, RESULT_FILE, SUITE_FOLDER, StoreError};
use crate::folder::{self, FolderError};

/// The prefix of a try's folder while it is being published.
const UNFINISHED: &str = ".try_";

/// The age at which such a folder counts as abandoned.
const OLD: Duration = Duration::from_hours(24);

/// A folder with results.
#[derive(Clone, Debug)]
pub(super) struct ResultFolder(pub(super) PathBuf);

impl ResultPlace for ResultFolder {
    fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let file = self.at(path);
        let bad = |problem: String| StoreError::BadResult {
            file: file.clone(),
            problem,
        };
        let Some(length) = self.length(path)? else {
            return Ok(None);
        };
        if length > most {
            return Err(bad(format!("it is longer than {most} bytes")));
        }
        match folder::read(&file, most) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(FolderError::Disk { error, .. }) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(FolderError::Disk { error, .. }) if error.kind() == ErrorKind::PermissionDenied => {
                Err(bad(error.to_string()))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn has(&self, path: &str) -> Result<bool, StoreError> {
        let file = self.at(path);
        Ok(file.try_exists().map_err(FolderError::at(&file))?)
    }

    fn put(&self, path: &str, bytes: &[u8], id: &str) -> Result<(), StoreError> {
        self.check_folders(path)?;
        Ok(folder::replace(&self.at(path), bytes, id)?)
    }

    fn written(&self, path: &str) -> Result<SystemTime, StoreError> {
        let file = self.at(path);
        let status = file.metadata().and_then(|status| status.modified());
        Ok(status.map_err(FolderError::at(&file))?)
    }

    fn decided(&self) -> Result<BTreeSet<u32>, StoreError> {
        let attempts = attempts(&self.0)?;
        let is_decided = |attempt: &u32| {
            let folder = self.at(&attempt_name(*attempt));
            // Anything with this name blocks a result.
            !is_folder(&folder) || is_there(&folder.join(RESULT_FILE))
        };
        Ok(attempts.into_iter().filter(is_decided).collect())
    }

    fn tries(&self, of: Option<&BTreeSet<u32>>) -> Result<Vec<PublishedTry>, StoreError> {
        let attempts = match of {
            Some(attempts) => attempts.clone(),
            None => attempts(&self.0)?,
        };
        let mut tries = Vec::new();
        for attempt in attempts {
            let folder = self.at(&attempt_name(attempt));
            if !is_folder(&folder) {
                continue;
            }
            for name in names(&folder)? {
                let Some(id) = name.strip_prefix("try_") else { continue };
                let own = folder.join(&name);
                if !is_folder(&own) {
                    continue;
                }
                tries.push(PublishedTry {
                    attempt,
                    id: id.to_owned(),
                    has_result: is_there(&own.join(RESULT_FILE)),
                    is_duplicate: is_there(&own.join(DUPLICATE_FILE)),
                });
            }
        }
        Ok(tries)
    }

    fn publish(&self, one: &PublishedTry, files: &Path, note: &[u8], id: &str) -> Result<bool, StoreError> {
        let finished = self.at(&one.folder());
        let attempt = attempt_name(one.attempt);
        self.check_folders(&one.folder())?;
        let unfinished = self.at(&format!("{attempt}/{UNFINISHED}{}.{id}", one.id));
        let name = Path::new(&one.note())
            .file_name()
            .map(PathBuf::from)
            .unwrap_or_default();
        let appeared = || -> Result<bool, FolderError> {
            folder::copy(files, &unfinished)?;
            match folder::replace(&unfinished.join(name), note, id) {
                // A full disk still has room for a folder, which shows that the try failed.
                Err(_) if !one.has_result => {}
                written => written?,
            }
            sync_all(&unfinished)?;
            appear(&unfinished, &finished)
        }();
        if appeared.is_err() && is_folder(&unfinished) {
            // The first error is the one to report.
            let _ = folder::remove(&unfinished);
        }
        Ok(appeared?)
    }

    fn commit(&self, one: &PublishedTry) -> Result<Publication, StoreError> {
        let folder = self.at(&one.folder());
        let (own, whole) = (folder.join(RESULT_FILE), self.at(&result_path(one.attempt)));
        if link(&own, &whole).map_err(FolderError::at(&whole))? {
            return Ok(Publication::First);
        }
        let mark = folder.join(DUPLICATE_FILE);
        create_new(&mark).map_err(FolderError::at(&mark))?;
        Ok(Publication::Duplicate)
    }

    fn fetch(&self, path: &str, to: &Path) -> Result<bool, StoreError> {
        let file = self.at(path);
        if self.length(path)?.is_none() {
            return Ok(false);
        }
        match copy_file(&file, to) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound && !file.exists() => Ok(false),
            Err(error) if error.kind() == ErrorKind::StorageFull => Err(FolderError::at(to)(error).into()),
            Err(error) => Err(FolderError::at(&file)(error).into()),
        }
    }

    fn fetch_try(&self, one: &PublishedTry, to: &Path) -> Result<(), StoreError> {
        let path = try_path(one.attempt, &one.id);
        self.check_folders(&format!("{path}/"))?;
        folder::copy(&self.at(&path), to)?;
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

    fn remove_unfinished(&self) -> Result<(), StoreError> {
        for attempt in attempts(&self.0)? {
            let folder = self.at(&attempt_name(attempt));
            if !is_folder(&folder) {
                continue;
            }
            for name in names(&folder)?.iter().filter(|name| name.starts_with(UNFINISHED)) {
                let unfinished = folder.join(name);
                if is_folder(&unfinished) && is_old(&unfinished) {
                    folder::remove(&unfinished)?;
                }
            }
        }
        Ok(())
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.0)
    }
}

impl ResultFolder {
    /// Returns the length of a file; `None` if there is none. Results may come from elsewhere: anything else than a
    /// plain file in plain folders is refused, because a link could lead anywhere, and a pipe would be waited for.
    fn length(&self, path: &str) -> Result<Option<u64>, StoreError> {
        self.check_folders(path)?;
        // The plan may be wherever the person put it.
        let is_below = path.contains('/');
        let file = self.at(path);
        let status = if is_below {
            file.symlink_metadata()
        } else {
            file.metadata()
        };
        match status {
            Ok(status) if status.is_file() => Ok(Some(status.len())),
            Ok(status) => Err(bad(&file, other_kind(&status, "it is not a file"))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FolderError::at(&file)(error).into()),
        }
    }

    /// Checks that every existing part of a path but the last is a folder.
    fn check_folders(&self, path: &str) -> Result<(), StoreError> {
        for (end, _) in path.match_indices('/') {
            let folder = self.at(path.get(..end).unwrap_or_default());
            match folder.symlink_metadata() {
                Ok(status) if !status.is_dir() => return Err(bad(&folder, other_kind(&status, "it is not a folder"))),
                _ => {}
            }
        }
        Ok(())
    }
}

fn bad(file: &Path, problem: &str) -> StoreError {
    StoreError::BadResult {
        file: file.to_owned(),
        problem: problem.to_owned(),
    }
}

fn other_kind(status: &fs::Metadata, words: &'static str) -> &'static str {
    if status.is_symlink() { "it is a link" } else { words }
}

/// Returns whether anything has this name, even a link that leads nowhere.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns whether this is a folder, and no link to one.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|status| status.is_dir())
}

/// Returns whether nothing in a folder was changed for more than a day. Publishing takes minutes, and the clocks of two
/// machines differ by less.
fn is_old(folder: &Path) -> bool {
    let Ok(paths) = folder::paths(folder) else {
        return false;
    };
    let all = paths.iter().map(|path| folder.join(path));
    let mut all = std::iter::once(folder.to_owned()).chain(all);
    all.all(|path| {
        let age = path.symlink_metadata().and_then(|status| status.modified());
        age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > OLD))
    })
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

/// Creates an empty file unless there is one. A link is not followed.
#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
fn create_new(path: &Path) -> io::Result<()> {
    match File::create_new(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
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
