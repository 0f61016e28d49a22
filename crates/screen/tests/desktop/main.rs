//! Real X servers with real programs.

mod stage;
mod texts;
mod typing;
