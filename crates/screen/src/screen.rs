//! What the agent sees of any screen.

use std::error::Error;

use franz_action::{Action, Norm, Outcome, Point};
use franz_frame::{Area, Frame};

use crate::interrupt::Interrupt;

/// Which action of which turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActionId {
    /// The turn in which the action is performed, from 1.
    pub turn: u64,
    /// The action's place among the actions of the reply, from 0.
    pub index: usize,
}

/// Where the pointer stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// Now; `None` before the first move.
    pub current: Option<Point>,
    /// Before its last move.
    pub previous: Option<Point>,
}

impl Pointer {
    /// Moves to a point; the place it stood at becomes the previous one.
    pub fn move_to(&mut self, point: Point) {
        self.previous = self.current.replace(point);
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
#[error("the screen could not be captured ({source})")]
pub struct CaptureError {
    /// What the system answered.
    pub source: Box<dyn Error + Send + Sync>,
}

/// Why a screen could not be opened, acted upon or saved.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ScreenError(pub Box<dyn Error + Send + Sync>);

/// How the picture that was captured last differs from the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// There is none before it that could be compared.
    Unknown,
    /// Every pixel is the same.
    #[default]
    Nothing,
    /// Only the mouse cursor is another one, or elsewhere.
    Cursor,
    /// Outside of these corners, top left and bottom right, everything is the same but the mouse cursor.
    Within(Point, Point),
}

impl Change {
    /// This change with another one behind it.
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

    /// The change of a part of the whole picture.
    pub(crate) fn within(whole: Area, part: Area) -> Change {
        let (first, last) = whole.corners(&part);
        Change::Within(first, last)
    }
}

/// Something that is captured and acted upon.
pub trait Screen: Send {
    /// Width and height in pixels.
    fn size(&self) -> (u32, u32);

    /// The picture as it is now, without marks.
    fn capture(&mut self) -> Result<&Frame, CaptureError>;

    /// The picture that was captured last.
    fn frame(&self) -> &Frame;

    /// How the picture that was captured last differs from the one before.
    fn change(&self) -> Change;

    /// Performs one action; returns when it is done or broken off.
    ///
    /// What the screen cannot do for the model is an [`Outcome`]; an error is trouble of the screen itself.
    fn perform(&mut self, at: ActionId, action: &Action, interrupt: &dyn Interrupt) -> Result<Outcome, ScreenError>;

    /// Where the pointer stands and stood.
    fn pointer(&self) -> Pointer;

    /// The screen's own record of what was done on it, where it keeps one.
    fn journal(&mut self) -> Option<&mut dyn ActionJournal> {
        None
    }

    /// Keeps what there is to keep and releases what is held; called once, at the end.
    fn close(&mut self) -> Result<(), ScreenError>;
}

/// A screen's own record, on disk, of what was done on it.
pub trait ActionJournal {
    /// Whether an action that an earlier process started took effect.
    fn performed(&self, at: ActionId) -> bool;

    /// Called after each turn; the screen decides whether there is something to keep.
    fn save(&mut self, turn: u64) -> Result<(), ScreenError>;

    /// Goes on without writing: the disk takes nothing more.
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
