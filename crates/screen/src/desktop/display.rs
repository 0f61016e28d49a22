//! What a platform gives: pictures of its desktop, and hands on its mouse and keyboard. One implementation a platform.

use std::error::Error;
use std::time::Duration;

use franz_action::keys::Key;
use franz_frame::{Area, Frame};

use super::cursor::CursorImage;
use super::gesture::Input;

/// Why the desktop could not be seen or acted upon: what happened, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum DisplayError {
    /// There is no desktop to open.
    #[error("{0}")]
    Unavailable(String),
    /// The connection to the display is gone, or it refuses.
    #[error("the display failed while {doing} ({source})")]
    Failed {
        /// What was tried.
        doing: &'static str,
        /// What the system answered.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The system does not let input through to where it was meant to go.
    #[error("{0}")]
    Refused(String),
}

impl DisplayError {
    /// What the system answered while that was tried.
    pub(crate) fn failed(doing: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> DisplayError {
        DisplayError::Failed {
            doing,
            source: source.into(),
        }
    }
}

/// One monitor of the desktop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor {
    /// As the system calls it.
    pub name: String,
    /// Its part of the desktop.
    pub area: Area,
}

/// A button of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Button {
    /// The first.
    Left,
    /// The wheel's.
    Middle,
    /// The second.
    Right,
}

/// Which way a key or button goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// Pressed.
    Down,
    /// Released.
    Up,
}

/// A desktop of some platform. Positions are pixels of the whole desktop, (0,0) its top left corner, also where a monitor stands left of
/// the first one.
///
/// Every event is on its way to the programs when the method returns.
pub trait Display: Send {
    /// What it is, in words for people: `X11 display :0`.
    fn name(&self) -> String;

    /// The monitors as they are now, the primary one first; never none.
    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError>;

    /// Brings `frame`, which has the size of `area`, up to what that part of the desktop shows, without the mouse cursor. Gives the
    /// smallest part, in pixels of the frame, outside of which no pixel is another than it was in `frame`; `None` when none is.
    ///
    /// Except for the first call with an area, only what the system says has changed needs to be read: the frame is the one that the last call left.
    fn capture(&mut self, area: Area, frame: &mut Frame) -> Result<Option<Area>, DisplayError>;

    /// The mouse cursor as it is drawn now; `None` when it is hidden or not known.
    fn cursor(&mut self) -> Result<Option<CursorImage>, DisplayError>;

    /// Where the pointer is.
    fn pointer(&mut self) -> Result<(i32, i32), DisplayError>;

    /// Puts the pointer somewhere.
    fn move_to(&mut self, x: i32, y: i32) -> Result<(), DisplayError>;

    /// Presses or releases a button.
    fn button(&mut self, button: Button, press: Press) -> Result<(), DisplayError>;

    /// Turns the wheel one notch along each axis that is not 0: `dx` 1 is to the right, `dy` 1 is down; -1 the other way.
    fn notch(&mut self, dx: i32, dy: i32) -> Result<(), DisplayError>;

    /// Makes keys ready that are to be pressed together: programs have to learn of those that the keyboard lacks, which takes time. Ends
    /// early when `goes_on` says `false`. [`settle`](Display::settle) undoes it.
    fn prepare(&mut self, keys: &[Key], goes_on: &mut dyn FnMut() -> bool) -> Result<(), DisplayError> {
        let _ = (keys, goes_on);
        Ok(())
    }

    /// Puts the keyboard back as it was before [`prepare`](Display::prepare), as soon as programs have understood what was pressed; when
    /// `goes_on` says `false` they are given no more than a moment.
    fn settle(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), DisplayError> {
        let _ = goes_on;
        Ok(())
    }

    /// Presses or releases a key by the place it has on the keyboard; one that it lacks has to be made ready. A character that needs Shift on
    /// this keyboard is typed with it.
    fn key(&mut self, key: &Key, press: Press) -> Result<(), DisplayError>;

    /// Types a text exactly, whatever the keyboard's layout; `\n` is Enter, `\t` Tab. Behind each character `goes_on` is called with it, and
    /// waits as long as a person would; while the display itself has to wait it is called with `None`, again and again. When it says `false`
    /// typing ends there. No key is down when this returns, whatever it returns, and the keyboard's layout is as it was.
    fn type_text(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<(), DisplayError>;

    /// Waits until a press has reached the program that it is meant for, where the system may hold it back; `false` when it has not within
    /// this time, or `goes_on` says `false`.
    fn passed(&mut self, within: Duration, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, DisplayError> {
        let _ = (within, goes_on);
        Ok(true)
    }

    /// Waits until the program under the pointer has taken the input that it was sent, where the system can tell; `false` when it has not
    /// within this time, or `goes_on` says `false`.
    fn taken(&mut self, within: Duration, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, DisplayError> {
        let _ = (within, goes_on);
        Ok(true)
    }

    /// The time within which two clicks are a double click.
    fn double_click_time(&mut self) -> Duration;

    /// The text on the clipboard; `None` when it holds none.
    fn clipboard(&mut self) -> Result<Option<String>, DisplayError>;

    /// Puts a text on the clipboard. It stays there as long as this display is open.
    fn set_clipboard(&mut self, text: &str) -> Result<(), DisplayError>;

    /// Takes the display for this process, so that no two agents act on one desktop: [`DisplayError::Refused`] while another one has it. It is
    /// free again when the display is closed, and when the process is killed.
    fn claim(&mut self) -> Result<(), DisplayError>;

    /// Names of the keys and buttons that input of programs holds down now.
    fn held(&mut self) -> Result<Vec<String>, DisplayError>;

    /// Releases every key and button that input of programs holds down, also what a process that was killed has left, and gives their
    /// names. What a person holds stays down, where the system tells the two apart.
    fn release(&mut self) -> Result<Vec<String>, DisplayError>;

    /// Tells what the person does with mouse and keyboard, from a thread of its own, until the watch is dropped. Input of programs is
    /// not told.
    fn watch(&mut self, tell: Box<dyn FnMut(Input) + Send>) -> Result<GestureWatch, DisplayError>;
}

/// Watching what the person does; ends when it is dropped.
pub struct GestureWatch {
    /// Ends the thread, whatever it waits for, and waits for its end.
    end: Option<Box<dyn FnOnce() + Send>>,
}

impl GestureWatch {
    /// A watch that ends by this.
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
