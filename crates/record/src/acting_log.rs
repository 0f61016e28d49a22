//! `acting.jsonl`: the progress of the current turn's actions, with one short line per step.
//!
//! Replacing `state.json` for each action would cost a file system flush each time. Appending a line costs a
//! microsecond and survives kill -9 just as well.

use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use franz_home::{AppendFile, DiskError, Home, LARGEST, View};
use franz_json::lossy;
use serde::{Deserialize, Serialize};

use crate::acted::{Acted, Found, lenient};
use crate::decided::RecordedDecision;
use crate::line::to_line;
use crate::state::Phase;
use crate::turn::is_false;

const PROGRESS_FILE: &str = "acting.jsonl";

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step<'a> {
    /// An action is about to start.
    Started {
        turn: u64,
        /// How many actions have started, including this one.
        started: usize,
        /// How many actions the reply has.
        total: usize,
        /// The outcomes of the actions since the previous line.
        since: Cow<'a, [Acted]>,
        /// The grounder's answer for this action's target.
        #[serde(
            default,
            deserialize_with = "Found::lenient",
            skip_serializing_if = "Option::is_none"
        )]
        found: Option<Found>,
        /// The person's decision about this action.
        #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
        decided: Option<Box<RecordedDecision>>,
        /// Whether the next action, which has not started yet, is waiting for the person.
        #[serde(default, skip_serializing_if = "is_false")]
        waits: bool,
    },
    /// All actions are finished.
    Acted {
        turn: u64,
        /// The outcomes of the actions since the previous line.
        #[serde(default)]
        since: Cow<'a, [Acted]>,
        /// The outcomes of all actions, which FRANZ 0.1.0 wrote in this line. Only read, never written.
        #[serde(default, skip_serializing)]
        outcomes: Option<Vec<Acted>>,
        #[serde(deserialize_with = "lossy::string")]
        feedback: String,
    },
    /// The reply with this hash is about to be read.
    Reading { reply: String },
    /// The reply was read to the end.
    Read { reply: String },
}

/// The open file, which contains the steps of one turn. The next turn's first step empties the file. By then, the
/// previous turn has been committed, so steps that are still needed are never lost.
pub(crate) struct ActingLog {
    path: PathBuf,
    file: AppendFile,
    durable: bool,
    /// The turn whose steps are in the file.
    turn: Option<u64>,
    /// How many of that turn's outcomes are in the file.
    written: usize,
}

impl ActingLog {
    /// Opens the file, which might already contain the first steps of the turn in `phase`.
    pub(crate) fn open(home: &Home, durable: bool, phase: &Phase) -> Result<Self, DiskError> {
        let path = home.path_of(PROGRESS_FILE);
        let file = AppendFile::open(home, PROGRESS_FILE).map_err(DiskError::when("open", &path))?;
        let kept = match phase.turn() {
            Some(turn) => read(home, turn)?,
            None => None,
        };
        Ok(Self {
            path,
            file,
            durable,
            turn: kept.as_ref().and_then(Phase::turn),
            written: kept.map_or(0, |kept| kept.outcomes().len()),
        })
    }

    /// Records the turn's progress. Each line contains only outcomes that are not in the turn's earlier lines.
    pub(crate) fn keep(&mut self, phase: &Phase) -> Result<(), DiskError> {
        self.append(phase).map_err(DiskError::when("append to", &self.path))
    }

    /// Records that the reply with this hash is about to be read or, with `over`, has been read. The line is appended
    /// after the turn's own lines. It need not be flushed, because reading a reply can crash only the process and not
    /// the operating system.
    pub(crate) fn keep_reading(&mut self, reply: &str, over: bool) -> Result<(), DiskError> {
        let reply = reply.to_owned();
        let step = if over {
            Step::Read { reply }
        } else {
            Step::Reading { reply }
        };
        let kept = to_line(&step).and_then(|line| self.file.append(&line));
        kept.map_err(DiskError::when("append to", &self.path))
    }

    fn append(&mut self, phase: &Phase) -> io::Result<()> {
        let Some(turn) = phase.turn() else { return Ok(()) };
        if self.turn != Some(turn) {
            self.file.clear()?;
            self.turn = Some(turn);
            self.written = 0;
        }
        let since = Cow::Borrowed(phase.outcomes().get(self.written..).unwrap_or_default());
        let step = match phase {
            Phase::Ready => return Ok(()),
            Phase::Acting {
                started,
                total,
                found,
                decided,
                waits,
                ..
            } => Step::Started {
                turn,
                started: *started,
                total: *total,
                since,
                found: found.clone(),
                decided: decided.clone(),
                waits: *waits,
            },
            Phase::Acted { feedback, .. } => Step::Acted {
                turn,
                since,
                outcomes: None,
                feedback: feedback.clone(),
            },
        };
        self.file.append(&to_line(&step)?)?;
        self.written = phase.outcomes().len();
        if self.durable { self.file.sync() } else { Ok(()) }
    }
}

/// Reads the progress of `turn` from the file of the run in `view`. `None` if the file says nothing about that turn. If
/// the last line is truncated, its step never happened.
pub(crate) fn read(view: &View, turn: u64) -> Result<Option<Phase>, DiskError> {
    let content = content(view)?;
    let mut steps = steps(&content).filter(|step| step.turn() == Some(turn)).peekable();
    let any = steps.peek().is_some();
    Ok(any.then(|| steps.fold(Phase::Ready, follow)))
}

/// Returns the hashes of the replies that were never read to the end.
pub(crate) fn unfinished(view: &View) -> Result<Vec<String>, DiskError> {
    let mut unfinished: Vec<String> = Vec::new();
    for step in steps(&content(view)?) {
        match step {
            Step::Reading { reply } if !unfinished.contains(&reply) => unfinished.push(reply),
            Step::Read { reply } => unfinished.retain(|begun| *begun != reply),
            _ => {}
        }
    }
    Ok(unfinished)
}

fn content(view: &View) -> Result<Vec<u8>, DiskError> {
    match view.read(PROGRESS_FILE, LARGEST) {
        Ok(content) => Ok(content),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(DiskError::when("read", &view.path_of(PROGRESS_FILE))(error)),
    }
}

fn steps(content: &[u8]) -> impl Iterator<Item = Step<'static>> + '_ {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    let whole = lines.filter(|line| line.ends_with(b"\n"));
    whole.filter_map(|line| serde_json::from_slice(line).ok())
}

/// Returns the phase after one more step of the same turn.
fn follow(phase: Phase, step: Step<'_>) -> Phase {
    match step {
        Step::Started {
            turn,
            started,
            total,
            since,
            found,
            decided,
            waits,
        } => Phase::Acting {
            turn,
            started,
            total,
            outcomes: joined(phase, since),
            found,
            decided,
            waits,
        },
        Step::Acted {
            turn,
            since,
            outcomes,
            feedback,
        } => Phase::Acted {
            turn,
            outcomes: outcomes.unwrap_or_else(|| joined(phase, since)),
            feedback,
        },
        Step::Reading { .. } | Step::Read { .. } => phase,
    }
}

fn joined(phase: Phase, since: Cow<'_, [Acted]>) -> Vec<Acted> {
    let mut outcomes = phase.into_outcomes();
    outcomes.extend(since.into_owned());
    outcomes
}

impl Step<'_> {
    /// Returns the turn that the step belongs to; `None` for the steps of reading a reply, which happen between turns.
    fn turn(&self) -> Option<u64> {
        match self {
            Self::Started { turn, .. } | Self::Acted { turn, .. } => Some(*turn),
            Self::Reading { .. } | Self::Read { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
