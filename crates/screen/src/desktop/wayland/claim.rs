//! One agent per compositor: a lock next to its socket, released when its process ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};

use crate::desktop::display::DisplayError;

/// How long and how often to retry, because a killed agent can still hold the lock for a moment.
const LINGERING: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the lock of the compositor with this socket, unless another agent has it.
pub(super) fn claim(socket: &Path, name: &str) -> Result<File, DisplayError> {
    let failed = |error: io::Error| DisplayError::failed("claiming the desktop", error);
    let mut path = socket.as_os_str().to_owned();
    path.push(".franz");
    // Like the socket, the lock is in a directory that belongs to the person; a link there leads nowhere.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let lock = rustix::fs::open(Path::new(&path), flags, Mode::RUSR | Mode::WUSR);
    let lock = File::from(lock.map_err(|error| failed(error.into()))?);
    let deadline = Instant::now() + LINGERING;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(DisplayError::Refused(format!(
                    "another FRANZ is using the Wayland display {name}; stop it first, or choose another screen"
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}
