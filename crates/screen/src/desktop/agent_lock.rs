//! The lock that keeps a second agent off a shared screen, released when the process that holds it ends.

use std::fs::{File, TryLockError};
use std::io;
use std::time::{Duration, Instant};

/// How long and how often to retry, because a killed agent can still hold the lock for a moment.
const LINGERING: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the lock; `None` if another agent has it.
pub(crate) fn take(lock: File) -> io::Result<Option<File>> {
    let deadline = Instant::now() + LINGERING;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_takes_it_until_it_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::create(folder.path().join("lock")).unwrap();
        let first = take(open()).unwrap();
        assert!(first.is_some());
        assert!(take(open()).unwrap().is_none());
        drop(first);
        assert!(take(open()).unwrap().is_some());
    }
}
