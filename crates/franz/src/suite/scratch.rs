//! The folder in which attempts run, on this machine's own disk. It is removed at the end; the next process removes
//! folders that a killed process left.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// How the folders' names begin.
const PREFIX: &str = "franz-suite-";

/// How the name of a folder's lock ends. The file beside the folder is locked before there is a folder, and for as long
/// as the folder is in use.
const LOCK: &str = "lock";

/// A folder of this process.
pub(crate) struct Scratch {
    folder: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates a folder, and removes those that nobody uses any more.
    #[expect(clippy::disallowed_methods, reason = "folders of attempts belong to no run yet")]
    pub(crate) fn new(id: &str) -> io::Result<Scratch> {
        let parent = std::env::temp_dir().canonicalize()?;
        remove_unused(&parent);
        let folder = parent.join(format!("{PREFIX}{id}"));
        let lock = locked(&folder.with_extension(LOCK))?;
        #[cfg_attr(not(unix), expect(unused_mut, reason = "a folder has no mode here"))]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        Ok(Scratch { folder, _lock: lock })
    }

    /// Returns the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates an empty folder in it.
    #[expect(clippy::disallowed_methods, reason = "folders of attempts belong to no run yet")]
    pub(crate) fn make(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir(&folder)?;
        Ok(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_with_lock(&self.folder);
    }
}

#[expect(clippy::disallowed_methods, reason = "only our own locks are removed")]
fn remove_with_lock(folder: &Path) {
    remove(folder);
    let _ = fs::remove_file(folder.with_extension(LOCK));
}

/// Removes a folder of an attempt. Anything that cannot be removed stays; the system cleans the parent folder from time
/// to time.
#[expect(clippy::disallowed_methods, reason = "folders of attempts belong to no run yet")]
pub(crate) fn remove(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

/// Creates a folder that only this user can read, and its parents.
#[expect(clippy::disallowed_methods, reason = "folders of attempts belong to no run yet")]
pub(crate) fn make(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.recursive(true).create(folder);
    made.with_context(|| format!("cannot create {}", folder.display()))
}

/// Creates a file.
#[expect(clippy::disallowed_methods, reason = "files of attempts belong to no run")]
pub(crate) fn file(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Opens a file for appending.
#[expect(clippy::disallowed_methods, reason = "files of attempts belong to no run")]
pub(crate) fn append(path: &Path) -> io::Result<File> {
    File::options().append(true).open(path)
}

/// Creates and locks a file. Another process may remove it before it is locked; then there is another one.
#[expect(clippy::disallowed_methods, reason = "only our own locks are created")]
fn locked(path: &Path) -> io::Result<File> {
    loop {
        let lock = File::create(path)?;
        lock.lock()?;
        if is_at(&lock, path) {
            return Ok(lock);
        }
    }
}

/// Removes the folders and the locks of processes that have ended.
#[expect(clippy::disallowed_methods, reason = "only the locks of our own folders are opened")]
fn remove_unused(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if !is_ours || !is_owned(&entry.path()) {
            continue;
        }
        let folder = entry.path().with_extension("");
        // Until this lock is dropped, nobody else removes or uses the folder.
        let lock = File::open(folder.with_extension(LOCK));
        let is_used = lock.as_ref().is_ok_and(|lock| lock.try_lock().is_err());
        if !is_used {
            remove_with_lock(&folder);
        }
    }
}

/// Returns whether an open file is still the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |status: fs::Metadata| (status.dev(), status.ino());
    let (open, there) = (file.metadata().map(id), path.symlink_metadata().map(id));
    open.ok().is_some_and(|open| there.is_ok_and(|there| there == open))
}

/// Elsewhere, no open file is removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(unix)]
fn is_owned(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::geteuid().as_raw();
    folder.symlink_metadata().is_ok_and(|status| status.uid() == own)
}

#[cfg(not(unix))]
fn is_owned(_: &Path) -> bool {
    true
}
