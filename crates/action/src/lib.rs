//! The vocabulary: the actions on a screen, and their outcomes.
//!
//! Pure: [`action`] is the set of actions and their canonical text, built from [`point`]s and [`keys`]; [`verb`] is the
//! variants alone, [`tool`] names and documents each. [`outcome`] is the result of an action, [`mode`] says whether a
//! model may act.
//!
//! Deliberately absent: reading what models write (a dialect does that) and performing actions (a screen does).
#![forbid(unsafe_code)]

pub mod action;
pub mod keys;
pub mod mode;
pub mod outcome;
pub mod point;
pub mod tool;
pub mod verb;

pub use action::Action;
pub use mode::{DeclaredMode, Mode};
pub use outcome::Outcome;
pub use point::{Norm, Point};
pub use tool::{Tool, ToolSet};
pub use verb::Verb;
