//! The outcomes of the calls, as the protocol's own feedback reports them: one result per line.

use franz_action::Outcome;

use super::call_error::ToolCallError;
use super::result;
use crate::plan::{Plan, PlanReport, PlanStep, Scene};

const ANSWERED: &str = "that was your final answer; go on only if something is missing";
const NO_CALL: &str = "no tool call found in your reply: call one tool, or give your final answer as plain text";

/// What reading a reply found besides actions.
#[derive(Clone, Debug)]
pub(super) enum ToolsReport {
    /// There has been no reply yet.
    Opening,
    /// The reply was the final answer.
    Answered,
    /// One entry per step.
    Calls(Vec<Told>),
}

/// What to report about one call.
#[derive(Clone, Debug)]
pub(super) enum Told {
    /// It asks for an action, on something that the model gave this label.
    Call {
        label: Option<String>,
    },
    Failed(ToolCallError),
}

impl PlanReport for ToolsReport {
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], scene: &Scene<'_>) -> String {
        let told = match self {
            ToolsReport::Opening => return String::new(),
            ToolsReport::Answered => return ANSWERED.to_owned(),
            ToolsReport::Calls(told) if told.is_empty() => return NO_CALL.to_owned(),
            ToolsReport::Calls(told) => told,
        };
        let steps = told.iter().zip(&plan.steps).zip(outcomes);
        let lines: Vec<String> = steps
            .map(|((told, step), outcome)| line(told, step, outcome, scene))
            .collect();
        lines.join("\n")
    }
}

fn line(told: &Told, step: &PlanStep, outcome: &Outcome, scene: &Scene<'_>) -> String {
    let label = match told {
        Told::Failed(fault) => return result::failed(fault.kind(), &fault.to_string()),
        Told::Call { label } => label.as_deref(),
    };
    match (outcome, step.action()) {
        (Outcome::Done(note), Some(action)) => result::done(action, label, note.as_deref(), scene),
        (Outcome::Read { text, note }, _) => result::read(text, note.as_deref()),
        (Outcome::Blocked, _) => result::failed("blocked", "not allowed in the current mode"),
        (Outcome::Interrupted, _) => {
            result::failed("interrupted", "broken off before it was finished; look at the screen")
        }
        (outcome, _) => result::failed(outcome.name(), outcome.why().unwrap_or("not performed")),
    }
}
