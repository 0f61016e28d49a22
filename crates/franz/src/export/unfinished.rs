//! A file or directory that gets its name when it is complete.
#![expect(clippy::disallowed_methods, reason = "an export belongs to no run")]

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use franz_home::View;
use thiserror::Error;

/// The file by which a directory made by an export is recognised.
pub(super) const RUN_FILE: &str = "run.json";

/// What is being written. It is located next to its target, and is removed unless it is finished.
#[derive(Debug)]
pub(crate) struct Unfinished {
    target: PathBuf,
    path: PathBuf,
    force: bool,
}

/// Why nothing can be written there.
#[derive(Debug, Error)]
pub(crate) enum TargetError {
    #[error("{0} exists; choose another name, or add --force to replace it")]
    Exists(String),
    #[error("{0} was not made by franz export, so --force leaves it alone; choose another name")]
    Foreign(String),
    #[error("{0} is inside the run, which an export never changes; choose another place")]
    WithinRun(String),
    #[error("{0} has no name to write under; name a file or directory")]
    Nameless(String),
    #[error("cannot write {}: {source}; check the path and the free space on its disk", path.display())]
    Disk { path: PathBuf, source: io::Error },
}

impl TargetError {
    /// Returns a function for `map_err`.
    fn at(path: &Path) -> impl FnOnce(io::Error) -> TargetError + use<> {
        let path = path.to_owned();
        move |source| TargetError::Disk { path, source }
    }
}

impl Unfinished {
    /// Begins writing what will be at `target`, which must be free or replaceable.
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
        })
    }

    /// Returns where the result will be.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Creates it as a file.
    pub(super) fn file(&self) -> Result<File, TargetError> {
        File::create_new(&self.path).map_err(TargetError::at(&self.path))
    }

    /// Creates it as a directory.
    pub(super) fn directory(&self) -> Result<(), TargetError> {
        fs::create_dir(&self.path).map_err(TargetError::at(&self.path))
    }

    /// Creates a directory in it.
    pub(super) fn directory_within(&self, name: &str) -> Result<(), TargetError> {
        let path = self.path.join(name);
        fs::create_dir(&path).map_err(TargetError::at(&path))
    }

    /// Creates a file in it.
    pub(super) fn file_within(&self, name: &str) -> Result<File, TargetError> {
        let path = self.path.join(name);
        File::create_new(&path).map_err(TargetError::at(&path))
    }

    /// Gives the result its final name.
    pub(super) fn finish(self) -> Result<(), TargetError> {
        check_free(&self.target, self.force)?;
        let renamed = if self.target.is_dir() {
            // A complete directory replaces the old one: at worst, both are there after a crash.
            let old = self.path.with_extension("old");
            fs::rename(&self.target, &old)
                .and_then(|()| fs::rename(&self.path, &self.target))
                .and_then(|()| fs::remove_dir_all(&old))
        } else {
            fs::rename(&self.path, &self.target)
        };
        renamed.map_err(TargetError::at(&self.target))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After a rename, nothing is there any more.
        if fs::remove_file(&self.path).is_err() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Checks that nothing is at `target`, or only something that may be replaced.
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
