//! What became of a reply, as far as the protocol's own feedback tells it.

use ruff_text_size::TextSize;

use super::feedback;
use super::source::Source;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::protocol::{self, Scene};
use crate::tool::ToolSet;

/// What reading a reply found besides actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// What blocks may call.
    pub(crate) tools: ToolSet,
    /// How many blocks are marked `python`.
    pub(crate) blocks: usize,
    pub(crate) ending: Ending,
    /// What was printed.
    pub(crate) output: String,
}

impl protocol::Report for Report {
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], _scene: &Scene<'_>) -> String {
        feedback::text(self, plan, outcomes)
    }
}

/// How a block ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// There was no block.
    NoBlock,
    /// The block's fence is not closed.
    Unclosed,
    /// There was no statement in it.
    Empty,
    Finished,
    Failed(Failure),
}

/// An error, with nothing in it but the model's own lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Outermost first.
    pub(crate) frames: Vec<Frame>,
    /// `TypeError: ...`
    pub(crate) message: String,
}

/// One place of the model's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// More frames than this tell nothing new: a recursion repeats itself.
const MOST_FRAMES: usize = 6;
/// A longer message is cut.
const LONGEST_MESSAGE: usize = 1000;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(end);
            message.push('\u{2026}');
        }
        Failure {
            frames: Vec::new(),
            message,
        }
    }

    /// Names the places it passed, given innermost first; of many the outer and the inner three are shown.
    pub(crate) fn at(mut self, source: Source<'_>, trace: &[TextSize]) -> Failure {
        let inner = trace.len().min(MOST_FRAMES / 2);
        let outer = (trace.len() - inner).min(MOST_FRAMES - inner);
        let shown = trace.iter().rev().take(outer).chain(trace[..inner].iter().rev());
        let lines = shown.map(|at| source.line_number(*at));
        self.frames = lines
            .map(|line| Frame {
                line,
                text: source.line(line),
            })
            .collect();
        self
    }
}
