//! FRANZ's memory of the model's picture and the reply's own actions, used to judge changes since that picture.

use std::sync::Arc;
use std::time::Duration;

use franz_action::{Action, Point};
use franz_frame::{Area, Difference, Frame, look};
use franz_screen::{ScreenWindow, WindowId};

/// Two positions count as the same if they are at most this far apart on both axes, in thousandths.
const ONE_PLACE: f64 = 10.0;

/// The state with which the screen is compared before each of a reply's actions.
#[derive(Default)]
pub(in crate::agent) struct Lookout {
    /// The picture that the model saw when it replied, without marks; `None` if it is unknown.
    pub(super) seen: Option<Arc<Frame>>,
    /// The windows in that picture, topmost first; `None` if they are unknown.
    windows: Option<Vec<ScreenWindow>>,
    /// The paths of the actions that this reply has performed. Changes along these paths are effects of those actions.
    ways: Vec<(Point, Point)>,
    /// The position where this reply's actions have left the pointer.
    pointer: Option<Point>,
    /// What had changed before this reply's first action, if the agent has looked by then.
    before: Option<Difference>,
    /// The windows that this reply has brought to the front.
    pub(super) raised: Vec<WindowId>,
    /// The windows at the positions of the next action.
    pub(super) under: Vec<WindowId>,
    /// The position of this reply's last click.
    clicked: Option<Point>,
    /// Whether the reply has typed since that click.
    has_typed: bool,
    /// Whether the agent has already looked at the screen before a key press in this reply.
    pub(super) has_looked_for_keys: bool,
    /// Whether an action of this reply was held. All later actions of the reply are then held too.
    pub(super) is_holding: bool,
    /// Where the pointer was, and where it is now, if the agent looks while the pointer is on its way.
    pub(super) pointed: Vec<Point>,
    /// How long looking has taken for this reply.
    took: Duration,
    /// The position of the last hold (`None` for keys), and the number of holds in a row at that position.
    pub(super) row: Option<(Option<Point>, u32)>,
}

impl Lookout {
    /// Notes the picture that the model has answered, and its windows.
    pub(in crate::agent) fn saw(&mut self, picture: Option<Arc<Frame>>, windows: Option<Vec<ScreenWindow>>) {
        (self.seen, self.windows) = (picture, windows);
    }

    /// Returns the window that was in front in the model's picture.
    pub(super) fn front(&self) -> Option<WindowId> {
        front_of(self.windows.as_deref()?)
    }

    /// Returns whether one of the windows that are there `now` is at this point, and another one, or none, was in the
    /// model's picture. A window that this reply has brought to the front is not another one.
    pub(super) fn is_another(&self, whole: Area, at: Point, now: Option<&[ScreenWindow]>) -> bool {
        let (Some(before), Some(now)) = (&self.windows, now) else {
            return false;
        };
        let under = window_at(now, whole, at);
        under != window_at(before, whole, at) && !under.is_some_and(|under| self.raised.contains(&under))
    }

    /// Prepares for the actions of a new reply.
    pub(in crate::agent) fn begin_reply(&mut self) {
        *self = Lookout {
            seen: self.seen.take(),
            windows: self.windows.take(),
            row: self.row.take(),
            ..Lookout::default()
        };
    }

    /// Adds the time that a look took.
    pub(in crate::agent) fn add(&mut self, took: Duration) {
        self.took += took;
    }

    /// Returns how long looking has taken for this reply.
    pub(in crate::agent) fn took(&self) -> Duration {
        self.took
    }

    /// Returns whether an action of the last reply was held.
    pub(in crate::agent) fn is_holding(&self) -> bool {
        self.is_holding
    }

    /// Makes the agent look again before the next key press, because time has passed.
    pub(in crate::agent) fn forget_look(&mut self) {
        self.has_looked_for_keys = false;
    }

    /// Notes an action that was performed.
    pub(in crate::agent) fn acted(&mut self, action: &Action) {
        for (index, &place) in action.places().iter().enumerate() {
            let is_stroke = index > 0 || matches!(action, Action::Move(_) | Action::MouseUp(..));
            let from = self.pointer.filter(|_| is_stroke).unwrap_or(place);
            self.ways.push((from, place));
            self.pointer = Some(place);
        }
        self.raised.append(&mut self.under);
        let places = action.targets();
        match action {
            Action::Type(typing) => {
                self.clicked = typing.at.or(self.clicked);
                self.has_typed = true;
            }
            _ if !places.is_empty() => (self.clicked, self.has_typed) = (places.last().copied(), false),
            _ => {}
        }
    }

    /// Notes what has changed since the model's picture, if this reply has not acted yet.
    pub(super) fn found(&mut self, difference: &Difference) {
        if self.ways.is_empty() && !self.has_typed && self.before.is_none() {
            self.before = Some(difference.clone());
        }
    }

    /// Returns what had changed before this reply's first action.
    pub(in crate::agent) fn changed_before(&self) -> Option<&Difference> {
        self.before.as_ref()
    }

    /// Notes that this reply has brought a window to the front.
    pub(in crate::agent) fn raised(&mut self, window: WindowId) {
        self.raised.push(window);
    }

    /// Ignores changes that this reply's own actions have caused.
    pub(super) fn forgive(&self, difference: &mut Difference) {
        let (width, height) = (difference.grid().width(), difference.grid().height());
        let whole = Area::whole(width, height);
        let ends: Vec<_> = self.ways.iter().map(|(_, to)| whole.pixel(*to)).collect();
        difference.without_outlines_around(&ends);
        for (from, to) in &self.ways {
            for at in look::way(whole.pixel(*from), whole.pixel(*to), height) {
                difference.forgive(look::neighbourhood(at, height));
            }
        }
        if let Some(clicked) = self.clicked.filter(|_| self.has_typed) {
            difference.without_thing_at(whole.pixel(clicked));
        }
    }

    /// Returns how many holds in a row there have been at this position (or for keys), including this one.
    pub(super) fn next_in_row(&self, at: Option<Point>) -> u32 {
        let is_same = |last: &Option<Point>| match (last, at) {
            (Some(last), Some(at)) => is_one_place(*last, at),
            (last, at) => last.is_none() && at.is_none(),
        };
        self.row
            .as_ref()
            .filter(|(last, _)| is_same(last))
            .map_or(1, |(_, times)| times + 1)
    }

    pub(super) fn hold(&mut self, at: Option<Point>, why: String) -> Result<Option<String>, String> {
        self.row = Some((at, self.next_in_row(at)));
        self.is_holding = true;
        Err(why)
    }
}

/// Returns the visible area of a window.
pub(super) fn area_of(whole: Area, window: &ScreenWindow) -> Option<Area> {
    let (first, last) = window.place?;
    let ((left, top), (right, bottom)) = (whole.pixel(first), whole.pixel(last));
    Some(Area {
        x: left,
        y: top,
        width: (right - left + 1).max(0) as u32,
        height: (bottom - top + 1).max(0) as u32,
    })
}

/// Returns the area of a window if it contains a point.
pub(super) fn area_around(whole: Area, window: &ScreenWindow, at: Point) -> Option<Area> {
    let (x, y) = whole.pixel(at);
    area_of(whole, window).filter(|area| area.contains(x, y))
}

/// Returns the topmost of these windows at a point.
pub(super) fn window_at(windows: &[ScreenWindow], whole: Area, at: Point) -> Option<WindowId> {
    let found = windows.iter().find(|window| area_around(whole, window, at).is_some());
    found.map(|window| window.id)
}

/// Returns the window in front.
pub(super) fn front_of(windows: &[ScreenWindow]) -> Option<WindowId> {
    windows.iter().find(|window| window.is_active).map(|window| window.id)
}

/// Returns whether a person would consider two positions the same.
fn is_one_place(one: Point, other: Point) -> bool {
    (one.x.get() - other.x.get()).abs() <= ONE_PLACE && (one.y.get() - other.y.get()).abs() <= ONE_PLACE
}
