//! Replies left unfinished: after a stop or a crash, the rest of a reply is not performed, and the model is told what is
//! known about it.

use franz_action::Outcome;
use franz_dialect::{Intent, Plan, PlanStep};
use franz_record::{Acted, Phase, Unwanted};
use franz_screen::{ActionId, Screen as _};

use super::act::withdrawn;
use super::notices::{INTERRUPTED, STOPPED, WAITED};
use super::{Agent, Turn};
use crate::stop::Ending;

impl Agent {
    /// Withdraws the last reply's actions if the person ends the run before any of them has begun. A resumed run does
    /// not perform them either.
    pub(super) fn withdraw_unbegun(&mut self, ending: Ending) -> Ending {
        if !ending.is_by_person() || self.state.phase != Phase::Ready || self.state.turn == 0 {
            return ending;
        }
        let plan = match self.plan() {
            Ok(plan) if plan.actions().next().is_some() => plan,
            Ok(_) => return ending,
            Err(failed) => return failed,
        };
        self.trail.plan = Some(plan);
        let mut turn = self.new_turn(self.state.turn + 1);
        let outcome = self.left_behind().unwrap_or_else(|| withdrawn(STOPPED));
        self.leave_reply(&mut turn, &outcome).err().unwrap_or(ending)
    }

    /// Returns the outcome of all the last reply's actions if none of them may begin.
    pub(super) fn unwanted(&mut self) -> Option<Outcome> {
        self.left_behind().or_else(|| self.withdrawal().map(withdrawn))
    }

    /// Returns the outcome of the last reply's actions if an earlier process has ruled them out.
    fn left_behind(&mut self) -> Option<Outcome> {
        self.unwanted.take().map(|why| match why {
            Unwanted::Stopped => withdrawn(STOPPED),
            Unwanted::Unrecorded => Outcome::Interrupted,
        })
    }

    /// Gives all the last reply's actions this outcome, without performing any.
    pub(super) fn leave_reply(&mut self, turn: &mut Turn, left: &Outcome) -> Result<(), Ending> {
        let plan = self.plan()?;
        let outcome = |step: &PlanStep| match &step.intent {
            Intent::Perform(_) => left.clone(),
            Intent::Leave(outcome) => outcome.clone(),
        };
        let acted = plan
            .steps
            .iter()
            .map(|step| Acted::new(&step.text, outcome(step)))
            .collect();
        self.acted(turn, &plan, acted)
    }

    /// Recovers from a crash in the middle of acting: repeats no action, and tells the model the known outcomes.
    pub(super) fn take_up_interrupted(
        &mut self,
        turn: &mut Turn,
        acting: u64,
        (started, total, waits): (usize, usize, bool),
        before: &[Acted],
        begun: Acted,
    ) -> Result<(), Ending> {
        let plan = self.plan()?;
        let last = ActionId {
            turn: acting,
            index: started.saturating_sub(1),
        };
        let last_is_done = self.screen.journal().is_some_and(|journal| journal.performed(last));
        if !begins_with(&plan, before) || plan.steps.len() != total {
            // The reply now reads differently because the settings were edited in the meantime, or it was never read to
            // the end. Only the recorded outcomes are certain.
            let known = before.iter().map(|acted| acted.outcome.is_done());
            let done = known.chain((before.len() <= last.index).then_some(last_is_done));
            let done = done.filter(|done| *done).count();
            let text = format!("Interrupted: {done} of {total} actions were performed.\n\n{INTERRUPTED}");
            return self.told(turn, before.to_vec(), text);
        }
        let known = |(index, step): (usize, &PlanStep)| match (before.get(index), &step.intent) {
            (Some(known), _) => known.clone(),
            (None, Intent::Leave(outcome)) => Acted::new(&step.text, outcome.clone()),
            (None, Intent::Perform(_)) if index == last.index && last_is_done => Acted::new(&step.text, Outcome::DONE),
            (None, Intent::Perform(_)) if waits => Acted::new(&step.text, withdrawn(WAITED)),
            (None, Intent::Perform(_)) => Acted::new(&step.text, Outcome::Interrupted),
        };
        let mut acted: Vec<Acted> = plan.steps.iter().enumerate().map(known).collect();
        if let Some(acted) = acted.get_mut(last.index).filter(|_| before.len() <= last.index) {
            (acted.found, acted.decided) = (begun.found, begun.decided);
        }
        self.acted(turn, &plan, acted)
    }
}

/// Checks whether the plan begins with the actions of these outcomes.
fn begins_with(plan: &Plan, before: &[Acted]) -> bool {
    let planned = plan.steps.iter();
    before.len() <= plan.steps.len() && planned.zip(before).all(|(step, acted)| step.text == acted.action)
}

#[cfg(test)]
mod tests {
    use franz_record::Event;

    use super::super::{grey, notices};
    use super::*;

    #[test]
    fn a_model_is_told_that_more_may_have_been_done_than_is_recorded() {
        let settings = ["loop.max_turns=1", "loop.settle_s=0", "screen.start_s=0"];
        let mut fixture = grey::agent_with("I rest.", &settings);
        fixture.agent.unwanted = Some(Unwanted::Unrecorded);
        fixture.agent.state.phase = Phase::Acted {
            turn: 1,
            outcomes: Vec::new(),
            feedback: "OK: 1 action executed.".to_owned(),
        };
        let _ending = fixture.agent.run();
        let feedback = fixture.events.iter().find_map(|event| match event {
            Event::TurnDone(line) => Some(line.feedback),
            _ => None,
        });
        let feedback = feedback.unwrap();
        let told = format!("OK: 1 action executed.\n\n{}", notices::UNRECORDED);
        assert!(feedback.starts_with(&told), "{feedback}");
    }
}
