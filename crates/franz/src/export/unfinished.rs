//! A file or directory that gets its final name only when it is complete.
#![expect(clippy::disallowed_methods, reason = "an export belongs to no run")]

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use franz_home::View;
use thiserror::Error;

/// The file that identifies a directory as written by an export.
pub(super) const RUN_FILE: &str = "run.json";

/// A file or directory that is being written. It is next to its target, and is removed unless it is finished.
#[derive(Debug)]
pub(crate) struct Unfinished {
    target: PathBuf,
    path: PathBuf,
    force: bool,
    /// Held while something appears under `path` or moves to `target`.
    busy: Arc<Mutex<()>>,
}

/// The reason why the target cannot be written.
#[derive(Debug, Error)]
pub(crate) enum TargetError {
    #[error("{0} exists; choose another name, or add --force to replace it")]
    Exists(String),
    #[error("{0} was not made by franz export, so --force leaves it alone; choose another name")]
    Foreign(String),
    #[error("{0} is inside the run, which an export never changes; choose another location")]
    WithinRun(String),
    #[error("{0} does not end in a name; name a file or directory")]
    Nameless(String),
    #[error("cannot write {}: {source}; check the path and the free space on its disk", path.display())]
    Disk { path: PathBuf, source: io::Error },
    #[error("the earlier {} is now called {}: {source}; move or remove it yourself", target.display(), old.display())]
    Left {
        target: PathBuf,
        old: PathBuf,
        source: io::Error,
    },
}

impl TargetError {
    /// Returns a function for `map_err` that adds the path to an error.
    fn at(path: &Path) -> impl FnOnce(io::Error) -> TargetError + use<> {
        let path = path.to_owned();
        move |source| TargetError::Disk { path, source }
    }
}

impl Unfinished {
    /// Prepares to write a file or directory to `target`, which must either not exist or be replaceable.
    pub(crate) fn beside(target: &Path, force: bool, run: &View) -> Result<Unfinished, TargetError> {
        let shown = || target.display().to_string();
        let name = target.file_name().ok_or_else(|| TargetError::Nameless(shown()))?;
        let parent = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let real = |path: &Path| path.canonicalize().map_err(TargetError::at(path));
        if real(parent)?.starts_with(real(run.path())?) {
            return Err(TargetError::WithinRun(shown()));
        }
        check_free(target, force)?;
        let name = format!(".{}.{:08x}.part", name.to_string_lossy(), fastrand::u32(..));
        Ok(Unfinished {
            target: target.to_owned(),
            path: parent.join(name),
            force,
            busy: Arc::default(),
        })
    }

    /// Returns the path of the finished result.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Returns what must be removed if the process ends before the result is finished.
    pub(crate) fn leftover(&self) -> Leftover {
        Leftover {
            path: self.path.clone(),
            busy: Arc::clone(&self.busy),
        }
    }

    fn busy(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the file.
    pub(super) fn file(&self) -> Result<File, TargetError> {
        let _busy = self.busy();
        File::create_new(&self.path).map_err(TargetError::at(&self.path))
    }

    /// Creates the directory.
    pub(super) fn directory(&self) -> Result<(), TargetError> {
        let _busy = self.busy();
        fs::create_dir(&self.path).map_err(TargetError::at(&self.path))
    }

    /// Creates a subdirectory in the directory.
    pub(super) fn directory_within(&self, name: &str) -> Result<(), TargetError> {
        let _busy = self.busy();
        let path = self.path.join(name);
        fs::create_dir(&path).map_err(TargetError::at(&path))
    }

    /// Creates a file in the directory.
    pub(super) fn file_within(&self, name: &str) -> Result<File, TargetError> {
        let _busy = self.busy();
        let path = self.path.join(name);
        File::create_new(&path).map_err(TargetError::at(&path))
    }

    /// Gives the result its final name.
    pub(super) fn finish(self) -> Result<(), TargetError> {
        let _busy = self.busy();
        check_free(&self.target, self.force)?;
        if self.target.is_dir() {
            replace_directory(&self.path, &self.target)
        } else {
            fs::rename(&self.path, &self.target).map_err(TargetError::at(&self.target))
        }
    }
}

/// Puts the directory `new` in place of the one at `target`. If the process is killed in between, both still exist.
fn replace_directory(new: &Path, target: &Path) -> Result<(), TargetError> {
    let old = new.with_extension("old");
    let left = |source| TargetError::Left {
        target: target.to_owned(),
        old: old.clone(),
        source,
    };
    fs::rename(target, &old).map_err(TargetError::at(target))?;
    if let Err(error) = fs::rename(new, target) {
        fs::rename(&old, target).map_err(left)?;
        return Err(TargetError::at(target)(error));
    }
    fs::remove_dir_all(&old).map_err(left)
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// What an unfinished result leaves behind if the process ends.
pub(crate) struct Leftover {
    path: PathBuf,
    busy: Arc<Mutex<()>>,
}

impl Leftover {
    /// Removes everything. While the returned value exists, nothing new can appear.
    pub(crate) fn remove(&self) -> MutexGuard<'_, ()> {
        let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        remove(&self.path);
        busy
    }
}

fn remove(path: &Path) {
    // After the rename, there is nothing left to remove.
    if fs::remove_file(path).is_err() {
        let _ = fs::remove_dir_all(path);
    }
}

/// Checks that `target` does not exist, or may be replaced.
fn check_free(target: &Path, force: bool) -> Result<(), TargetError> {
    let shown = || target.display().to_string();
    match target.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(TargetError::at(target)(error)),
        Ok(_) if !force => Err(TargetError::Exists(shown())),
        Ok(there) if there.is_dir() && !target.join(RUN_FILE).is_file() => Err(TargetError::Foreign(shown())),
        Ok(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_that_cannot_be_replaced_stays_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let run = tempfile::tempdir().unwrap();
        let target = folder.path().join("export");
        fs::create_dir(&target).unwrap();
        fs::write(target.join(RUN_FILE), "old").unwrap();
        let unfinished = Unfinished::beside(&target, true, &View::open(run.path()).unwrap()).unwrap();
        // There is no new directory, so it cannot be renamed.
        let refused = unfinished.finish().unwrap_err().to_string();
        assert!(
            refused.starts_with(&format!("cannot write {}: ", target.display())),
            "{refused}"
        );
        assert_eq!(fs::read_to_string(target.join(RUN_FILE)).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
