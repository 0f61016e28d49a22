//! The gate's settings: its mode, and rules that make actions wait or forbid them.

use franz_action::keys::{Chord, Key, Modifier};
use franz_action::{Action, Held, Holding, Keys, Point, Tool};
use serde::{Deserialize, Serialize};
use toml::Value;

/// The treatment of actions that no rule applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GateMode {
    /// They are performed.
    Free,
    /// Those in `gate.ask` wait for the person.
    Ask,
    /// They are not performed.
    Watch,
}

/// A rule's effect on an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Forbids {
    /// The action waits for the person.
    Ask,
    /// The action is not performed.
    Deny,
}

/// A rule. It applies to actions that meet all of its conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GateRule {
    /// The action is inside this area: left, top, right, bottom, in thousandths of the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    area: Option<[f64; 4]>,
    /// The action is outside this area.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outside: Option<[f64; 4]>,
    /// The action is a call of one of these tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tools: Vec<String>,
    /// The action presses one of these keys, even if other keys are held down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keys: Vec<String>,
    /// The action writes this text, regardless of case, possibly together with text typed just before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The rule's effect on these actions.
    pub(crate) then: Forbids,
}

/// An action with all the facts that rules need.
pub(crate) struct Deed<'a> {
    pub(crate) action: &'a Action,
    /// The pointer's position.
    pub(crate) pointer: Option<Point>,
    /// Whether an earlier action holds a button down.
    pub(crate) drags: bool,
    /// The text that the action writes, appended to the text typed just before.
    pub(crate) text: Option<String>,
}

impl GateRule {
    /// Parses a list of rules; the error names every mistake.
    pub(crate) fn list(rules: &[Value]) -> Result<Vec<GateRule>, String> {
        let mut mistakes = Vec::new();
        let mut read = Vec::new();
        for (number, rule) in (1..).zip(rules) {
            match rule.clone().try_into::<GateRule>() {
                Ok(rule) => {
                    mistakes.extend(
                        rule.mistakes()
                            .into_iter()
                            .map(|mistake| format!("rule {number}: {mistake}")),
                    );
                    read.push(rule);
                }
                Err(error) => mistakes.push(format!("rule {number}: {}", error.message())),
            }
        }
        if mistakes.is_empty() {
            Ok(read)
        } else {
            Err(mistakes.join("; "))
        }
    }

    fn mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        for (name, area) in [("area", self.area), ("outside", self.outside)] {
            if area.is_some_and(|area| !is_area(area)) {
                mistakes.push(format!(
                    "{name} must be [left, top, right, bottom] in thousandths of the screen, such as [0, 0, 500, 1000]"
                ));
            }
        }
        for name in self.tools.iter().filter(|name| Tool::named(name).is_none()) {
            mistakes.push(format!("there is no tool {name:?}"));
        }
        for name in &self.keys {
            if let Err(error) = name.parse::<Keys>() {
                mistakes.push(format!("keys: {error}"));
            }
        }
        if self.text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            mistakes.push("text is empty".to_owned());
        }
        let is_any = self.area.is_none() && self.outside.is_none() && self.text.is_none();
        if is_any && self.tools.is_empty() && self.keys.is_empty() {
            mistakes.push("it has no condition; give area, outside, tools, keys or text".to_owned());
        }
        mistakes
    }

    /// Describes the rule's conditions, for the model and the person.
    pub(crate) fn about(&self) -> String {
        let mut parts = Vec::new();
        if !self.tools.is_empty() {
            parts.push(self.tools.join(" or "));
        }
        if !self.keys.is_empty() {
            parts.push(self.keys.join(" or "));
        }
        parts.extend(self.text.as_ref().map(|text| format!("writing {text:?}")));
        match (self.area, self.outside) {
            (None, None) => {}
            _ if parts.is_empty() => parts.push("anything there".to_owned()),
            _ => parts.push("there".to_owned()),
        }
        parts.join(" ")
    }

    pub(crate) fn applies(&self, deed: &Deed<'_>) -> bool {
        let verbs = || deed.action.verbs().into_iter().map(|verb| verb.tool().name);
        let is_called = |name: &String| verbs().any(|verb| verb == name);
        let pressed = || chords(deed.action);
        let is_pressed = |name: &String| {
            let keys = name.parse::<Keys>().ok();
            keys.is_some_and(|keys| {
                keys.chords()
                    .iter()
                    .any(|of| pressed().iter().any(|with| contains(with, of)))
            })
        };
        let is_written = |wanted: &String| {
            let written = deed.text.as_ref().map(|text| text.to_lowercase());
            written.is_some_and(|written| written.contains(&wanted.to_lowercase()))
        };
        (self.tools.is_empty() || self.tools.iter().any(is_called))
            && (self.keys.is_empty() || self.keys.iter().any(is_pressed))
            && self.text.as_ref().is_none_or(is_written)
            && self.area.is_none_or(|area| deed.touches(area))
            && self.outside.is_none_or(|area| deed.leaves(area))
    }
}

impl Deed<'_> {
    fn places(&self) -> Vec<(f64, f64)> {
        let places = match self.action.places() {
            // These actions take place at the pointer.
            [] => match self.action {
                Action::MouseDown(..)
                | Action::MouseUp(..)
                | Action::Scroll { .. }
                | Action::Hold(Holding {
                    what: Held::Button(_), ..
                }) => self.pointer.as_slice(),
                _ => &[],
            },
            places => places,
        };
        // While a button is down, the action drags from the pointer to its own place.
        let from = self.pointer.filter(|_| self.drags && !places.is_empty());
        from.iter().chain(places).map(|at| (at.x.get(), at.y.get())).collect()
    }

    /// Checks whether the action takes place in an area, or drags across it.
    fn touches(&self, area: [f64; 4]) -> bool {
        let places = self.places();
        let lines = places.windows(2).any(|ends| crosses(area, ends[0], ends[1]));
        lines || places.iter().any(|at| is_in(area, *at))
    }

    fn leaves(&self, area: [f64; 4]) -> bool {
        self.places().iter().any(|at| !is_in(area, *at))
    }
}

fn is_area([left, top, right, bottom]: [f64; 4]) -> bool {
    let is_side = |low: f64, high: f64| (0.0..=1000.0).contains(&low) && (0.0..=1000.0).contains(&high) && low < high;
    is_side(left, right) && is_side(top, bottom)
}

fn is_in([left, top, right, bottom]: [f64; 4], (x, y): (f64, f64)) -> bool {
    (left..=right).contains(&x) && (top..=bottom).contains(&y)
}

/// Checks whether the line between two points crosses an area (Liang and Barsky, 1984).
fn crosses([left, top, right, bottom]: [f64; 4], from: (f64, f64), to: (f64, f64)) -> bool {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (step, room) in [
        (-dx, from.0 - left),
        (dx, right - from.0),
        (-dy, from.1 - top),
        (dy, bottom - from.1),
    ] {
        if step == 0.0 {
            if room < 0.0 {
                return false;
            }
        } else if step < 0.0 {
            enters = enters.max(room / step);
        } else {
            leaves = leaves.min(room / step);
        }
    }
    enters <= leaves
}

/// Returns the key chords that an action presses.
fn chords(action: &Action) -> Vec<Chord> {
    match action {
        Action::Press(keys) => keys.chords().to_vec(),
        Action::Hold(Holding {
            what: Held::Keys(chord),
            ..
        }) => vec![chord.clone()],
        Action::Type(typing) => {
            let enter = typing
                .text
                .contains(['\n', '\r'])
                .then(|| Chord::with(&[], Key::Named("enter")));
            let tab = typing.text.contains('\t').then(|| Chord::with(&[], Key::Named("tab")));
            let all = typing.replace.then(|| Chord::with(&[Modifier::Ctrl], Key::Char('a')));
            enter.into_iter().chain(tab).chain(all).collect()
        }
        _ => Vec::new(),
    }
}

/// Checks whether pressing `chord` also presses `other`, which means the same key with at least the same modifiers.
fn contains(chord: &Chord, other: &Chord) -> bool {
    let plain = |key: Key| match key {
        Key::Char(c) => Key::Char(c.to_lowercase().next().unwrap_or(c)),
        key => key,
    };
    let holds = |modifier: &Modifier| chord.modifiers.contains(modifier) || chord.key == Key::Modifier(*modifier);
    plain(chord.key) == plain(other.key) && other.modifiers.iter().all(holds)
}
