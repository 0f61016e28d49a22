//! Acting: the last reply's actions are performed, each at most once, and the model is told what became of them.

use std::time::Instant;

use franz_action::{Action, Intent, Outcome, Plan, Protocol, Reply, Scene};
use franz_record::{Acted, Event, Phase};
use franz_screen::Step;

use super::{Agent, Turn};
use crate::stop::Ending;

/// What a model is told when its actions were broken off, by a stop or a crash.
const INTERRUPTED: &str =
    "NOTICE: FRANZ was interrupted while performing your last actions; some may be done. Check the screen.";

/// Notes on single actions that are told; a block may have hundreds.
const MOST_NOTES: usize = 5;
/// Characters of a call that are quoted in a note.
const LONGEST_QUOTE: usize = 200;

impl Agent {
    /// Performs what the last reply asks for, or takes up what an earlier process left.
    pub(super) fn act(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let began = Instant::now();
        match self.state.phase.clone() {
            Phase::Ready => self.perform_reply(turn)?,
            Phase::Acting {
                turn: acting,
                started,
                total,
                outcomes,
            } => self.take_up_interrupted(turn, acting, started, total, &outcomes)?,
            // The feedback was never answered: it is told again, and nothing is done again.
            Phase::Acted {
                turn: acting,
                outcomes,
                feedback,
            } => {
                turn.unseen.clone_from(&outcomes);
                turn.line.acted = if acting == turn.line.turn { outcomes } else { Vec::new() };
                turn.line.feedback = feedback;
            }
        }
        turn.line.ms.act = began.elapsed().into();
        self.go_on()
    }

    fn perform_reply(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let plan = self.plan();
        let (number, total) = (turn.line.turn, plan.steps.len());
        self.tell(&Event::Acting {
            turn: number,
            actions: total,
        });
        let mut acted = Vec::with_capacity(total);
        for (index, step) in plan.steps.iter().enumerate() {
            let outcome = match &step.intent {
                Intent::Perform(action) => self.perform(Step { turn: number, index }, action, total, &acted)?,
                Intent::Leave(outcome) => outcome.clone(),
            };
            acted.push(entry(&step.text, &outcome));
        }
        self.acted(turn, &plan, acted)
    }

    /// One action. That it is started is on disk before it is.
    fn perform(&mut self, step: Step, action: &Action, total: usize, before: &[Acted]) -> Result<Outcome, Ending> {
        if self.stop.ending().is_some() {
            return Ok(Outcome::Interrupted);
        }
        let started = step.index + 1;
        self.state.phase = Phase::Acting {
            turn: step.turn,
            started,
            total,
            outcomes: before.to_vec(),
        };
        self.recorder.phase(&self.state.phase)?;
        if self.recorder.is_lost() {
            // Drawing that a lost record does not know of would meet a later turn of the same number.
            self.screen.detach();
        }
        match self.screen.perform(step, action, &self.stop) {
            Ok(outcome) => Ok(outcome),
            Err(error) => {
                self.notice(&error.to_string());
                self.recorder.demand(Err::<(), _>(error))?;
                // The details are the person's: they name files of this machine.
                Ok(Outcome::NotApplied("the screen failed".to_owned()))
            }
        }
    }

    /// After a crash in the middle of acting: nothing is done again, and the model is told what is known.
    fn take_up_interrupted(
        &mut self,
        turn: &mut Turn,
        acting: u64,
        started: usize,
        total: usize,
        before: &[Acted],
    ) -> Result<(), Ending> {
        let plan = self.plan();
        if !begins_with(&plan, before) || plan.steps.len() != total {
            // The settings were edited meanwhile, and the reply reads differently: what was kept is what is true.
            let done = before
                .iter()
                .filter(|acted| acted.outcome == franz_record::Outcome::Done)
                .count();
            let text = format!("Interrupted: {done} of {total} actions were performed.\n\n{INTERRUPTED}");
            return self.told(turn, before.to_vec(), text);
        }
        let last = Step {
            turn: acting,
            index: started.saturating_sub(1),
        };
        let last_is_done = self.screen.performed(last) == Some(true);
        let known = |(index, step): (usize, &franz_action::Step)| match (before.get(index), &step.intent) {
            (Some(known), _) => known.clone(),
            (None, Intent::Leave(outcome)) => entry(&step.text, outcome),
            (None, Intent::Perform(_)) if index == last.index && last_is_done => entry(&step.text, &Outcome::DONE),
            (None, Intent::Perform(_)) => entry(&step.text, &Outcome::Interrupted),
        };
        let acted = plan.steps.iter().enumerate().map(known).collect();
        self.acted(turn, &plan, acted)
    }

    fn acted(&mut self, turn: &mut Turn, plan: &Plan, acted: Vec<Acted>) -> Result<(), Ending> {
        let outcomes: Vec<Outcome> = acted.iter().map(outcome).collect();
        let mut feedback = plan.feedback(&outcomes, &Scene::default());
        let notices = notices(plan, &outcomes);
        if !notices.is_empty() {
            feedback = format!("{}\n\n{}", feedback.trim_end_matches('\n'), notices.join("\n"));
        }
        self.told(turn, acted, feedback)
    }

    /// Acting is over: what it came to is on disk before anything else happens.
    fn told(&mut self, turn: &mut Turn, acted: Vec<Acted>, feedback: String) -> Result<(), Ending> {
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

    fn plan(&self) -> Plan {
        let text = self.state.story.text().unwrap_or_default();
        self.protocol().read(&Reply::of(&text))
    }

    fn protocol(&self) -> Box<dyn Protocol> {
        self.live.settings.protocol()
    }
}

/// Whether the plan is the one of which these are the first outcomes.
fn begins_with(plan: &Plan, before: &[Acted]) -> bool {
    let planned = plan.steps.iter();
    before.len() <= plan.steps.len() && planned.zip(before).all(|(step, acted)| step.text == acted.action)
}

/// The sentences for the model that the protocol's own text does not hold: each once, and of notes on actions only so many.
fn notices(plan: &Plan, outcomes: &[Outcome]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for (step, outcome) in plan.steps.iter().zip(outcomes) {
        if let Outcome::Done(Some(note)) = outcome {
            let notice = format!("NOTICE: {}: {note}", shortened(&step.text));
            if !notes.contains(&notice) {
                notes.push(notice);
            }
        }
    }
    if let Some(more) = notes.len().checked_sub(MOST_NOTES).filter(|more| *more > 0) {
        notes.truncate(MOST_NOTES);
        notes.push(format!("NOTICE: and {more} more of this kind."));
    }
    let interrupted = outcomes.contains(&Outcome::Interrupted).then(|| INTERRUPTED.to_owned());
    let read = plan.notices.iter().map(|notice| format!("NOTICE: {notice}"));
    interrupted.into_iter().chain(read).chain(notes).collect()
}

/// A call that a model wrote, short enough to be quoted to it.
fn shortened(call: &str) -> String {
    match call.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &call[..end]),
        None => call.to_owned(),
    }
}

/// An action and its outcome, as records have it.
fn entry(text: &str, outcome: &Outcome) -> Acted {
    Acted {
        action: text.to_owned(),
        outcome: match outcome {
            Outcome::Done(_) => franz_record::Outcome::Done,
            Outcome::NotApplied(_) => franz_record::Outcome::NotApplied,
            Outcome::Ignored(_) => franz_record::Outcome::Ignored,
            Outcome::Malformed(_) => franz_record::Outcome::Malformed,
            Outcome::Blocked => franz_record::Outcome::Blocked,
            Outcome::Interrupted => franz_record::Outcome::Interrupted,
        },
        why: outcome.why().map(str::to_owned),
    }
}

/// The outcome that a record has.
fn outcome(acted: &Acted) -> Outcome {
    let why = acted.why.clone();
    match acted.outcome {
        franz_record::Outcome::Done => Outcome::Done(why),
        franz_record::Outcome::NotApplied => Outcome::NotApplied(why.unwrap_or_default()),
        franz_record::Outcome::Ignored => Outcome::Ignored(why),
        franz_record::Outcome::Malformed => Outcome::Malformed(why.unwrap_or_default()),
        franz_record::Outcome::Blocked => Outcome::Blocked,
        franz_record::Outcome::Interrupted => Outcome::Interrupted,
    }
}
