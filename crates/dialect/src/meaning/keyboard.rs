//! Texts and keys.

use franz_action::Action;
use franz_action::keys::Chord;
use serde_json::Value;

use super::{CallFault, Does, Enter, Surroundings, flag, one, resolved, words};
use crate::bind::{LONGEST_CLIPBOARD, LONGEST_TEXT};
use crate::notation::{Arguments, same};
use crate::spot::{self, SpotError};

const TEXT: [&str; 7] = [
    "text",
    "content",
    "value",
    "message",
    "input_text",
    "string",
    "text_value",
];
const KEYS: [&str; 9] = [
    "keys",
    "key",
    "text",
    "value",
    "combination",
    "key_comb",
    "shortcut",
    "keyName",
    "hotkey",
];
const ENTER: [&str; 4] = ["press_enter", "enter", "submit", "press_enter_after"];
const CLEAR: [&str; 6] = [
    "clear",
    "overwrite",
    "override",
    "delete_existing_text",
    "clear_before_typing",
    "replace",
];

const PRESSES: [&str; 3] = ["presses", "repeat_count", "count"];

/// Checks whether texts or keys read an argument of this name.
pub(super) fn reads(key: &str) -> bool {
    let all = [&TEXT[..], &KEYS, &ENTER, &CLEAR, &PRESSES].concat();
    all.iter().any(|name| same(name, key))
}

/// Reads a text for the clipboard.
pub(super) fn copied(args: &Arguments) -> Result<Does, CallFault> {
    match args.agreed(&TEXT).map_err(SpotError::from)? {
        Some(Value::String(text)) if text.chars().count() <= LONGEST_CLIPBOARD => {
            Ok(one(Action::WriteClipboard(text.clone()), Vec::new()))
        }
        Some(Value::String(_)) => Err(words("the text is too long for the clipboard")),
        _ => Err(words("the text is missing")),
    }
}

pub(super) fn typed(enter: Enter, args: &Arguments, around: &Surroundings<'_>) -> Result<Does, CallFault> {
    let text = match args.agreed(&TEXT).map_err(SpotError::from)? {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => return Err(words("the text is missing")),
    };
    if text.is_empty() {
        return Err(words("the text is empty"));
    }
    if text.chars().count() > LONGEST_TEXT {
        return Err(words("the text is too long for one call"));
    }
    if flag(args, &CLEAR).unwrap_or(false) {
        return Err(words(
            "nothing is cleared before typing; select the old text first, for example with ctrl+a",
        ));
    }
    let submits = match enter {
        Enter::Asked => flag(args, &ENTER).unwrap_or(around.manner.enters),
        Enter::Said => flag(args, &ENTER).unwrap_or(false),
        Enter::Always => true,
    };
    let mut actions = Vec::new();
    if let Some(place) = spot::place(args)? {
        let (point, exact) = resolved(&place, around)?;
        actions.push((Action::LeftClick(point), vec![exact]));
    }
    let ends = text.ends_with('\n');
    actions.push((Action::Type(text), Vec::new()));
    if submits && !ends {
        let chord = "enter".parse().map_err(|_| words("there is no enter key"))?;
        actions.push((Action::Press(chord), Vec::new()));
    }
    Ok(Does::Perform(actions))
}

pub(super) fn pressed(args: &Arguments, chord: bool) -> Result<Does, CallFault> {
    let value = args
        .agreed(&KEYS[..2])
        .map_err(SpotError::from)?
        .or_else(|| args.get(&KEYS));
    let value = value.ok_or_else(|| words("the key is missing"))?;
    let times = args.get(&PRESSES).and_then(spot::number).unwrap_or(1.0);
    if !(1.0..=20.0).contains(&times) {
        return Err(words("a key is pressed at most 20 times in one call"));
    }
    let names = crate::chord::names(value).ok_or_else(|| words("the keys could not be read"))?;
    let texts = if chord { vec![names.join("+")] } else { names };
    let mut actions = Vec::new();
    for text in &texts {
        let chord: Chord = crate::chord::read(text).map_err(|error| words(error.to_string()))?;
        actions.push((Action::Press(chord), Vec::new()));
    }
    if actions.is_empty() {
        return Err(words("the key is missing"));
    }
    let round = actions.clone();
    for _ in 1..times as usize {
        actions.extend(round.clone());
    }
    Ok(Does::Perform(actions))
}

/// Reads `KEY_DOWN(key), KEY_PRESS(key), KEY_UP(key)` where it is one chord.
pub(super) fn gesture(args: &Arguments) -> Result<Does, CallFault> {
    let unclear = || words("such a gesture is done only where it is one chord");
    let Some(Value::Array(acts)) = args.get(&["actions"]) else {
        return Err(unclear());
    };
    let (mut held, mut pressed_key, mut released) = (Vec::new(), None, 0);
    for one in acts {
        let text = |name: &str| one.get(name).and_then(Value::as_str).map(str::to_owned);
        match (text("name").as_deref(), text("key")) {
            (Some("KEY_DOWN"), Some(key)) if pressed_key.is_none() => held.push(key),
            (Some("KEY_PRESS"), Some(key)) if pressed_key.is_none() => pressed_key = Some(key),
            (Some("KEY_UP"), Some(key)) if held.contains(&key) => released += 1,
            _ => return Err(unclear()),
        }
    }
    let last = pressed_key.filter(|_| released == held.len()).ok_or_else(unclear)?;
    held.push(last);
    let chord = crate::chord::read(&held.join("+")).map_err(|error| words(error.to_string()))?;
    Ok(one(Action::Press(chord), Vec::new()))
}
