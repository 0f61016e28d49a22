//! Wraps an open directory and the few system calls on the names in it. Each platform has its own file.

#[cfg(unix)]
#[path = "handle/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "handle/windows.rs"]
mod platform;

use std::ffi::OsStr;
use std::io;

#[cfg(unix)]
pub(crate) use platform::status;
pub(crate) use platform::{Handle, make_private};

/// How a file is opened. No mode truncates the file or follows a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenMode {
    /// For reading an existing file.
    Read,
    /// For reading and appending; created if missing.
    Append,
    /// For reading and truncating an existing file.
    Edit,
    /// For holding a lock; created if missing.
    Hold,
    /// For writing a file that does not exist yet.
    New,
}

impl OpenMode {
    /// Returns whether the file is written in place, which also changes it under its other names.
    pub(crate) fn is_in_place(self) -> bool {
        matches!(self, Self::Append | Self::Edit | Self::Hold)
    }
}

/// Rejects anything but the bare name of an entry in the directory.
pub(crate) fn check_name(name: &OsStr) -> io::Result<()> {
    let leads_elsewhere = |byte: &u8| matches!(byte, b'/' | 0) || (cfg!(windows) && matches!(byte, b'\\' | b':'));
    let bytes = name.as_encoded_bytes();
    if matches!(bytes, b"" | b"." | b"..") || bytes.iter().any(leads_elsewhere) {
        let why = format!("{} is not a file name", name.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    Ok(())
}
