//! Describes the entries of a directory.

use std::time::SystemTime;

/// The current state of a directory entry; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The kind of entry.
    pub kind: EntryKind,
    /// The file's length in bytes.
    pub length: u64,
    /// The time of the last write, if the system reports it.
    pub modified: Option<SystemTime>,
    /// The device and file number, which are the same for all names of a file; `None` on systems without them, and on
    /// Windows also for a file with a single name.
    pub identity: Option<(u64, u64)>,
    /// The owner and permissions; `None` on systems without them.
    pub access: Option<Access>,
    /// The number of names that the file has; `None` on systems that do not count them.
    pub links: Option<u64>,
}

/// The kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, or a junction on Windows.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// The owner and permissions on Unix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The owner's ID.
    pub user: u32,
    /// The group's ID.
    pub group: u32,
    /// The permission bits, including the sticky bit.
    pub mode: u32,
}

impl EntryKind {
    /// Returns the error text for an entry that should be a file, or `None` if it is one.
    pub(crate) fn is_no_file(self) -> Option<&'static str> {
        match self {
            Self::File => None,
            Self::Link => Some("it is a link, not a file"),
            Self::Directory | Self::Other => Some("it is not a file"),
        }
    }
}

impl Access {
    /// Returns whether anybody other than the owner and the group may write.
    #[cfg(unix)]
    pub(crate) fn lets_others_write(self) -> bool {
        self.mode & 0o002 != 0
    }

    /// Returns whether the group may write.
    pub(crate) fn lets_group_write(self) -> bool {
        self.mode & 0o020 != 0
    }

    /// Returns whether only an entry's owner may rename or remove it.
    #[cfg(unix)]
    pub(crate) fn is_sticky(self) -> bool {
        self.mode & 0o1000 != 0
    }
}
