//! Looking before acting: an action is performed only if the screen there still looks as the model saw it.

use std::sync::Arc;

use franz_action::{Action, Point};
use franz_dialect::Space;
use franz_frame::{Area, Difference, Frame, look, png};
use franz_record::{Image, PictureName};
use franz_screen::{CaptureError, Screen as _, ScreenWindow, WindowId};

use super::Agent;
use super::notices::HELD_BEFORE;

/// Two places count as one if they are at most this far apart on both axes, in thousandths.
const ONE_PLACE: f64 = 10.0;
/// After this many holds in a row at one place, only what is under the point counts, and whether its row has moved.
const PATIENCE: u32 = 3;

/// What the screen is compared with before each of a reply's actions.
#[derive(Default)]
pub(super) struct Lookout {
    /// What the model saw when it gave the reply, unmarked; `None` if that is not known.
    seen: Option<Arc<Frame>>,
    /// The window in front in that picture, if windows are known.
    front: Option<WindowId>,
    /// The paths of this reply's performed actions: changes along them are their own doing.
    ways: Vec<(Point, Point)>,
    /// Where this reply clicked last.
    clicked: Option<Point>,
    /// Whether the reply has typed since.
    has_typed: bool,
    /// Whether the agent has looked at the screen before a key of this reply.
    has_looked_for_keys: bool,
    /// Whether an action of this reply was held, which holds the rest as well.
    is_holding: bool,
    /// The place of the last hold (none for keys), and how many there were in a row.
    row: Option<(Option<Point>, u32)>,
}

impl Lookout {
    /// Notes the picture that the model has answered, and the window in front at that time.
    pub(super) fn saw(&mut self, picture: Option<Arc<Frame>>, front: Option<WindowId>) {
        (self.seen, self.front) = (picture, front);
    }

    /// Begins the actions of a reply.
    pub(super) fn begin_reply(&mut self) {
        *self = Lookout {
            seen: self.seen.take(),
            front: self.front,
            row: self.row.take(),
            ..Lookout::default()
        };
    }

    /// Returns whether an action of the last reply was held.
    pub(super) fn is_holding(&self) -> bool {
        self.is_holding
    }

    /// Makes the agent look before the next key again, because time has passed.
    pub(super) fn forget_look(&mut self) {
        self.has_looked_for_keys = false;
    }

    /// Notes an action that was done.
    pub(super) fn acted(&mut self, action: &Action) {
        let places = action.targets();
        let ends = places.first().copied().zip(places.last().copied());
        self.ways.extend(ends);
        match action {
            Action::Type(typing) => {
                self.clicked = typing.at.or(self.clicked);
                self.has_typed = true;
            }
            _ if !places.is_empty() => (self.clicked, self.has_typed) = (places.last().copied(), false),
            _ => {}
        }
    }

    /// Treats this reply's own changes as unchanged.
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

    /// Counts a hold at a place, or of keys; returns how many there have been in a row.
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

/// Returns the area of a window if it contains a point.
fn area_around(whole: Area, window: &ScreenWindow, at: Point) -> Option<Area> {
    let (first, last) = window.place?;
    let ((left, top), (right, bottom)) = (whole.pixel(first), whole.pixel(last));
    let area = Area {
        x: left,
        y: top,
        width: (right - left + 1).max(0) as u32,
        height: (bottom - top + 1).max(0) as u32,
    };
    let (x, y) = whole.pixel(at);
    area.contains(x, y).then_some(area)
}

/// Returns whether two places are the same to a person.
pub(super) fn is_one_place(one: Point, other: Point) -> bool {
    (one.x.get() - other.x.get()).abs() <= ONE_PLACE && (one.y.get() - other.y.get()).abs() <= ONE_PLACE
}

impl Agent {
    /// Looks at the screen before an action, and returns why the action is held, in words for the model, or a note if
    /// it is performed although something has changed.
    pub(super) fn look_before(&mut self, action: &Action) -> Result<Option<String>, String> {
        if !self.screen.changes_by_itself() || self.live.settings.pace.look == "off" {
            return Ok(None);
        }
        if self.trail.lookout.is_holding {
            return Err(HELD_BEFORE.to_owned());
        }
        let places = action.targets();
        let is_key = matches!(action, Action::Type(_) | Action::Press(_) | Action::Hold(_));
        let looks_for_keys = is_key && !self.trail.lookout.has_looked_for_keys;
        if places.is_empty() && !looks_for_keys {
            return Ok(None);
        }
        self.trail.lookout.has_looked_for_keys |= is_key;
        let difference = match self.change_since_answer() {
            Ok(Some(mut difference)) => {
                self.trail.lookout.forgive(&mut difference);
                difference
            }
            Ok(None) => return Ok(None),
            // The action will fail by itself and report it.
            Err(error) if error.is_lost() => return Ok(None),
            Err(error) => {
                let why = "the screen could not be captured before it".to_owned();
                self.notice(&error.to_string());
                return self.trail.lookout.hold(None, why);
            }
        };
        if places.is_empty() {
            self.judge_keys(&difference)
        } else {
            self.judge_places(&difference, places)
        }
    }

    fn judge_keys(&mut self, difference: &Difference) -> Result<Option<String>, String> {
        let front = self.front();
        let lookout = &mut self.trail.lookout;
        let has_another = lookout.front.zip(front).is_some_and(|(before, now)| before != now);
        if !has_another && !difference.holds_keys() {
            lookout.row = None;
            return Ok(None);
        }
        if lookout.next_in_row(None) >= PATIENCE {
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
        let windows = self.windows();
        let around = |at: Point| windows.iter().find_map(|window| area_around(whole, window, at));
        let held = places
            .iter()
            .find(|at| difference.holds_pointer(whole.pixel(**at), around(**at)));
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
            difference.changed_under(pixel) || seen.is_none_or(|seen| look::has_shifted(seen, &now, pixel, around(at)))
        };
        if places.iter().any(|at| is_gone(*at)) {
            let why = format!("the screen keeps changing {place}: wait until it is still, or use the keyboard");
            return lookout.hold(Some(at), why);
        }
        lookout.row = None;
        Ok(Some("done, although the screen keeps changing beside it".to_owned()))
    }

    /// Returns what has changed since the picture that the model answered, apart from what always moves; `None` if that
    /// picture is not known.
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

    /// Returns the window in front, if windows are known.
    pub(super) fn front(&mut self) -> Option<WindowId> {
        let windows = self.windows();
        windows.iter().find(|window| window.is_active).map(|window| window.id)
    }

    /// Brings back the window that was in front in the model's picture: the person might have clicked in another one to
    /// decide.
    pub(super) fn give_back_front(&mut self) {
        let Some(before) = self.trail.lookout.front else {
            return;
        };
        if self.front() == Some(before) {
            return;
        }
        // If that does not work, the look before the action holds it.
        if let Err(error) = self.screen.focus(before) {
            self.notice(&error.to_string());
        }
        self.come_to_rest_again();
    }

    /// Returns the windows, the topmost first; none if windows are not known.
    fn windows(&mut self) -> Vec<ScreenWindow> {
        self.screen.windows().ok().flatten().unwrap_or_default()
    }

    /// Captures the screen between two of the model's pictures.
    pub(super) fn glance(&mut self) -> Result<(), CaptureError> {
        self.screen.look()?;
        self.trail.change = self.trail.change.and(self.screen.change());
        self.trail.eye.looked(self.screen.change());
        Ok(())
    }

    /// Returns the unmarked picture that the model answered, as an earlier process of this run recorded it.
    fn recorded_picture(&self) -> Option<Frame> {
        let image = Image {
            file: PictureName::plain(self.state.turn).to_string(),
            sha256: String::new(),
            width: 0,
            height: 0,
            bytes: 0,
        };
        let recorded = self.recorder.run().picture(&image).filter(|_| self.state.turn > 0)?;
        // A greyscale picture comes from a canvas.
        png::decode(&recorded).ok()
    }

    /// Returns where a place is, in the model's own numbers; without them if it is unknown what they count.
    pub(super) fn place_words(&self, at: Point) -> String {
        let geometry = self.idiom.geometry(&self.live.settings);
        if geometry.space == Space::Unknown {
            return "there".to_owned();
        }
        format!("at ({})", geometry.pair(at).join(", "))
    }
}
