//! The position of a line.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use franz_home::{DiskError, View};

/// A file of the run that contains lines.
#[derive(Debug)]
pub(super) struct HistoryFile {
    pub(super) view: View,
    pub(super) name: String,
}

/// A line in a file of the run, without its line break.
#[derive(Debug, Clone)]
pub(super) struct LinePosition {
    pub(super) file: Arc<HistoryFile>,
    pub(super) offset: u64,
    /// The length in bytes.
    pub(super) length: u32,
}

impl LinePosition {
    /// Reads the bytes that are at this position now.
    pub(super) fn read(&self) -> Result<Vec<u8>, DiskError> {
        self.file.read(self.offset, self.length as usize)
    }
}

impl HistoryFile {
    /// Reads `length` bytes, starting at `offset`.
    pub(super) fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, DiskError> {
        let read = || {
            let mut file = self.view.open_file(&self.name)?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = vec![0; length];
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(DiskError::when("read", &self.view.path_of(&self.name)))
    }
}
