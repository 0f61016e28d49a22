//! A platform on which FRANZ cannot start a desktop of its own.

use crate::child::Environment;
use crate::desktop::{Display, DisplayError};

/// How large the desktop would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateDesktopOptions {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// There is none.
pub enum PrivateDesktop {}

impl PrivateDesktop {
    /// Says what to use instead.
    pub fn start(_: &PrivateDesktopOptions) -> Result<PrivateDesktop, DisplayError> {
        Err(DisplayError::Unavailable(
            "a virtual desktop takes Xvfb on Linux; use this one with --screen desktop, or draw on the sandbox with --screen canvas"
                .to_owned(),
        ))
    }

    /// As programs call it.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// The window manager that runs on it.
    pub fn window_manager(&self) -> Option<&'static str> {
        match *self {}
    }

    /// What programs need in their environment to run on it.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        match *self {}
    }

    /// Starts a command by the shell.
    pub fn spawn(&mut self, _: &str, _: &Environment) -> Result<u32, DisplayError> {
        match *self {}
    }

    /// Waits until so many windows are there.
    pub fn wait_for_windows(&self, _: u32, _: std::time::Duration) -> Result<bool, DisplayError> {
        match *self {}
    }

    /// The desktop, seen and acted upon from this process.
    pub fn open(&self) -> Result<Box<dyn Display>, DisplayError> {
        match *self {}
    }
}
