//! Acting: performs the last reply's actions, each at most once, and tells the model the result.

use std::borrow::Cow;
use std::fmt::Display;
use std::mem;
use std::time::Instant;

use franz_action::{Action, AimedAt, Outcome};
use franz_dialect::{Intent, OwnForm, Plan, Protocol, Scene};
use franz_record::{Acted, Event, Phase, PictureName};
use franz_screen::{Interrupt, Screen as _};

use super::aim::Aim;
use super::notices::{self, CUT, HAND, HELD_BEFORE, MESSAGE, NEW_MODE, NEW_TASK, OWN_REPLY, STOPPED, SWITCHED_OFF};
use super::permission::{Allowance, Passed};
use super::reply_progress::ReplyProgress;
use super::{Agent, Turn};
use crate::reading::{Reader, RecordedReply};
use crate::stop::Ending;

/// How many times one reply can read the clipboard. A block of Python could ask for hundreds of readings.
const MOST_READINGS: usize = 4;

impl Agent {
    /// Performs the last reply's actions, or takes over the actions of an earlier process.
    pub(super) fn act(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let began = Instant::now();
        match self.state.phase.clone() {
            Phase::Ready => match self.unwanted() {
                Some(outcome) => self.leave_reply(turn, &outcome)?,
                None => self.perform_reply(turn)?,
            },
            Phase::Acting {
                turn: acting,
                started,
                total,
                outcomes,
                found,
                decided,
                waits,
            } => {
                let last = Acted {
                    found,
                    decided: decided.map(|decided| *decided),
                    ..Acted::new("", Outcome::Interrupted)
                };
                self.take_up_interrupted(turn, acting, (started, total, waits), &outcomes, last)?;
            }
            // The feedback was never answered. Repeat it, but perform none of the actions again.
            Phase::Acted {
                turn: acting,
                outcomes,
                feedback,
            } => {
                turn.unseen.clone_from(&outcomes);
                turn.line.acted = if acting == turn.line.turn { outcomes } else { Vec::new() };
                turn.line.feedback = feedback;
                if self.unwanted.take().is_some() {
                    self.tell_model(turn, notices::UNRECORDED);
                    self.keep_told()?;
                }
            }
        }
        self.tell_of_recorded_loss(turn)?;
        turn.line.ms.act = began.elapsed().into();
        turn.line.ms.look = self.trail.lookout.took().into();
        self.go_on()
    }

    fn perform_reply(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let plan = self.plan()?;
        self.trail.desk.moments.clear();
        let number = turn.line.turn;
        self.tell(&Event::Acting {
            turn: number,
            actions: plan.actions().count(),
        });
        self.trail.lookout.begin_reply();
        self.trail.permission = Allowance::default();
        let mut acted = Vec::with_capacity(plan.steps.len());
        let mut failed = None;
        for (index, step) in plan.steps.iter().enumerate() {
            let mut done = Acted::new(&step.text, Outcome::Interrupted);
            let at = ReplyProgress {
                turn: number,
                index,
                total: plan.steps.len(),
                before: &acted,
            };
            done.outcome = match (&step.intent, self.held_by(failed)) {
                (Intent::Perform(_), Some(held)) => held,
                (Intent::Perform(action), None) => self.perform(turn, &plan, at, action, &mut done)?,
                (Intent::Leave(outcome), _) => outcome.clone(),
            };
            if failed.is_none()
                && matches!(
                    done.outcome,
                    Outcome::NotApplied(_) | Outcome::Malformed(_) | Outcome::Blocked(Some(_))
                )
            {
                failed = Some(index);
            }
            acted.push(done);
        }
        self.trail.let_go = self.let_go();
        self.acted(turn, &plan, acted)
    }

    /// Holds a function call that follows a failed one, because the model counted on the effect of the failed call. In
    /// the other protocols, calls do not depend on each other.
    fn held_by(&self, failed: Option<usize>) -> Option<Outcome> {
        let failed = failed.filter(|_| self.live.settings.own_form() == OwnForm::Tools)?;
        Some(Outcome::Held(format!(
            "an earlier call, number {}, was not performed",
            failed + 1
        )))
    }

    /// Releases all keys and buttons that the reply's actions hold down, so that none is pressed in the model's next
    /// picture. Returns their names.
    pub(super) fn let_go(&mut self) -> Vec<String> {
        self.trail.gate.let_go();
        match self.screen.let_go() {
            Ok(names) => names,
            Err(error) => {
                self.notice(&error.to_string());
                Vec::new()
            }
        }
    }

    /// Returns whether a reply may do more than look. By now, `self.mode()` is the mode that the reply has set.
    fn may_act(&self, plan: &Plan) -> bool {
        !self.has_modes() || plan.mode.lets_act(self.mode())
    }

    /// Returns why the last reply's remaining actions are no longer wanted: the person has changed the goal or sent a
    /// message since the reply was requested. The model is told later; after a crash in between, FRANZ finds the change
    /// or the message again.
    pub(super) fn withdrawal(&mut self) -> Option<&'static str> {
        if self.live.is_edited() {
            self.look_up_settings();
        }
        if self.has_another_goal() {
            return Some(NEW_TASK);
        }
        if self.stop.has_reply() {
            return Some(OWN_REPLY);
        }
        let is_told = self.state.turn > 0 && self.has_messages();
        is_told.then(|| if self.has_new_mode() { NEW_MODE } else { MESSAGE })
    }

    /// Performs one action if it is allowed, after locating its target if it names one. Notes in `done` the position
    /// that was found and the person's decision.
    fn perform(
        &mut self,
        turn: &mut Turn,
        plan: &Plan,
        at: ReplyProgress<'_>,
        action: &Action,
        done: &mut Acted,
    ) -> Result<Outcome, Ending> {
        self.hold_between(at)?;
        if let Some(outcome) = self.repeated(at.id(), done)? {
            return Ok(outcome);
        }
        if let Some(outcome) = self.held_back(plan, action, at.before) {
            return Ok(outcome);
        }
        let Action::Aimed(verb, thing) = action else {
            return self.carry_out(at, action.clone(), done);
        };
        // The grounder might take minutes. If the process ends in the meantime, the record shows the actions performed
        // before it.
        self.note_done(at)?;
        let Aim { action: aimed, found } = match thing {
            AimedAt::Named(target) => self.aim(turn, *verb, target, at.before)?,
            AimedAt::Element(number) => self.aim_at_element(*verb, *number),
        };
        done.found = found;
        // The person might have paused the run or changed their mind in the meantime.
        self.hold_between(at)?;
        let held_back = self.held_back(plan, aimed.as_ref().unwrap_or(action), at.before);
        match (held_back, aimed) {
            (Some(outcome), _) => Ok(outcome),
            (None, Err(why)) => Ok(Outcome::NotApplied(why)),
            (None, Ok(action)) => self.carry_out(at, action, done),
        }
    }

    /// Records the actions performed so far, before an action that might take a long time.
    pub(super) fn note_done(&mut self, at: ReplyProgress<'_>) -> Result<(), Ending> {
        if at.before.is_empty() {
            return Ok(());
        }
        self.state.phase = self.acting(at, None);
        self.recorder.phase(&self.state.phase)
    }

    /// Records that the next action is waiting for the person.
    pub(super) fn note_waiting(&mut self, at: ReplyProgress<'_>) -> Result<(), Ending> {
        self.state.phase = self.acting(at, None);
        if let Phase::Acting { waits, .. } = &mut self.state.phase {
            *waits = true;
        }
        self.recorder.phase(&self.state.phase)
    }

    /// Records that the next action has begun, with its position and the person's decision about it.
    fn note_begun(&mut self, at: ReplyProgress<'_>, begun: &Acted) -> Result<(), Ending> {
        self.state.phase = self.acting(at, Some(begun));
        self.recorder.phase(&self.state.phase)
    }

    /// Returns the phase after the earlier actions. If the next action has begun, `begun` describes it.
    fn acting(&mut self, at: ReplyProgress<'_>, begun: Option<&Acted>) -> Phase {
        let mut outcomes = mem::take(&mut self.state.phase).into_outcomes();
        outcomes.extend_from_slice(at.before.get(outcomes.len()..).unwrap_or_default());
        Phase::Acting {
            turn: at.turn,
            started: at.index + usize::from(begun.is_some()),
            total: at.total,
            outcomes,
            found: begun.and_then(|begun| begun.found.clone()),
            decided: begun.and_then(|begun| begun.decided.clone()).map(Box::new),
            waits: false,
        }
    }

    /// Returns the outcome of an action if the run has been stopped or a person has taken the mouse.
    fn broken_off(&self) -> Option<Outcome> {
        let is_by_person = || self.stop.ending().is_some_and(|ending| ending.is_by_person());
        self.stop.is_set().then(|| {
            if is_by_person() {
                withdrawn(STOPPED)
            } else {
                Outcome::Interrupted
            }
        })
    }

    /// Returns the outcome of an action that must not be performed, or `None` if it may be performed.
    fn held_back(&mut self, plan: &Plan, action: &Action, before: &[Acted]) -> Option<Outcome> {
        if let Some(outcome) = self.broken_off().or_else(|| self.withdrawal().map(withdrawn)) {
            return Some(outcome);
        }
        if !self.live.settings.tools().permits(action) {
            return Some(Outcome::Ignored(Some(SWITCHED_OFF.to_owned())));
        }
        if let Some(outcome) = self.trail.permission.rest() {
            return Some(outcome);
        }
        if !self.may_act(plan) && !action.only_looks() {
            return Some(Outcome::BLOCKED);
        }
        if self.trail.outdated {
            return Some(withdrawn(HAND));
        }
        let readings = || before.iter().filter(|acted| acted.outcome.text().is_some()).count();
        (*action == Action::ReadClipboard && readings() >= MOST_READINGS)
            .then(|| Outcome::NotApplied(format!("a reply may read the clipboard at most {MOST_READINGS} times")))
    }

    /// Performs one action if the gate lets it pass and its target still looks as it did in the model's picture.
    /// Records on disk that the action has begun before performing it.
    fn carry_out(&mut self, at: ReplyProgress<'_>, action: Action, done: &mut Acted) -> Result<Outcome, Ending> {
        if self.trail.lookout.is_holding() {
            return Ok(Outcome::Held(HELD_BEFORE.to_owned()));
        }
        if let Action::Ask(question) = &action {
            return self.put_question(at, question, done);
        }
        let action = match self.pass(at, action)? {
            Passed::Done(action, decided) => {
                done.decided = decided;
                action
            }
            Passed::Not(outcome, decided) => {
                done.decided = decided;
                return Ok(outcome);
            }
        };
        let edited = self.edited_note(done, &action);
        let told = |outcome: Outcome| match &edited {
            Some(edited) => outcome.below(edited),
            None => outcome,
        };
        let note = match self.look_before(&action) {
            Ok(note) => note,
            Err(why) => return Ok(told(Outcome::Held(why))),
        };
        // The person might have spoken or stopped the run during a second look, or while the pointer moved.
        if let Some(outcome) = self.broken_off().or_else(|| self.withdrawal().map(withdrawn)) {
            return Ok(outcome);
        }
        self.note_begun(at, done)?;
        if self.recorder.is_lost() {
            // The record has lost this drawing. If the canvas kept it, it would clash with a later turn that has the
            // same number.
            if let Some(journal) = self.screen.journal() {
                journal.detach();
            }
        }
        self.trail.gate.passed(&action);
        if let Some(outcome) = self.perform_itself(&action, at.before) {
            return Ok(told(outcome));
        }
        let interrupt = self.interrupt();
        match self.screen.perform(at.id(), &action, &interrupt) {
            Ok(outcome) => {
                self.trail.gate.came_to(&action, &outcome);
                self.trail.lookout.acted(&action);
                Ok(told(outcome).noted(note))
            }
            Err(error) => {
                // The screen has released everything.
                self.trail.gate.let_go();
                let failed = self.screen_failed(&error);
                self.recorder.demand(Err::<(), _>(error))?;
                Ok(failed)
            }
        }
    }

    /// Returns the outcome of an action for which the screen failed. The details can name files on this machine, so
    /// only the person sees them.
    pub(super) fn screen_failed(&mut self, error: &dyn Display) -> Outcome {
        self.notice(&error.to_string());
        Outcome::NotApplied("the screen failed".to_owned())
    }

    /// Returns the note that tells the model about an action that the person has changed.
    fn edited_note(&self, done: &Acted, action: &Action) -> Option<String> {
        let decided = done.decided.as_ref()?;
        decided.action.as_ref()?;
        let spoken = self.idiom.geometry(&self.live.settings).spoken(action);
        Some(format!("the person changed it to {spoken}"))
    }

    pub(super) fn acted(&mut self, turn: &mut Turn, plan: &Plan, acted: Vec<Acted>) -> Result<(), Ending> {
        let outcomes: Vec<Outcome> = acted.iter().map(|acted| acted.outcome.clone()).collect();
        let scene = Scene {
            picture: &PictureName::seen(turn.line.turn).to_string(),
            screen: self.screen.size(),
        };
        let mut notices = notices::of(plan, &outcomes, self.mode(), self.stop.person_has_mouse());
        notices.splice(0..0, self.state.cut.then(|| CUT.to_owned()));
        notices.extend(notices::let_go(&mem::take(&mut self.trail.let_go)));
        let report = as_performed(plan, &acted).feedback(&outcomes, &scene);
        let feedback = notices::below(&notices::indented_ours(&report), &notices);
        let feedback = notices::corrected(feedback, plan.correction.as_deref());
        self.told(turn, acted, feedback)
    }

    /// Finishes acting. The result is written to disk before anything else happens.
    pub(super) fn told(&mut self, turn: &mut Turn, acted: Vec<Acted>, feedback: String) -> Result<(), Ending> {
        let number = turn.line.turn;
        turn.line.acted.clone_from(&acted);
        turn.unseen.clone_from(&acted);
        turn.line.feedback.clone_from(&feedback);
        self.state.phase = Phase::Acted {
            turn: number,
            outcomes: acted.clone(),
            feedback: feedback.clone(),
        };
        self.recorder.phase(&self.state.phase)?;
        self.tell(&Event::Acted {
            turn: number,
            acted,
            feedback,
        });
        Ok(())
    }

    /// Returns the last reply's plan: the one read on arrival, or a new reading after a restart or an edit of the
    /// settings.
    pub(super) fn plan(&mut self) -> Result<Plan, Ending> {
        match self.trail.plan.take() {
            Some(plan) => Ok(plan),
            None => self.read_reply(),
        }
    }

    /// Reads the last reply.
    pub(super) fn read_reply(&mut self) -> Result<Plan, Ending> {
        if self.state.turn == 0 {
            return Ok(self.protocol().opening());
        }
        self.idiom.pointer = self.screen.pointer().current;
        let reader = Reader::new(&self.live.settings, &self.idiom, &self.state.unreadable);
        let recorder = &mut self.recorder;
        reader.read(RecordedReply::of(&self.state), |hash, over| {
            recorder.reading(hash, over)
        })
    }

    pub(super) fn protocol(&self) -> Box<dyn Protocol> {
        self.idiom.protocol(&self.live.settings)
    }
}

/// Returns the plan with each action as the person edited it, so that the feedback reports what was performed.
fn as_performed<'a>(plan: &'a Plan, acted: &[Acted]) -> Cow<'a, Plan> {
    let mut plan = Cow::Borrowed(plan);
    for (index, acted) in acted.iter().enumerate() {
        let is_edited = acted.decided.as_ref().is_some_and(|decided| decided.action.is_some());
        if let Some(action) = acted.performed().filter(|_| is_edited)
            && let Some(step) = plan.to_mut().steps.get_mut(index)
        {
            step.intent = Intent::Perform(action);
        }
    }
    plan
}

/// Returns the outcome of an action that is withdrawn for this reason.
pub(super) fn withdrawn(why: &str) -> Outcome {
    Outcome::Withdrawn(why.to_owned())
}

#[cfg(test)]
mod tests;
