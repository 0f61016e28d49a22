//! The open directory: the few system calls on names in it, one file for each platform.

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

/// How a file is opened. None of them truncates, and none follows a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenMode {
    /// To read what is there.
    Read,
    /// To read it and to append; made where it is not there.
    Append,
    /// To read and to cut what is there.
    Edit,
    /// To hold a lock on it; made where it is not there.
    Hold,
    /// To write one that is not there yet.
    New,
}

impl OpenMode {
    /// The file is written in place, so another name of it would be written as well.
    pub(crate) fn is_in_place(self) -> bool {
        matches!(self, Self::Append | Self::Edit | Self::Hold)
    }
}

/// Refuses what is not the name of an entry in the directory itself.
pub(crate) fn check_name(name: &OsStr) -> io::Result<()> {
    let leads_elsewhere = |byte: &u8| matches!(byte, b'/' | 0) || (cfg!(windows) && matches!(byte, b'\\' | b':'));
    let bytes = name.as_encoded_bytes();
    if matches!(bytes, b"" | b"." | b"..") || bytes.iter().any(leads_elsewhere) {
        let why = format!("{} is not the name of a file", name.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    Ok(())
}
