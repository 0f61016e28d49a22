//! The python protocol: runs the first fenced block of a reply in an interpreter that knows only the tools.
//!
//! In reading order: `fence` finds the block, `host` provides what the block can call, `feedback` words the outcomes.

mod feedback;
mod fence;
mod host;

use std::ops::Range;

use franz_action::{Action, Outcome, ToolSet};
use franz_python::{BlockEnding, Builtins, Limits, Work};

use crate::correction::Correction;
use crate::geometry::Geometry;
use crate::own_form::OwnForm;
use crate::plan::{Intent, Plan, PlanStep, ReplySpan};
use crate::protocol::{Protocol, ReadingSettings, ReplyText};
use crate::written;
use feedback::{BlockReport, NoBlock, OpeningReport};
use fence::FoundBlock;
use host::ActionHost;

/// The protocol with its settings.
#[derive(Clone, Debug)]
pub struct PythonProtocol {
    /// The tools that blocks may call.
    pub tools: ToolSet,
    /// The Python builtins available to blocks.
    pub builtins: Builtins,
    /// The resource limits of a block.
    pub limits: Limits,
    /// How many actions a block can request.
    pub actions: usize,
    /// What the numbers in calls mean.
    pub geometry: Geometry,
}

impl From<ReadingSettings> for PythonProtocol {
    fn from(settings: ReadingSettings) -> PythonProtocol {
        let ReadingSettings {
            tools,
            builtins,
            limits,
            actions,
            geometry,
            calls: _,
        } = settings;
        PythonProtocol {
            tools,
            builtins,
            limits,
            actions,
            geometry,
        }
    }
}

impl Protocol for PythonProtocol {
    fn read(&self, reply: &ReplyText<'_>) -> Plan {
        self.read_measured(reply).0
    }

    fn opening(&self) -> Plan {
        Plan::new(
            Vec::new(),
            OpeningReport {
                tools: self.tools.clone(),
                axes: self.geometry.axes,
            },
        )
    }
}

impl PythonProtocol {
    /// Reads a reply. Also returns how much work its block took.
    pub fn read_measured(&self, reply: &ReplyText<'_>) -> (Plan, Work) {
        let (found, blocks) = fence::find(reply.text);
        let mut host = ActionHost::new(&self.tools, self.actions, &self.geometry);
        let mut run = |source: &str| {
            let ran = franz_python::run(source, &mut host, self.builtins, &self.limits);
            if let BlockEnding::Broken(_) = ran.ending {
                host.clear();
            }
            (ran, !host.actions.is_empty())
        };
        let mut mended = None;
        let ran = match &found {
            FoundBlock::Nothing => Err(NoBlock::Missing),
            FoundBlock::Unclosed => Err(NoBlock::Unclosed),
            FoundBlock::Block(block) => Ok(match (run(&block.source), written::in_ascii(&block.source)) {
                // A block that acts and then raises a SyntaxError itself must not act again.
                ((ran, false), Some(source)) if is_no_python(&ran) => {
                    let (again, _) = run(&source);
                    mended = Some(source);
                    again
                }
                ((ran, _), _) => ran,
            }),
        };
        let work = ran.as_ref().map_or_else(|_| Work::default(), |ran| ran.work);
        let actions = host.actions;
        let steps = match &found {
            FoundBlock::Block(block) => actions
                .into_iter()
                .map(|call| step(block, call, mended.as_deref()).spoken(&self.geometry))
                .collect(),
            FoundBlock::Nothing | FoundBlock::Unclosed => Vec::new(),
        };
        let report = BlockReport {
            tools: self.tools.clone(),
            axes: self.geometry.axes,
            blocks,
            ran,
        };
        let failed = report.ran.as_ref().map_or(true, |ran| ran.failure().is_some());
        let rests = match &report.ran {
            Ok(ran) => matches!(ran.ending, BlockEnding::Empty | BlockEnding::Finished) && steps.iter().all(is_look),
            // A reply of only words is fine, but a call outside a block is a mistake.
            Err(NoBlock::Missing) => !self.calls_outside(reply.text),
            Err(NoBlock::Unclosed) => false,
        };
        let mut plan = Plan::new(steps, report);
        plan.rests = rests;
        if failed {
            let correction = Correction {
                form: OwnForm::Python,
                tools: &self.tools,
                geometry: &self.geometry,
            };
            plan.correction = Some(correction.of_nothing());
        }
        (plan, work)
    }
}

impl PythonProtocol {
    /// Checks whether text without a block seems to call an enabled tool.
    fn calls_outside(&self, text: &str) -> bool {
        let tools = self.tools.sorted();
        tools.iter().any(|tool| text.contains(&format!("{}(", tool.name)))
    }
}

/// Checks whether a step asks only for a picture. A picture follows every reply anyway.
fn is_look(step: &PlanStep) -> bool {
    match &step.intent {
        Intent::Perform(action) => matches!(action, Action::Observe | Action::Screenshot),
        Intent::Leave(outcome) => *outcome == Outcome::IGNORED,
    }
}

/// Checks whether a block was not Python at all, so that none of it ran.
fn is_no_python(ran: &franz_python::Ran) -> bool {
    ran.failure()
        .is_some_and(|failure| failure.message.starts_with("SyntaxError"))
}

/// Turns a call in the block into a step. Ignores screenshots, because a new one follows every reply anyway.
///
/// In a block whose punctuation was `mended`, calls keep their lines, but not their positions.
fn step(block: &fence::Block<'_>, (action, at): (Action, Range<usize>), mended: Option<&str>) -> PlanStep {
    let span = ReplySpan::Text(match mended {
        Some(source) => block.line_in_reply(source.get(..at.start).unwrap_or_default().matches('\n').count()),
        None => block.in_reply(at.start)..block.in_reply(at.end),
    });
    if action == Action::Screenshot {
        return PlanStep::leave(span, &action.to_string(), Outcome::IGNORED);
    }
    PlanStep::perform(span, action)
}
