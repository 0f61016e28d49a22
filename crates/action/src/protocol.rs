//! A protocol: how a model writes actions in a reply, and how it is told what became of them.

use crate::action::Action;
use crate::outcome::Outcome;
use crate::python::{self, Python};

/// A way of writing actions.
#[derive(Clone, Debug)]
pub enum Protocol {
    /// Calls in a fenced block of Python.
    Python(Python),
}

/// What a reply asks for. Reading never fails: whatever is wrong with a reply is in here as well.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order in which they are to be performed.
    pub actions: Vec<Action>,
    /// Sentences for the model that no outcome carries, such as a clamped coordinate.
    pub notices: Vec<String>,
    /// What only the protocol's own feedback needs.
    pub(crate) report: Report,
}

/// What a protocol found besides actions.
#[derive(Clone, Debug)]
pub(crate) enum Report {
    Python(python::Report),
}

impl Protocol {
    /// Reads a reply's text.
    pub fn read(&self, text: &str) -> Plan {
        match self {
            Protocol::Python(python) => python.read(text),
        }
    }

    /// The protocol's own text about a performed plan; `outcomes` has one entry an action.
    pub fn feedback(&self, plan: &Plan, outcomes: &[Outcome]) -> String {
        match (self, &plan.report) {
            (Protocol::Python(python), Report::Python(report)) => python.feedback(report, &plan.actions, outcomes),
        }
    }
}
