//! The gate between a reply and the screen. It decides which actions are performed immediately, which wait for the
//! person, and which are not performed at all.

use std::slice;

use franz_action::keys::{Chord, Key, Modifier};
use franz_action::tool::ParamKind;
use franz_action::{Action, Button, Held, Holding, Outcome, Point, Tool};
use franz_dialect::bind::{LONGEST_TEXT, LONGEST_WAIT_S, MOST_CLICKS, MOST_NOTCHES, MOST_PRESSES};
use franz_panel::controls::PersonDecision;
use franz_record::PersonQuestion;

use crate::config::gate::{Deed, Forbids, GateMode, GateRule};
use crate::config::settings::Settings;

/// How many typed characters to remember, because text that a rule forbids could be typed in several calls.
const REMEMBERED: usize = 200;

/// The gate's verdict on an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// The action is performed.
    Free,
    /// The action waits for the person, for this reason.
    Ask(String),
    /// The action is not performed, for this reason.
    Shut(String),
}

/// The gate, with its memory of earlier actions.
#[derive(Debug, Default)]
pub(crate) struct Gatekeeper {
    /// The text typed most recently, without an action in between that might have moved the text cursor.
    typed: String,
    /// The last text that the model put on the clipboard. Something else might be there by now.
    clipboard: String,
    /// The buttons that are down, so that moving the pointer drags.
    down: Vec<Button>,
}

impl Gatekeeper {
    /// Judges an action that is about to be performed, with the pointer at this position. If several rules apply, the
    /// strictest wins.
    pub(crate) fn judge(&self, settings: &Settings, action: &Action, pointer: Option<Point>) -> Passage {
        let looks = action.only_looks();
        let deed = Deed {
            action,
            pointer,
            drags: self.drags(),
            text: self
                .text(action)
                .filter(|text| !text.is_empty())
                .map(|text| format!("{}{text}", self.typed)),
        };
        let rules = &settings.gate.rule;
        // Looking is forbidden only by name: a rule about a place is about what is done there.
        let concerns = |rule: &GateRule| (!looks || !rule.tools.is_empty()) && rule.applies(&deed);
        let applying = |forbids| rules.iter().find(|rule| rule.then == forbids && concerns(rule));
        if let Some(rule) = applying(Forbids::Deny) {
            return Passage::Shut(format!("the person does not allow {}", rule.about()));
        }
        if settings.gate.mode == GateMode::Watch && !looks {
            return Passage::Shut("the person only wants to see what you would do".to_owned());
        }
        if let Some(rule) = applying(Forbids::Ask) {
            return Passage::Ask(format!("a rule asks before {}", rule.about()));
        }
        if looks {
            return Passage::Free;
        }
        let verbs = action.verbs().into_iter().map(|verb| verb.tool().name);
        let mut named = verbs.filter(|name| settings.gate.ask.iter().any(|asked| asked == name));
        match (settings.gate.mode, named.next()) {
            (GateMode::Ask, Some(name)) => Passage::Ask(format!("gate.ask names {name}")),
            _ => Passage::Free,
        }
    }

    /// Notes what an action is about to write.
    pub(crate) fn passed(&mut self, action: &Action) {
        match self.text(action) {
            Some(text) if !matches!(action, Action::WriteClipboard(_)) => {
                self.typed.push_str(&text);
                let surplus = self.typed.chars().count().saturating_sub(REMEMBERED);
                self.typed = self.typed.chars().skip(surplus).collect();
            }
            Some(text) => self.clipboard = text,
            None if leaves_cursor(action) => {}
            None => self.typed.clear(),
        }
    }

    /// Notes the outcome of an action that passed. An interruption releases all buttons.
    pub(crate) fn came_to(&mut self, action: &Action, outcome: &Outcome) {
        match action {
            _ if *outcome == Outcome::Interrupted => self.down.clear(),
            Action::MouseDown(button, _) if outcome.is_done() => self.down.push(*button),
            Action::MouseUp(button, _) if outcome.is_done() => self.down.retain(|down| down != button),
            _ => {}
        }
    }

    /// Returns the text that an action types, also one key at a time or by pasting, or puts on the clipboard.
    fn text(&self, action: &Action) -> Option<String> {
        match action {
            // Each of these ends of a line presses Enter once.
            Action::Type(typing) => Some(typing.text.replace("\r\n", "\n").replace('\r', "\n")),
            Action::WriteClipboard(text) => Some(text.clone()),
            Action::Press(keys) => {
                let once = typed(keys.chords(), &self.clipboard)?;
                // Enough for every text of the remembered length that begins in the first of them.
                let enough = REMEMBERED.div_ceil(once.chars().count().max(1)) + 1;
                Some(once.repeat(enough.min(keys.count() as usize)))
            }
            Action::Hold(Holding {
                what: Held::Keys(chord),
                ..
            }) => typed(slice::from_ref(chord), &self.clipboard),
            _ => None,
        }
    }

    /// Returns whether a button is down.
    pub(crate) fn drags(&self) -> bool {
        !self.down.is_empty()
    }

    /// Notes that all keys and buttons were released.
    pub(crate) fn let_go(&mut self) {
        self.down.clear();
    }
}

/// The maximum length of text that a person writes, in bytes.
const LONGEST_WORDS: usize = 16 << 10;

/// Checks text that a person writes to the model or in its place.
pub(crate) fn check_words(what: &str, text: &str) -> Result<(), String> {
    match text.len() {
        _ if text.trim().is_empty() => Err(format!("{what} is empty")),
        bytes if bytes > LONGEST_WORDS => Err(format!(
            "{what} is {bytes} bytes long; shorten it to {LONGEST_WORDS} or fewer"
        )),
        _ => Ok(()),
    }
}

/// Checks whether a decision fits its question; the error says which decision is expected.
pub(crate) fn check(decision: &PersonDecision, question: &PersonQuestion) -> Result<(), String> {
    match (decision, &question.question) {
        (PersonDecision::Answer(answer), Some(_)) => check_words("the answer", answer),
        (PersonDecision::Refuse(_), Some(_)) => Ok(()),
        (_, Some(_)) => Err("the model asks for an answer: give one, or refuse".to_owned()),
        (PersonDecision::Answer(_), None) => {
            Err("an action is waiting, not a question: approve it or refuse it".to_owned())
        }
        (PersonDecision::Edit(action), None) => edited(action).map(drop),
        _ => Ok(()),
    }
}

/// Parses the action that a person wrote in place of the model's; the error names the mistake.
pub(crate) fn edited(text: &str) -> Result<Action, String> {
    let read = text.trim().parse::<Action>();
    let action = read.map_err(|_| format!("{text:?} is not an action; {}", how_to_write(text)))?;
    match exceeded(&action) {
        Some(why) => Err(format!("{text:?} cannot be performed: {why}")),
        None => Ok(action),
    }
}

/// Says how to write the action that a text names, as far as it names one.
fn how_to_write(text: &str) -> String {
    let name = text.split('(').next().unwrap_or_default().trim();
    let Some(tool) = Tool::named(name) else {
        return "write a call such as left_click(x, y) or press(\"enter\")".to_owned();
    };
    let is_placed = tool
        .params
        .first()
        .is_some_and(|param| param.kind == ParamKind::Coordinate);
    let places = if is_placed { ", with places from 0 to 1000" } else { "" };
    format!("write {}{places}", tool.shortest_call())
}

/// Returns the limit that an action exceeds, if any. Replies have the same limits.
fn exceeded(action: &Action) -> Option<String> {
    let times = |count: u32, most: u32| (count > most).then(|| format!("it can be repeated at most {most} times"));
    match action {
        Action::Wait(seconds) | Action::Watch(seconds) | Action::Hold(Holding { seconds, .. }) => {
            let is_within = (0.0..=LONGEST_WAIT_S).contains(seconds);
            (!is_within).then(|| format!("it can take 0 to {LONGEST_WAIT_S} seconds"))
        }
        Action::Press(keys) => times(keys.count(), MOST_PRESSES),
        Action::Click(click) => times(click.count, MOST_CLICKS),
        Action::Scroll { dy, dx, .. } => {
            let notches = f64::from(dy.unsigned_abs().max(dx.unsigned_abs()));
            (notches > MOST_NOTCHES).then(|| format!("the wheel can turn at most {MOST_NOTCHES} notches at a time"))
        }
        Action::Type(typing) => {
            let is_long = typing.text.chars().count() > LONGEST_TEXT;
            is_long.then(|| format!("a text can have at most {LONGEST_TEXT} characters"))
        }
        Action::Ask(_) | Action::Aimed(..) => Some("write the action itself, with its place".to_owned()),
        _ => None,
    }
}

/// Returns the text that these chords type, with this text on the clipboard. `None` if one of them does something else.
fn typed(chords: &[Chord], clipboard: &str) -> Option<String> {
    let mut text = String::new();
    for chord in chords {
        if pastes(chord) && !clipboard.is_empty() {
            text.push_str(clipboard);
            continue;
        }
        if !chord.modifiers.iter().all(|held| *held == Modifier::Shift) {
            return None;
        }
        match chord.key {
            Key::Char(c) => text.push(c),
            Key::Named("space") => text.push(' '),
            Key::Named("enter") => text.push('\n'),
            // These keys type nothing and leave the text cursor where it is.
            Key::Modifier(_) | Key::Named("capslock" | "numlock" | "scrolllock") => {}
            _ => return None,
        }
    }
    Some(text)
}

/// Returns whether a chord pastes, in the programs of any system.
fn pastes(chord: &Chord) -> bool {
    let has = |modifier| chord.modifiers.contains(&modifier);
    match chord.key {
        Key::Char('v' | 'V') => has(Modifier::Ctrl) || has(Modifier::Win),
        Key::Named("insert") => has(Modifier::Shift),
        _ => false,
    }
}

/// Returns whether an action that types nothing leaves the text cursor where it is.
fn leaves_cursor(action: &Action) -> bool {
    action.only_looks()
        || matches!(
            action,
            Action::Move(_)
                | Action::Scroll { .. }
                | Action::MouseUp(..)
                | Action::ReadClipboard
                | Action::Focus(_)
                | Action::Open(_)
        )
}

#[cfg(test)]
mod tests;
