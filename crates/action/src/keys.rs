//! Keys and chords by the names people use: `enter`, `ctrl+shift+t`, `alt+f4`, `win`.
//!
//! `names` is the table of spellings; [`sequence`] parses one chord or several in a row.

mod names;
pub mod sequence;

use std::fmt;

pub use sequence::{KeyError, Keys};

/// A key held while another is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modifier {
    /// `ctrl`, `control`
    Ctrl,
    /// `alt`, `option`
    Alt,
    /// `shift`
    Shift,
    /// `win`, `super`, `cmd`, `meta`, `windows`, `command`
    Win,
}

impl Modifier {
    /// Returns the modifier with this name. Case does not matter, nor do separators between words.
    pub fn named(name: &str) -> Option<Modifier> {
        names::modifier(&names::plain(name))
    }

    /// Returns the canonical name.
    pub fn name(self) -> &'static str {
        match self {
            Modifier::Ctrl => "ctrl",
            Modifier::Alt => "alt",
            Modifier::Shift => "shift",
            Modifier::Win => "win",
        }
    }

    /// Reads several modifiers separated by `+`, `-`, a comma or a space; returns them sorted and without duplicates.
    pub fn list(text: &str) -> Result<Vec<Modifier>, KeyError> {
        let names = text.split(['+', '-', ',', ' ']).filter(|name| !name.is_empty());
        let known = names.map(|name| Modifier::named(name).ok_or_else(|| KeyError::NotAModifier(name.to_owned())));
        Ok(sorted(known.collect::<Result<_, _>>()?))
    }
}

fn sorted(mut modifiers: Vec<Modifier>) -> Vec<Modifier> {
    modifiers.sort_unstable();
    modifiers.dedup();
    modifiers
}

/// One key of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A named key, by its canonical name from [`Key::NAMED`].
    Named(&'static str),
    /// A function key, 1..=24.
    Function(u8),
    /// The key that types this character.
    Char(char),
    /// A modifier pressed on its own.
    Modifier(Modifier),
}

impl Key {
    /// The canonical names of the named keys.
    pub const NAMED: [&'static str; 21] = [
        "enter",
        "esc",
        "tab",
        "space",
        "backspace",
        "delete",
        "insert",
        "home",
        "end",
        "pageup",
        "pagedown",
        "up",
        "down",
        "left",
        "right",
        "capslock",
        "numlock",
        "scrolllock",
        "printscreen",
        "pause",
        "menu",
    ];

    /// Returns the key with this name.
    pub fn named(name: &str) -> Option<Key> {
        let mut chars = name.chars();
        if let (Some(only), None) = (chars.next(), chars.next()) {
            return (!only.is_control() && !only.is_whitespace()).then_some(Key::Char(only));
        }
        let plain = names::plain(name);
        if let Some(modifier) = names::modifier(&plain) {
            return Some(Key::Modifier(modifier));
        }
        if let Some(number) = plain.strip_prefix('f').and_then(|digits| digits.parse::<u8>().ok()) {
            return (1..=24).contains(&number).then_some(Key::Function(number));
        }
        names::key(&plain)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Named(name) => f.write_str(name),
            Key::Function(number) => write!(f, "f{number}"),
            Key::Char(c) => write!(f, "{c}"),
            Key::Modifier(modifier) => f.write_str(modifier.name()),
        }
    }
}

/// A key and the modifiers held while it is pressed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    /// The modifiers, sorted and without duplicates.
    pub modifiers: Vec<Modifier>,
    /// The key pressed while the modifiers are held.
    pub key: Key,
}

impl Chord {
    /// Returns the chord that presses `key` with these modifiers.
    pub fn with(modifiers: &[Modifier], key: Key) -> Chord {
        Chord {
            modifiers: sorted(modifiers.to_vec()),
            key,
        }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for modifier in &self.modifiers {
            write!(f, "{}+", modifier.name())?;
        }
        write!(f, "{}", self.key)
    }
}
