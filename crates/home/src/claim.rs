//! Checks that a directory is safe before anything is written into it.
//!
//! The directory and everything in it must be owned by this user, contain no links, pipes or devices, and be writable
//! by nobody else. Every parent directory must be owned by this user or root, and nobody else must be able to rename
//! anything in it. A name then keeps referring to the same file, whatever other users do.

#[cfg(unix)]
#[path = "claim/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "claim/windows.rs"]
mod platform;
#[cfg(unix)]
mod users;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::entry::{Entry, EntryKind};
use crate::error::DiskError;
use crate::handle::Handle;
use crate::names::{self, Written};
use crate::shell;

pub(crate) use platform::{make_above, open};

/// How many levels of nested directories are checked.
const DEEPEST: usize = 8;

/// Why a directory cannot be used for a run, with the command that fixes it.
#[derive(Debug, Error)]
pub enum ClaimError {
    /// The directory's path ends in a link.
    #[error("{} is a link; give the path of the directory itself{}", path.display(), instead(target.as_deref()))]
    Linked {
        /// The link.
        path: PathBuf,
        /// The link's target.
        target: Option<PathBuf>,
    },
    /// The path does not lead to a directory.
    #[error("{} is not a directory", path.display())]
    NoDirectory {
        /// The path.
        path: PathBuf,
    },
    /// Something in the directory is neither a file nor a directory.
    #[error("{} is {what}, and FRANZ writes only regular files; move it out of the run: {mend}", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
        /// A description of the entry, such as `a link`.
        what: &'static str,
        /// The command that fixes it.
        mend: String,
    },
    /// Something in the directory is nested too deeply to be checked.
    #[error("{} is more than {DEEPEST} directories deep in the run, and FRANZ checks no deeper; move it out of the run: {mend}", path.display())]
    Deep {
        /// The directory.
        path: PathBuf,
        /// The command that fixes it.
        mend: String,
    },
    /// A file that is written in place has more than one name.
    #[error("{} has a second name (a hard link), and FRANZ would write to both; give the run its own copy: {mend}", path.display())]
    Shared {
        /// The file.
        path: PathBuf,
        /// The command that fixes it.
        mend: String,
    },
    /// The directory or file is owned by another user, who could change it.
    #[error("{} is owned by user {owner}, but FRANZ runs as user {user}; take ownership: {mend}", path.display())]
    Foreign {
        /// The directory or file.
        path: PathBuf,
        /// The owner's ID.
        owner: u32,
        /// The ID of the user running this process.
        user: u32,
        /// The command that fixes it.
        mend: String,
    },
    /// Other users can write to the directory or file.
    #[error("{who} can write to {} and could change the run; remove that permission: {mend}", path.display())]
    Writable {
        /// The directory or file.
        path: PathBuf,
        /// The users who can write there.
        who: String,
        /// The command that fixes it.
        mend: String,
    },
    /// A directory or file could not be examined or created.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl ClaimError {
    /// Returns whether a directory could not be created because it already exists.
    pub fn already_exists(&self) -> bool {
        let Self::Disk(DiskError::Other { source, .. }) = self else {
            return false;
        };
        source.kind() == io::ErrorKind::AlreadyExists
    }
}

fn instead(target: Option<&Path>) -> String {
    target.map_or_else(String::new, |target| format!(": {}", shell::path(target)))
}

/// Examines an open directory and everything in it. Returns a description of every repair.
pub(crate) fn examine(directory: &Handle, path: &Path) -> Result<Vec<String>, ClaimError> {
    let mut tightened = usize::from(tighten(directory, path)?);
    walk(directory, path, path, 0, &mut tightened)?;
    Ok(told(path, tightened))
}

/// Checks whether an entry is a file that only this user can have written.
pub(crate) fn is_own_file(entry: &Entry) -> bool {
    let nowhere = Path::new("");
    entry.kind == EntryKind::File && matches!(platform::needs_tightening(nowhere, entry, nowhere), Ok(false))
}

/// Examines an open directory, but nothing in it. Returns a description of every repair.
pub(crate) fn examine_itself(directory: &Handle, path: &Path) -> Result<Vec<String>, ClaimError> {
    let tightened = usize::from(tighten(directory, path)?);
    Ok(told(path, tightened))
}

/// Removes the group's permission to write to the directory. Returns whether there was one.
fn tighten(directory: &Handle, path: &Path) -> Result<bool, ClaimError> {
    let status = directory.status().map_err(DiskError::when("access", path))?;
    let open = platform::needs_tightening(path, &status, path)?;
    if open {
        platform::tighten_directory(directory).map_err(DiskError::when("chmod", path))?;
    }
    Ok(open)
}

fn told(path: &Path, tightened: usize) -> Vec<String> {
    match tightened {
        0 => Vec::new(),
        1 => vec![format!(
            "{}: the group could write there; it no longer can",
            path.display()
        )],
        many => vec![format!(
            "{}: the group could write to {many} files and directories; it no longer can",
            path.display()
        )],
    }
}

fn walk(directory: &Handle, path: &Path, run: &Path, depth: usize, tightened: &mut usize) -> Result<(), ClaimError> {
    let mut names = directory.names().map_err(DiskError::when("list", path))?;
    names.sort_unstable();
    for name in names {
        let path = path.join(&name);
        let entry = match directory.entry(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entry => entry.map_err(DiskError::when("access", &path))?,
        };
        check_kind(&path, run, &entry)?;
        let open = platform::needs_tightening(&path, &entry, run)?;
        *tightened += usize::from(open);
        match entry.kind {
            EntryKind::Directory => {
                let inner = directory.open_directory(&name);
                let inner = inner.map_err(DiskError::when("open", &path))?;
                if open {
                    platform::tighten_directory(&inner).map_err(DiskError::when("chmod", &path))?;
                }
                if depth == DEEPEST {
                    let mend = move_out(&path, run);
                    return Err(ClaimError::Deep { path, mend });
                }
                walk(&inner, &path, run, depth + 1, tightened)?;
            }
            _ if open => {
                let done = platform::tighten_file(directory, &name);
                done.map_err(DiskError::when("chmod", &path))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_kind(path: &Path, run: &Path, entry: &Entry) -> Result<(), ClaimError> {
    let what = match entry.kind {
        EntryKind::Link => "a link",
        EntryKind::Other => "a pipe, a socket or a device",
        EntryKind::Directory if pattern_of(path).is_some() => "a directory",
        EntryKind::Directory => return Ok(()),
        EntryKind::File => return check_links(path, entry),
    };
    Err(ClaimError::NoFile {
        path: path.to_owned(),
        what,
        mend: move_out(path, run),
    })
}

/// Returns the command that moves an entry next to the run.
fn move_out(path: &Path, run: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut aside = run.as_os_str().to_owned();
    aside.push(format!(".{name}"));
    shell::moving(path, Path::new(&aside))
}

fn check_links(path: &Path, entry: &Entry) -> Result<(), ClaimError> {
    let in_place = pattern_of(path).is_some_and(|pattern| pattern.written == Written::InPlace);
    let open = entry.access.is_some_and(crate::entry::Access::lets_group_write);
    if entry.links.is_none_or(|links| links == 1) || !(in_place || open) {
        return Ok(());
    }
    let mut copy = path.as_os_str().to_owned();
    copy.push(".own");
    Err(ClaimError::Shared {
        path: path.to_owned(),
        mend: shell::separating(path, Path::new(&copy)),
    })
}

fn pattern_of(path: &Path) -> Option<names::Pattern> {
    names::pattern(path.file_name()?.to_str()?)
}

#[cfg(all(test, unix))]
mod tests;
