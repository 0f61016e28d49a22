//! Where a line stands.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use franz_record::DiskError;

/// A line in a file of the run, without its line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: Arc<Path>,
    pub(super) offset: u64,
    /// Bytes.
    pub(super) length: u32,
}

impl Place {
    /// The bytes that stand there now.
    pub(super) fn read(&self) -> Result<Vec<u8>, DiskError> {
        read(&self.path, self.offset, self.length as usize)
    }
}

/// Opens a file. What is none, such as a pipe that nobody writes to, is not waited for.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::other("it is not a file"))
    }
}

/// `length` bytes of the file at `path`.
pub(super) fn read(path: &Path, offset: u64, length: usize) -> Result<Vec<u8>, DiskError> {
    let read = || {
        let mut file = open_file(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(DiskError::when("read", path))
}
