//! The state of a canvas apart from its pixels.

use franz_action::{Action, Point};
use serde::{Deserialize, Serialize};

use crate::screen::{ActionId, Pointer};

/// The pointer, the text cursor, and the last action that was drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    pub(super) pointer: Pointer,
    pub(super) text: Option<TextCursor>,
    pub(super) last: Option<ActionId>,
}

impl State {
    /// Returns whether this action was drawn before. Actions come in order.
    pub(super) fn has(&self, at: ActionId) -> bool {
        self.last.is_some_and(|last| at <= last)
    }

    /// Records where an action left the pointer, and that the action was drawn.
    pub(super) fn remember(&mut self, at: ActionId, action: &Action) {
        if let Some(point) = action.pointer() {
            self.pointer.move_to(point);
        }
        self.last = Some(at);
    }
}

/// Where typed text continues, in whole canvas pixels, so that a replay ends at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TextCursor {
    /// Where lines begin.
    start: i32,
    x: i32,
    /// The middle of the line.
    y: i32,
}

impl TextCursor {
    /// Creates a cursor for text that begins here.
    pub(super) fn at(x: f32, y: f32) -> TextCursor {
        TextCursor {
            start: x.round() as i32,
            x: x.round() as i32,
            y: y.round() as i32,
        }
    }

    /// Returns the top left corner of the text written next.
    pub(super) fn top_left(&self, size: f32) -> (f32, f32) {
        (self.x as f32, self.y as f32 - (size / 2.0).round())
    }

    /// Moves the cursor right.
    pub(super) fn advance(&mut self, width: f32) {
        self.x = self.x.saturating_add(width.round() as i32);
    }

    /// Moves the cursor down a line, back to where lines begin.
    pub(super) fn break_line(&mut self, size: f32) {
        self.x = self.start;
        self.y = self.y.saturating_add(size.round() as i32);
    }
}

/// The state as a snapshot keeps it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptState {
    turn: u64,
    index: usize,
    current: Option<(f64, f64)>,
    previous: Option<(f64, f64)>,
    text: Option<TextCursor>,
}

impl KeptState {
    /// Returns the state to keep, or `None` for a canvas on which nothing has happened.
    pub(super) fn of(state: &State) -> Option<KeptState> {
        let pair = |point: Point| (point.x.get(), point.y.get());
        state.last.map(|last| KeptState {
            turn: last.turn,
            index: last.index,
            current: state.pointer.current.map(pair),
            previous: state.pointer.previous.map(pair),
            text: state.text,
        })
    }

    pub(super) fn restore(self) -> State {
        let point = |(x, y): (f64, f64)| Point::nearest(x, y);
        State {
            pointer: Pointer {
                current: self.current.map(point),
                previous: self.previous.map(point),
            },
            text: self.text,
            last: Some(ActionId {
                turn: self.turn,
                index: self.index,
            }),
        }
    }
}
