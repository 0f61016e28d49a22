//! The directory of a run: creates a new one, and finds the last one.

use std::path::{Path, PathBuf};

use franz_home::{ClaimError, DiskError, Home, View};
use jiff::Zoned;
use thiserror::Error;

use crate::resume::{check_is_run, is_of_panel};

/// The reason why a new run's directory cannot be created.
#[derive(Debug, Error)]
pub enum DirectoryError {
    /// The given directory is not empty.
    #[error(
        "{} already exists and is not empty; continue it with --resume, or choose another --run-dir",
        directory.display()
    )]
    Exists {
        /// The directory.
        directory: PathBuf,
    },
    /// The given directory is a file.
    #[error("{} is a file, not a directory; choose another --run-dir", directory.display())]
    NoDirectory {
        /// The file.
        directory: PathBuf,
    },
    /// The directory is not owned by this user, others can write to it, or it could not be created.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The parent directory cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// Creates a new run's directory and its parents, accessible only to their owner. Uses `directory` if it is given,
/// which may already exist if it is empty. Otherwise, the directory is `run_YYYYMMDD_HHMMSS` (local time) under
/// `parent`.
pub fn create_directory(directory: Option<&Path>, parent: &Path) -> Result<Home, DirectoryError> {
    match directory {
        Some(directory) => create_given(directory),
        None => create_stamped(parent, &Zoned::now().strftime("run_%Y%m%d_%H%M%S").to_string()),
    }
}

/// Returns the newest run directory under `parent`, judging by the names. Ignores directories that contain no run, and
/// those of panels.
pub fn last_run(parent: &Path) -> Option<PathBuf> {
    newest(parent, |view| !is_of_panel(view))
}

/// Returns the newest directory of a panel under `parent`, judging by the names.
pub fn last_panel(parent: &Path) -> Option<PathBuf> {
    newest(parent, is_of_panel)
}

fn newest(parent: &Path, is_wanted: impl Fn(&View) -> bool) -> Option<PathBuf> {
    let names = View::open(parent).ok()?.names().ok()?;
    let runs = names.iter().filter_map(|name| Some((order(name)?, parent.join(name))));
    runs.filter(|(_, path)| View::open(path).is_ok_and(|view| check_is_run(&view).is_ok() && is_wanted(&view)))
        .max()
        .map(|(_, path)| path)
}

fn create_given(directory: &Path) -> Result<Home, DirectoryError> {
    match Home::create(directory) {
        Err(error) if error.already_exists() => {}
        made => return Ok(made?),
    }
    let home = match Home::claim(directory) {
        Err(ClaimError::NoDirectory { path }) if path.file_name() == directory.file_name() => {
            return Err(DirectoryError::NoDirectory { directory: path });
        }
        claimed => claimed?,
    };
    if home.is_empty()? {
        Ok(home)
    } else {
        Err(DirectoryError::Exists {
            directory: directory.to_owned(),
        })
    }
}

/// Creates `stamp` under `parent`, or `stamp_2` and so on. A second run in the same second gets the next name. If the
/// clock was set back, as it is every autumn, the name still sorts after the newest one, so that this run still counts
/// as the newest.
fn create_stamped(parent: &Path, stamp: &str) -> Result<Home, DirectoryError> {
    let names = if parent.is_dir() {
        View::open(parent)?.names()?
    } else {
        Vec::new()
    };
    let newest = names.iter().filter_map(|name| order(name)).max();
    let newest = newest.map(|(newest, number)| (format!("run_{newest}"), number));
    let ahead = newest.filter(|(newest, _)| newest.as_str() >= stamp);
    let (stamp, first, mut path) = match &ahead {
        Some((newest, number)) => {
            let next = number.saturating_add(1);
            (newest.as_str(), next, parent.join(format!("{newest}_{next}")))
        }
        None => (stamp, 1, parent.join(stamp)),
    };
    let mut suffix = first;
    loop {
        match Home::create(&path) {
            Err(error) if error.already_exists() => {
                suffix = suffix.saturating_add(1);
                path = parent.join(format!("{stamp}_{suffix}"));
            }
            made => return Ok(made?),
        }
    }
}

/// Returns the sort key of a run directory, which consists of the time stamp and the suffix as a number. `None` for any
/// other name.
fn order(name: &str) -> Option<(&str, u64)> {
    const STAMP_LENGTH: usize = "YYYYMMDD_HHMMSS".len();

    let (stamp, suffix) = name.strip_prefix("run_")?.split_at_checked(STAMP_LENGTH)?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (day, time) = stamp.split_once('_')?;
    if day.len() != "YYYYMMDD".len() || !digits(day) || !digits(time) {
        return None;
    }
    match suffix.strip_prefix('_') {
        Some(number) if digits(number) => Some((stamp, number.parse().ok()?)),
        None if suffix.is_empty() => Some((stamp, 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, thread};

    use super::*;

    #[test]
    fn a_clock_that_was_set_back_does_not_hide_the_last_run() {
        let parent = tempfile::tempdir().unwrap();
        let begin = |stamp: &str| {
            let run = create_stamped(parent.path(), stamp).unwrap().path().to_owned();
            fs::write(run.join("config.toml"), "").unwrap();
            assert_eq!(last_run(parent.path()).unwrap(), run);
            run.file_name().unwrap().to_str().unwrap().to_owned()
        };
        assert_eq!(begin("run_20261025_025000"), "run_20261025_025000");
        assert_eq!(begin("run_20261025_020500"), "run_20261025_025000_2");
        fs::remove_dir_all(parent.path().join("run_20261025_025000")).unwrap();
        assert_eq!(begin("run_20261025_025000"), "run_20261025_025000_3");
        assert_eq!(begin("run_20261025_025001"), "run_20261025_025001");
    }

    #[test]
    fn runs_started_in_the_same_second_get_different_names() {
        let parent = tempfile::tempdir().unwrap();
        let runs = parent.path().join("deep/runs");
        let mut made: Vec<String> = thread::scope(|scope| {
            let threads: Vec<_> = (0..12)
                .map(|_| scope.spawn(|| create_stamped(&runs, "run_20260102_030405").unwrap()))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap().name())
                .collect()
        });
        made.sort_unstable();
        made.dedup();
        assert_eq!(made.len(), 12);
        for name in &made {
            fs::write(runs.join(name).join("config.toml"), "").unwrap();
        }
        assert_eq!(last_run(&runs).unwrap(), runs.join("run_20260102_030405_12"));
    }

    #[test]
    fn a_new_run_is_found_by_its_name() {
        let parent = tempfile::tempdir().unwrap();
        let made = create_directory(None, parent.path()).unwrap().path().to_owned();
        assert_eq!(last_run(parent.path()), None, "nothing is in it yet");
        fs::write(made.join("config.toml"), "").unwrap();
        assert_eq!(last_run(parent.path()), Some(made));
    }

    #[test]
    fn a_given_directory_must_be_new_or_empty() {
        let parent = tempfile::tempdir().unwrap();
        let given = parent.path().join("a/b");
        for _ in 0..2 {
            assert_eq!(create_directory(Some(&given), parent.path()).unwrap().path(), given);
        }
        fs::write(given.join("state.json"), "{}").unwrap();
        let error = create_directory(Some(&given), parent.path()).unwrap_err();
        assert!(matches!(error, DirectoryError::Exists { .. }));
        assert!(error.to_string().contains("continue it with --resume"), "{error}");

        let file = given.join("state.json");
        let error = create_directory(Some(&file), parent.path()).unwrap_err();
        assert!(error.to_string().contains("is a file, not a directory"), "{error}");
    }

    #[test]
    fn only_run_directories_are_the_last_run() {
        let parent = tempfile::tempdir().unwrap();
        assert_eq!(last_run(parent.path()), None);
        assert_eq!(last_run(&parent.path().join("missing")), None);
        for name in [
            "run_20260102_030405",
            "run_20260102_030405_9",
            "run_20260102_030405_10",
            "run_2026",
            "zzz",
        ] {
            fs::create_dir(parent.path().join(name)).unwrap();
            fs::write(parent.path().join(name).join("config.toml"), "").unwrap();
        }
        for name in ["run_99990101_000000", "run_20260102_030405_x"] {
            fs::write(parent.path().join(name), "a file").unwrap();
        }
        assert_eq!(
            last_run(parent.path()),
            Some(parent.path().join("run_20260102_030405_10"))
        );
        assert_eq!(last_panel(parent.path()), None);
        // A panel has relayed nothing yet.
        fs::write(parent.path().join("run_20260102_030405_10/panel.lock"), "").unwrap();
        for (found, name) in [
            (last_run(parent.path()), "run_20260102_030405_9"),
            (last_panel(parent.path()), "run_20260102_030405_10"),
        ] {
            assert_eq!(found, Some(parent.path().join(name)));
        }
    }
}
