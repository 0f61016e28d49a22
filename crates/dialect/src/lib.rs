//! Turns replies into plans: how models write actions, and how the feedback reports their outcomes.
//!
//! Pure: no I/O, no async, and no clock apart from the interpreter's time limit. A model's mistakes are never errors
//! here: reading a reply always returns a [`Plan`], which includes whatever is wrong with the reply.
//!
//! In reading order: a [`plan`] is what a reply asks for, a [`protocol`] reads one, [`protocols`] lists them.
//! [`python`] runs a block with `franz_python`, [`lines`] and [`sections`] find the calls `written` in the text outside
//! any `thought`, [`tools`] reads function calls. They share [`call`], which reads one literal call, and [`bind`],
//! which turns arguments into an action. A [`reader`] reads what models of a [`family`] write in their own [`dialect`]:
//! `notation` finds raw calls, `meaning` says what a verb asks for, [`geometry`] turns numbers into points, `wording`
//! writes a call; a [`FamilyProtocol`] puts such calls into the frame of a protocol. [`calibration`] finds out what a
//! model's coordinates mean, from places that [`pointed`] reads. A [`grammar`] or a [`schema`] limits a model to
//! readable replies, if its server can enforce that.
//!
//! Deliberately absent: performing actions (a screen does that) and anything about requests.
#![forbid(unsafe_code)]

mod bare_place;
pub mod bind;
mod bound;
pub mod calibration;
pub mod call;
mod chord;
mod correction;
pub mod dialect;
pub mod dialects;
mod end_token;
pub mod family;
mod family_protocol;
pub mod geometry;
pub mod grammar;
mod imagined;
mod json;
mod label;
pub mod lines;
pub mod manner;
mod meaning;
mod notation;
mod notice;
mod own_form;
pub mod plan;
pub mod pointed;
pub mod protocol;
pub mod protocols;
pub mod python;
pub mod reader;
pub mod schema;
pub mod sections;
mod spot;
mod thought;
pub mod tools;
mod usual;
mod wording;
mod written;

pub use correction::WRITE;
pub use dialect::Dialect;
pub use family::Family;
pub use family_protocol::{Examples, FamilyProtocol, NO_FUNCTIONS};
pub use franz_python::{Builtins, Limits, Work};
pub use geometry::{Axes, Geometry, PlaceError, Space, Spot};
pub use grammar::{CallsIn, Grammar, ReplyForm};
pub use lines::LinesProtocol;
pub use manner::Manner;
pub use own_form::OwnForm;
pub use plan::{Finish, Intent, NoCall, Plan, PlanReport, PlanStep, ReplySpan, Scene};
pub use pointed::{Pointed, PointedForm};
pub use protocol::{Protocol, ReplyText};
pub use python::PythonProtocol;
pub use reader::{DialectReader, Fate, ReadStep, Reading};
pub use schema::Schema;
pub use sections::SectionsProtocol;
pub use tools::ToolsProtocol;
