//! Checks owners, permissions, and every component of the path.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::process::geteuid;

use super::ClaimError;
use super::users::{is_own_group, stands_for_root};
use crate::entry::{Access, Entry, EntryKind};
use crate::error::DiskError;
use crate::handle::{self, Handle};
use crate::shell;

/// The number of links to follow before a path counts as circular; Linux has the same limit.
const MOST_LINKS: usize = 40;

/// Opens the directory at `path`. Examines only the directories that lead to it.
pub(crate) fn open(path: &Path) -> Result<Handle, ClaimError> {
    let real = real_path(path, Last::Itself)?;
    Ok(Handle::open(&real, true).map_err(DiskError::when("open", path))?)
}

/// Creates the missing directories that lead to `path`, in parent directories that nobody else can change. Other users
/// can read the new directories.
pub(crate) fn make_above(path: &Path) -> Result<(), ClaimError> {
    let absolute = std::path::absolute(path).map_err(DiskError::when("find", path))?;
    let Some(above) = absolute.parent() else {
        return Ok(());
    };
    let there = above.ancestors().find(|place| fs::metadata(place).is_ok());
    real_path(there.unwrap_or(Path::new("/")), Last::Above)?;
    let made = DirBuilder::new().recursive(true).mode(0o755).create(above);
    made.map_err(DiskError::when("create", above))?;
    Ok(())
}

/// Returns whether the group can write to an entry. Fails if others can write to it or if another user owns it.
pub(super) fn needs_tightening(path: &Path, entry: &Entry, run: &Path) -> Result<bool, ClaimError> {
    let Some(access) = entry.access else {
        return Ok(false);
    };
    let user = geteuid().as_raw();
    if access.user != user {
        return Err(foreign(path, access.user, &format!("-R {user} {}", shell::path(run))));
    }
    if access.lets_others_write() {
        return Err(writable(path, "everybody", &format!("-R go-w {}", shell::path(run))));
    }
    Ok(access.lets_group_write())
}

pub(super) fn tighten_directory(directory: &Handle) -> io::Result<()> {
    directory.make_owners()
}

pub(super) fn tighten_file(directory: &Handle, name: &OsStr) -> io::Result<()> {
    directory.make_owners_file(name)
}

/// The last component of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The directory being claimed, which must not be a link.
    Itself,
    /// A parent directory.
    Above,
}

/// Resolves the links in a path, checking each directory and the owner of each link on the way.
fn real_path(path: &Path, last: Last) -> Result<PathBuf, ClaimError> {
    let absolute = std::path::absolute(path).map_err(DiskError::when("find", path))?;
    let mut rest = reversed(&absolute);
    let mut here = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = rest.pop() {
        let next = here.join(&part);
        if part == ".." {
            here.pop();
            continue;
        }
        let is_last = rest.is_empty() && last == Last::Itself;
        let entry = handle::status(&next).map_err(DiskError::when("access", &next))?;
        match entry.kind {
            EntryKind::Link if is_last => {
                let target = fs::canonicalize(&next).ok();
                let path = path.to_owned();
                return Err(ClaimError::Linked { path, target });
            }
            EntryKind::Link => {
                links += 1;
                let target = follow(&next, &entry, links)?;
                if target.is_absolute() {
                    here = PathBuf::from("/");
                }
                rest.extend(reversed(&target));
                continue;
            }
            EntryKind::Directory if is_last => {}
            EntryKind::Directory => check_above(&next, entry.access)?,
            EntryKind::File | EntryKind::Other => return Err(ClaimError::NoDirectory { path: next }),
        }
        here = next;
    }
    Ok(here)
}

/// Returns the components of a path after its root, in reverse order.
fn reversed(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    parts.collect()
}

/// Returns the target of a link in the path. A link owned by another user is refused, because it could lead anywhere.
fn follow(link: &Path, entry: &Entry, links: usize) -> Result<PathBuf, ClaimError> {
    if let Some(access) = entry.access
        && !is_trusted(access.user)
    {
        return Err(foreign(
            link,
            access.user,
            &format!("-h {} {}", geteuid().as_raw(), shell::path(link)),
        ));
    }
    let target = fs::read_link(link).map_err(DiskError::when("read", link))?;
    if links > MOST_LINKS {
        let circle = io::Error::other("too many links in a row");
        return Err(DiskError::when("follow", link)(circle).into());
    }
    Ok(target)
}

/// Checks a parent directory of the run. Anyone who can rename its entries could put another run in its place.
fn check_above(path: &Path, access: Option<Access>) -> Result<(), ClaimError> {
    let Some(access) = access else {
        return Ok(());
    };
    if !is_trusted(access.user) {
        return Err(foreign(
            path,
            access.user,
            &format!("{} {}", geteuid().as_raw(), shell::path(path)),
        ));
    }
    if access.is_sticky() {
        return Ok(());
    }
    if access.lets_others_write() {
        return Err(writable(path, "everybody", &format!("go-w {}", shell::path(path))));
    }
    if access.lets_group_write() && !is_own_group(access.group) {
        let who = format!("group {}", access.group);
        return Err(writable(path, &who, &format!("g-w {}", shell::path(path))));
    }
    Ok(())
}

fn is_trusted(user: u32) -> bool {
    user == geteuid().as_raw() || user == 0 || stands_for_root(user)
}

fn foreign(path: &Path, owner: u32, arguments: &str) -> ClaimError {
    let user = geteuid().as_raw();
    let sudo = if user == 0 { "" } else { "sudo " };
    ClaimError::Foreign {
        path: path.to_owned(),
        owner,
        user,
        mend: format!("{sudo}chown {arguments}"),
    }
}

fn writable(path: &Path, who: &str, arguments: &str) -> ClaimError {
    ClaimError::Writable {
        path: path.to_owned(),
        who: who.to_owned(),
        mend: format!("chmod {arguments}"),
    }
}
