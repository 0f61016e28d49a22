//! Looking before acting: an action is performed only if its surroundings still look as they did in the model's
//! picture.

use std::sync::Arc;
use std::time::Duration;

use franz_action::{Action, Point};
use franz_dialect::Space;
use franz_frame::{Area, Difference, Frame, look, png};
use franz_record::{Image, PictureName};
use franz_screen::{CaptureError, Interrupt as _, Screen as _, ScreenWindow, WindowId};

use super::Agent;
use super::notices::HELD_BEFORE;

/// Two positions count as the same if they are at most this far apart on both axes, in thousandths.
const ONE_PLACE: f64 = 10.0;
/// After this many holds in a row at one position, FRANZ compares only the pixels directly under the point, and checks
/// whether the row under the point has moved or shows something else.
const PATIENCE: u32 = 3;
/// FRANZ looks a second time after this long before it holds an action. Programs highlight whatever the pointer passes
/// on its way to another position, and a browser paints that a few frames later.
const SECOND_LOOK: Duration = Duration::from_millis(100);

/// The state with which the screen is compared before each of a reply's actions.
#[derive(Default)]
pub(super) struct Lookout {
    /// The picture that the model saw when it replied, without marks; `None` if it is unknown.
    seen: Option<Arc<Frame>>,
    /// The windows in that picture, topmost first; `None` if they are unknown.
    windows: Option<Vec<ScreenWindow>>,
    /// The paths of the actions that this reply has performed. Changes along these paths are effects of those actions.
    ways: Vec<(Point, Point)>,
    /// The position where this reply's actions have left the pointer.
    pointer: Option<Point>,
    /// The windows that this reply has brought to the front.
    raised: Vec<WindowId>,
    /// The windows at the positions of the next action.
    under: Vec<WindowId>,
    /// The position of this reply's last click.
    clicked: Option<Point>,
    /// Whether the reply has typed since that click.
    has_typed: bool,
    /// Whether the agent has already looked at the screen before a key press in this reply.
    has_looked_for_keys: bool,
    /// Whether an action of this reply was held. All later actions of the reply are then held too.
    is_holding: bool,
    /// How long looking has taken for this reply.
    took: Duration,
    /// The position of the last hold (`None` for keys), and the number of holds in a row at that position.
    row: Option<(Option<Point>, u32)>,
}

impl Lookout {
    /// Notes the picture that the model has answered, and its windows.
    pub(super) fn saw(&mut self, picture: Option<Arc<Frame>>, windows: Option<Vec<ScreenWindow>>) {
        (self.seen, self.windows) = (picture, windows);
    }

    /// Returns the window that was in front in the model's picture.
    fn front(&self) -> Option<WindowId> {
        front_of(self.windows.as_deref()?)
    }

    /// Returns whether one of the windows that are there `now` is at this point, and another one, or none, was in the
    /// model's picture. A window that this reply has brought to the front is not another one.
    fn is_another(&self, whole: Area, at: Point, now: Option<&[ScreenWindow]>) -> bool {
        let (Some(before), Some(now)) = (&self.windows, now) else {
            return false;
        };
        let under = window_at(now, whole, at);
        under != window_at(before, whole, at) && !under.is_some_and(|under| self.raised.contains(&under))
    }

    /// Prepares for the actions of a new reply.
    pub(super) fn begin_reply(&mut self) {
        *self = Lookout {
            seen: self.seen.take(),
            windows: self.windows.take(),
            row: self.row.take(),
            ..Lookout::default()
        };
    }

    /// Adds the time that a look took.
    pub(super) fn add(&mut self, took: Duration) {
        self.took += took;
    }

    /// Returns how long looking has taken for this reply.
    pub(super) fn took(&self) -> Duration {
        self.took
    }

    /// Returns whether an action of the last reply was held.
    pub(super) fn is_holding(&self) -> bool {
        self.is_holding
    }

    /// Makes the agent look again before the next key press, because time has passed.
    pub(super) fn forget_look(&mut self) {
        self.has_looked_for_keys = false;
    }

    /// Notes an action that was performed.
    pub(super) fn acted(&mut self, action: &Action) {
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

    /// Notes that this reply has brought a window to the front.
    pub(super) fn raised(&mut self, window: WindowId) {
        self.raised.push(window);
    }

    /// Ignores changes that this reply's own actions have caused.
    fn forgive(&self, difference: &mut Difference) {
        let (width, height) = (difference.grid().width(), difference.grid().height());
        let whole = Area::whole(width, height);
        for (_, to) in &self.ways {
            difference.without_outlines_around(whole.pixel(*to));
        }
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
    fn next_in_row(&self, at: Option<Point>) -> u32 {
        let is_same = |last: &Option<Point>| match (last, at) {
            (Some(last), Some(at)) => is_one_place(*last, at),
            (last, at) => last.is_none() && at.is_none(),
        };
        self.row
            .as_ref()
            .filter(|(last, _)| is_same(last))
            .map_or(1, |(_, times)| times + 1)
    }

    fn hold(&mut self, at: Option<Point>, why: String) -> Result<Option<String>, String> {
        self.row = Some((at, self.next_in_row(at)));
        self.is_holding = true;
        Err(why)
    }
}

/// Returns the visible area of a window.
fn area_of(whole: Area, window: &ScreenWindow) -> Option<Area> {
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
fn area_around(whole: Area, window: &ScreenWindow, at: Point) -> Option<Area> {
    let (x, y) = whole.pixel(at);
    area_of(whole, window).filter(|area| area.contains(x, y))
}

/// Returns the topmost of these windows at a point.
fn window_at(windows: &[ScreenWindow], whole: Area, at: Point) -> Option<WindowId> {
    let found = windows.iter().find(|window| area_around(whole, window, at).is_some());
    found.map(|window| window.id)
}

/// Returns the window in front.
fn front_of(windows: &[ScreenWindow]) -> Option<WindowId> {
    windows.iter().find(|window| window.is_active).map(|window| window.id)
}

/// Returns whether a person would consider two positions the same.
pub(super) fn is_one_place(one: Point, other: Point) -> bool {
    (one.x.get() - other.x.get()).abs() <= ONE_PLACE && (one.y.get() - other.y.get()).abs() <= ONE_PLACE
}

impl Agent {
    /// Looks at the screen before an action. If the action must be held, the error says why, worded for the model. If
    /// the action can be performed although something has changed, returns a note.
    pub(super) fn look_before(&mut self, action: &Action) -> Result<Option<String>, String> {
        if !self.screen.changes_by_itself() || self.live.settings.pace.look == "off" {
            return Ok(None);
        }
        if self.trail.lookout.is_holding {
            return Err(HELD_BEFORE.to_owned());
        }
        // The button must come up in any case: if not here, then at the end of the reply.
        if matches!(action, Action::MouseUp(..)) {
            return Ok(None);
        }
        let places = action.targets();
        let is_key = matches!(action, Action::Type(_) | Action::Press(_) | Action::Hold(_));
        let looks_for_keys = is_key && !self.trail.lookout.has_looked_for_keys;
        if places.is_empty() && !looks_for_keys {
            return Ok(None);
        }
        self.trail.lookout.has_looked_for_keys |= is_key;
        let difference = match self.lasting_change(places) {
            Ok(Some(difference)) => difference,
            Ok(None) => return Ok(None),
            // The action fails anyway and reports the lost screen.
            Err(error) if error.is_lost() => return Ok(None),
            Err(error) => {
                let why = "the screen could not be captured beforehand".to_owned();
                self.notice(&error.to_string());
                return self.trail.lookout.hold(None, why);
            }
        };
        if places.is_empty() {
            self.judge_keys(difference)
        } else {
            self.judge_places(&difference, places)
        }
    }

    /// Returns the changes by others. If they would hold the action, returns those that a second look finds.
    fn lasting_change(&mut self, places: &[Point]) -> Result<Option<Difference>, CaptureError> {
        let first = self.change_by_others()?;
        let may_hold = first.as_ref().is_some_and(|change| self.may_hold(change, places));
        if !may_hold || self.stop.sleep(SECOND_LOOK) {
            return Ok(first);
        }
        self.change_by_others()
    }

    /// Returns the changes since the model's picture, without those that this reply has caused.
    fn change_by_others(&mut self) -> Result<Option<Difference>, CaptureError> {
        let mut change = self.change_since_answer()?;
        if let Some(difference) = &mut change {
            self.trail.lookout.forgive(difference);
        }
        Ok(change)
    }

    /// Returns whether these changes would hold an action at these positions, or of keys if there are none.
    fn may_hold(&mut self, difference: &Difference, places: &[Point]) -> bool {
        if places.is_empty() {
            return difference.holds_keys();
        }
        let whole = Area::whole(difference.grid().width(), difference.grid().height());
        let has_changed = |at: &Point, within| difference.holds_pointer(whole.pixel(*at), within);
        if !places.iter().any(|at| has_changed(at, None)) {
            return false;
        }
        let windows = self.windows();
        let around = |at: Point| windows.iter().find_map(|window| area_around(whole, window, at));
        places.iter().any(|at| has_changed(at, around(*at)))
    }

    fn judge_keys(&mut self, mut difference: Difference) -> Result<Option<String>, String> {
        let windows = self.windows();
        let lookout = &mut self.trail.lookout;
        let front = windows.iter().find(|window| window.is_active);
        let own = front.filter(|window| lookout.raised.contains(&window.id));
        let whole = Area::whole(difference.grid().width(), difference.grid().height());
        if let Some(area) = own.and_then(|window| area_of(whole, window)) {
            difference.forgive(area);
        }
        let before = lookout.front().filter(|_| own.is_none());
        let has_another = before.zip(front).is_some_and(|(before, now)| before != now.id);
        if !has_another && !difference.holds_keys() {
            lookout.row = None;
            return Ok(None);
        }
        // Keys never go to a window that the model has not seen in front.
        if !has_another && lookout.next_in_row(None) >= PATIENCE {
            lookout.row = None;
            return Ok(Some("done, although the screen keeps changing".to_owned()));
        }
        let why = if has_another {
            "another window came to the front after your picture"
        } else {
            "something new appeared on the screen after your picture"
        };
        lookout.hold(None, why.to_owned())
    }

    fn judge_places(&mut self, difference: &Difference, places: &[Point]) -> Result<Option<String>, String> {
        let (width, height) = (difference.grid().width(), difference.grid().height());
        let whole = Area::whole(width, height);
        let known = self.known_windows();
        let windows = known.as_deref().unwrap_or_default();
        let around = |at: Point| windows.iter().find_map(|window| area_around(whole, window, at));
        self.trail.lookout.under = places.iter().filter_map(|at| window_at(windows, whole, *at)).collect();
        let lookout = &self.trail.lookout;
        let another = places
            .iter()
            .copied()
            .find(|at| lookout.is_another(whole, *at, known.as_deref()));
        let held = another.as_ref().or_else(|| {
            let changed = |at: &Point| difference.holds_pointer(whole.pixel(*at), around(*at));
            places.iter().find(|at| changed(at))
        });
        let Some(&at) = held else {
            self.trail.lookout.row = None;
            return Ok(None);
        };
        let place = self.place_words(at);
        let now = self.trail.eye.scale(self.screen.frame(), width, height);
        let lookout = &mut self.trail.lookout;
        if lookout.next_in_row(Some(at)) < PATIENCE {
            return lookout.hold(Some(at), format!("the screen changed {place} after your picture"));
        }
        let seen = lookout.seen.as_ref();
        let is_gone = |at: Point| {
            let pixel = whole.pixel(at);
            let window = around(at);
            let is_elsewhere = |seen: &Arc<Frame>| {
                look::has_shifted(seen, &now, pixel, window) || look::was_replaced(seen, &now, pixel, window)
            };
            difference.changed_under(pixel) || seen.is_none_or(is_elsewhere)
        };
        if another.is_some() || places.iter().any(|at| is_gone(*at)) {
            let why = format!("the screen keeps changing {place}: wait until it is still, or use the keyboard");
            if lookout.next_in_row(Some(at)) == PATIENCE && self.presence.is_anybody_there() {
                self.stop.pause_because(format!(
                    "the model cannot click {place}, because the screen keeps changing there; help it, then resume"
                ));
            }
            return lookout.hold(Some(at), why);
        }
        lookout.row = None;
        Ok(Some("done, although the screen keeps changing beside it".to_owned()))
    }

    /// Returns the changes since the picture that the model answered, ignoring parts that keep moving. `None` if that
    /// picture is unknown.
    pub(super) fn change_since_answer(&mut self) -> Result<Option<Difference>, CaptureError> {
        if self.trail.lookout.seen.is_none() {
            self.trail.lookout.seen = self.recorded_picture().map(Arc::new);
        }
        let Some(seen) = self.trail.lookout.seen.clone() else {
            return Ok(None);
        };
        self.glance()?;
        let now = self.trail.eye.scale(self.screen.frame(), seen.width(), seen.height());
        let mut difference = Difference::between(&seen, &now);
        difference.without(self.trail.motion.restless());
        Ok(Some(difference))
    }

    /// Returns the window in front, if the screen reports windows.
    fn front(&mut self) -> Option<WindowId> {
        front_of(&self.windows())
    }

    /// Returns the area of the topmost window at this point, or of the window in front; `None` if the screen does not
    /// report windows or there is no such window.
    pub(super) fn window_area(&mut self, whole: Area, at: Option<Point>) -> Option<Area> {
        let windows = self.windows();
        match at {
            Some(at) => windows.iter().find_map(|window| area_around(whole, window, at)),
            None => area_of(whole, windows.iter().find(|window| window.is_active)?),
        }
    }

    /// Brings the window that was in front in the model's picture back to the front, because the person might have
    /// clicked another one while deciding.
    pub(super) fn give_back_front(&mut self) {
        let Some(before) = self.trail.lookout.front() else {
            return;
        };
        if self.front() == Some(before) {
            return;
        }
        // If this fails, the check before the action will hold the action.
        if let Err(error) = self.screen.focus(before) {
            self.notice(&error.to_string());
        }
        self.come_to_rest_again();
    }

    /// Returns the windows, topmost first; none if they are unknown.
    fn windows(&mut self) -> Vec<ScreenWindow> {
        self.known_windows().unwrap_or_default()
    }

    /// Returns the windows, topmost first; `None` if the screen does not report windows, or cannot now.
    pub(super) fn known_windows(&mut self) -> Option<Vec<ScreenWindow>> {
        self.screen.windows().ok().flatten()
    }

    /// Captures the screen between the pictures that the model gets.
    pub(super) fn glance(&mut self) -> Result<(), CaptureError> {
        self.screen.look()?;
        self.trail.change = self.trail.change.and(self.screen.change());
        self.trail.eye.looked(self.screen.change());
        Ok(())
    }

    /// Returns the picture that the model answered, without marks, as an earlier process of this run recorded it.
    fn recorded_picture(&self) -> Option<Frame> {
        let image = Image {
            file: PictureName::plain(self.state.turn).to_string(),
            sha256: String::new(),
            width: 0,
            height: 0,
            bytes: 0,
        };
        let recorded = self.recorder.run().picture(&image).filter(|_| self.state.turn > 0)?;
        // Only a canvas records greyscale pictures.
        png::decode(&recorded).ok()
    }

    /// Describes a position in the model's own coordinates. Leaves the coordinates out if the model's coordinate space
    /// is unknown.
    pub(super) fn place_words(&self, at: Point) -> String {
        let geometry = self.idiom.geometry(&self.live.settings);
        if geometry.space == Space::Unknown {
            return "there".to_owned();
        }
        format!("at ({})", geometry.pair(at).join(", "))
    }
}

#[cfg(test)]
mod tests;
