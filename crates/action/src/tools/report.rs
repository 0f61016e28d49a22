//! What became of the calls, as far as the protocol's own feedback tells it: one result a line.

use super::fault::Fault;
use super::result;
use crate::outcome::Outcome;
use crate::plan::{Plan, Step};
use crate::protocol::{self, Scene};

const NO_CALL: &str = "no tool call found in your reply: call one tool, or give your final answer as plain text";

/// What reading a reply found besides actions.
#[derive(Clone, Debug)]
pub(super) struct Report {
    /// One entry a step.
    told: Vec<Told>,
    /// Whether there is nothing to say when nothing was called.
    silent: bool,
}

/// What is to be told about one call.
#[derive(Clone, Debug)]
pub(super) enum Told {
    /// It asks for an action on something that the model calls so.
    Call {
        label: Option<String>,
    },
    Fault(Fault),
}

impl Report {
    pub(super) fn of(told: Vec<Told>) -> Report {
        Report { told, silent: false }
    }

    /// Of a reply that called nothing, and did not have to.
    pub(super) fn silent() -> Report {
        Report {
            told: Vec::new(),
            silent: true,
        }
    }
}

impl protocol::Report for Report {
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], scene: &Scene<'_>) -> String {
        if self.told.is_empty() && !self.silent {
            return NO_CALL.to_owned();
        }
        let steps = self.told.iter().zip(&plan.steps).zip(outcomes);
        let lines: Vec<String> = steps
            .map(|((told, step), outcome)| line(told, step, outcome, scene))
            .collect();
        lines.join("\n")
    }
}

fn line(told: &Told, step: &Step, outcome: &Outcome, scene: &Scene<'_>) -> String {
    let label = match told {
        Told::Fault(fault) => return result::failed(fault.kind(), &fault.to_string()),
        Told::Call { label } => label.as_deref(),
    };
    match (outcome, step.action()) {
        (Outcome::Done(note), Some(action)) => result::done(action, label, note.as_deref(), scene),
        (Outcome::Blocked, _) => result::failed("blocked", "not allowed in the current mode"),
        (Outcome::Interrupted, _) => {
            result::failed("interrupted", "broken off before it was finished; look at the screen")
        }
        (outcome, _) => result::failed(outcome.name(), outcome.why().unwrap_or("not performed")),
    }
}
