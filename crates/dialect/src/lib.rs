//! Replies to plans: how models write actions, and how they are told what became of them.
//!
//! Pure: no input or output, no clock but the interpreter's time limit, no async. What a model writes is never an error
//! of ours: reading a reply always returns a [`Plan`], and what is wrong with the reply is part of it.
//!
//! In reading order: a [`plan`] is what a reply asks for, a [`protocol`] reads one, [`protocols`] lists them. [`python`] has
//! `franz_python` run a block, [`lines`] and [`sections`] find the calls that are `written` in the text outside of each
//! `thought`, [`tools`] reads calls of functions. They share [`call`], which reads one literal call, and [`bind`], which
//! turns arguments into an action.
//!
//! Deliberately absent: performing actions (that is a screen's work) and anything about requests.
#![forbid(unsafe_code)]

pub mod bind;
mod bound;
pub mod call;
pub mod lines;
mod notice;
pub mod plan;
pub mod protocol;
pub mod protocols;
pub mod python;
pub mod sections;
mod thought;
pub mod tools;
mod written;

pub use franz_python::{Builtins, Limits, Work};
pub use lines::LinesProtocol;
pub use plan::{Intent, Plan, PlanReport, PlanStep, ReplySpan, Scene};
pub use protocol::{Protocol, ReplyText};
pub use python::PythonProtocol;
pub use sections::SectionsProtocol;
pub use tools::ToolsProtocol;
