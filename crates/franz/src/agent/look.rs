//! Looking before acting: an action is performed only if its surroundings still look as they did in the model's
//! picture.

mod lookout;

use std::sync::Arc;
use std::time::{Duration, Instant};

use franz_action::{Action, Held, Holding, Point};
use franz_dialect::Space;
use franz_frame::{Area, Difference, Frame, look, png};
use franz_record::{Image, PictureName};
use franz_screen::{CaptureError, Interrupt as _, Screen as _, ScreenWindow, WindowId};

use super::Agent;
use super::notices::HELD_BEFORE;
use crate::config::settings::LookBefore;
pub(super) use lookout::Lookout;
use lookout::{area_around, area_of, front_of, window_at};

/// After this many holds in a row at one position, FRANZ compares only the pixels directly under the point, and checks
/// whether the row under the point has moved or shows something else.
const PATIENCE: u32 = 3;
/// FRANZ looks a second time after this long before it holds an action. Programs highlight whatever the pointer passes
/// on its way to another position, and a browser paints that a few frames later.
const SECOND_LOOK: Duration = Duration::from_millis(100);

impl Agent {
    /// Looks at the screen before an action and, if the pointer moves as slowly as a hand, once more when it is almost
    /// there. If the action must be held, the error says why, worded for the model. If the action can be performed
    /// although something has changed, returns a note.
    pub(super) fn look_before(&mut self, action: &Action) -> Result<Option<String>, String> {
        if !self.screen.changes_by_itself() || self.live.settings.pace.look == LookBefore::Off {
            return Ok(None);
        }
        if self.trail.lookout.is_holding {
            return Err(HELD_BEFORE.to_owned());
        }
        // The button must come up in any case: if not here, then at the end of the reply.
        if matches!(action, Action::MouseUp(..)) {
            return Ok(None);
        }
        let row = self.trail.lookout.row;
        let note = self.look_and_judge(action)?;
        let (from, interrupt) = (self.screen.pointer().current, self.interrupt());
        let Some(border) = self.screen.approach(action, &interrupt) else {
            return Ok(note);
        };
        // Both looks are one: a hold at the second continues the row.
        self.trail.lookout.row = row;
        self.trail.lookout.pointed = from.into_iter().chain([border]).collect();
        let judged = self.look_and_judge(action);
        self.trail.lookout.pointed.clear();
        judged
    }

    fn look_and_judge(&mut self, action: &Action) -> Result<Option<String>, String> {
        let began = Instant::now();
        let judged = self.judge_action(action);
        self.trail.lookout.add(began.elapsed());
        judged
    }

    fn judge_action(&mut self, action: &Action) -> Result<Option<String>, String> {
        let pointer = self.screen.pointer().current;
        let places = match action {
            Action::MouseDown(_, None)
            | Action::Hold(Holding {
                what: Held::Button(_),
                at: None,
                ..
            }) => pointer.as_slice(),
            _ => action.targets(),
        };
        let is_key = match action {
            Action::Type(_) | Action::Press(_) => true,
            Action::Hold(holding) => matches!(holding.what, Held::Keys(_)),
            _ => false,
        };
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
        self.trail.lookout.found(&difference);
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
        let Some(difference) = &mut change else {
            return Ok(None);
        };
        let lookout = &self.trail.lookout;
        lookout.forgive(difference);
        if let Some(seen) = lookout.seen.as_ref().filter(|_| !lookout.pointed.is_empty()) {
            let (width, height) = (seen.width(), seen.height());
            let now = self.trail.eye.scale(self.screen.frame(), width, height);
            let whole = Area::whole(width, height);
            for at in &lookout.pointed {
                difference.without_highlight_at(seen, &now, whole.pixel(*at));
            }
        }
        Ok(change)
    }

    /// Returns whether these changes would hold an action at these positions, or of keys if there are none.
    fn may_hold(&mut self, difference: &Difference, places: &[Point]) -> bool {
        if places.is_empty() {
            return difference.holds_keys();
        }
        let whole = Area::whole(difference.grid().width(), difference.grid().height());
        if !places
            .iter()
            .any(|at| self.may_miss(difference, whole.pixel(*at), None))
        {
            return false;
        }
        let windows = self.windows();
        let around = |at: Point| windows.iter().find_map(|window| area_around(whole, window, at));
        places
            .iter()
            .any(|at| self.may_miss(difference, whole.pixel(*at), around(*at)))
    }

    /// Returns whether an action at this pixel might miss the thing that the model saw there. `within` is the window under
    /// the pixel, if known.
    fn may_miss(&mut self, difference: &Difference, at: (i32, i32), within: Option<Area>) -> bool {
        if difference.holds_pointer(at, within) {
            return true;
        }
        let Some(seen) = self
            .trail
            .lookout
            .seen
            .clone()
            .filter(|_| difference.has_changed_row(at, within))
        else {
            return false;
        };
        let now = self.trail.eye.scale(self.screen.frame(), seen.width(), seen.height());
        difference.has_moved_row(&seen, &now, at, within)
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
        let missed = |agent: &mut Agent| {
            let mut places = places.iter().copied();
            places.find(|at| agent.may_miss(difference, whole.pixel(*at), around(*at)))
        };
        let Some(at) = another.or_else(|| missed(self)) else {
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
