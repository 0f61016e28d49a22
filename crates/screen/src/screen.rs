//! The agent's view of any screen.

use std::error::Error;

use franz_action::{Action, Norm, Outcome, Point};
use franz_frame::{Area, Frame};

use crate::elements::ScreenElements;
use crate::interrupt::Interrupt;
use crate::stacking::Stacking;
use crate::window::{ScreenWindow, WindowId};

/// Why an action on a target fails: a screen knows only positions.
pub(crate) const NOT_FOUND: &str = "its target has not been located";

/// Why a screen refuses an action that the agent itself performs.
pub(crate) const NOT_MINE: &str = "the agent does this, not the screen";

/// Identifies an action within a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActionId {
    /// The turn in which the action is performed, from 1.
    pub turn: u64,
    /// The action's position among the actions of the reply, from 0.
    pub index: usize,
}

/// The pointer's position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// The current position; `None` before the first move.
    pub current: Option<Point>,
    /// The position before the last move.
    pub previous: Option<Point>,
}

impl Pointer {
    /// Moves to a point; the current position becomes the previous one.
    pub fn move_to(&mut self, point: Point) {
        self.previous = self.current.replace(point);
    }
}

/// Why a capture failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot capture the screen ({source})")]
pub struct CaptureError {
    /// The error that the system returned.
    pub source: Box<dyn Error + Send + Sync>,
}

/// Why a screen could not be opened, acted on or saved.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ScreenError(pub Box<dyn Error + Send + Sync>);

/// How the last captured picture differs from the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// There is no earlier picture to compare with.
    Unknown,
    /// Every pixel is the same.
    #[default]
    Nothing,
    /// Only the mouse cursor changed or moved.
    Cursor,
    /// Everything outside these corners, top left and bottom right, is the same except the mouse cursor.
    Within(Point, Point),
}

impl Change {
    /// Combines this change with a later one.
    #[must_use]
    pub fn and(self, later: Change) -> Change {
        let corner = |pick: fn(Norm, Norm) -> Norm, a: Point, b: Point| Point {
            x: pick(a.x, b.x),
            y: pick(a.y, b.y),
        };
        match (self, later) {
            (Change::Unknown, _) | (_, Change::Unknown) => Change::Unknown,
            (Change::Within(a, b), Change::Within(c, d)) => {
                Change::Within(corner(Ord::min, a, c), corner(Ord::max, b, d))
            }
            (within @ Change::Within(..), _) | (_, within @ Change::Within(..)) => within,
            (Change::Cursor, _) | (_, Change::Cursor) => Change::Cursor,
            (Change::Nothing, Change::Nothing) => Change::Nothing,
        }
    }

    /// Returns the change for a part of the whole picture.
    pub(crate) fn within(whole: Area, part: Area) -> Change {
        let (first, last) = whole.corners(&part);
        Change::Within(first, last)
    }
}

/// Something that can be captured and acted on.
pub trait Screen: Send {
    /// Returns the width and height in pixels.
    fn size(&self) -> (u32, u32);

    /// Captures the picture as it is now, without marks.
    fn capture(&mut self) -> Result<&Frame, CaptureError>;

    /// Captures like [`capture`](Screen::capture), but draws the mouse cursor where that call last drew it, so that
    /// comparing the two pictures shows what programs have drawn since.
    fn look(&mut self) -> Result<&Frame, CaptureError> {
        self.capture()
    }

    /// Returns whether the picture can change without an action performed through this screen.
    fn changes_by_itself(&self) -> bool {
        true
    }

    /// Returns the last captured picture.
    fn frame(&self) -> &Frame;

    /// Returns how the last captured picture differs from the one before.
    fn change(&self) -> Change;

    /// Moves the pointer towards the action's first target, up to the border of the neighbourhood in which the action is
    /// expected to change something, and returns where the pointer is then. Nothing is pressed. Returns `None` if the
    /// pointer has not moved: it is close already, it moves fast, or there is none.
    ///
    /// Until the action is performed, the target can be looked at once more.
    fn approach(&mut self, action: &Action, interrupt: &dyn Interrupt) -> Option<Point> {
        let _ = (action, interrupt);
        None
    }

    /// Performs one action; returns when it is done or interrupted.
    ///
    /// An [`Outcome`] reports what the screen cannot do for the model; an error means that the screen itself failed.
    fn perform(&mut self, at: ActionId, action: &Action, interrupt: &dyn Interrupt) -> Result<Outcome, ScreenError>;

    /// Passes on what a person is doing, at the person's own pace.
    fn pass_on(&mut self, action: &Action, interrupt: &dyn Interrupt) -> Result<Outcome, ScreenError> {
        self.perform(ActionId { turn: 0, index: 0 }, action, interrupt)
    }

    /// Releases the buttons that actions hold down, at their current position, and returns their names. Called at the
    /// end of a reply, because nothing stays down from one reply to the next.
    fn let_go(&mut self) -> Result<Vec<String>, ScreenError> {
        Ok(Vec::new())
    }

    /// Returns the pointer's current and previous position.
    fn pointer(&self) -> Pointer;

    /// Returns the windows of programs, the topmost first, or `None` if this screen knows of none.
    fn windows(&mut self) -> Result<Option<Vec<ScreenWindow>>, ScreenError> {
        Ok(None)
    }

    /// Returns everything that programs show on this screen and beyond its edges, or `None` if this screen does not
    /// know of windows.
    fn stacking(&mut self) -> Result<Option<Stacking>, ScreenError> {
        Ok(None)
    }

    /// Returns the elements of programs in view, such as buttons, or `None` if this screen knows of none. Takes no
    /// longer than a turn allows, so some might be missing.
    fn elements(&mut self) -> Result<Option<ScreenElements>, ScreenError> {
        Ok(None)
    }

    /// Returns the length of the text on the clipboard in characters, if there is any text and the screen can tell.
    fn clipboard_length(&mut self) -> Option<usize> {
        None
    }

    /// Returns the titles and classes of the windows of the program whose text is on the clipboard, or `None` if the
    /// screen cannot tell.
    fn clipboard_owner(&mut self) -> Result<Option<Vec<String>>, ScreenError> {
        Ok(None)
    }

    /// Brings a window to the front and gives it the keyboard focus. Returns `false` if it no longer exists.
    fn focus(&mut self, window: WindowId) -> Result<bool, ScreenError> {
        let _ = window;
        Ok(false)
    }

    /// Returns the screen's own record of the actions performed on it, if it keeps one.
    fn journal(&mut self) -> Option<&mut dyn ActionJournal> {
        None
    }

    /// Saves what must be kept and releases what is held; called once, at the end.
    fn close(&mut self) -> Result<(), ScreenError>;
}

/// A screen's own record of the actions performed on it, kept on disk.
pub trait ActionJournal {
    /// Returns whether an action that an earlier process started took effect.
    fn performed(&self, at: ActionId) -> bool;

    /// Brings the files up to date. Called in each turn, after the actions and while the model thinks.
    fn save(&mut self) -> Result<(), ScreenError>;

    /// Continues without writing, because the disk accepts no more data.
    fn detach(&mut self);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_add_up() {
        let within = |x1, y1, x2, y2| Change::Within(Point::clamped(x1, y1), Point::clamped(x2, y2));
        let small = within(10, 20, 30, 40);
        for (first, then, both) in [
            (Change::Nothing, Change::Nothing, Change::Nothing),
            (Change::Nothing, Change::Cursor, Change::Cursor),
            (Change::Cursor, small, small),
            (small, Change::Nothing, small),
            (small, within(5, 30, 20, 60), within(5, 20, 30, 60)),
            (small, Change::Unknown, Change::Unknown),
        ] {
            assert_eq!(first.and(then), both);
            assert_eq!(then.and(first), both);
        }
    }

    #[test]
    fn the_pointer_remembers_one_place() {
        let mut pointer = Pointer::default();
        pointer.move_to(Point::clamped(1, 1));
        assert_eq!(pointer.previous, None);
        pointer.move_to(Point::clamped(2, 2));
        assert_eq!(pointer.current, Some(Point::clamped(2, 2)));
        assert_eq!(pointer.previous, Some(Point::clamped(1, 1)));
    }
}
