//! The screens on which actions happen: the sandbox canvas, the real desktop, and the interface that every screen
//! implements.
//!
//! In reading order: [`screen`] is the agent's view of any screen, and [`interrupt`] interrupts an action. [`canvas`]
//! is the sandbox: a black picture that actions draw on, recorded in a journal. [`desktop`] is a real desktop;
//! [`desktop::Display`] hides platform differences, with one directory per platform. [`elements`] are the buttons and
//! fields that programs report. [`masked`] withholds parts of any screen. [`private_desktop`] is a desktop that FRANZ
//! creates, for users who want to keep theirs to themselves; [`browser`] is a browser that FRANZ starts and uses as a
//! desktop; and [`vnc`] is a desktop on another machine. [`child`] prepares every process that FRANZ starts.
//!
//! Deliberately absent: marks and scaling, which belong to the picture rather than the screen, and waiting between
//! turns.
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests start programs and write files as anybody would"
    )
)]

pub mod browser;
pub mod canvas;
pub mod child;
pub mod desktop;
pub mod elements;
pub mod interrupt;
pub mod masked;
pub mod private_desktop;
pub mod screen;
mod stacking;
pub mod vnc;
mod window;

pub use browser::{Browser, BrowserOptions};
pub use canvas::{Canvas, CanvasError};
pub use desktop::{Desktop, DisplayError, Gesture, Pace, Target};
pub use elements::{AccessibleElement, ElementSource, Elements, ScreenElement, ScreenElements};
pub use interrupt::Interrupt;
pub use masked::{Glob, Mask, MaskTarget, Masked};
pub use private_desktop::PrivateDesktop;
pub use screen::{ActionId, ActionJournal, CaptureError, Change, Pointer, Screen, ScreenError};
pub use stacking::Stacking;
pub use vnc::{RemoteKeyboard, VncServer};
pub use window::{ScreenWindow, Window, WindowId};
