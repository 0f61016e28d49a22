//! A protocol: how a model writes actions in a reply, and how it is told what became of them.
//!
//! A model family's own dialect is one file more: a type that implements [`Protocol`], and an entry in
//! [`KINDS`](crate::protocols::KINDS).

use std::fmt;

use franz_python::{Builtins, Limits};

use crate::mode::Mode;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::tool::ToolSet;

/// A reply as protocols read it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reply<'a> {
    /// Its content.
    pub text: &'a str,
    /// The array of its tool calls, as the server wrote it.
    pub tool_calls: Option<&'a str>,
    /// Whether it ended at the limit of tokens, before the model had ended.
    pub cut: bool,
}

impl<'a> Reply<'a> {
    /// A whole reply of text alone.
    pub fn of(text: &'a str) -> Reply<'a> {
        Reply {
            text,
            ..Reply::default()
        }
    }
}

/// What feedback says besides outcomes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scene<'a> {
    /// The name of the picture that is shown with the feedback.
    pub picture: &'a str,
    /// The screen's width and height in pixels.
    pub screen: (u32, u32),
}

/// A way of writing actions.
pub trait Protocol: fmt::Debug + Send + Sync {
    /// Reads a reply. This never fails: what is wrong with a reply is part of the plan.
    fn read(&self, reply: &Reply<'_>) -> Plan;

    /// The plan before there is any reply.
    fn opening(&self) -> Plan {
        self.read(&Reply::default())
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

/// What a protocol found in one reply, kept for wording what became of it.
pub trait Report: fmt::Debug + Send + Sync {
    /// The protocol's own text about a performed plan; `outcomes` has one entry a step.
    fn feedback(&self, plan: &Plan, outcomes: &[Outcome], scene: &Scene<'_>) -> String;
}

/// What protocols can be told by a profile.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The tools that are switched on.
    pub tools: ToolSet,
    /// Which of Python's builtins a block has.
    pub builtins: Builtins,
    /// What a block of Python may use.
    pub limits: Limits,
    /// How many actions a block of Python may ask for.
    pub actions: usize,
}

impl Settings {
    /// These tools, and what a block of Python may use unless a profile says otherwise.
    pub fn new(tools: ToolSet) -> Settings {
        Settings {
            tools,
            builtins: Builtins::default(),
            limits: Limits::default(),
            actions: 500,
        }
    }
}
