//! The vocabulary: the actions on a screen, and their outcomes.
//!
//! This crate is pure. [`action`] is the set of actions, built from a [`click`], a [`path`], [`typing`], [`keys`],
//! [`holding`] and [`point`]s, or from a target that they are [`aimed_at`]; `canonical` writes them as text. [`verb`]
//! lists the kinds of action without their arguments, [`tool`] names and documents each one, and [`tool_set`] contains
//! those that are switched on. [`outcome`] is the result of an action, and [`mode`] says whether a model may act.
//! [`text`] shortens what is said about them.
//!
//! This crate deliberately does not read what models write (a dialect does) or perform actions (a screen does).
#![forbid(unsafe_code)]

pub mod action;
pub mod aimed_at;
pub mod button;
mod canonical;
pub mod click;
pub mod holding;
pub mod keys;
pub mod mode;
pub mod outcome;
pub mod path;
pub mod point;
pub mod text;
pub mod tool;
pub mod tool_set;
pub mod typing;
pub mod verb;

pub use action::Action;
pub use aimed_at::AimedAt;
pub use button::Button;
pub use canonical::NotAnAction;
pub use click::Click;
pub use holding::{Held, Holding};
pub use keys::Keys;
pub use mode::{DeclaredMode, Mode};
pub use outcome::Outcome;
pub use path::Path;
pub use point::{Norm, Point};
pub use tool::Tool;
pub use tool_set::ToolSet;
pub use typing::Typing;
pub use verb::Verb;
