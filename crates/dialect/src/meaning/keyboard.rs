//! The meaning of calls with text and keys.

use franz_action::keys::{Chord, KeyError};
use franz_action::{Action, Button, Held, Holding, Keys, Typing};
use serde_json::Value;

use super::{Does, Enter, HELD, MeaningError, Surroundings, flag, is_empty, one, placed, said, seconds, words};
use crate::bind::{LONGEST_CLIPBOARD, LONGEST_TEXT, LONGEST_WAIT_S, MOST_CHORDS, MOST_PRESSES};
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
const KEYS: [&str; 11] = [
    "keys",
    "key",
    "text",
    "value",
    "combination",
    "key_comb",
    "shortcut",
    "keyName",
    "hotkey",
    "tap_keys",
    "tap_key",
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

const WHAT: [&str; 4] = ["what", "keys", "key", "text"];

const PRESSES: [&str; 5] = ["presses", "repeat_count", "count", "repeat", "times"];

/// Checks whether calls with text or keys have an argument with this name.
pub(super) fn reads(key: &str) -> bool {
    let all = [&TEXT[..], &KEYS, &ENTER, &CLEAR, &PRESSES, &WHAT].concat();
    all.iter().any(|name| same(name, key))
}

/// Reads text for the clipboard.
pub(super) fn copied(args: &Arguments) -> Result<Does, MeaningError> {
    match args.agreed(&TEXT).map_err(SpotError::from)? {
        Some(Value::String(text)) if text.chars().count() <= LONGEST_CLIPBOARD => {
            Ok(one(Action::WriteClipboard(text.clone()), Vec::new()))
        }
        Some(Value::String(_)) => Err(words("the text is too long for the clipboard")),
        _ => Err(words("the text is missing")),
    }
}

pub(super) fn typed(enter: Enter, args: &Arguments, around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    let text = match args.agreed(&TEXT).map_err(SpotError::from)? {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => return Err(words("the text is missing")),
    };
    if text.chars().count() > LONGEST_TEXT {
        return Err(words("the text is too long for one call"));
    }
    let replace = flag(args, &CLEAR).unwrap_or(false);
    if text.is_empty() && !replace {
        return Err(words("the text is empty"));
    }
    let submits = match enter {
        Enter::OrHabit => flag(args, &ENTER).unwrap_or(around.manner.enters),
        Enter::OnlyIfAsked => flag(args, &ENTER).unwrap_or(false),
        Enter::Always => true,
    };
    let place = placed(args, around)?;
    if replace && place.is_none() {
        return Err(words(
            "to replace text, also give its place, or click it and press ctrl+a first",
        ));
    }
    let (at, exact) = place.unzip();
    let typing = Typing { text, at, replace };
    let typing = if submits { typing.entered() } else { typing };
    Ok(one(Action::Type(typing), exact.into_iter().collect()))
}

/// Reads keys. With `chord`, a list is one chord, unless one of its names is already a chord.
pub(super) fn pressed(args: &Arguments, chord: bool) -> Result<Does, MeaningError> {
    let value = args
        .agreed(&KEYS[..2])
        .map_err(SpotError::from)?
        .or_else(|| args.get(&KEYS));
    let value = value.ok_or_else(|| words("the key is missing"))?;
    let times = args.get(&PRESSES).filter(|times| **times != Value::Bool(false));
    let times = times.map_or(Some(1.0), spot::number).unwrap_or_default();
    if !(1.0..=f64::from(MOST_PRESSES)).contains(&times) || times.fract() != 0.0 {
        return Err(words(format!(
            "a key can be pressed 1 to {MOST_PRESSES} times in one call"
        )));
    }
    let read = if chord {
        crate::chord::names
    } else {
        crate::chord::typed
    };
    let names = read(value).ok_or_else(|| words("the keys could not be read"))?;
    let keys = match held_keys(args)? {
        Some(held) => tapped(held, &names),
        None => keys(&names, chord && value.is_array()),
    };
    let keys = keys.map_err(|error| match error {
        KeyError::NotAModifier(_) if names.len() > 1 => words(format!("{error}; write one call for each key")),
        error => words(error.to_string()),
    })?;
    if keys.chords().len() > MOST_CHORDS {
        return Err(words(format!("one call takes at most {MOST_CHORDS} keys")));
    }
    Ok(one(Action::Press(keys.times(times as u32)), Vec::new()))
}

/// Returns the names of the keys that a call holds while it presses another, if there are any.
fn held_keys(args: &Arguments) -> Result<Option<Vec<String>>, MeaningError> {
    let Some(value) = args.get(&HELD).filter(|value| !is_empty(value)) else {
        return Ok(None);
    };
    let names = crate::chord::names(value).ok_or_else(|| words("the held keys could not be read"))?;
    Ok(Some(names))
}

/// Joins held keys with the one that is pressed. To press several while the same keys stay down differs from one chord
/// after another, because programs act when the keys go up.
fn tapped(mut held: Vec<String>, names: &[String]) -> Result<Keys, KeyError> {
    held.extend_from_slice(names);
    Ok(held.join("+").parse::<Chord>()?.into())
}

fn keys(names: &[String], together: bool) -> Result<Keys, KeyError> {
    match names {
        [text] => text.parse(),
        names if together && !names.iter().any(|name| name.len() > 1 && name.contains('+')) => {
            Ok(names.join("+").parse::<Chord>()?.into())
        }
        names => Keys::of(names.iter().map(String::as_str)),
    }
}

/// Reads a key, a chord or a button to hold for a while.
pub(super) fn held(args: &Arguments, around: &Surroundings<'_>) -> Result<Does, MeaningError> {
    let what = match args.get(&WHAT) {
        Some(value) => {
            let names = crate::chord::names(value).ok_or_else(|| words("the keys could not be read"))?;
            let what = names.join(if value.is_array() { "+" } else { " " }).parse();
            what.map_err(|error: KeyError| words(error.to_string()))?
        }
        None => match said(args, &["button"]) {
            Some(name) => {
                Held::Button(Button::named(&name).ok_or_else(|| words("the button must be left, middle or right"))?)
            }
            None => return Err(words("say what to hold: a key, a chord, or \"left button\"")),
        },
    };
    let seconds = seconds::given(args)?.ok_or_else(|| words("the number of seconds is missing"))?;
    if seconds > LONGEST_WAIT_S {
        return Err(words("a hold can last at most 30 seconds"));
    }
    let (at, exact) = placed(args, around)?.unzip();
    Ok(one(
        Action::Hold(Holding { what, seconds, at }),
        exact.into_iter().collect(),
    ))
}

/// Reads `KEY_DOWN(key), KEY_PRESS(key), KEY_UP(key)` if this amounts to one chord.
pub(super) fn gesture(args: &Arguments) -> Result<Does, MeaningError> {
    let unclear = || words("keys can be held and released this way only as one chord");
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
    let chord: Chord = held
        .join("+")
        .parse()
        .map_err(|error: KeyError| words(error.to_string()))?;
    Ok(one(Action::Press(chord.into()), Vec::new()))
}
