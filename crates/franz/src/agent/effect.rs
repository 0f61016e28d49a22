//! The effect of actions: where the screen has changed since the picture that the model answered.

use franz_action::{Action, Norm, Point};
use franz_dialect::Space;
use franz_frame::{Area, Difference};
use franz_record::{Effect, ScreenChange, TurnLine};
use franz_screen::{Change, Screen as _};

use super::notices::{self, UNCHANGED};
use super::{Agent, Turn};

impl Agent {
    /// Notes the changes since the model last looked. Tells the model if its actions changed nothing, or only areas
    /// away from where it acted.
    pub(super) fn tell_of_change(&mut self, turn: &mut Turn, effect: Option<(Effect, Option<Point>)>) {
        self.trail.change = self.trail.change.and(self.screen.change());
        let shown_before = self.state.seen == turn.view.as_ref().map(|view| view.taken.fingerprint);
        // An earlier process already showed this picture, and the last reply answered it.
        if self.trail.change == Change::Unknown && shown_before {
            self.trail.change = Change::Nothing;
        }
        let actions = turn.performed();
        let acted = actions.iter().any(changes_screen);
        let is_same = matches!(self.trail.change, Change::Nothing | Change::Cursor);
        let effect = effect.or((acted && is_same).then_some((Effect::None, None)));
        let area = match self.trail.change {
            Change::Unknown => None,
            Change::Nothing | Change::Cursor => Some(None),
            Change::Within(first, last) => Some(Some([first.x, first.y, last.x, last.y].map(Norm::whole))),
        };
        turn.line.change = area.map(|area| ScreenChange {
            area,
            effect: effect.map(|(effect, _)| effect),
        });
        let copied = self.copied(&actions);
        let notice = match effect {
            Some((Effect::None, _)) if copied.is_some() => copied.unwrap_or_default(),
            Some((Effect::None, _)) if self.state.told_unchanged => return,
            Some((Effect::None, _)) => UNCHANGED.to_owned(),
            Some((Effect::Elsewhere, Some(at))) => self.elsewhere(at),
            _ => return,
        };
        turn.line.feedback = notices::below(&turn.line.feedback, &[notice]);
    }

    /// Notes, after an answer, whether the model knows that nothing has changed.
    pub(super) fn note_unchanged(&mut self, line: &TurnLine) {
        let unchanged = line
            .change
            .is_some_and(|change| change.area.is_none() || change.effect == Some(Effect::None));
        let is_told = line.feedback.contains(UNCHANGED) || self.state.told_unchanged;
        self.state.told_unchanged = unchanged && is_told;
    }

    /// Returns the effect of this turn's actions, and the position of the largest change. `None` if there are no
    /// actions or the effect is unknown.
    pub(super) fn effect(&mut self, turn: &Turn) -> Option<(Effect, Option<Point>)> {
        let acts: Vec<Action> = turn.performed().into_iter().filter(changes_screen).collect();
        if acts.is_empty() || !self.screen.changes_by_itself() {
            return None;
        }
        let all = self.change_since_answer().ok()??;
        let whole = Area::whole(all.grid().width(), all.grid().height());
        // Anything that changed by itself before the reply acted may change by itself afterwards, too.
        let mut difference = all.clone();
        if let Some(before) = self.trail.lookout.changed_before() {
            difference.without_changes_of(before);
        }
        let mut places = acts.iter().flat_map(Action::places);
        let is_at_place = places.any(|at| all.changed_near(whole.pixel(*at)));
        let (largest, effect) = match (difference.largest(), all.largest()) {
            (_, Some(largest)) if is_at_place => (largest, Effect::Near),
            (Some(largest), _) if acts.iter().any(|action| self.is_near(action, whole, &difference)) => {
                (largest, Effect::Near)
            }
            (Some(largest), _) => (largest, Effect::Elsewhere),
            (None, _) => return Some((Effect::None, None)),
        };
        let middle = (
            largest.x + largest.width as i32 / 2,
            largest.y + largest.height as i32 / 2,
        );
        Some((effect, Some(whole.point(middle.0, middle.1))))
    }

    /// Returns whether a change in the window that an action acts on can be the action's effect.
    fn is_near(&mut self, action: &Action, whole: Area, difference: &Difference) -> bool {
        let pointer = self.screen.pointer().current;
        let places = action.places();
        let window = match action {
            Action::Scroll { at, .. } => self.window_area(whole, at.or(pointer)),
            Action::Type(typing) => self.window_area(whole, typing.at),
            _ if !places.is_empty() => {
                // A button shows its effect somewhere in its window; only something large is surely that.
                let mut windows = places.iter().map(|at| self.window_area(whole, Some(*at)));
                return windows.any(|window| difference.changed_much_in(window.unwrap_or(whole)));
            }
            // Keys can also bring another window to the front.
            _ => self.window_area(whole, None),
        };
        window.is_none_or(|window| difference.changed_in(window))
    }

    fn elsewhere(&self, at: Point) -> String {
        let side = side_words(at);
        let place = match self.idiom.geometry(&self.live.settings).space {
            Space::Unknown => String::new(),
            _ => format!(", {}", self.place_words(at)),
        };
        format!("NOTICE: something changed {side}{place}, but nothing where you acted.")
    }
}

/// Describes which ninth of the screen a point is in.
fn side_words(at: Point) -> &'static str {
    let third = |norm: Norm| (norm.get() / 1000.0 * 3.0).floor().clamp(0.0, 2.0) as usize;
    let words = [
        ["at the top left", "at the top", "at the top right"],
        ["on the left", "in the middle", "on the right"],
        ["at the bottom left", "at the bottom", "at the bottom right"],
    ];
    words[third(at.y)][third(at.x)]
}

/// Checks whether an action is meant to change the picture on the screen.
fn changes_screen(action: &Action) -> bool {
    !matches!(
        action,
        Action::Move(_)
            | Action::MouseDown(..)
            | Action::MouseUp(..)
            | Action::ReadClipboard
            | Action::WriteClipboard(_)
            | Action::Wait(_)
            | Action::Screenshot
            | Action::Observe
            | Action::Watch(_)
            | Action::Zoom(..)
            | Action::Windows
            | Action::Open(_)
            | Action::Ask(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names() {
        for (x, y, words) in [
            (0, 0, "at the top left"),
            (500, 100, "at the top"),
            (1000, 500, "on the right"),
            (340, 660, "in the middle"),
            (1000, 1000, "at the bottom right"),
        ] {
            assert_eq!(side_words(Point::clamped(x, y)), words);
        }
    }
}
