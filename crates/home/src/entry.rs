//! What a directory holds under a name.

use std::time::SystemTime;

/// An entry of a directory as it is there now; a link stands for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What kind of thing it is.
    pub kind: EntryKind,
    /// Bytes of a file.
    pub length: u64,
    /// When it was last written, where the system says so.
    pub modified: Option<SystemTime>,
    /// Device and number of the file, the same for all its names; `None` where the system has none.
    pub identity: Option<(u64, u64)>,
    /// Its owner and permissions; `None` where there are none.
    pub access: Option<Access>,
    /// The file's names; `None` where the system does not count them here.
    pub links: Option<u64>,
}

/// What kind of thing an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, or any other reparse point of Windows.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// Owner and permissions on Unix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The owner's number.
    pub user: u32,
    /// The group's number.
    pub group: u32,
    /// The permission bits, the sticky bit among them.
    pub mode: u32,
}

impl EntryKind {
    /// The words for an error, when a file was expected.
    pub(crate) fn is_no_file(self) -> Option<&'static str> {
        match self {
            Self::File => None,
            Self::Link => Some("it is a link, not a file"),
            Self::Directory | Self::Other => Some("it is not a file"),
        }
    }
}

impl Access {
    #[cfg(unix)]
    /// Others than owner and group may write.
    pub(crate) fn lets_others_write(self) -> bool {
        self.mode & 0o002 != 0
    }

    /// The group may write.
    pub(crate) fn lets_group_write(self) -> bool {
        self.mode & 0o020 != 0
    }

    #[cfg(unix)]
    /// Only an entry's owner may rename or remove it.
    pub(crate) fn is_sticky(self) -> bool {
        self.mode & 0o1000 != 0
    }
}
