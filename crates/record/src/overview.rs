//! An overview of a run, for lists. Reading it repairs nothing, and holds the run's locks only for the moment that it
//! takes to see whether another process does.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use franz_home::{DiskError, EntryKind, LARGEST, View};
use jiff::Timestamp;
use thiserror::Error;

use crate::lock::Lock;
use crate::reader::TurnLines;
use crate::resume::{CONFIG_FILE, ResumeError, check_is_run};
use crate::run_end::RunEnd;
use crate::state::{RunState, STATE_FILE};
use crate::tokens::Tokens;
use crate::turn::TurnLine;

/// The directory below a panel's directory that contains its conversations.
pub(crate) const CONVERSATIONS: &str = "runs";

/// The data that a list shows about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOverview {
    /// The run's name, which is the name of its directory.
    pub name: String,
    /// The run's directory.
    pub path: PathBuf,
    /// When the run's first turn began; `None` before that.
    pub began: Option<Timestamp>,
    /// When the run was last active.
    pub touched: Option<Timestamp>,
    /// The first task that the person gave or, if none is known, the current goal.
    pub goal: Option<String>,
    /// The model that last answered.
    pub model: Option<String>,
    /// The last completed turn.
    pub turns: u64,
    /// The tokens that the run has used.
    pub tokens: Tokens,
    /// Whether an agent or a panel has the run open.
    pub is_live: bool,
    /// How the run ended. `None` if it has not ended or was killed, and in older records.
    pub end: Option<RunEnd>,
    /// The number of conversations in a panel's directory; `None` for a single run.
    pub conversations: Option<usize>,
    /// The run's size on disk. A picture with several names counts once.
    pub bytes: u64,
}

/// The reason why there is no overview of a directory.
#[derive(Debug, Error)]
pub enum OverviewError {
    /// The directory contains no run.
    #[error(transparent)]
    Run(#[from] ResumeError),
    /// A newer FRANZ wrote the run.
    #[error("a newer FRANZ recorded it (version {found}; this FRANZ reads up to {known}); use the newer one")]
    Newer {
        /// The version of the record.
        found: u32,
        /// The newest version that can be read.
        known: u32,
    },
    /// Neither the state nor the last turn can be read.
    #[error("{STATE_FILE} is damaged ({0}), and no turn is recorded")]
    Damaged(serde_json::Error),
    /// A file cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl RunOverview {
    /// Reads the overview of the run in this directory.
    pub fn read(path: &Path) -> Result<RunOverview, OverviewError> {
        let view = View::open(path)?;
        check_is_run(&view)?;
        let state = state(&view)?;
        let (newest, _) = TurnLines::newest(&view, 1)?;
        let last = newest.into_iter().next_back();
        let version = [
            state.as_ref().ok().map(|state| state.v),
            last.as_ref().map(|line| line.v),
        ];
        refuse_newer(version.into_iter().flatten().max())?;
        let state = match state {
            Err(damaged) if last.is_none() => return Err(OverviewError::Damaged(damaged)),
            state => state.ok(),
        };
        let first = TurnLines::open(&view)?.find_map(Result::ok);
        let began = first.and_then(|line| line.started.parse().ok());
        let end = RunEnd::of(&view);
        let touched = [
            end.as_ref().and_then(|end| end.at.parse().ok()),
            last.as_ref().and_then(|line| line.started.parse().ok()),
        ];
        let model = last.as_ref().and_then(|line| line.model.clone());
        let turns = last.as_ref().map_or(0, |line| line.turn);
        let goal = last.and_then(|line| line.goal);
        let task = state.as_ref().and_then(|state| state.tasks.first());
        let task = task.map(|task| task.text.clone());
        Ok(RunOverview {
            name: view.name(),
            path: path.to_owned(),
            began,
            touched: touched.into_iter().flatten().max().or_else(|| written(&view)),
            goal: task.or(goal).or_else(|| state.as_ref()?.goal.clone()),
            model,
            turns: state.as_ref().map_or(turns, |state| state.turn.max(turns)),
            tokens: state.map(|state| state.tokens).unwrap_or_default(),
            is_live: Lock::is_held(&view),
            end,
            conversations: conversations(&view),
            bytes: bytes(&view, &mut HashSet::new()),
        })
    }
}

/// Returns when the settings were written.
fn written(view: &View) -> Option<Timestamp> {
    let written = view.entry(CONFIG_FILE).ok()?.modified?;
    Timestamp::try_from(written).ok()
}

/// Reads the state. If there is no state yet, returns a new one.
fn state(view: &View) -> Result<Result<RunState, serde_json::Error>, DiskError> {
    match view.read(STATE_FILE, LARGEST) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Ok(RunState::new(view.name()))),
        Err(error) => Err(DiskError::when("read", &view.path_of(STATE_FILE))(error)),
    }
}

fn refuse_newer(found: Option<u32>) -> Result<(), OverviewError> {
    let known = RunState::VERSION.max(TurnLine::VERSION);
    match found {
        Some(found) if found > known => Err(OverviewError::Newer { found, known }),
        _ => Ok(()),
    }
}

fn conversations(view: &View) -> Option<usize> {
    Some(view.open_directory(CONVERSATIONS).ok()?.names().ok()?.len())
}

/// Adds up the sizes of all files in a directory tree. `seen` collects the files that have several names, so that each
/// counts once.
fn bytes(view: &View, seen: &mut HashSet<(u64, u64)>) -> u64 {
    let mut bytes = 0;
    for name in view.names().unwrap_or_default() {
        let Ok(entry) = view.entry(&name) else { continue };
        bytes += match (entry.kind, entry.identity) {
            (EntryKind::Directory, _) => view.open_directory(&name).map_or(0, |below| self::bytes(&below, seen)),
            (_, Some(identity)) if entry.links != Some(1) && !seen.insert(identity) => 0,
            _ => entry.length,
        };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::run::{Run, RunOptions};
    use crate::state::GivenTask;

    fn run(parent: &Path) -> PathBuf {
        let path = parent.join("run");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("config.toml"), "").unwrap();
        path
    }

    #[test]
    fn a_run_that_has_not_begun_is_listed() {
        let parent = tempfile::tempdir().unwrap();
        let path = run(parent.path());
        let seen = RunOverview::read(&path).unwrap();
        assert_eq!(
            (seen.name.as_str(), seen.turns, seen.began, seen.end),
            ("run", 0, None, None)
        );
        assert!(!seen.is_live && seen.conversations.is_none());
    }

    #[test]
    fn a_run_is_live_while_somebody_has_it_open_and_then_tells_how_it_ended() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let (run, mut state) = Run::create(Some(&path), parent.path(), RunOptions::default()).unwrap();
        run.write_config("").unwrap();
        state.turn = 3;
        state.tasks = vec![GivenTask {
            turn: 1,
            text: "Draw a cat".to_owned(),
        }];
        state.goal = Some("cat".to_owned());
        run.save_state(&state).unwrap();
        assert!(RunOverview::read(&path).unwrap().is_live);
        let end = RunEnd {
            at: "2026-11-21T21:44:03Z".to_owned(),
            reason: "the last requested turn is done".to_owned(),
            exit_code: 0,
            withdraws: false,
            unusable_reply: false,
        };
        run.write_end(end.clone()).unwrap();
        drop(run);
        let seen = RunOverview::read(&path).unwrap();
        assert_eq!((seen.turns, seen.goal.as_deref()), (3, Some("Draw a cat")));
        assert_eq!((seen.is_live, seen.end), (false, Some(end)));
    }

    #[test]
    fn a_continued_run_has_not_ended() {
        let parent = tempfile::tempdir().unwrap();
        let path = run(parent.path());
        fs::write(path.join("ended.json"), r#"{"at":"","reason":"","exit_code":0}"#).unwrap();
        assert!(RunOverview::read(&path).unwrap().end.is_some());
        let home = franz_home::Home::claim(&path).unwrap();
        drop(Run::open(home, RunOptions::default()).unwrap());
        assert_eq!(RunOverview::read(&path).unwrap().end, None);
    }

    #[test]
    fn what_is_no_run_damaged_or_newer_is_told() {
        let parent = tempfile::tempdir().unwrap();
        let said = |path: &Path| RunOverview::read(path).unwrap_err().to_string();
        assert!(said(parent.path()).contains("contains no run"));
        let path = run(parent.path());
        fs::write(path.join("state.json"), "{").unwrap();
        assert!(said(&path).contains("state.json is damaged"), "{}", said(&path));
        fs::write(path.join("state.json"), r#"{"v":9,"turn":1,"story":""}"#).unwrap();
        assert!(
            said(&path).contains("version 9; this FRANZ reads up to 1"),
            "{}",
            said(&path)
        );
        // If there is a turn line, only the data that is stored nowhere else is lost.
        fs::write(path.join("state.json"), "{").unwrap();
        fs::write(path.join("turns_0001_1000.jsonl"), "{\"turn\":7,\"goal\":\"g\"}\n").unwrap();
        let seen = RunOverview::read(&path).unwrap();
        assert_eq!((seen.turns, seen.goal.as_deref()), (7, Some("g")));
    }

    #[cfg(unix)]
    #[test]
    fn a_picture_with_several_names_counts_once() {
        let parent = tempfile::tempdir().unwrap();
        let path = run(parent.path());
        fs::write(path.join("turn_0001.png"), [0; 100]).unwrap();
        fs::hard_link(path.join("turn_0001.png"), path.join("turn_0002.png")).unwrap();
        fs::create_dir_all(path.join("runs/0001")).unwrap();
        fs::write(path.join("runs/0001/story.txt"), [0; 10]).unwrap();
        let seen = RunOverview::read(&path).unwrap();
        assert_eq!((seen.bytes, seen.conversations), (110, Some(1)));
    }
}
