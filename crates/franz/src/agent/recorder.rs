//! The record: every write of a run goes through this module, which also decides how a failing disk affects the run.

use std::fmt::Display;

use franz_home::{DiskError, Home};
use franz_record::{ExchangeLog, LoggedBody, Phase, PictureFile, PictureName, Run, RunEnd, RunState, TurnLine};

use jiff::Timestamp;

use crate::config::layer::Layer;
use crate::stop::Ending;
use crate::watch::edit;

/// The run on disk, as long as the disk accepts writes.
pub(crate) struct Recorder {
    run: Run,
    exchange: ExchangeLog,
    /// The ID of the latest logged request.
    asked: String,
    /// Whether the run must end if it cannot be recorded.
    required: bool,
    /// Whether a write has failed and the run continues without a record.
    lost: bool,
}

impl Recorder {
    pub(crate) fn new(run: Run, exchange: ExchangeLog, required: bool) -> Recorder {
        Recorder {
            run,
            exchange,
            asked: String::new(),
            required,
            lost: false,
        }
    }

    /// Returns the recorded run.
    pub(super) fn run(&self) -> &Run {
        &self.run
    }

    /// Returns whether the run must end if it cannot be recorded.
    pub(super) fn is_required(&self) -> bool {
        self.required
    }

    /// Returns whether the run continues without a record.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Saves the run's state.
    pub(super) fn state(&mut self, state: &RunState) -> Result<(), Ending> {
        self.write("state", |own| own.run.save_state(state))
    }

    /// Saves how far the actions have got.
    pub(super) fn phase(&mut self, phase: &Phase) -> Result<(), Ending> {
        self.write("phase", |own| own.run.keep_phase(phase))
    }

    /// Saves that the reply with this hash is about to be read or, with `over`, has been read.
    pub(super) fn reading(&mut self, reply: &str, over: bool) -> Result<(), Ending> {
        self.write("reading", |own| own.run.keep_reading(reply, over))
    }

    /// Saves how the run ended.
    pub(super) fn end(&mut self, ending: &Ending) -> Result<(), Ending> {
        self.write("end", |own| own.run.write_end(end_of(ending)))
    }

    /// Stores a picture.
    pub(super) fn picture(&mut self, name: PictureName, picture: PictureFile<'_>) -> Result<(), Ending> {
        self.write("picture", |own| own.run.write_picture(name, picture))
    }

    /// Writes a goal given on the command line into the run's settings. From then on, the goal is an edit like any
    /// other and survives a crash.
    pub(crate) fn given_goal(&mut self, goal: &Layer) -> Result<(), Ending> {
        self.write("goal", |own| edit::write(own.run.home(), goal))
    }

    /// Commits a turn.
    pub(super) fn turn(&mut self, line: &TurnLine) -> Result<(), Ending> {
        self.write("turn line", |own| own.run.append_turn(line))
    }

    /// Saves the story as text for people.
    pub(super) fn story(&mut self, text: &str) -> Result<(), Ending> {
        self.write("story", |own| own.run.write_story_text(text))
    }

    /// Logs the body of this turn's request, which is about to be sent.
    pub(super) fn request(&mut self, turn: u64, body: &[u8]) -> Result<(), Ending> {
        self.write("request", |own| {
            let body = LoggedBody::Bytes(body);
            own.asked = own.exchange.request(Timestamp::now(), Some(turn), body)?;
            Ok::<_, DiskError>(())
        })
    }

    /// Logs the response to the latest request, which belongs to this turn.
    pub(super) fn response(&mut self, turn: u64, status: Option<u16>, body: LoggedBody<'_>) -> Result<(), Ending> {
        self.write("response", |own| {
            let Recorder { exchange, asked, .. } = own;
            exchange.response(asked, Timestamp::now(), Some(turn), status, body)
        })
    }

    /// Decides how the result of a write to the run's directory affects the run.
    pub(super) fn demand<T, E: Display>(&mut self, written: Result<T, E>) -> Result<(), Ending> {
        let Err(error) = written else { return Ok(()) };
        if self.required {
            return Err(Ending::RecordFailed(error.to_string()));
        }
        if !std::mem::replace(&mut self.lost, true) {
            tracing::error!(
                "{error}; NOTHING IS RECORDED FROM NOW ON: the run continues in memory (record.required = false)"
            );
            if let Err(error) = self.run.note_loss() {
                tracing::warn!("{error}; if the run dies, it may perform the last recorded reply again");
            }
        }
        Ok(())
    }

    fn write<T, E: Display>(
        &mut self,
        what: &str,
        write: impl FnOnce(&mut Recorder) -> Result<T, E>,
    ) -> Result<(), Ending> {
        if self.lost {
            return Ok(());
        }
        checkpoint(what);
        let written = write(self);
        checkpoint(what);
        self.demand(written)
    }
}

/// Records that the person ended the run while it had no agent, so that the next agent withdraws the pending actions.
/// Does nothing if the person did not end it.
pub(crate) fn keep_stop(run: &Home, ending: &Ending) -> Result<(), DiskError> {
    if !ending.is_by_person() {
        return Ok(());
    }
    let end = RunEnd {
        withdraws: true,
        ..end_of(ending)
    };
    end.keep(run, true)
}

fn end_of(ending: &Ending) -> RunEnd {
    RunEnd {
        at: Timestamp::now().to_string(),
        reason: ending.to_string(),
        exit_code: ending.exit_code(),
        withdraws: false,
        unusable_reply: matches!(ending, Ending::ReplyUnusable(_)),
    }
}

/// Marks a point before or after a write, where the crash tests kill the process.
#[cfg(not(test))]
fn checkpoint(_place: &str) {}
#[cfg(test)]
use crate::crash::checkpoint;

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use franz_record::{Event, RunOptions};

    use super::super::grey;
    use super::*;

    #[test]
    fn a_loss_is_noted_once_the_run_goes_on_without_a_record() {
        for required in [true, false] {
            let directory = tempfile::tempdir().unwrap();
            let (run, _) = Run::create(None, directory.path(), RunOptions::default()).unwrap();
            let lost = run.path().join("record.lost");
            let mut recorder = Recorder::new(run, ExchangeLog::off(), required);
            assert_eq!(recorder.demand(Err::<(), _>("the disk is full")).is_err(), required);
            assert_eq!((recorder.is_lost(), lost.exists()), (!required, !required));
        }
    }

    #[test]
    fn a_key_that_is_stuck_at_the_end_costs_no_record() {
        let settings = ["loop.max_turns=1", "loop.settle_s=0", "screen.start_s=0"];
        let fixture = grey::agent_with("I rest.", &settings);
        fixture.shared.sticks.store(true, Ordering::Relaxed);
        let ending = fixture.agent.run();
        assert!(matches!(ending, Ending::LastTurn), "{ending}");
        let is_told = |event: Event| matches!(event, Event::Notice { text } if text == "a key is stuck");
        assert!(fixture.events.iter().any(is_told));
    }
}
