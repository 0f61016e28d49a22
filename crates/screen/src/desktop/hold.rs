//! The keys and buttons that are held down, recorded so that another process can release them.

use std::fmt;
use std::str::FromStr;

use franz_action::Button;
use franz_action::keys::{Chord, Key};

use super::display::{Display, DisplayError, Press};

/// A button or a key that is down, or might be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// A mouse button.
    Button(Button),
    /// A key.
    Key(Key),
    /// The position at which buttons are released; not a hold in itself.
    Place(i32, i32),
}

impl Hold {
    /// Returns the key that types a character.
    pub(super) fn typing(character: char) -> Hold {
        Hold::Key(match character {
            '\n' | '\r' => Key::Named("enter"),
            '\t' => Key::Named("tab"),
            ' ' => Key::Named("space"),
            other => Key::Char(other),
        })
    }

    pub(super) fn put(self, display: &mut dyn Display, press: Press) -> Result<(), DisplayError> {
        match self {
            Hold::Button(button) => display.button(button, press),
            Hold::Key(key) => display.key(&key, press),
            Hold::Place(x, y) => display.move_to(x, y),
        }
    }
}

/// Releases everything that program input holds down. If the display does not report what that is, releases the known
/// holds, the last one first. Returns the names, or `None` if nothing is known at all.
pub fn release(display: &mut dyn Display, known: &[Hold]) -> Result<Option<Vec<String>>, DisplayError> {
    if let Some(names) = display.release()? {
        return Ok(Some(names));
    }
    let released = release_known(display, known)?;
    Ok((!released.is_empty()).then_some(released))
}

/// Releases only these holds, the last one first. Returns their names.
pub fn release_known(display: &mut dyn Display, known: &[Hold]) -> Result<Vec<String>, DisplayError> {
    let (places, holds): (Vec<&Hold>, Vec<&Hold>) = known.iter().partition(|hold| matches!(hold, Hold::Place(..)));
    let mut released = Ok(());
    for hold in places.into_iter().chain(holds.iter().copied().rev()) {
        released = released.and(hold.put(display, Press::Up));
    }
    released?;
    Ok(holds.iter().map(ToString::to_string).collect())
}

/// Writes `left button`, `key ctrl`, or, for a key that types a character, the character's number: `character 1f600`.
impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hold::Button(Button::Left) => f.write_str("left button"),
            Hold::Button(Button::Middle) => f.write_str("middle button"),
            Hold::Button(Button::Right) => f.write_str("right button"),
            Hold::Key(Key::Char(character)) => write!(f, "character {:x}", u32::from(*character)),
            Hold::Key(key) => write!(f, "key {key}"),
            Hold::Place(x, y) => write!(f, "at {x} {y}"),
        }
    }
}

/// The error for a string that names neither a button nor a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("names neither a button nor a key")]
pub struct NoHold;

impl FromStr for Hold {
    type Err = NoHold;

    fn from_str(text: &str) -> Result<Hold, NoHold> {
        let other = || {
            match text.split_once(' ')? {
                ("character", number) => char::from_u32(u32::from_str_radix(number, 16).ok()?).map(Key::Char),
                ("at", place) => {
                    let (x, y) = place.split_once(' ')?;
                    return Some(Hold::Place(x.parse().ok()?, y.parse().ok()?));
                }
                ("key", name) => name.parse().ok().map(|Chord { key, .. }| key),
                _ => None,
            }
            .map(Hold::Key)
        };
        match text {
            "left button" => Ok(Hold::Button(Button::Left)),
            "middle button" => Ok(Hold::Button(Button::Middle)),
            "right button" => Ok(Hold::Button(Button::Right)),
            _ => other().ok_or(NoHold),
        }
    }
}

#[cfg(test)]
mod tests {
    use franz_action::keys::Modifier;
    use proptest::prelude::*;

    use super::*;

    fn survives(hold: Hold) {
        assert_eq!(hold.to_string().parse(), Ok(hold), "{hold}");
    }

    #[test]
    fn every_button_and_key_survives_its_text() {
        for button in [Button::Left, Button::Middle, Button::Right] {
            survives(Hold::Button(button));
        }
        for name in Key::NAMED {
            survives(Hold::Key(Key::Named(name)));
        }
        survives(Hold::Place(-3, 40_000));
        for number in 1..=24 {
            survives(Hold::Key(Key::Function(number)));
        }
        for modifier in [Modifier::Ctrl, Modifier::Alt, Modifier::Shift, Modifier::Win] {
            survives(Hold::Key(Key::Modifier(modifier)));
        }
        for text in [
            "",
            "left",
            "key",
            "key nothing",
            "character",
            "character 110000",
            "character ,",
            "at 3",
            "at 3 4 5",
        ] {
            assert_eq!(text.parse::<Hold>(), Err(NoHold), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_typed_character_survives_its_text(character: char) {
            survives(Hold::typing(character));
        }
    }
}
