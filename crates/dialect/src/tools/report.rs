//! The outcomes of the calls in the protocol's own feedback, one result per line.

use franz_action::{Action, Outcome};

use super::call_error::ToolCallError;
use super::result;
use crate::geometry::Geometry;
use crate::plan::{Plan, PlanReport, PlanStep, Scene};

const FINISHED: &str = "the run continues; do more only if something is missing";
/// This ends in a line that is harmless if the model repeats it word for word.
const NO_CALL: &str = "Nothing was done, because your reply called no tool. Call the next tool now. If the task is done or cannot be done, call finish with your whole answer. A call looks like this:\n{\"name\": \"observe_screen\", \"parameters\": {}}";

/// The result of reading a reply, apart from its actions.
#[derive(Clone, Debug)]
pub(super) enum ToolsReport {
    /// There has been no reply yet.
    Opening,
    /// The report on each step, and what the model's numbers mean.
    Calls(Vec<Told>, Geometry),
}

/// What to report about one call.
#[derive(Clone, Debug)]
pub(super) enum Told {
    /// It asks for an action.
    Call,
    /// It ends the work.
    Finish,
    Failed(ToolCallError),
}

impl PlanReport for ToolsReport {
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], scene: &Scene<'_>) -> String {
        let (told, geometry) = match self {
            ToolsReport::Opening => return String::new(),
            ToolsReport::Calls(told, _) if told.is_empty() => return NO_CALL.to_owned(),
            ToolsReport::Calls(told, geometry) => (told, geometry),
        };
        let steps = told.iter().zip(&plan.steps).zip(outcomes);
        let lines: Vec<String> = steps
            .map(|((told, step), outcome)| line(told, step, outcome, scene, geometry))
            .collect();
        lines.join("\n")
    }
}

fn line(told: &Told, step: &PlanStep, outcome: &Outcome, scene: &Scene<'_>, geometry: &Geometry) -> String {
    match told {
        Told::Failed(fault) => return result::failed(fault.kind(), &fault.to_string()),
        Told::Finish if *outcome == Outcome::IGNORED => return result::noted(FINISHED),
        Told::Finish | Told::Call => {}
    }
    match (outcome, step.action()) {
        (Outcome::Done(note), Some(action)) => result::done(action, note.as_deref(), scene, geometry),
        (Outcome::Read { text, .. }, Some(Action::Ask(_))) => result::answered(text),
        (Outcome::Read { text, note }, _) => result::read(text, note.as_deref()),
        (Outcome::Blocked(None), _) => result::failed("blocked", "not allowed in the current mode"),
        (Outcome::Interrupted, _) => {
            result::failed("interrupted", "interrupted before it was finished; look at the screen")
        }
        (outcome, _) => result::failed(outcome.name(), outcome.why().unwrap_or("not performed")),
    }
}
