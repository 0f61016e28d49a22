//! Checks for links. Owners and permissions are not checked: they are inherited from the parent directory, and
//! Windows lets only that directory's user access it.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::path::Path;

use super::ClaimError;
use crate::entry::Entry;
use crate::error::DiskError;
use crate::handle::Handle;

/// Opens the directory at `path`, which must not be a link.
pub(crate) fn open(path: &Path) -> Result<Handle, ClaimError> {
    let status = fs::symlink_metadata(path).map_err(DiskError::when("access", path))?;
    if status.is_file() {
        let path = path.to_owned();
        return Err(ClaimError::NoDirectory { path });
    }
    Handle::open(path, true).map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => ClaimError::Linked {
            path: path.to_owned(),
            target: fs::canonicalize(path).ok(),
        },
        _ => DiskError::when("open", path)(error).into(),
    })
}

/// Creates the directories leading to `path`.
pub(crate) fn make_above(path: &Path) -> Result<(), ClaimError> {
    if let Some(above) = path.parent() {
        let made = DirBuilder::new().recursive(true).create(above);
        made.map_err(DiskError::when("create", above))?;
    }
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "other platforms refuse some")]
pub(super) fn needs_tightening(_: &Path, _: &Entry, _: &Path) -> Result<bool, ClaimError> {
    Ok(false)
}

#[expect(clippy::unnecessary_wraps, reason = "other platforms do something")]
pub(super) fn tighten_directory(_: &Handle) -> io::Result<()> {
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "other platforms do something")]
pub(super) fn tighten_file(_: &Handle, _: &OsStr) -> io::Result<()> {
    Ok(())
}
