//! Where actions happen: the sandbox canvas, and the interface every screen implements.
//!
//! In reading order: [`screen`] is what the agent sees of any screen, [`interrupt`] lets acting be broken off, [`canvas`] is
//! the sandbox: a black picture that actions draw on, kept in a journal.
//!
//! Deliberately absent: marks and scaling, which belong to the picture and not to the screen, and waiting between turns.
#![forbid(unsafe_code)]

pub mod canvas;
pub mod interrupt;
pub mod screen;

pub use canvas::{Canvas, CanvasError};
pub use interrupt::Interrupt;
pub use screen::{CaptureError, Pointer, Screen, ScreenError, Step};
