//! Keys and chords by the names people write: `enter`, `ctrl+shift+t`, `alt+f4`, `win`.

use std::fmt;

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
    const NAMES: [(&'static str, Modifier); 11] = [
        ("ctrl", Modifier::Ctrl),
        ("control", Modifier::Ctrl),
        ("alt", Modifier::Alt),
        ("option", Modifier::Alt),
        ("shift", Modifier::Shift),
        ("win", Modifier::Win),
        ("super", Modifier::Win),
        ("cmd", Modifier::Win),
        ("meta", Modifier::Win),
        ("windows", Modifier::Win),
        ("command", Modifier::Win),
    ];

    fn from_name(name: &str) -> Option<Modifier> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, modifier)| *modifier)
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
}

/// One key of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A named key, by its canonical name, which is one of [`Key::NAMED`].
    Named(&'static str),
    /// A function key, 1..=24.
    Function(u8),
    /// The key that types this character.
    Char(char),
    /// A modifier pressed alone.
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

    const ALIASES: [(&'static str, &'static str); 19] = [
        ("return", "enter"),
        ("escape", "esc"),
        ("spacebar", "space"),
        ("bksp", "backspace"),
        ("del", "delete"),
        ("ins", "insert"),
        ("pgup", "pageup"),
        ("pgdn", "pagedown"),
        ("pgdown", "pagedown"),
        ("page_up", "pageup"),
        ("page_down", "pagedown"),
        ("arrowup", "up"),
        ("arrowdown", "down"),
        ("arrowleft", "left"),
        ("arrowright", "right"),
        ("caps_lock", "capslock"),
        ("num_lock", "numlock"),
        ("print_screen", "printscreen"),
        ("prtsc", "printscreen"),
    ];

    fn from_name(name: &str) -> Option<Key> {
        let mut chars = name.chars();
        if let (Some(only), None) = (chars.next(), chars.next()) {
            return (!only.is_control() && !only.is_whitespace()).then_some(Key::Char(only));
        }
        let lower = name.to_ascii_lowercase();
        if let Some(modifier) = Modifier::from_name(&lower) {
            return Some(Key::Modifier(modifier));
        }
        if let Some(number) = lower.strip_prefix('f').and_then(|digits| digits.parse::<u8>().ok()) {
            return (1..=24).contains(&number).then_some(Key::Function(number));
        }
        let alias = Self::ALIASES.iter().find(|(alias, _)| *alias == lower);
        let canonical = alias.map_or(lower.as_str(), |(_, name)| name);
        Self::NAMED
            .iter()
            .find(|known| **known == canonical)
            .map(|known| Key::Named(known))
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

/// A key with the modifiers held around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    /// The modifiers, sorted, each at most once.
    pub modifiers: Vec<Modifier>,
    /// The key pressed while the modifiers are held.
    pub key: Key,
}

/// Why a chord could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text names no key.
    #[error("names no key")]
    Empty,
    /// FRANZ does not know a key with this name.
    #[error("unknown key '{0}'")]
    Unknown(String),
    /// Something other than a modifier precedes the last key.
    #[error("'{0}' is not a modifier; only ctrl, alt, shift and win can be held")]
    NotAModifier(String),
}

impl std::str::FromStr for Chord {
    type Err = KeyError;

    /// Reads `key` or `modifier+...+key`. Case does not matter, spaces around `+` are allowed, and `ctrl++` is ctrl and
    /// plus.
    fn from_str(text: &str) -> Result<Chord, KeyError> {
        let text = if text == " " { "space" } else { text.trim() };
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        let (held, last) = match text.strip_suffix('+') {
            Some("") => ("", "+"),
            Some(held) if held.ends_with('+') => (held, "+"),
            _ => text.rsplit_once('+').map_or(("", text), |(held, last)| (held, last)),
        };
        let mut modifiers = Vec::new();
        for name in held
            .trim_end_matches('+')
            .split('+')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let known = Modifier::from_name(&name.to_ascii_lowercase());
            modifiers.push(known.ok_or_else(|| KeyError::NotAModifier(name.to_owned()))?);
        }
        modifiers.sort_unstable();
        modifiers.dedup();
        let last = last.trim();
        let key = Key::from_name(last).ok_or_else(|| KeyError::Unknown(last.to_owned()))?;
        Ok(Chord { modifiers, key })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_names_are_read_in_every_common_spelling() {
        let cases = [
            ("enter", "enter"),
            ("Return", "enter"),
            ("ESC", "esc"),
            ("ctrl+shift+t", "ctrl+shift+t"),
            ("shift + CTRL + T", "ctrl+shift+T"),
            ("alt+F4", "alt+f4"),
            ("cmd+c", "win+c"),
            ("super", "win"),
            ("ctrl++", "ctrl++"),
            ("+", "+"),
            ("PageDown", "pagedown"),
            (" ", "space"),
            ("é", "é"),
            ("ctrl+ctrl+a", "ctrl+a"),
        ];
        for (written, canonical) in cases {
            let chord: Chord = written.parse().unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(chord.to_string(), canonical);
            assert_eq!(canonical.parse::<Chord>(), Ok(chord), "{canonical} round-trips");
        }
    }

    #[test]
    fn unknown_keys_and_bad_chords_are_refused() {
        assert_eq!("".parse::<Chord>(), Err(KeyError::Empty));
        assert_eq!("f25".parse::<Chord>(), Err(KeyError::Unknown("f25".into())));
        assert_eq!("ctrl+blah".parse::<Chord>(), Err(KeyError::Unknown("blah".into())));
        assert_eq!("a+b".parse::<Chord>(), Err(KeyError::NotAModifier("a".into())));
        assert_eq!("ctrl+".parse::<Chord>(), Err(KeyError::Unknown(String::new())));
    }
}
