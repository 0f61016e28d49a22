//! The python protocol: the first fenced block of a reply, evaluated by an interpreter that knows only the tools.

use crate::action::Action;
use crate::outcome::Outcome;
use crate::protocol::{self, Plan};
use crate::tool::ToolSet;

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

/// What one block may use.
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
    /// Nested calls.
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

/// What reading found besides actions.
#[derive(Clone, Debug)]
pub(crate) struct Report {}

impl Python {
    pub(crate) fn read(&self, _text: &str) -> Plan {
        Plan {
            actions: Vec::new(),
            notices: Vec::new(),
            report: protocol::Report::Python(Report {}),
        }
    }

    pub(crate) fn feedback(&self, _report: &Report, _actions: &[Action], _outcomes: &[Outcome]) -> String {
        String::new()
    }
}
