//! `acting.jsonl`: how far the turn under way has come with its actions, one small append a step.
//!
//! Replacing `state.json` at each action would cost a flush of the file system each time; appending a line costs a
//! microsecond and survives kill -9 just as well.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::append::AppendFile;
use crate::disk::DiskError;
use crate::line::to_line;
use crate::state::Phase;
use crate::text;
use crate::turn::Acted;

const PROGRESS_FILE: &str = "acting.jsonl";

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    /// An action is about to be started.
    Started {
        turn: u64,
        /// Actions started with this one.
        started: usize,
        /// Actions in the reply.
        total: usize,
        /// What became of the action before this one.
        before: Option<Acted>,
    },
    /// All actions are over.
    Acted {
        turn: u64,
        outcomes: Vec<Acted>,
        #[serde(deserialize_with = "text::string")]
        feedback: String,
    },
}

/// The open file. It holds the steps of one turn.
pub(crate) struct Progress {
    path: PathBuf,
    file: AppendFile,
    durable: bool,
    turn: Option<u64>,
}

impl Progress {
    pub(crate) fn open(directory: &Path, durable: bool) -> Result<Self, DiskError> {
        let path = directory.join(PROGRESS_FILE);
        let file = AppendFile::open(&path).map_err(DiskError::when("open", &path))?;
        Ok(Self {
            path,
            file,
            durable,
            turn: None,
        })
    }

    /// Keeps how far the turn has come. Of actions under way only the last outcome is written: the others stand in the
    /// lines before.
    pub(crate) fn keep(&mut self, phase: &Phase) -> Result<(), DiskError> {
        let (turn, step) = match phase {
            Phase::Ready => return Ok(()),
            Phase::Acting {
                turn,
                started,
                total,
                outcomes,
            } => (
                *turn,
                Step::Started {
                    turn: *turn,
                    started: *started,
                    total: *total,
                    before: outcomes.last().cloned(),
                },
            ),
            Phase::Acted {
                turn,
                outcomes,
                feedback,
            } => (
                *turn,
                Step::Acted {
                    turn: *turn,
                    outcomes: outcomes.clone(),
                    feedback: feedback.clone(),
                },
            ),
        };
        self.append(turn, &step)
            .map_err(DiskError::when("append to", &self.path))
    }

    fn append(&mut self, turn: u64, step: &Step) -> std::io::Result<()> {
        if self.turn.replace(turn) != Some(turn) {
            self.file.clear()?;
        }
        self.file.append(&to_line(step)?)?;
        if self.durable { self.file.sync() } else { Ok(()) }
    }
}

/// How far `turn` came, as the file in `directory` tells; `None` when it tells nothing of that turn. A last line that
/// was cut off was never followed by what it announces.
pub(crate) fn read(directory: &Path, turn: u64) -> Result<Option<Phase>, DiskError> {
    let path = directory.join(PROGRESS_FILE);
    let content = match std::fs::read(&path) {
        Ok(content) => content,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(DiskError::when("read", &path)(error)),
    };
    let lines = content
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.ends_with(b"\n"));
    let steps = lines.filter_map(|line| serde_json::from_slice(line).ok());
    let mut steps = steps.filter(|step: &Step| step.turn() == turn).peekable();
    let any = steps.peek().is_some();
    Ok(any.then(|| steps.fold(Phase::Ready, follow)))
}

/// The phase after one more step.
fn follow(phase: Phase, step: Step) -> Phase {
    match step {
        Step::Started {
            turn,
            started,
            total,
            before,
        } => {
            let mut outcomes = match phase {
                Phase::Acting { outcomes, .. } => outcomes,
                _ => Vec::new(),
            };
            outcomes.extend(before);
            Phase::Acting {
                turn,
                started,
                total,
                outcomes,
            }
        }
        Step::Acted {
            turn,
            outcomes,
            feedback,
        } => Phase::Acted {
            turn,
            outcomes,
            feedback,
        },
    }
}

impl Step {
    fn turn(&self) -> u64 {
        match self {
            Self::Started { turn, .. } | Self::Acted { turn, .. } => *turn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::Outcome;

    fn acted(action: &str) -> Acted {
        Acted {
            action: action.to_owned(),
            outcome: Outcome::Done,
            why: None,
        }
    }

    fn acting(turn: u64, outcomes: Vec<Acted>) -> Phase {
        Phase::Acting {
            turn,
            started: outcomes.len() + 1,
            total: 3,
            outcomes,
        }
    }

    #[test]
    fn every_step_is_found_again_and_a_cut_line_counts_for_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(PROGRESS_FILE);
        let mut progress = Progress::open(directory.path(), false).unwrap();
        let over = Phase::Acted {
            turn: 2,
            outcomes: vec![acted("a"), acted("b")],
            feedback: "OK".to_owned(),
        };
        let phases = [acting(2, vec![]), acting(2, vec![acted("a")]), over];
        let mut before = None;
        for phase in phases {
            let start = std::fs::read(&path).unwrap().len();
            progress.keep(&phase).unwrap();
            let whole = std::fs::read(&path).unwrap();
            for end in start..whole.len() {
                std::fs::write(&path, &whole[..end]).unwrap();
                assert_eq!(read(directory.path(), 2).unwrap(), before, "cut at {end}");
            }
            std::fs::write(&path, &whole).unwrap();
            assert_eq!(read(directory.path(), 2).unwrap(), Some(phase.clone()));
            assert_eq!(read(directory.path(), 3).unwrap(), None, "another turn");
            before = Some(phase);
        }
    }

    #[test]
    fn the_file_holds_one_turn() {
        let directory = tempfile::tempdir().unwrap();
        for turn in 1..50 {
            // A process that resumes begins with a new handle.
            let mut progress = Progress::open(directory.path(), false).unwrap();
            progress.keep(&acting(turn, vec![])).unwrap();
            progress.keep(&acting(turn, vec![acted("a")])).unwrap();
            assert_eq!(
                read(directory.path(), turn).unwrap(),
                Some(acting(turn, vec![acted("a")]))
            );
        }
        let content = std::fs::read_to_string(directory.path().join(PROGRESS_FILE)).unwrap();
        assert_eq!(content.lines().count(), 2);
    }
}
