//! Files that only their owner may read.

use std::fs::OpenOptions;

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
