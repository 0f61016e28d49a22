//! The python protocol: the first fenced block of a reply, evaluated by an interpreter that knows only the tools.
//!
//! In reading order: `fence` finds the block, `block` runs it on a stack of its own, `feedback` words what became of it. The
//! interpreter: `syntax` parses and checks, `value` is what it computes with, `budget` bounds it, `machine` walks the
//! tree, `builtin`, `method` and `text` are what values can do.
//!
//! Deliberately absent: classes, generators, `async`, imports, and everything that reaches outside the block.

mod block;
mod budget;
mod builtin;
mod feedback;
mod fence;
mod machine;
mod method;
mod output;
mod report;
mod source;
mod syntax;
mod text;
mod value;

use std::ops::Range;

use crate::action::Action;
use crate::notice;
use crate::outcome::Outcome;
use crate::plan::{Plan, Span, Step};
use crate::protocol::{Protocol, Reply, Settings};
use crate::tool::ToolSet;
pub use budget::Work;
use fence::Found;
use report::{Ending, Report};

/// The protocol with its settings.
#[derive(Clone, Debug)]
pub struct Python {
    /// The tools that blocks may call.
    pub tools: ToolSet,
    /// Leaves out the harmless builtins as well.
    pub strict: bool,
    /// What a block may use.
    pub limits: Limits,
}

/// What one block may use. Going beyond a limit ends the block; what it asked for before counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Length of the source, in bytes.
    pub source_bytes: usize,
    /// Steps of the interpreter.
    pub steps: u64,
    /// Time, in seconds.
    pub seconds: f64,
    /// Memory of the block's values, in bytes.
    pub bytes: usize,
    /// Nested calls of the block's own functions.
    pub depth: usize,
    /// Actions.
    pub actions: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            source_bytes: 64 << 10,
            steps: 1_000_000,
            seconds: 2.0,
            bytes: 64 << 20,
            depth: 60,
            actions: 500,
        }
    }
}

impl From<Settings> for Python {
    fn from(settings: Settings) -> Python {
        let Settings { tools, strict, limits } = settings;
        Python { tools, strict, limits }
    }
}

impl Protocol for Python {
    fn read(&self, reply: &Reply<'_>) -> Plan {
        self.read_measured(reply).0
    }
}

impl Python {
    /// Reads a reply; also returns the work that its block took.
    pub fn read_measured(&self, reply: &Reply<'_>) -> (Plan, Work) {
        let (found, blocks) = fence::find(reply.text);
        let ran = match &found {
            Found::Nothing => block::Ran::nothing(Ending::NoBlock),
            Found::Unclosed => block::Ran::nothing(Ending::Unclosed),
            Found::Block(block) => block::run(self, &block.source),
        };
        let report = Report {
            tools: self.tools.clone(),
            blocks,
            ending: ran.ending,
            output: ran.output,
        };
        let steps = match &found {
            Found::Block(block) => ran.actions.into_iter().map(|call| step(block, call)).collect(),
            Found::Nothing | Found::Unclosed => Vec::new(),
        };
        let mut plan = Plan::new(steps, report);
        plan.notices = notice::few(ran.notices, "clamped");
        (plan, ran.work)
    }
}

/// A call of the block as a step. That a fresh screenshot follows every reply is plain.
fn step(block: &fence::Block<'_>, (action, at): (Action, Range<usize>)) -> Step {
    let span = Span::Text(block.in_reply(at.start)..block.in_reply(at.end));
    if action == Action::Screenshot {
        return Step::leave(span, &action.to_string(), Outcome::IGNORED);
    }
    Step::perform(span, action)
}
