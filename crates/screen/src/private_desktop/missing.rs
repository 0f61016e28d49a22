//! A platform on which FRANZ cannot start a desktop of its own.

use crate::child::Environment;
use crate::desktop::{Display, DisplayError, IsOver};

/// The size of the desktop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateDesktopOptions {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// A private desktop, which cannot exist on this platform.
pub enum PrivateDesktop {}

impl PrivateDesktop {
    /// Fails with a hint what to use instead.
    pub fn start(_: &PrivateDesktopOptions) -> Result<PrivateDesktop, DisplayError> {
        Err(DisplayError::Unavailable(
            "a private desktop needs Xvfb on Linux; use your own desktop with --screen desktop, or draw on the sandbox with --screen canvas"
                .to_owned(),
        ))
    }

    /// Returns the display name as programs use it.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Returns the window manager running on the desktop.
    pub fn window_manager(&self) -> Option<&'static str> {
        match *self {}
    }

    /// Returns the variables that programs need in their environment to run on this desktop.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        match *self {}
    }

    /// Starts a shell command.
    pub fn spawn(&mut self, _: &str, _: &Environment) -> Result<u32, DisplayError> {
        match *self {}
    }

    /// Waits until enough windows exist.
    pub fn wait_for_windows(&self, _: u32, _: std::time::Duration) -> Result<bool, DisplayError> {
        match *self {}
    }

    /// Opens the desktop, to be seen and acted on from this process.
    pub fn open(&self) -> Result<Box<dyn Display>, DisplayError> {
        match *self {}
    }

    /// Opens it as [`desktop::open_until`](crate::desktop::open_until) does.
    pub fn open_until(&self, _: IsOver) -> Result<Box<dyn Display>, DisplayError> {
        match *self {}
    }
}
