//! A protocol: how a model writes actions in a reply, and how it is told what became of them.
//!
//! A model family's own dialect is one file more: a type that implements [`Protocol`], and a line in [`KINDS`].

use std::fmt;

use crate::lines::Lines;
use crate::mode::Mode;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::python::{Limits, Python};
use crate::sections::Sections;
use crate::tool::ToolSet;
use crate::tools::Tools;

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
    /// Whether blocks of Python have no builtins.
    pub strict: bool,
    /// What a block of Python may use.
    pub limits: Limits,
}

/// A protocol by its name.
pub struct Kind {
    /// As profiles write it.
    pub name: &'static str,
    /// Whether models call functions in it, so that what they remember is a conversation.
    pub has_calls: bool,
    /// Whether replies declare a mode.
    pub has_modes: bool,
    /// Makes it.
    pub new: fn(Settings) -> Box<dyn Protocol>,
}

/// The protocols there are.
pub const KINDS: [Kind; 4] = [
    Kind {
        name: "lines",
        has_calls: false,
        has_modes: false,
        new: |settings| Box::new(Lines::from(settings)),
    },
    Kind {
        name: "python",
        has_calls: false,
        has_modes: false,
        new: |settings| Box::new(Python::from(settings)),
    },
    Kind {
        name: "sections",
        has_calls: false,
        has_modes: true,
        new: |settings| Box::new(Sections::from(settings)),
    },
    Kind {
        name: "tools",
        has_calls: true,
        has_modes: false,
        new: |settings| Box::new(Tools::from(settings)),
    },
];

/// The names of the protocols.
pub const NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = KINDS[at].name;
        at += 1;
    }
    names
};

/// The protocol of this name.
pub fn kind(name: &str) -> Option<Kind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}
