//! Determines where a run continues after a stop or a crash, from `state.json` and the newest turn lines.

use std::io::ErrorKind;
use std::path::PathBuf;

use franz_home::{DiskError, Home, LARGEST, View};
use serde::Deserialize;
use thiserror::Error;

use crate::acting_log;
use crate::lock::{AGENT_LOCK, PANEL_LOCK};
use crate::reader::TurnLines;
use crate::state::{Phase, RunState, STATE_FILE};
use crate::tail::newest_two;
use crate::tokens::Tokens;
use crate::turn::{Status, TurnLine};
use crate::turns::Batch;
use crate::unwanted::{self, Unwanted};

/// The file that holds the live settings.
pub const CONFIG_FILE: &str = "config.toml";

const SKIPPED: &str = "FRANZ stopped while it was reading one of this run's replies; skipping that reply";
const UNRECORDED: &str =
    "the run went on without being recorded; not performing the last recorded reply, which may have been performed";
const WENT_ON: &str = "the run went on without being recorded; what it did after that is unknown";

/// The state from which a run continues.
#[derive(Debug)]
pub struct Resumed {
    /// The run's state, including the story for the next request.
    pub state: RunState,
    /// The newest turn line.
    pub last_turn: Option<TurnLine>,
    /// The source of `state`.
    pub source: Source,
    /// The reason why the last reply's actions must not be performed, if there is one.
    pub unwanted: Option<Unwanted>,
    /// Messages to the person about the recovery, one sentence each.
    pub notices: Vec<String>,
}

/// The source of a resumed run's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Nothing was recorded yet.
    Nothing,
    /// `state.json`.
    State,
    /// The newest turn line, because `state.json` is older or unusable. Mode and goal are those in the request. The
    /// reply's own mode and goal still have to be applied.
    TurnLine,
}

/// The reason why no run can continue from a directory.
#[derive(Debug, Error)]
pub enum ResumeError {
    /// The directory contains no run.
    #[error(
        "{} contains no run (no {CONFIG_FILE}, no {STATE_FILE}, no turns); name a run's own directory",
        directory.display()
    )]
    NotARun {
        /// The directory.
        directory: PathBuf,
    },
    /// A newer version of FRANZ has recorded the run. Continuing it would drop what this version does not know.
    #[error(
        "{} was written by a newer version of FRANZ (format {found}); continue it with that version",
        directory.display()
    )]
    Newer {
        /// The directory.
        directory: PathBuf,
        /// The version of its record.
        found: u32,
    },
    /// The state is damaged, and there is no turn line from which to rebuild it.
    #[error(
        "{} cannot continue: {STATE_FILE} is damaged ({source}) and no turn is recorded; start a new run",
        directory.display()
    )]
    Unusable {
        /// The directory.
        directory: PathBuf,
        /// The error in the state.
        source: serde_json::Error,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// Refuses a directory that contains no run, before anything is written to it.
pub fn check_is_run(view: &View) -> Result<(), ResumeError> {
    let known = [STATE_FILE, CONFIG_FILE].iter().any(|file| view.has_file(file));
    if known || !Batch::list(view)?.is_empty() {
        return Ok(());
    }
    Err(ResumeError::NotARun {
        directory: view.path().to_owned(),
    })
}

/// Refuses a run that a newer version of FRANZ has recorded, before anything is written to it. The state's other fields
/// need not be readable, because the newer version might have changed their types.
pub fn check_version(view: &View) -> Result<(), ResumeError> {
    #[derive(Deserialize)]
    struct Versioned {
        #[serde(default)]
        v: u32,
    }

    let state = view.read(STATE_FILE, LARGEST).ok();
    let state = state.and_then(|bytes| serde_json::from_slice::<Versioned>(&bytes).ok());
    let (lines, _unreadable) = TurnLines::newest(view, 1)?;
    let versions = state
        .map(|state| state.v)
        .into_iter()
        .chain(lines.last().map(|line| line.v));
    match versions.max() {
        Some(found) if found > RunState::VERSION.max(TurnLine::VERSION) => Err(ResumeError::Newer {
            directory: view.path().to_owned(),
            found,
        }),
        _ => Ok(()),
    }
}

/// Returns whether FRANZ has recorded a state or a turn here. A file's name alone proves nothing, because other programs
/// also write a `config.toml` or `state.json`.
pub fn is_recorded(view: &View) -> bool {
    let state = view.read(STATE_FILE, LARGEST);
    let has_state = state.is_ok_and(|bytes| serde_json::from_slice::<RunState>(&bytes).is_ok());
    has_state || TurnLines::newest(view, 1).is_ok_and(|(lines, _)| !lines.is_empty())
}

/// Checks whether this is the directory of a panel, in which no agent has ever run.
pub fn is_of_panel(view: &View) -> bool {
    let has = |file: &str| view.has_file(file);
    has(PANEL_LOCK) && !has(AGENT_LOCK) && !has(STATE_FILE) && Batch::list(view).is_ok_and(|batches| batches.is_empty())
}

/// Reads the state of the run in `home`. Only the run's owner may call this, because an unterminated last line is moved
/// aside.
pub(crate) fn resume(home: &Home, run: &str) -> Result<Resumed, ResumeError> {
    let mut resumed = standing(home, run)?;
    if let Some(phase) = acting_log::read(home, resumed.state.turn.saturating_add(1))? {
        resumed.state.phase = phase;
    }
    let is_lost = unwanted::is_lost(home);
    let mut lost = WENT_ON;
    match &mut resumed.state.phase {
        Phase::Ready if resumed.state.turn > 0 => {
            resumed.unwanted = Unwanted::of(home);
            lost = UNRECORDED;
        }
        Phase::Acted { .. } if is_lost => resumed.unwanted = Some(Unwanted::Unrecorded),
        // The person might have allowed the action since.
        Phase::Acting { waits, .. } if is_lost => *waits = false,
        _ => {}
    }
    if is_lost {
        resumed.notices.push(lost.to_owned());
    }
    let unfinished = acting_log::unfinished(home)?;
    if !unfinished.is_empty() {
        resumed.notices.push(SKIPPED.to_owned());
    }
    for reply in unfinished {
        resumed.state.skip(reply);
    }
    Ok(resumed)
}

/// Determines the state of the run after its last completed turn.
fn standing(home: &Home, run: &str) -> Result<Resumed, ResumeError> {
    let mut notices = Vec::new();
    let mut newest = newest_two(home, &mut notices)?;
    let last = newest.pop();
    match (StoredState::read(home)?, last) {
        (StoredState::Missing, None) => Ok(Resumed {
            state: RunState::new(run),
            last_turn: None,
            source: Source::Nothing,
            unwanted: None,
            notices,
        }),
        (StoredState::Damaged(source), None) => Err(ResumeError::Unusable {
            directory: home.path().to_owned(),
            source,
        }),
        (StoredState::Good(state), None) => Ok(from_state(*state, None, notices)),
        (StoredState::Good(state), Some(line)) if line.turn <= state.turn => {
            Ok(from_state(*state, Some(line), notices))
        }
        (stored, Some(line)) => {
            let mut older = stored.into_older(run, line.turn, &mut notices);
            older.tokens.add(tokens_between(home, older.turn, line.turn)?);
            if let Some(acted) = acted_in_vain(home, &line)? {
                older.phase = acted;
            }
            let state = advance(older, &line, newest.pop().as_ref(), &mut notices);
            Ok(Resumed {
                state,
                last_turn: Some(line),
                source: Source::TurnLine,
                unwanted: None,
                notices,
            })
        }
    }
}

fn from_state(state: RunState, last_turn: Option<TurnLine>, mut notices: Vec<String>) -> Resumed {
    let recorded = last_turn.as_ref().map_or(0, |line| line.turn);
    if recorded < state.turn {
        notices.push(format!(
            "{STATE_FILE} is at turn {}, but the last recorded turn is {recorded}; continuing from {STATE_FILE}",
            state.turn
        ));
    }
    Resumed {
        state,
        last_turn,
        source: Source::State,
        unwanted: None,
        notices,
    }
}

/// Returns the recorded outcomes of a failed turn's actions; `None` if they are not available.
///
/// The line's feedback must not be used. It includes additions for that one request, which would then be added twice.
fn acted_in_vain(home: &Home, line: &TurnLine) -> Result<Option<Phase>, DiskError> {
    if line.status != Status::Failed {
        return Ok(None);
    }
    let kept = acting_log::read(home, line.turn)?;
    Ok(kept.filter(|phase| matches!(phase, Phase::Acted { .. })))
}

/// Returns the tokens used by the turns after `older` and before `newest`. Reads no file if there are no such turns,
/// which is typical after a crash.
fn tokens_between(home: &Home, older: u64, newest: u64) -> Result<Tokens, DiskError> {
    let mut tokens = Tokens::default();
    if older + 1 < newest {
        let lines = TurnLines::open(home)?.filter_map(Result::ok);
        lines
            .filter(|line| older < line.turn && line.turn < newest)
            .for_each(|line| tokens.add(Tokens::of(&line)));
    }
    Ok(tokens)
}

/// Advances `state` to the end of the turn in `line`, given the line `before` it.
fn advance(mut state: RunState, line: &TurnLine, before: Option<&TurnLine>, notices: &mut Vec<String>) -> RunState {
    if let Some(before) = before.filter(|before| before.turn > state.turn) {
        state.take_reply(before);
    }
    let reply_before = before.and_then(|before| before.reply.as_ref());
    let sent = line
        .story
        .resolve(reply_before)
        .or_else(|| line.story.resolve(Some(&state.story)));
    match sent.cloned() {
        Some(sent) if sent == state.story => {}
        Some(sent) => {
            // The reply that contains this story is not available, so its other parts are not either.
            state.story = sent;
            state.tool_calls = None;
            state.cut = false;
        }
        None if line.status == Status::Failed => notices.push(format!(
            "the story that turn {} sent is no longer in the records; continuing with an older one",
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
    Good(Box<RunState>),
}

impl StoredState {
    fn read(home: &Home) -> Result<Self, DiskError> {
        match home.read(STATE_FILE, LARGEST) {
            Ok(bytes) => {
                Ok(serde_json::from_slice(&bytes).map_or_else(Self::Damaged, |state| Self::Good(Box::new(state))))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::Missing),
            Err(error) => Err(DiskError::when("read", &home.path_of(STATE_FILE))(error)),
        }
    }

    /// Returns the known part of the state before `turn`.
    fn into_older(self, run: &str, turn: u64, notices: &mut Vec<String>) -> RunState {
        let trouble = match self {
            Self::Good(state) => return *state,
            Self::Missing => "is missing".to_owned(),
            Self::Damaged(error) => format!("is damaged ({error})"),
        };
        notices.push(format!(
            "{STATE_FILE} {trouble}; continuing from the record of turn {turn}"
        ));
        RunState::new(run)
    }
}

#[cfg(test)]
mod tests;
