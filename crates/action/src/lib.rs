//! The words: what can be done on a screen, and what became of it.
//!
//! Pure: [`action`] is the set of actions and their canonical text, made of [`point`]s and [`keys`];
//! [`verb`] is its variants alone, [`tool`] names and documents each. [`outcome`] says what became of an action, [`mode`]
//! whether a model may act.
//!
//! Deliberately absent: reading what models write (that is a dialect's work) and performing them (a screen's).
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
