//! Locks that ensure that a run has only one owner of each kind, and one editor at a time. A lock is released when the
//! process that holds it ends.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use franz_home::{DiskError, Home, View};
use thiserror::Error;

/// How long to wait for a lock held by another process, and how long to pause between attempts.
const PATIENCE: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(10);

/// The lock of a run's agent.
pub const AGENT_LOCK: &str = "agent.lock";

/// The lock of a run's panel.
pub const PANEL_LOCK: &str = "panel.lock";

/// The lock of whoever edits a run's settings, held only during the edit.
pub const CONFIG_LOCK: &str = "config.lock";

/// The locks of a run's owners.
pub(crate) const LOCK_FILES: [&str; 2] = [AGENT_LOCK, PANEL_LOCK];

/// A lock file, which is locked while this value lives. The file itself is never removed, because only the lock
/// matters.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// The reason why the lock could not be acquired.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process holds the lock.
    #[error(
        "{} is in use by another FRANZ, which has locked {file}; stop that one first, or choose another run",
        directory.display()
    )]
    Held {
        /// The run's directory.
        directory: PathBuf,
        /// The lock file's name.
        file: &'static str,
    },
    /// The lock file cannot be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl Lock {
    /// Acquires the lock `file` ([`AGENT_LOCK`], [`PANEL_LOCK`], [`CONFIG_LOCK`]) of the run in `home`. If another
    /// process holds the lock, waits only briefly, because a killed owner's child can still hold the lock between its
    /// fork and its exec.
    pub fn acquire(home: &Home, file: &'static str) -> Result<Self, LockError> {
        Lock::acquire_with(home, file, || std::thread::sleep(PAUSE))
    }

    fn acquire_with(home: &Home, file: &'static str, mut pause: impl FnMut()) -> Result<Self, LockError> {
        let path = home.path_of(file);
        let locked = home.hold(file).map_err(DiskError::when("open", &path))?;
        let began = Instant::now();
        let mut taken = locked.try_lock();
        while matches!(taken, Err(TryLockError::WouldBlock)) && began.elapsed() < PATIENCE {
            pause();
            taken = locked.try_lock();
        }
        match taken {
            Ok(()) => Ok(Self { _file: locked }),
            Err(TryLockError::WouldBlock) => Err(LockError::Held {
                directory: home.path().to_owned(),
                file,
            }),
            Err(TryLockError::Error(error)) => Err(DiskError::when("lock", &path)(error).into()),
        }
    }

    /// Returns whether an agent or a panel has the run open.
    pub fn is_held(run: &View) -> bool {
        let opened = LOCK_FILES.iter().filter_map(|file| run.open_file(file).ok());
        let mut tried = opened.map(|file| file.try_lock_shared());
        tried.any(|tried| matches!(tried, Err(TryLockError::WouldBlock)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_owner_is_refused_until_the_first_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let first = Lock::acquire(&home, "agent.lock").unwrap();
        Lock::acquire(&home, "panel.lock").unwrap();

        let refused = Lock::acquire(&home, "agent.lock").unwrap_err();
        let message = refused.to_string();
        assert!(matches!(refused, LockError::Held { .. }), "{message}");
        assert!(message.contains(&directory.path().display().to_string()), "{message}");

        drop(first);
        Lock::acquire(&home, "agent.lock").unwrap();
    }

    #[test]
    fn a_lock_waits_briefly_for_a_leaving_owner() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::claim(directory.path()).unwrap();
        let mut leaving = Some(Lock::acquire(&home, "agent.lock").unwrap());
        let mut pauses = 0;
        let pause = || {
            pauses += 1;
            if pauses == 2 {
                leaving = None;
            }
        };
        Lock::acquire_with(&home, "agent.lock", pause).unwrap();
        assert_eq!(pauses, 2);
    }
}
