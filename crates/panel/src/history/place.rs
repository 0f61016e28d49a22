//! Where a line stands.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use franz_record::{DiskError, disk};

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

/// `length` bytes of the file at `path`.
pub(super) fn read(path: &Path, offset: u64, length: usize) -> Result<Vec<u8>, DiskError> {
    let read = || {
        let mut file = disk::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(DiskError::when("read", path))
}
