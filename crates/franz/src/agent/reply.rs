//! Reading a reply on arrival: the mode and goal that it sets apply from then on.

use franz_dialect::Plan;
use franz_record::{Event, Phase, TurnLine};

use super::{Agent, Turn};
use crate::stop::Ending;

impl Agent {
    /// Reads the turn's reply. Its actions wait for the next turn.
    pub(super) fn read(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let plan = self.read_reply()?;
        self.heed(&plan);
        self.note_unchanged(&turn.line);
        self.remark(&plan);
        self.memory.answered(&turn.line, plan.spoken.as_ref(), &self.idiom);
        self.trail.rest.note(plan.rests);
        self.trail.given_up = self.trail.silence.note(plan.no_call.as_ref());
        self.keep_words(&turn.line, &plan)?;
        self.trail.plan = Some(plan);
        self.trail.by.clone_from(&turn.line.by);
        Ok(())
    }

    /// Takes up the last reply of an earlier process. If its turn was committed but the state was lost, the current mode
    /// and goal are still those from before that reply.
    pub(super) fn catch_up(&mut self) -> Result<(), Ending> {
        let Some(line) = self.unread.take() else {
            self.keep_skipped()?;
            return self.recall_finish();
        };
        let plan = self.read_reply()?;
        self.heed(&plan);
        self.note_unchanged(&line);
        self.keep_words(&line, &plan)?;
        self.trail.plan = Some(plan);
        self.recorder.state(&self.state)
    }

    /// Recalls the final report that a dead agent of this invocation has read, so that its successor ends the run.
    fn recall_finish(&mut self) -> Result<(), Ending> {
        if self.state.phase != Phase::Ready || self.state.turn <= self.first {
            return Ok(());
        }
        let plan = self.read_reply()?;
        self.keep_finish(self.state.cut, &plan);
        self.trail.plan = Some(plan);
        Ok(())
    }

    /// Saves which replies must not be read again. This is needed because the next action overwrites the record that
    /// says which reply was being read.
    fn keep_skipped(&mut self) -> Result<(), Ending> {
        if self.state.unreadable.is_empty() {
            return Ok(());
        }
        self.recorder.state(&self.state)
    }

    /// Tells the person about anything unusual in the way the model writes.
    fn remark(&mut self, plan: &Plan) {
        for remark in &plan.remarks {
            if let Some(told) = self.trail.remarks.note(remark) {
                self.notice(&told);
            }
        }
    }

    /// Ends the run if the model has finished, or has made no call for too long.
    pub(super) fn end_with_reply(&mut self) -> Result<(), Ending> {
        if let Some(why) = self.trail.given_up.take() {
            return Err(Ending::NoCall(why));
        }
        let Some(finish) = self.trail.finish.take() else {
            return Ok(());
        };
        self.tell(&Event::Answered {
            turn: self.state.turn,
            text: finish.answer,
            success: finish.success,
        });
        Err(if finish.success {
            Ending::Answered
        } else {
            Ending::ReportedFailure
        })
    }

    /// Keeps the parts of a reply that are for people: its story and its final report.
    fn keep_words(&mut self, line: &TurnLine, plan: &Plan) -> Result<(), Ending> {
        self.keep_finish(line.cut, plan);
        let story = self.state.story.text();
        self.recorder.story(plan.story.as_deref().unwrap_or(&story))
    }

    fn keep_finish(&mut self, is_cut: bool, plan: &Plan) {
        if self.live.settings.pace.stop_on_answer && !is_cut {
            self.trail.finish.clone_from(&plan.finish);
        }
    }
}
