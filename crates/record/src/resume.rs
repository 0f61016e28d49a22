//! Where a run goes on after a stop or a crash: what `state.json` and the newest turn lines say together.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::disk::DiskError;
use crate::progress;
use crate::raw::Raw;
use crate::state::State;
use crate::tail::newest_two;
use crate::turn::TurnLine;
use crate::turns::Batch;

/// The file that holds the [`State`].
pub const STATE_FILE: &str = "state.json";

/// The file that holds the live settings.
pub const CONFIG_FILE: &str = "config.toml";

/// What a run goes on from.
#[derive(Debug)]
pub struct Resumed {
    /// The run's state, its story as the next request sends it.
    pub state: State,
    /// The newest turn line.
    pub last_turn: Option<TurnLine>,
    /// What `state` was read from.
    pub source: Source,
    /// What a person should know about it, a sentence each.
    pub notices: Vec<String>,
}

/// What the state of a resumed run was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Nothing was recorded yet.
    Nothing,
    /// `state.json`.
    State,
    /// The newest turn line, because `state.json` is older or of no use. Mode and goal are those that were sent: what
    /// the reply itself says about them is still to be applied.
    TurnLine,
}

/// A directory that no run can go on from.
#[derive(Debug, Error)]
pub enum ResumeError {
    /// Nothing of a run is in it.
    #[error(
        "{} holds no run (no {CONFIG_FILE}, no {STATE_FILE}, no turns); give a run's own directory",
        directory.display()
    )]
    NotARun {
        /// The directory.
        directory: PathBuf,
    },
    /// The state is damaged and there is no turn line to rebuild it from.
    #[error(
        "{} cannot go on: {STATE_FILE} is damaged ({source}) and no turn is recorded; start a new run",
        directory.display()
    )]
    Unusable {
        /// The directory.
        directory: PathBuf,
        /// What is wrong with the state.
        source: serde_json::Error,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// Refuses a directory that holds nothing of a run, before anything is written into it.
pub(crate) fn check_is_run(directory: &Path) -> Result<(), ResumeError> {
    let known = || {
        [STATE_FILE, CONFIG_FILE]
            .iter()
            .any(|file| directory.join(file).is_file())
    };
    if directory.is_dir() && (known() || !Batch::list(directory)?.is_empty()) {
        return Ok(());
    }
    Err(ResumeError::NotARun {
        directory: directory.to_owned(),
    })
}

/// Reads where the run in `directory` stands. Only its owner may call this: an unterminated last line is moved aside.
pub(crate) fn resume(directory: &Path, run: &str) -> Result<Resumed, ResumeError> {
    let mut resumed = standing(directory, run)?;
    if let Some(phase) = progress::read(directory, resumed.state.turn + 1)? {
        resumed.state.phase = phase;
    }
    Ok(resumed)
}

/// Where the run stood after its last completed turn.
fn standing(directory: &Path, run: &str) -> Result<Resumed, ResumeError> {
    let mut notices = Vec::new();
    let mut newest = newest_two(directory, &mut notices)?;
    let last = newest.pop();
    match (StoredState::read(directory)?, last) {
        (StoredState::Missing, None) => Ok(Resumed {
            state: State::new(run),
            last_turn: None,
            source: Source::Nothing,
            notices,
        }),
        (StoredState::Damaged(source), None) => Err(ResumeError::Unusable {
            directory: directory.to_owned(),
            source,
        }),
        (StoredState::Good(state), None) => Ok(from_state(*state, None, notices)),
        (StoredState::Good(state), Some(line)) if line.turn <= state.turn => {
            Ok(from_state(*state, Some(line), notices))
        }
        (stored, Some(line)) => {
            let older = stored.into_older(run, line.turn, &mut notices);
            let reply_before = newest.pop().and_then(|line| line.reply);
            let state = advance(older, &line, reply_before.as_ref(), &mut notices);
            Ok(Resumed {
                state,
                last_turn: Some(line),
                source: Source::TurnLine,
                notices,
            })
        }
    }
}

fn from_state(state: State, last_turn: Option<TurnLine>, mut notices: Vec<String>) -> Resumed {
    let recorded = last_turn.as_ref().map_or(0, |line| line.turn);
    if recorded < state.turn {
        notices.push(format!(
            "{STATE_FILE} is at turn {}, but the last recorded turn is {recorded}; going on from {STATE_FILE}",
            state.turn
        ));
    }
    Resumed {
        state,
        last_turn,
        source: Source::State,
        notices,
    }
}

/// Brings `state` to the end of the turn in `line`.
fn advance(mut state: State, line: &TurnLine, reply_before: Option<&Raw>, notices: &mut Vec<String>) -> State {
    let sent = line
        .story
        .resolve(reply_before)
        .or_else(|| line.story.resolve(Some(&state.story)));
    match sent.cloned() {
        Some(sent) => state.story = sent,
        None if line.reply.is_none() => notices.push(format!(
            "the story that turn {} sent is not in the records any more; going on with an older one",
            line.turn
        )),
        None => {}
    }
    state.mode.clone_from(&line.mode);
    state.goal.clone_from(&line.goal);
    state.completed(line);
    state
}

enum StoredState {
    Missing,
    Damaged(serde_json::Error),
    Good(Box<State>),
}

impl StoredState {
    fn read(directory: &Path) -> Result<Self, DiskError> {
        let path = directory.join(STATE_FILE);
        match fs::read(&path) {
            Ok(bytes) => {
                Ok(serde_json::from_slice(&bytes).map_or_else(Self::Damaged, |state| Self::Good(Box::new(state))))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::Missing),
            Err(error) => Err(DiskError::when("read", &path)(error)),
        }
    }

    /// The state before `turn`, as far as it is known.
    fn into_older(self, run: &str, turn: u64, notices: &mut Vec<String>) -> State {
        let trouble = match self {
            Self::Good(state) => return *state,
            Self::Missing => "is missing".to_owned(),
            Self::Damaged(error) => format!("is damaged ({error})"),
        };
        notices.push(format!(
            "{STATE_FILE} {trouble}; going on from the record of turn {turn}"
        ));
        State::new(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::to_line;
    use crate::state::Phase;
    use crate::story::StoredStory;
    use crate::turn::Status;

    /// A run directory with these turn lines, five to a file, and this `state.json`.
    fn run_with(lines: &[TurnLine], state: Option<&str>) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for lines in lines.chunk_by(|a, b| (a.turn - 1) / 5 == (b.turn - 1) / 5) {
            let first = (lines[0].turn - 1) / 5 * 5 + 1;
            let content: Vec<u8> = lines.iter().flat_map(|line| to_line(line).unwrap()).collect();
            fs::write(Batch { first, last: first + 4 }.path(directory.path()), content).unwrap();
        }
        if let Some(state) = state {
            fs::write(directory.path().join(STATE_FILE), state).unwrap();
        }
        directory
    }

    fn resumed(lines: &[TurnLine], state: Option<&State>) -> Resumed {
        let state = state.map(|state| serde_json::to_string(state).unwrap());
        resume(run_with(lines, state.as_deref()).path(), "run").unwrap()
    }

    fn story(turn: u64) -> Raw {
        Raw::parse(&format!(r#""story {turn} \ud800""#)).unwrap()
    }

    fn at(turn: u64) -> State {
        State {
            turn,
            story: story(turn),
            file_goal: Some("from the file".to_owned()),
            ..State::new("run")
        }
    }

    fn answered(turn: u64) -> TurnLine {
        let sent = if turn == 1 { None } else { Some(story(turn - 1)) };
        TurnLine {
            goal: Some(format!("goal {turn}")),
            story: sent.map_or_else(StoredStory::default, |sent| StoredStory::shortened(&sent, Some(&sent))),
            reply: Some(story(turn)),
            ..TurnLine::new(turn, "")
        }
    }

    fn failed(turn: u64) -> TurnLine {
        TurnLine {
            status: Status::Failed,
            reply: None,
            feedback: "unseen".to_owned(),
            ..answered(turn)
        }
    }

    #[test]
    fn a_state_as_new_as_the_turn_line_stands() {
        let state = State {
            phase: Phase::Acting {
                turn: 4,
                started: 2,
                total: 3,
                outcomes: Vec::new(),
            },
            ..at(3)
        };
        let resumed = resumed(&[answered(1), answered(2), answered(3)], Some(&state));
        assert_eq!((resumed.state, resumed.source), (state, Source::State));
        assert_eq!(resumed.last_turn, Some(answered(3)));
        assert!(resumed.notices.is_empty(), "{:?}", resumed.notices);
    }

    #[test]
    fn a_newer_turn_line_wins() {
        let state = State {
            phase: Phase::Acting {
                turn: 3,
                started: 2,
                total: 3,
                outcomes: Vec::new(),
            },
            ..at(2)
        };
        let resumed = resumed(&[answered(1), answered(2), answered(3)], Some(&state));
        assert_eq!(
            resumed.state,
            State {
                goal: Some("goal 3".to_owned()),
                ..at(3)
            }
        );
        assert_eq!(resumed.source, Source::TurnLine);
        assert!(resumed.notices.is_empty(), "{:?}", resumed.notices);
    }

    #[test]
    fn a_newer_state_stands_and_it_is_said() {
        for lines in [vec![answered(1)], vec![]] {
            let resumed = resumed(&lines, Some(&at(3)));
            assert_eq!((resumed.state, resumed.source), (at(3), Source::State));
            assert!(
                resumed.notices[0].starts_with("state.json is at turn 3, but"),
                "{:?}",
                resumed.notices
            );
        }
    }

    #[test]
    fn a_failed_turn_keeps_the_story_it_sent() {
        let expected = |turn, of| State {
            turn,
            story: story(of),
            goal: Some(format!("goal {turn}")),
            file_goal: None,
            phase: Phase::Acted {
                turn,
                outcomes: Vec::new(),
                feedback: "unseen".to_owned(),
            },
            ..State::new("run")
        };
        // The reply before stands in another file, and the state is lost.
        assert_eq!(resumed(&[answered(5), failed(6)], None).state, expected(6, 5));
        // The failure before has no reply, so the line holds the story in full.
        let in_full = TurnLine {
            story: StoredStory::Full(story(2)),
            ..failed(4)
        };
        assert_eq!(resumed(&[failed(3), in_full], None).state, expected(4, 2));
        // The reply before is gone, but the older state still has it.
        let state = State {
            file_goal: None,
            ..at(2)
        };
        assert_eq!(resumed(&[failed(3)], Some(&state)).state, expected(3, 2));
        // It is nowhere.
        let lost = resumed(&[failed(3)], None);
        assert_eq!(lost.state.story, Raw::string(""));
        assert!(
            lost.notices[1].starts_with("the story that turn 3 sent is not in the records"),
            "{:?}",
            lost.notices
        );
    }

    #[test]
    fn a_lost_state_is_rebuilt_from_the_turn_line() {
        for state in [None, Some(""), Some("{\"turn\":"), Some("[]"), Some("\0\0\0")] {
            let directory = run_with(&[answered(1), answered(2)], state);
            let resumed = resume(directory.path(), "run").unwrap();
            assert_eq!((resumed.state.turn, resumed.state.story), (2, story(2)));
            assert_eq!(resumed.source, Source::TurnLine);
            assert!(
                resumed.notices[0].ends_with("going on from the record of turn 2"),
                "{:?}",
                resumed.notices
            );
        }
    }

    #[test]
    fn a_run_without_records_begins_at_the_start() {
        let resumed = resumed(&[], None);
        assert_eq!((resumed.state, resumed.source), (State::new("run"), Source::Nothing));
        assert!(resumed.last_turn.is_none() && resumed.notices.is_empty());
    }

    #[test]
    fn what_cannot_go_on_says_so() {
        let damaged = run_with(&[], Some("{"));
        check_is_run(damaged.path()).unwrap();
        let error = resume(damaged.path(), "run").unwrap_err().to_string();
        assert!(
            error.contains("state.json is damaged") && error.ends_with("start a new run"),
            "{error}"
        );

        let empty = tempfile::tempdir().unwrap();
        for path in [empty.path(), &empty.path().join("missing")] {
            let error = check_is_run(path).unwrap_err().to_string();
            assert!(error.contains("holds no run"), "{error}");
        }
        fs::write(empty.path().join(CONFIG_FILE), "").unwrap();
        check_is_run(empty.path()).unwrap();
    }
}
