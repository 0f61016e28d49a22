//! Begins a run that continues another one from the request of one of its turns.

use franz_home::{Home, LARGEST, View};
use serde::Deserialize;
use thiserror::Error;

use crate::pictures::{self, PictureFile, PictureName};
use crate::reader::{ReadError, TurnLines};
use crate::run::{Run, RunError, RunOptions};
use crate::state::{ForkOrigin, Phase, RunState, STATE_FILE};
use crate::told_element::without_elements;
use crate::turn::{Status, TurnLine};

/// How many turns before the fork keep their pictures, which a conversation repeats and a person looks at.
const WITH_PICTURES: u64 = 100;

impl ForkOrigin {
    /// Returns where the run in `view` was forked from. `None` if it was not forked, or if its state cannot be read.
    pub fn of(view: &View) -> Option<ForkOrigin> {
        #[derive(Deserialize)]
        struct Forked {
            #[serde(default)]
            forked_from: Option<ForkOrigin>,
        }

        let state: Forked = serde_json::from_slice(&view.read(STATE_FILE, LARGEST).ok()?).ok()?;
        state.forked_from
    }
}

/// Why a run cannot be forked.
#[derive(Debug, Error)]
pub enum ForkError {
    /// The run has no such turn.
    #[error("{run} has no turn {turn}; its last turn is {last}")]
    NoTurn {
        /// The run's name.
        run: String,
        /// The turn.
        turn: u64,
        /// The last turn.
        last: u64,
    },
    /// The memory that the turn sent is not in the record.
    #[error("{run} can no longer be forked at turn {turn}: the story that this turn sent is not in its record")]
    NoStory {
        /// The run's name.
        run: String,
        /// The turn.
        turn: u64,
    },
    /// A file of the run cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The new run cannot be written.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A turn from which a new run can begin.
#[derive(Debug)]
pub struct Fork {
    source: View,
    line: TurnLine,
    /// The last turn before it that was answered.
    answered: Option<TurnLine>,
}

impl Fork {
    /// Finds a turn in the record of a run. Lines that cannot be read are skipped.
    pub fn of(source: &View, turn: u64) -> Result<Fork, ForkError> {
        let (mut answered, mut last) = (None, 0);
        for line in TurnLines::open(source).map_err(ReadError::from)? {
            match line {
                Ok(line) if line.turn == turn => {
                    let source = source.clone();
                    return Ok(Fork { source, line, answered });
                }
                Ok(line) => {
                    last = line.turn;
                    if line.status == Status::Ok {
                        answered = Some(line);
                    }
                }
                Err(error @ ReadError::Disk(_)) => return Err(error.into()),
                Err(ReadError::BadLine { .. }) => {}
            }
        }
        let run = source.name();
        Err(ForkError::NoTurn { run, turn, last })
    }

    /// Returns the turn.
    pub fn line(&self) -> &TurnLine {
        &self.line
    }

    /// Returns the last task that the person gave before this turn's request; `None` if the record does not say.
    pub fn task(&self) -> Option<String> {
        let mut tasks = self.source_state()?.tasks;
        tasks.retain(|task| task.turn <= self.line.turn);
        Some(tasks.pop()?.text)
    }

    /// Begins the new run in `home`, which contains only settings: writes the state in which the source was just before
    /// its request, and copies the turns before the fork. `bare` strips the parts of the feedback that every request
    /// adds again.
    pub fn begin(&self, home: Home, options: RunOptions, bare: impl Fn(&str) -> &str) -> Result<(), ForkError> {
        let state = self.state(&home.name(), bare)?;
        let (mut run, _) = Run::open(home, options)?;
        // Saved first, so that a run whose copying was interrupted does not perform the source's actions once more.
        run.keep_phase(&state.phase)?;
        run.save_state(&state)?;
        for line in TurnLines::open(&self.source).map_err(ReadError::from)? {
            match line {
                Ok(line) if line.turn >= self.line.turn => break,
                Ok(line) => self.copy(&mut run, &line)?,
                Err(error @ ReadError::Disk(_)) => return Err(error.into()),
                Err(ReadError::BadLine { .. }) => {}
            }
        }
        Ok(())
    }

    /// Copies a turn. Pictures that are gone stay gone.
    fn copy(&self, run: &mut Run, line: &TurnLine) -> Result<(), ForkError> {
        if line.turn + WITH_PICTURES >= self.line.turn {
            let beside = line.beside.iter().map(|beside| &beside.image);
            let seen = line.image.iter().chain(beside).map(|image| image.file.clone());
            for file in seen.chain([PictureName::plain(line.turn).to_string()]) {
                if let (Some(name), Some(bytes)) = (PictureName::parse(&file), pictures::read(&self.source, &file)) {
                    run.write_picture(name, PictureFile::Png(&bytes))?;
                }
            }
        }
        Ok(run.append_turn(line)?)
    }

    fn source_state(&self) -> Option<RunState> {
        serde_json::from_slice(&self.source.read(STATE_FILE, LARGEST).ok()?).ok()
    }

    fn state(&self, name: &str, bare: impl Fn(&str) -> &str) -> Result<RunState, ForkError> {
        let line = &self.line;
        let mut state = RunState::new(name);
        state.forked_from = Some(ForkOrigin {
            run: self.source.name(),
            turn: line.turn,
        });
        state.mode.clone_from(&line.mode);
        state.goal.clone_from(&line.goal);
        if let Some(source) = self.source_state() {
            state.tasks = source.tasks;
            state.tasks.retain(|task| task.turn <= line.turn);
            state.messages = source.messages;
            state.messages.retain(|message| message.turn <= line.turn);
            state.reported_done = source.reported_done.filter(|turn| *turn < line.turn);
            state.unreadable = source.unreadable;
        }
        if line.turn == 1 {
            return Ok(state);
        }
        state.turn = line.turn - 1;
        if let Some(answered) = &self.answered {
            state.take_reply(answered);
        }
        let reply = self.answered.as_ref().and_then(|answered| answered.reply.as_ref());
        let sent = line.story.resolve(reply);
        let sent = sent.ok_or_else(|| ForkError::NoStory {
            run: self.source.name(),
            turn: line.turn,
        })?;
        if *sent != state.story {
            // The reply that contains this story is not in the record, so its other parts are not either.
            state.story = sent.clone();
            state.tool_calls = None;
            state.cut = false;
        }
        state.phase = Phase::Acted {
            turn: line.turn,
            outcomes: line.acted.clone(),
            feedback: bare(without_elements(&line.feedback)).to_owned(),
        };
        Ok(state)
    }
}

#[cfg(test)]
mod tests;
