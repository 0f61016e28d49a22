//! A protocol: how a model writes actions in a reply, and how the feedback reports their outcomes.
//!
//! To add a model family's own dialect, add one file with a type that implements [`Protocol`], and an entry in
//! [`KINDS`](crate::protocols::KINDS).

use std::borrow::Cow;
use std::fmt;

use franz_action::{Mode, ToolSet};
use franz_python::{Builtins, Limits};

use crate::geometry::Geometry;
use crate::plan::Plan;

/// A reply in the form that protocols read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplyText<'a> {
    /// The reply's content.
    pub text: &'a str,
    /// The array of tool calls, as the server wrote it.
    pub tool_calls: Option<&'a str>,
    /// Whether the token limit cut the reply off before the model had finished.
    pub cut: bool,
}

impl<'a> ReplyText<'a> {
    /// Returns a complete reply without tool calls.
    pub fn of(text: &'a str) -> ReplyText<'a> {
        ReplyText {
            text,
            ..ReplyText::default()
        }
    }
}

/// A way of writing actions.
pub trait Protocol: fmt::Debug + Send + Sync {
    /// Reads a reply. This cannot fail, because mistakes in the reply become part of the plan.
    fn read(&self, reply: &ReplyText<'_>) -> Plan;

    /// Returns the plan before the first reply.
    fn opening(&self) -> Plan {
        self.read(&ReplyText::default())
    }

    /// Returns a reply's text with spaces in place of everything that cannot be a call, in protocols whose replies have
    /// parts. No position in the text changes.
    fn calls_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }

    /// Returns the lines above the feedback that state the mode and goal, in protocols whose replies can change them.
    /// `reported_done` is the turn in which the model reported the person's task done.
    fn heading(&self, mode: Mode, goal: &str, reported_done: Option<u64>) -> Option<String> {
        let _ = (mode, goal, reported_done);
        None
    }

    /// Returns the array of tools for requests, in protocols with calls outside the text.
    fn schema(&self) -> Option<String> {
        None
    }
}

/// How many function calls per reply to perform by default.
const USUAL_CALLS: usize = 8;

/// The settings of a protocol that a profile can change.
#[derive(Clone, Debug)]
pub struct ReadingSettings {
    /// The tools that are switched on.
    pub tools: ToolSet,
    /// The Python builtins available to a block.
    pub builtins: Builtins,
    /// The resource limits of a Python block.
    pub limits: Limits,
    /// How many actions a block of Python can request.
    pub actions: usize,
    /// How many function calls per reply to perform.
    pub calls: usize,
    /// What the model's numbers mean.
    pub geometry: Geometry,
}

impl ReadingSettings {
    /// Returns settings with these tools and the defaults for everything else.
    pub fn new(tools: ToolSet) -> ReadingSettings {
        ReadingSettings {
            tools,
            builtins: Builtins::default(),
            limits: Limits::default(),
            actions: 500,
            calls: USUAL_CALLS,
            geometry: Geometry::THOUSANDTHS,
        }
    }
}
