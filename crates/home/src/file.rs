//! Reads files that the user names, outside of any run.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Reads the whole file at `path`, which may have at most `most` bytes. Follows links, because they are the user's own.
/// Refuses pipes and devices instead of blocking on them.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    bounded(File::open(path)?, most)
}

/// Reads the rest of a file, which may have at most `most` bytes.
pub(crate) fn bounded(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}
