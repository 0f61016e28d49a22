//! The python protocol: the first fenced block of a reply, evaluated by an interpreter that knows only the tools.
//!
//! In reading order: `fence` finds the block, `block` runs it on a thread of its own, `feedback` words what became of it. The
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

use crate::action::Action;
use crate::outcome::Outcome;
use crate::protocol::{self, Plan};
use crate::tool::ToolSet;
use fence::Found;
use report::Ending;

pub(crate) use report::Report;

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

/// Notices that a plan tells one by one.
const MOST_NOTICES: usize = 5;

impl Python {
    pub(crate) fn read(&self, text: &str) -> Plan {
        let (found, blocks) = fence::find(text);
        let ran = match found {
            Found::Nothing => block::Ran::nothing(Ending::NoBlock),
            Found::Unclosed => block::Ran::nothing(Ending::Unclosed),
            Found::Block(source) => block::run(self, &source),
        };
        Plan {
            actions: ran.actions,
            notices: shortened(ran.notices),
            report: protocol::Report::Python(Report {
                blocks,
                ending: ran.ending,
                output: ran.output,
            }),
        }
    }

    pub(crate) fn feedback(&self, report: &Report, actions: &[Action], outcomes: &[Outcome]) -> String {
        feedback::text(self, report, actions, outcomes)
    }
}

/// Tells each thing once, and of many things only how many more there are.
fn shortened(notices: Vec<String>) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut untold = 0;
    for notice in notices {
        if told.contains(&notice) {
            continue;
        }
        if told.len() < MOST_NOTICES {
            told.push(notice);
        } else {
            untold += 1;
        }
    }
    if untold > 0 {
        told.push(format!("and {untold} more calls were clamped."));
    }
    told
}
