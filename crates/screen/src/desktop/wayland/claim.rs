//! One agent per compositor: a lock next to its socket, released when its process ends.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::desktop::agent_lock;
use crate::desktop::display::DisplayError;

/// Takes the lock of the compositor with this socket, unless another agent has it.
pub(in crate::desktop) fn claim(socket: &Path, name: &str) -> Result<File, DisplayError> {
    let failed = |error: io::Error| DisplayError::failed("claiming the desktop", error);
    let mut path = socket.as_os_str().to_owned();
    path.push(".franz");
    // Like the socket, the lock is in a directory that belongs to the person; a link there leads nowhere.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let lock = rustix::fs::open(Path::new(&path), flags, Mode::RUSR | Mode::WUSR);
    let lock = File::from(lock.map_err(|error| failed(error.into()))?);
    agent_lock::take(lock).map_err(failed)?.ok_or_else(|| {
        DisplayError::Refused(format!(
            "another FRANZ is using the Wayland display {name}; stop it first, or choose another screen"
        ))
    })
}
