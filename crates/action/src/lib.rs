//! Text to actions: the action set, its canonical text, and the protocols that read replies.
//!
//! Pure: no input or output, no clock but the interpreter's time limit, no async. What a model writes is never an
//! error of ours: reading a reply always gives a [`Plan`], and what is wrong with the reply is part of it.
//!
//! In reading order: [`point`] and [`keys`] are what actions are made of, [`action`] is the set itself, [`verb`] its
//! variants alone, [`tool`] names and documents each, [`bind`] turns arguments into actions, [`call`]
//! reads one literal call, [`outcome`] says what became of an action. A [`plan`] is what a reply asks for, [`mode`]
//! included; a [`protocol`] reads one: [`python`] has `franz_python` run a block, [`lines`] and [`sections`] find the calls that are
//! `written` in the text outside of each `thought`, [`tools`] reads calls of functions; [`protocols`] lists them.
//!
//! Deliberately absent: performing actions (that is a screen's work) and anything about requests.
#![forbid(unsafe_code)]

pub mod action;
pub mod bind;
mod bound;
pub mod call;
pub mod keys;
pub mod lines;
pub mod mode;
mod notice;
pub mod outcome;
pub mod plan;
pub mod point;
pub mod protocol;
pub mod protocols;
pub mod python;
pub mod sections;
mod thought;
pub mod tool;
pub mod tools;
pub mod verb;
mod written;

pub use action::Action;
pub use lines::Lines;
pub use mode::{DeclaredMode, Mode};
pub use outcome::Outcome;
pub use plan::{Intent, Plan, Span, Step};
pub use point::{Norm, Point};
pub use protocol::{Protocol, Reply, Scene};
pub use python::Python;
pub use sections::Sections;
pub use tool::{Tool, ToolSet};
pub use tools::Tools;
pub use verb::Verb;

pub use franz_python::{Builtins, Limits, Work};
