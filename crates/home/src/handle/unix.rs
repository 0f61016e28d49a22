//! Accesses directories and files by descriptor.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{self, AtFlags, Dir, FileType, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;

use super::{OpenMode, check_name};
use crate::entry::{Access, Entry, EntryKind};

/// An open directory.
#[derive(Debug)]
pub(crate) struct Handle(OwnedFd);

impl Handle {
    /// Opens the directory at `path`. If `itself` is set, refuses a link there.
    pub(crate) fn open(path: &Path, itself: bool) -> io::Result<Self> {
        let nofollow = if itself { OFlags::NOFOLLOW } else { OFlags::empty() };
        let directory = fs::open(path, DIRECTORY | nofollow, fs::Mode::empty())?;
        Ok(Self(directory))
    }

    /// Opens the subdirectory `name`.
    pub(crate) fn open_directory(&self, name: &OsStr) -> io::Result<Self> {
        check_name(name)?;
        let directory = fs::openat(&self.0, name, DIRECTORY | OFlags::NOFOLLOW, fs::Mode::empty())?;
        Ok(Self(directory))
    }

    /// Returns the state of this directory.
    pub(crate) fn status(&self) -> io::Result<Entry> {
        Ok(entry(&fs::fstat(&self.0)?))
    }

    /// Returns the entry called `name`.
    pub(crate) fn entry(&self, name: &OsStr) -> io::Result<Entry> {
        check_name(name)?;
        Ok(entry(&fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Returns the names of everything in the directory.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let name = entry?.file_name().to_owned();
            if !matches!(name.as_bytes(), b"." | b"..") {
                names.push(OsString::from_vec(name.into_bytes()));
            }
        }
        Ok(names)
    }

    /// Opens the file `name` without blocking on pipes or devices.
    pub(crate) fn open_file(&self, name: &OsStr, mode: OpenMode) -> io::Result<File> {
        check_name(name)?;
        let flags = match mode {
            OpenMode::Read => OFlags::RDONLY,
            OpenMode::Append => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE,
            OpenMode::Edit => OFlags::RDWR,
            OpenMode::Hold => OFlags::RDWR | OFlags::CREATE,
            OpenMode::New => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
        };
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let private = fs::Mode::RUSR | fs::Mode::WUSR;
        let opened = retry_on_intr(|| fs::openat(&self.0, name, flags, private));
        let file = File::from(opened.map_err(|error| self.explained(name, error.into()))?);
        check_opened(&file, mode)?;
        Ok(file)
    }

    /// Renames `from` to `to`, replacing any existing entry.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        check_name(from)?;
        check_name(to)?;
        Ok(fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Creates a hard link to the file `from`; symbolic links are refused.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        check_name(to)?;
        match self.entry(from)?.kind.is_no_file() {
            Some(why) => Err(io::Error::other(why)),
            None => Ok(fs::linkat(&self.0, from, &self.0, to, AtFlags::empty())?),
        }
    }

    /// Removes an entry that is not a directory.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        check_name(name)?;
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Creates a subdirectory that only its owner may enter.
    pub(crate) fn make_directory(&self, name: &OsStr) -> io::Result<()> {
        check_name(name)?;
        Ok(fs::mkdirat(&self.0, name, fs::Mode::RWXU)?)
    }

    /// Syncs the directory's entries to the disk, if its file system can.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match fs::fsync(&self.0) {
            // Several network and shared file systems cannot sync a directory. There is nothing else to do for it.
            Err(Errno::INVAL | Errno::BADF) => Ok(()),
            synced => Ok(synced?),
        }
    }

    /// Removes the write permission of the group and others on this directory.
    pub(crate) fn make_owners(&self) -> io::Result<()> {
        let mode = fs::Mode::from_raw_mode(fs::fstat(&self.0)?.st_mode);
        Ok(fs::fchmod(&self.0, mode - (fs::Mode::WGRP | fs::Mode::WOTH))?)
    }

    /// Removes the write permission of the group and others on the file `name`.
    pub(crate) fn make_owners_file(&self, name: &OsStr) -> io::Result<()> {
        let file = self.open_file(name, OpenMode::Read)?;
        let stat = fs::fstat(&file)?;
        let mode = fs::Mode::from_raw_mode(stat.st_mode);
        if entry(&stat).links != Some(1) {
            return Err(io::Error::other(MANY_NAMES));
        }
        Ok(fs::fchmod(&file, mode - (fs::Mode::WGRP | fs::Mode::WOTH))?)
    }

    /// Replaces a system error with the reason why an entry cannot be opened as a file.
    fn explained(&self, name: &OsStr, error: io::Error) -> io::Error {
        if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) {
            return error;
        }
        let why = self.entry(name).ok().and_then(|entry| entry.kind.is_no_file());
        why.map_or(error, io::Error::other)
    }
}

/// Returns the entry at `path`; links are not followed.
pub(crate) fn status(path: &Path) -> io::Result<Entry> {
    Ok(entry(&fs::lstat(path)?))
}

/// Creates the directory at `path`, which only its owner may enter.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

const MANY_NAMES: &str = "it has a second name (a hard link), which would be written to as well";

fn check_opened(file: &File, mode: OpenMode) -> io::Result<()> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if mode.is_in_place() && metadata.nlink() != 1 {
        return Err(io::Error::other(MANY_NAMES));
    }
    if mode.is_in_place() && metadata.uid() != geteuid().as_raw() {
        return Err(io::Error::other("it is owned by another user"));
    }
    Ok(())
}

#[allow(
    clippy::cast_lossless,
    clippy::unnecessary_cast,
    reason = "the fields have other types on each platform"
)]
fn entry(stat: &Stat) -> Entry {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    };
    let since = Duration::new(stat.st_mtime.max(0) as u64, stat.st_mtime_nsec as u32);
    Entry {
        kind,
        length: stat.st_size as u64,
        modified: SystemTime::UNIX_EPOCH.checked_add(since),
        identity: Some((stat.st_dev as u64, stat.st_ino as u64)),
        access: Some(Access {
            user: stat.st_uid,
            group: stat.st_gid,
            mode: fs::Mode::from_raw_mode(stat.st_mode).bits() as u32 & 0o7777,
        }),
        links: Some(stat.st_nlink as u64),
    }
}
