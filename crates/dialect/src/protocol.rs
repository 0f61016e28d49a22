//! A protocol: how a model writes actions in a reply, and how it is told what became of them.
//!
//! A model family's own dialect is one file more: a type that implements [`Protocol`], and an entry in
//! [`KINDS`](crate::protocols::KINDS).

use std::fmt;

use franz_action::{Mode, ToolSet};
use franz_python::{Builtins, Limits};

use crate::plan::Plan;

/// A reply as protocols read it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplyText<'a> {
    /// Its content.
    pub text: &'a str,
    /// The array of its tool calls, as the server wrote it.
    pub tool_calls: Option<&'a str>,
    /// Whether it ended at the limit of tokens, before the model had ended.
    pub cut: bool,
}

impl<'a> ReplyText<'a> {
    /// A whole reply of text alone.
    pub fn of(text: &'a str) -> ReplyText<'a> {
        ReplyText {
            text,
            ..ReplyText::default()
        }
    }
}

/// A way of writing actions.
pub trait Protocol: fmt::Debug + Send + Sync {
    /// Reads a reply. This never fails: what is wrong with a reply is part of the plan.
    fn read(&self, reply: &ReplyText<'_>) -> Plan;

    /// The plan before there is any reply.
    fn opening(&self) -> Plan {
        self.read(&ReplyText::default())
    }

    /// The lines above the feedback that say what the model is to do, where its own replies may change that.
    fn heading(&self, mode: Mode, goal: &str) -> Option<String> {
        let _ = (mode, goal);
        None
    }

    /// The array of tools in requests, where calls are no part of the text.
    fn schema(&self) -> Option<String> {
        None
    }
}

/// What protocols can be told by a profile.
#[derive(Clone, Debug)]
pub struct ReadingSettings {
    /// The tools that are switched on.
    pub tools: ToolSet,
    /// Which of Python's builtins a block has.
    pub builtins: Builtins,
    /// What a block of Python may use.
    pub limits: Limits,
    /// How many actions a block of Python may ask for.
    pub actions: usize,
}

impl ReadingSettings {
    /// These tools, and what a block of Python may use unless a profile says otherwise.
    pub fn new(tools: ToolSet) -> ReadingSettings {
        ReadingSettings {
            tools,
            builtins: Builtins::default(),
            limits: Limits::default(),
            actions: 500,
        }
    }
}
