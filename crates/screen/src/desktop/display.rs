//! The interface that each platform implements once: pictures of its desktop, and control of its mouse and keyboard.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use franz_action::Button;
use franz_action::keys::Key;
use franz_frame::{Area, Frame};
use franz_rfb::RfbError;

use super::cursor::CursorImage;
use super::gesture::Input;
use crate::elements::DesktopLayer;
use crate::screen::{CaptureError, ScreenError};
use crate::window::{Window, WindowId};

/// Why the desktop could not be seen or acted on: what happened, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum DisplayError {
    /// There is no desktop to open.
    #[error("{0}")]
    Unavailable(String),
    /// The desktop asks for a password, and none was given.
    #[error("{0}")]
    PasswordWanted(String),
    /// The display is gone or no longer responds. It stays unusable until it is opened again.
    #[error("the display is lost: {doing} failed ({source})")]
    Lost {
        /// What FRANZ was doing.
        doing: &'static str,
        /// The error that the system returned.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A request to the display failed.
    #[error("the display failed while {doing} ({source})")]
    Failed {
        /// What FRANZ was doing.
        doing: &'static str,
        /// The error that the system returned.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The person does not let FRANZ use the desktop, or no longer does.
    #[error("{0}")]
    Withdrawn(String),
    /// The system does not let input through to its target.
    #[error("{0}")]
    Refused(String),
    /// The system shows the desktop to no program for now.
    #[error("{0}")]
    Withheld(String),
}

impl DisplayError {
    /// Returns whether the display is gone until it is opened again.
    pub fn is_lost(&self) -> bool {
        matches!(self, DisplayError::Lost { .. })
    }

    /// Returns whether the display is lost because its VNC server violated the protocol, which it will probably do
    /// again.
    pub fn is_violation(&self) -> bool {
        let DisplayError::Lost { source, .. } = self else {
            return false;
        };
        let error = source.downcast_ref::<Arc<RfbError>>();
        error.is_some_and(|error| matches!(**error, RfbError::Invalid(_)))
    }

    /// Creates an error from the one that the system returned while doing `doing`.
    pub(crate) fn failed(doing: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> DisplayError {
        DisplayError::Failed {
            doing,
            source: source.into(),
        }
    }
}

impl CaptureError {
    /// Returns whether the screen is gone until it is opened again.
    pub fn is_lost(&self) -> bool {
        is_lost(&*self.source)
    }

    /// Returns whether the system shows the screen to no program for now, so that nobody can act on it either.
    pub fn is_withheld(&self) -> bool {
        matches!(self.source.downcast_ref(), Some(DisplayError::Withheld(_)))
    }

    /// Returns whether the screen is gone because its server violated the protocol.
    pub fn is_violation(&self) -> bool {
        self.source.downcast_ref().is_some_and(DisplayError::is_violation)
    }
}

impl ScreenError {
    /// Returns whether the screen is gone until it is opened again.
    pub fn is_lost(&self) -> bool {
        is_lost(&*self.0)
    }
}

fn is_lost(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    error.downcast_ref().is_some_and(DisplayError::is_lost)
}

/// One monitor of the desktop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor {
    /// The system's name for the monitor.
    pub name: String,
    /// The part of the desktop that the monitor shows.
    pub area: Area,
}

/// Whether a key or button is pressed or released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// Pressed.
    Down,
    /// Released.
    Up,
}

/// Returns whether the run is over, so that waits can end early.
pub type IsOver = Arc<dyn Fn() -> bool + Send + Sync>;

/// A platform's desktop. Positions are pixels of the whole desktop, with (0,0) its top left corner, even if a monitor
/// is to the left of the first one.
///
/// When a method returns, its events are on their way to the programs. No method waits forever: if the system stops
/// responding, the call fails with [`DisplayError::Lost`], and so do all later calls.
pub trait Display: Send {
    /// Describes the desktop in words for people: `X11 display :0`.
    fn name(&self) -> String;

    /// Returns what the desktop is about to ask the person, or `None` if it asks nothing. The next call that needs the
    /// person's consent asks, and waits for the answer.
    fn consent(&self) -> Option<String> {
        None
    }

    /// Returns the current monitors, the primary one first; never empty.
    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError>;

    /// Updates `frame`, which has the size of `area`, to what that part of the desktop shows, without the mouse cursor.
    /// Returns the smallest part that contains every changed pixel, in pixels of the frame, or `None` if none changed.
    ///
    /// Except on the first call with an area, an implementation only needs to read what the system reports as changed,
    /// because the frame still holds the result of the last call.
    fn capture(&mut self, area: Area, frame: &mut Frame) -> Result<Option<Area>, DisplayError>;

    /// Returns the mouse cursor as it is drawn now, or `None` if it is hidden or unknown.
    fn cursor(&mut self) -> Result<Option<CursorImage>, DisplayError>;

    /// Returns the position of the pointer, or `None` where the system does not report it.
    fn pointer(&mut self) -> Result<Option<(i32, i32)>, DisplayError>;

    /// Returns the windows of programs, the topmost first, or `None` where the system does not report them. Windows can
    /// vanish at any time, which is not an error.
    fn windows(&mut self) -> Result<Option<Vec<Window>>, DisplayError> {
        Ok(None)
    }

    /// Returns the layers of everything on the desktop, the topmost first, or `None` where the system does not report
    /// them. `windows` are the windows of programs.
    fn layers(&mut self, windows: &[Window]) -> Result<Option<Vec<DesktopLayer>>, DisplayError> {
        let _ = windows;
        Ok(None)
    }

    /// Brings a window to the front and gives it the keyboard focus. Returns `false` if it no longer exists.
    fn focus(&mut self, window: WindowId) -> Result<bool, DisplayError> {
        let _ = window;
        Err(DisplayError::Refused(
            "FRANZ does not know the windows of this screen; click on the window".to_owned(),
        ))
    }

    /// Moves the pointer to a position.
    fn move_to(&mut self, x: i32, y: i32) -> Result<(), DisplayError>;

    /// Presses or releases a button.
    fn button(&mut self, button: Button, press: Press) -> Result<(), DisplayError>;

    /// Returns whether buttons can only be released at a known position. Another process then needs that position to
    /// release them.
    fn places_release(&self) -> bool {
        false
    }

    /// Turns the wheel one notch along each axis that is not 0: `dx` 1 is right, `dy` 1 is down, and -1 is the
    /// opposite.
    fn notch(&mut self, dx: i32, dy: i32) -> Result<(), DisplayError>;

    /// Prepares keys that will be pressed together, because programs need time to learn about keys that the keyboard
    /// lacks. Stops early when `goes_on` returns `false`. [`settle`](Display::settle) undoes the preparation.
    fn prepare(&mut self, keys: &[Key], goes_on: &mut dyn FnMut() -> bool) -> Result<(), DisplayError> {
        let _ = (keys, goes_on);
        Ok(())
    }

    /// Restores the keyboard to its state before [`prepare`](Display::prepare), once programs have processed the
    /// presses. When `goes_on` returns `false`, waits only a moment longer for them.
    fn settle(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), DisplayError> {
        let _ = goes_on;
        Ok(())
    }

    /// Presses or releases a key by its position on the keyboard; a key that the keyboard lacks must be prepared first.
    /// A character that needs Shift on this keyboard is typed with Shift.
    fn key(&mut self, key: &Key, press: Press) -> Result<(), DisplayError>;

    /// Types text exactly, whatever the keyboard layout; `\n` is Enter, `\t` is Tab. After each character, `goes_on` is
    /// called with that character, and waits as long as a person would. While the display itself has to wait, `goes_on`
    /// is called repeatedly with `None`. Typing ends when `goes_on` returns `false`. Whatever this method returns, no
    /// key is left down, and the keyboard layout is as it was before.
    fn type_text(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<(), DisplayError>;

    /// Returns the characters of `text` that cannot be typed here, each of them once.
    fn lacks(&mut self, text: &str) -> Result<Vec<char>, DisplayError> {
        let _ = text;
        Ok(Vec::new())
    }

    /// Waits until a press has reached its target program, on systems that can hold presses back. Returns `false` if it
    /// has not arrived within this time, or if `goes_on` returns `false`.
    fn passed(&mut self, within: Duration, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, DisplayError> {
        let _ = (within, goes_on);
        Ok(true)
    }

    /// Waits until the program under the pointer has processed the input sent to it, where the system can tell. Returns
    /// `false` if it has not done so within this time, or if `goes_on` returns `false`.
    fn taken(&mut self, within: Duration, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, DisplayError> {
        let _ = (within, goes_on);
        Ok(true)
    }

    /// Returns the time within which two clicks count as a double click.
    fn double_click_time(&mut self) -> Duration;

    /// Returns the text on the clipboard, or `None` if it holds no text.
    fn clipboard(&mut self) -> Result<Option<String>, DisplayError>;

    /// Returns the titles and classes of all windows of the program that owns the clipboard text, hidden ones included,
    /// or `None` where the system does not report them.
    fn clipboard_owner(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        Ok(None)
    }

    /// Puts text on the clipboard. It stays there as long as this display is open.
    fn set_clipboard(&mut self, text: &str) -> Result<(), DisplayError>;

    /// Claims the display for this process, so that no two agents act on one desktop. Returns [`DisplayError::Refused`]
    /// while another agent has it. The claim ends when the display is closed or the process is killed.
    fn claim(&mut self) -> Result<(), DisplayError>;

    /// Returns the names of the keys and buttons that program input holds down now, or `None` where the system does not
    /// report them.
    fn held(&mut self) -> Result<Option<Vec<String>>, DisplayError>;

    /// Releases every key and button that program input holds down, including those left by a killed process, and
    /// returns their names. Keys and buttons that the user holds stay down, where the system can tell the two apart.
    ///
    /// Where the system does not report what is held, this releases nothing and returns `None`. A caller that knows of
    /// a hold releases it with [`button`](Display::button) or [`key`](Display::key), which then also release what
    /// another process has pressed.
    fn release(&mut self) -> Result<Option<Vec<String>>, DisplayError>;

    /// Reports the user's mouse and keyboard input from a separate thread until the watch is dropped. Input from
    /// programs is not reported. Returns `None` where the system cannot distinguish the two.
    fn watch(&mut self, tell: Box<dyn FnMut(Input) + Send>) -> Result<Option<GestureWatch>, DisplayError>;
}

/// A watch on the user's input; it ends when dropped.
pub struct GestureWatch {
    /// Ends the thread, whatever it is waiting for, and joins it.
    end: Option<Box<dyn FnOnce() + Send>>,
}

impl GestureWatch {
    /// Creates a watch that `end` ends.
    #[cfg(not(target_os = "macos"))]
    pub(crate) fn ending_by(end: impl FnOnce() + Send + 'static) -> GestureWatch {
        GestureWatch {
            end: Some(Box::new(end)),
        }
    }
}

impl Drop for GestureWatch {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_lost_or_withheld_or_fails_for_another_reason() {
        let lost = DisplayError::Lost {
            doing: "taking a picture",
            source: "it is gone".into(),
        };
        for (error, expected) in [
            (lost, (true, false)),
            (DisplayError::Withheld("it is locked".to_owned()), (false, true)),
            (DisplayError::Refused("it is locked".to_owned()), (false, false)),
            (DisplayError::failed("taking a picture", "no memory"), (false, false)),
        ] {
            let told = error.to_string();
            let error = CaptureError { source: error.into() };
            assert_eq!((error.is_lost(), error.is_withheld()), expected, "{told}");
        }
    }
}
