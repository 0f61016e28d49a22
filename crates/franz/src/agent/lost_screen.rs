//! Handles a screen that is lost, or that the system withholds from every program: until it can be captured again, the
//! run performs no actions and sends no requests to the model.

use std::time::Duration;

use franz_screen::{CaptureError, DisplayError};

use super::Agent;
use crate::config::screen_kind::ScreenKind;
use crate::exit::Unusable;
use crate::stop::Ending;

/// The pause before the first attempt. It doubles after each attempt.
const FIRST: Duration = Duration::from_millis(500);

/// The longest pause between two attempts.
const LONGEST: Duration = Duration::from_secs(10);

/// The pause before looking again at a withheld screen.
const AGAIN: Duration = Duration::from_secs(1);

/// How often a VNC server may violate the protocol in a row, without a picture in between.
const VIOLATIONS: u32 = 3;

/// Counts how often in a row the screen was lost because its server violated the protocol.
#[derive(Default)]
pub(super) struct Violations(u32);

impl Violations {
    /// Counts this loss. Gives up a server that violates the protocol again and again.
    pub(super) fn count(&mut self, lost: &anyhow::Error) -> Result<(), Ending> {
        let is_violation = lost.downcast_ref().is_some_and(CaptureError::is_violation);
        self.0 = if is_violation { self.0 + 1 } else { 0 };
        if self.0 < VIOLATIONS {
            return Ok(());
        }
        Err(Ending::ScreenGone(format!(
            "{lost}; then continue the run with --resume"
        )))
    }
}

/// Returns whether a picture could not be taken because the screen is lost.
pub(super) fn is_lost(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(CaptureError::is_lost)
}

/// Returns whether a picture could not be taken because the system withholds the screen for now.
pub(super) fn is_withheld(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(CaptureError::is_withheld)
}

impl Agent {
    /// Tells the person once that the screen is withheld (`told`), and waits before the next look.
    pub(super) fn await_withheld(&mut self, withheld: &anyhow::Error, told: &mut bool) -> Result<(), Ending> {
        if !std::mem::replace(told, true) {
            self.notice(&format!("{withheld}; the run waits for it (Ctrl+C stops the run)"));
        }
        self.stop.sleep_until_over(AGAIN);
        self.go_on()
    }

    /// Reopens a lost screen as soon as possible. Repeats no actions.
    pub(super) fn reopen_screen(&mut self, lost: &anyhow::Error) -> Result<(), Ending> {
        self.go_on()?;
        self.notice(&format!("{lost}; waiting for it to come back (Ctrl+C stops the run)"));
        let (mut pause, mut told) = (FIRST, String::new());
        let opened = loop {
            self.stop.sleep_until_over(pause);
            self.go_on()?;
            pause = LONGEST.min(pause * 2);
            match self.company.reopen(&self.live.settings) {
                Ok(opened) => break opened,
                Err(error) if self.is_gone(&error) => {
                    let ended = |what| format!("the {what} has ended; continue the run on a new one with --resume");
                    return Err(Ending::ScreenGone(match self.live.settings.screen.kind {
                        ScreenKind::Browser => ended("browser"),
                        ScreenKind::Vnc => format!("{error}; then continue the run with --resume"),
                        ScreenKind::Desktop => format!("{error}; continue the run with --resume"),
                        _ => ended("private desktop"),
                    }));
                }
                Err(error) => {
                    let why = error.to_string();
                    if why != told {
                        self.notice(&format!("{why}; trying again"));
                        told = why;
                    }
                }
            }
        };
        self.screen = opened.screen;
        self.company = opened.company;
        self.countdown = opened.countdown;
        self.notice(&format!("the screen is back: {}", opened.name));
        self.count_down()
    }

    /// Returns whether a desktop cannot come back. A private desktop that ended is gone for good, and FRANZ does not
    /// keep trying a VNC server that rejects it, or a desktop where the person refused.
    fn is_gone(&self, error: &anyhow::Error) -> bool {
        let cause = error.downcast_ref().map(Unusable::cause);
        let display = cause.and_then(|cause| cause.downcast_ref());
        let kind = self.live.settings.screen.kind;
        match display {
            Some(DisplayError::Unavailable(_)) => !kind.is_shared(),
            Some(DisplayError::Withdrawn(_)) => true,
            Some(DisplayError::Refused(_) | DisplayError::PasswordWanted(_)) => kind == ScreenKind::Vnc,
            _ => false,
        }
    }
}
