//! The protocol's own feedback on a reply: what to report, and its words.

use franz_action::text::shortened;
use franz_action::{Outcome, ToolSet};
use franz_python::{BlockEnding, BlockFailure, Ran};

use crate::bind;
use crate::geometry::Axes;
use crate::plan::{NOTHING_YET, Plan, PlanReport, Scene};

const NO_BLOCK: &str = "SyntaxError: no ```python block found in your output. Wrap tool calls in ```python ... ```";
const UNCLOSED: &str = "SyntaxError: the ```python block is not closed. End it with ```";

/// How many actions without effect to list individually.
const MOST_WITHOUT_EFFECT: usize = 5;
/// How many characters of an action to show.
const LONGEST_ACTION: usize = 200;

/// The result of reading a reply, apart from its actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockReport {
    /// The tools that blocks can call, and the order of their coordinates.
    pub(super) tools: ToolSet,
    pub(super) axes: Axes,
    /// How many blocks are marked `python`.
    pub(super) blocks: usize,
    /// What the block did.
    pub(super) ran: Result<Ran, NoBlock>,
}

/// Why nothing ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoBlock {
    /// There was no block.
    Missing,
    /// The block's fence is not closed.
    Unclosed,
}

/// The report before the first reply.
#[derive(Clone, Debug)]
pub(super) struct OpeningReport {
    pub(super) tools: ToolSet,
    pub(super) axes: Axes,
}

impl PlanReport for OpeningReport {
    fn feedback(&self, _plan: &Plan, _outcomes: &[Outcome], _scene: &Scene<'_>) -> String {
        format!("{NOTHING_YET}\n{}", listed(&self.tools, self.axes))
    }
}

impl PlanReport for BlockReport {
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], _scene: &Scene<'_>) -> String {
        let mut lines = Vec::new();
        if self.blocks > 1 {
            let blocks = self.blocks;
            lines.push(format!(
                "WARNING: {blocks} ```python blocks found. Only the first executed."
            ));
        }
        let without_effect = without_effect(plan, outcomes);
        let failed = match &self.ran {
            Err(missing) => {
                lines.push(missing.message().to_owned());
                true
            }
            Ok(ran) => match &ran.ending {
                BlockEnding::Failed(failure) | BlockEnding::Broken(failure) => {
                    lines.extend(without_effect);
                    failed(&mut lines, failure, outcomes);
                    true
                }
                BlockEnding::Empty | BlockEnding::Finished => {
                    let failed = !without_effect.is_empty();
                    lines.extend(without_effect);
                    lines.push(finished(&ran.ending, outcomes, failed));
                    failed
                }
            },
        };
        if let Ok(ran) = &self.ran
            && !ran.output.is_empty()
        {
            lines.push(format!("Output:\n{}", ran.output));
        }
        if failed {
            lines.push(listed(&self.tools, self.axes));
        }
        lines.join("\n")
    }
}

fn listed(tools: &ToolSet, axes: Axes) -> String {
    let tools = bind::listed(tools, axes).into_iter().map(|tool| format!("\n  {tool}"));
    format!("\nAvailable tools:{}", tools.collect::<String>())
}

impl NoBlock {
    fn message(self) -> &'static str {
        match self {
            NoBlock::Missing => NO_BLOCK,
            NoBlock::Unclosed => UNCLOSED,
        }
    }
}

fn failed(lines: &mut Vec<String>, failure: &BlockFailure, outcomes: &[Outcome]) {
    lines.extend(failure.frames.iter().map(ToString::to_string));
    lines.push(failure.message.clone());
    lines.push(format!("{} before error.", executed(outcomes)));
}

/// Returns the last line about a block that ran to its end.
fn finished(ending: &BlockEnding, outcomes: &[Outcome], failed: bool) -> String {
    let not_all = outcomes.iter().find_map(|outcome| match outcome {
        Outcome::Interrupted => Some("Interrupted"),
        Outcome::Held(_) => Some("Held"),
        Outcome::Refused(_) => Some("Refused"),
        Outcome::Withdrawn(_) => Some("Withdrawn"),
        _ => None,
    });
    if let Some(why) = not_all {
        let all = outcomes
            .iter()
            .filter(|outcome| !matches!(outcome, Outcome::Ignored(_)))
            .count();
        let done = done(outcomes);
        return format!("{why}: {done} of {all} actions were performed.");
    }
    let executed = executed(outcomes);
    match ending {
        BlockEnding::Empty => format!("OK: {executed} (empty ```python block)."),
        _ if failed => format!("{executed}."),
        _ => format!("OK: {executed}."),
    }
}

/// Returns a count such as `3 actions executed`.
fn executed(outcomes: &[Outcome]) -> String {
    match done(outcomes) {
        1 => "1 action executed".to_owned(),
        done => format!("{done} actions executed"),
    }
}

fn done(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|outcome| outcome.is_done()).count()
}

/// Returns one line for each distinct action that could not be applied or was not allowed.
fn without_effect(plan: &Plan, outcomes: &[Outcome]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (step, outcome) in plan.steps.iter().zip(outcomes) {
        let (what, why) = match outcome {
            Outcome::NotApplied(why) => ("not applied", why),
            Outcome::Blocked(Some(why)) => ("blocked", why),
            _ => continue,
        };
        let action = shortened(&step.shown, LONGEST_ACTION);
        let line = format!("RuntimeError: {action} was {what} ({why})");
        if lines.len() < MOST_WITHOUT_EFFECT && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}
