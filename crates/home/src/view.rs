//! Reads the files of a directory and changes nothing in it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::claim::is_own_file;
use crate::entry::{Entry, EntryKind};
use crate::error::DiskError;
use crate::file::bounded;
use crate::handle::{Handle, OpenMode};

/// An open directory whose files can be read. Files are opened by their bare names, and links are not followed.
#[derive(Debug, Clone)]
pub struct View {
    path: Arc<Path>,
    handle: Arc<Handle>,
}

impl View {
    /// Opens the directory at `path`, whoever owns it.
    pub fn open(path: &Path) -> Result<Self, DiskError> {
        let handle = Handle::open(path, false).map_err(DiskError::when("open", path))?;
        Ok(Self::of(path, handle))
    }

    pub(crate) fn of(path: &Path, handle: Handle) -> Self {
        Self {
            path: path.into(),
            handle: Arc::new(handle),
        }
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Opens the subdirectory `name`, whoever owns it.
    pub fn open_directory(&self, name: &str) -> Result<Self, DiskError> {
        let path = self.path_of(name);
        let opened = self.handle.open_directory(name.as_ref());
        Ok(Self::of(&path, opened.map_err(DiskError::when("open", &path))?))
    }

    /// Returns the path with which the directory was opened, to show to people and pass to other processes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file's path, for use in messages.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns the directory's own name.
    pub fn name(&self) -> String {
        let absolute = fs::canonicalize(&self.path);
        let path = absolute.as_deref().unwrap_or(&self.path);
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Opens the file `name` for reading. Links, pipes and devices are refused immediately.
    pub fn open_file(&self, name: &str) -> io::Result<File> {
        self.handle.open_file(name.as_ref(), OpenMode::Read)
    }

    /// Reads the whole file `name`. It may have at most `most` bytes, so that a file put there by somebody else cannot
    /// exhaust memory.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        bounded(self.open_file(name)?, most)
    }

    /// Reads a file like [`read`](View::read), but only if this user owns it and nobody else can write to it.
    pub fn read_own(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        if !is_own_file(&self.entry(name)?) {
            let why = "another user could have written it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        self.read(name, most)
    }

    /// Returns the entry called `name`; links are not followed.
    pub fn entry(&self, name: &str) -> io::Result<Entry> {
        self.handle.entry(name.as_ref())
    }

    /// Returns whether there is a regular file with this name.
    pub fn has_file(&self, name: &str) -> bool {
        self.entry(name).is_ok_and(|entry| entry.kind == EntryKind::File)
    }

    /// Returns the names in the directory that are valid Unicode; the names of FRANZ's own files always are.
    pub fn names(&self) -> Result<Vec<String>, DiskError> {
        let names = self.handle.names().map_err(DiskError::when("list", &self.path))?;
        Ok(names.into_iter().filter_map(|name| name.into_string().ok()).collect())
    }

    /// Returns whether the directory is empty.
    pub fn is_empty(&self) -> Result<bool, DiskError> {
        let names = self.handle.names().map_err(DiskError::when("list", &self.path))?;
        Ok(names.is_empty())
    }
}
