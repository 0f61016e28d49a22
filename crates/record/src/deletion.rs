//! Deletes a recorded run: everything that FRANZ wrote, and nothing else.

use std::io;
use std::path::{Path, PathBuf};

use franz_home::{ClaimError, DiskError, EntryKind, Home, names, unfinished};
use thiserror::Error;

use crate::lock::{LOCK_FILES, Lock, LockError};
use crate::overview::CONVERSATIONS;
use crate::resume::{CONFIG_FILE, ResumeError, check_is_run};
use crate::state::STATE_FILE;

/// The file that describes a panel's conversation.
const CONVERSATION_FILE: &str = "conversation.json";

/// The reason why a run cannot be deleted.
#[derive(Debug, Error)]
pub enum DeletionError {
    /// The run is live.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The directory contains no run.
    #[error(transparent)]
    Run(#[from] ResumeError),
    /// The directory is not owned by this user, or others can write to it.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// A file or directory cannot be removed.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// Deletes the run in this directory. If there are files that no run writes, leaves them and the directory in
/// place and returns their paths. A partly deleted run still counts as a run and can be deleted again.
pub fn delete_run(path: &Path) -> Result<Vec<PathBuf>, DeletionError> {
    let home = Home::claim(path)?;
    check_is_run(&home)?;
    let locks: Vec<Lock> = LOCK_FILES
        .iter()
        .map(|file| Lock::acquire(&home, file))
        .collect::<Result<_, _>>()?;
    let mut foreign = Vec::new();
    clear(&home, &mut foreign)?;
    for file in [STATE_FILE, CONFIG_FILE] {
        remove(&home, file)?;
    }
    // Windows cannot remove an open file.
    drop(locks);
    for file in LOCK_FILES {
        remove(&home, file)?;
    }
    if foreign.is_empty() {
        close(home)?;
    }
    Ok(foreign)
}

/// Removes everything that a run writes, except for the files that identify the directory as a run and keep other
/// processes out. Other directories than that of the conversations are the person's, whatever is in them.
fn clear(home: &Home, foreign: &mut Vec<PathBuf>) -> Result<(), DeletionError> {
    let kept = |name: &str| [STATE_FILE, CONFIG_FILE].contains(&name) || LOCK_FILES.contains(&name);
    for name in home.names()?.iter().filter(|name| !kept(name)) {
        if name == CONVERSATIONS && is_directory(home, name) {
            clear_conversations(home.open_directory(name)?, foreign)?;
        } else {
            remove_ours(home, name, foreign)?;
        }
    }
    Ok(())
}

/// Removes the conversations of a panel, and their directory if it is then empty.
fn clear_conversations(home: Home, foreign: &mut Vec<PathBuf>) -> Result<(), DeletionError> {
    let before = foreign.len();
    for name in &home.names()? {
        if !is_directory(&home, name) {
            remove_ours(&home, name, foreign)?;
            continue;
        }
        let below = home.open_directory(name)?;
        if is_run(&below) {
            foreign.push(home.path_of(name));
        } else {
            clear_conversation(below, foreign)?;
        }
    }
    if foreign.len() == before {
        close(home)?;
    }
    Ok(())
}

/// Checks whether this is a run of its own, perhaps a live one, among the conversations of another.
fn is_run(home: &Home) -> bool {
    home.has_file(CONFIG_FILE) && !home.has_file(CONVERSATION_FILE)
}

/// Removes the files of a conversation, and its directory if it is then empty.
fn clear_conversation(home: Home, foreign: &mut Vec<PathBuf>) -> Result<(), DeletionError> {
    let before = foreign.len();
    for name in &home.names()? {
        remove_ours(&home, name, foreign)?;
    }
    if foreign.len() == before {
        close(home)?;
    }
    Ok(())
}

/// Removes a file that a run writes; adds anything else to `foreign`.
fn remove_ours(home: &Home, name: &str, foreign: &mut Vec<PathBuf>) -> Result<(), DiskError> {
    if is_ours(name) && !is_directory(home, name) {
        return remove(home, name);
    }
    foreign.push(home.path_of(name));
    Ok(())
}

fn is_directory(home: &Home, name: &str) -> bool {
    home.entry(name).is_ok_and(|entry| entry.kind == EntryKind::Directory)
}

fn is_ours(name: &str) -> bool {
    names::pattern(unfinished::target(name).unwrap_or(name)).is_some()
}

fn remove(home: &Home, name: &str) -> Result<(), DiskError> {
    let removed = home.remove_if_there(name);
    removed.map_err(DiskError::when("remove", &home.path_of(name)))
}

fn close(home: Home) -> Result<(), DiskError> {
    let path = home.path().to_owned();
    let removed: io::Result<()> = home.remove_directory();
    removed.map_err(DiskError::when("remove", &path))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn run(parent: &Path) -> PathBuf {
        let path = parent.join("run");
        fs::create_dir_all(path.join("runs/0001")).unwrap();
        for name in names::ALL {
            fs::write(path.join(name.example()), "").unwrap();
            fs::write(path.join("runs/0001").join(name.example()), "").unwrap();
        }
        for unfinished in ["state.json.tmp", "state.json.12-3.tmp"] {
            fs::write(path.join(unfinished), "").unwrap();
        }
        path
    }

    #[test]
    fn all_of_a_run_goes() {
        let parent = tempfile::tempdir().unwrap();
        let path = run(parent.path());
        assert_eq!(delete_run(&path).unwrap(), Vec::<PathBuf>::new());
        assert!(!path.exists() && parent.path().exists());
    }

    #[test]
    fn what_the_person_put_there_stays() {
        let parent = tempfile::tempdir().unwrap();
        let path = run(parent.path());
        for directory in ["project", "runs/0001/project"] {
            fs::create_dir(path.join(directory)).unwrap();
        }
        let files = [
            "notes.txt",
            "project/config.toml",
            "runs/0001/my.png",
            "runs/0001/project/config.toml",
            "turn_x.png",
        ];
        for name in files {
            fs::write(path.join(name), "mine").unwrap();
        }
        let mut left = delete_run(&path).unwrap();
        left.sort_unstable();
        let expected = [
            "notes.txt",
            "project",
            "runs/0001/my.png",
            "runs/0001/project",
            "turn_x.png",
        ];
        assert_eq!(left, expected.map(|name| path.join(name)));
        assert!(files.iter().all(|name| path.join(name).exists()));
        assert_eq!(
            fs::read_dir(&path).unwrap().count(),
            4,
            "the two files, project and runs"
        );
    }

    #[test]
    fn a_run_below_another_stays() {
        let parent = tempfile::tempdir().unwrap();
        let path = run(parent.path());
        let below = path.join("runs/run_20260102_030405");
        fs::create_dir(&below).unwrap();
        for name in [CONFIG_FILE, STATE_FILE, "turn_0001.png"] {
            fs::write(below.join(name), "").unwrap();
        }
        assert_eq!(delete_run(&path).unwrap(), std::slice::from_ref(&below));
        assert_eq!(fs::read_dir(&below).unwrap().count(), 3);
    }

    #[test]
    fn a_live_run_stays_whole() {
        let parent = tempfile::tempdir().unwrap();
        let path = run(parent.path());
        let home = Home::claim(&path).unwrap();
        for file in LOCK_FILES {
            let _lock = Lock::acquire(&home, file).unwrap();
            let error = delete_run(&path).unwrap_err();
            assert!(error.to_string().contains("in use"), "{error}");
            assert!(names::ALL.iter().all(|name| path.join(name.example()).exists()));
        }
    }

    #[test]
    fn nothing_but_a_run_is_deleted() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("turn_0001.png"), "").unwrap();
        let error = delete_run(parent.path()).unwrap_err();
        assert!(error.to_string().contains("contains no run"), "{error}");
        assert!(parent.path().join("turn_0001.png").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let path = run(parent.path());
        let outside = parent.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("turn_0001.png"), "").unwrap();
        std::os::unix::fs::symlink(&outside, path.join("runs/0002")).unwrap();
        assert!(matches!(delete_run(&path).unwrap_err(), DeletionError::Claim(_)));
        assert!(outside.join("turn_0001.png").exists() && path.join("state.json").exists());
    }
}
