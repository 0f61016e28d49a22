//! Holding: a key or a button that stays down for a while.

use std::fmt;
use std::str::FromStr;

use crate::button::Button;
use crate::keys::{Chord, KeyError};
use crate::point::Point;

/// The button or keys that stay down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// A mouse button.
    Button(Button),
    /// A key, and the modifiers held with it.
    Keys(Chord),
}

/// A button or keys held down for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Holding {
    /// The button or keys.
    pub what: Held,
    /// How long to hold them, in seconds.
    pub seconds: f64,
    /// Where to move the pointer first, if anywhere.
    pub at: Option<Point>,
}

/// Writes a button as `left button`, since `left` alone is a key.
impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Held::Button(button) => write!(f, "{button} button"),
            Held::Keys(chord) => chord.fmt(f),
        }
    }
}

impl FromStr for Held {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Held, KeyError> {
        let plain = text.replace(['_', '-'], " ").to_ascii_lowercase();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let button = match words[..] {
            ["mouse" | "button"] | ["mouse", "button"] => Some(Button::Left),
            [name, "button" | "mouse"] | ["mouse", name] | [name, "mouse", "button"] => Button::named(name),
            _ => None,
        };
        match button {
            Some(button) => Ok(Held::Button(button)),
            None => text.parse().map(Held::Keys),
        }
    }
}
