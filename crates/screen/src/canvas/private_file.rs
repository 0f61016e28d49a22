//! Files that only their owner may read.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// Refuses what is there and is no file: a pipe that nobody writes to would be waited for.
pub(super) fn check(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(io::Error::other("it is not a file")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Options for a file that is made with mode 0600 where there are modes.
#[cfg(unix)]
pub(super) fn options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Elsewhere the directory's permissions are inherited.
#[cfg(not(unix))]
pub(super) fn options() -> OpenOptions {
    OpenOptions::new()
}
