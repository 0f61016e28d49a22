//! The part of a reply's outcome that the protocol's own feedback reports.

use franz_action::{Outcome, ToolSet};
use franz_python::Ran;

use super::feedback;
use crate::geometry::Axes;
use crate::plan::{Plan, PlanReport, Scene};

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
        feedback::opening(&self.tools, self.axes)
    }
}

impl PlanReport for BlockReport {
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], _scene: &Scene<'_>) -> String {
        feedback::text(self, plan, outcomes)
    }
}
