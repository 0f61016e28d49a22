//! Parses chords, one or several in a row, the way people and programs write them: `ctrl+a delete`, `Ctrl-Shift-T`,
//! `alt f4`, `ctrl++`.

use std::fmt;
use std::str::FromStr;

use super::{Chord, Key, Modifier, sorted};

/// Why a chord could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text names no key.
    #[error("the key is missing")]
    Empty,
    /// FRANZ does not know a key with this name.
    #[error("unknown key '{0}'")]
    Unknown(String),
    /// Something other than a modifier comes before the last key.
    #[error("'{0}' is not a modifier; only ctrl, alt, shift and win can be held")]
    NotAModifier(String),
    /// There are several chords where only one is allowed.
    #[error("'{0}' is more than one key or chord")]
    Several(String),
}

/// Chords to press one after another, and how many times to press the whole sequence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Keys {
    /// Only the last chord can be just a modifier: a modifier before another key is held while that key is pressed.
    chords: Vec<Chord>,
    count: u32,
}

impl Keys {
    /// Reads the names of keys and chords, in order. A modifier before another key is held while that key is pressed.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Keys, KeyError> {
        let mut names = names.into_iter().peekable();
        let (mut chords, mut held): (Vec<Chord>, Vec<Modifier>) = (Vec::new(), Vec::new());
        while let Some(name) = names.next() {
            let is_last = names.peek().is_none();
            if matches!(name, "+" | "-") && !is_last {
                match chords.last() {
                    _ if !held.is_empty() => continue,
                    Some(before) if name == "+" => return Err(KeyError::NotAModifier(before.to_string())),
                    _ => {}
                }
            }
            let joined = if held.is_empty() {
                None
            } else {
                name.strip_prefix(['+', '-'])
            };
            let (modifiers, rest) = split(joined.filter(|rest| !rest.is_empty()).unwrap_or(name));
            held.extend(modifiers);
            if let Some(modifier) = Modifier::named(rest).filter(|_| !is_last) {
                held.push(modifier);
            } else if !rest.is_empty() || is_last {
                let modifiers = sorted(std::mem::take(&mut held));
                let key = key(rest, &modifiers)?;
                chords.push(Chord { modifiers, key });
            }
        }
        if chords.is_empty() {
            return Err(KeyError::Empty);
        }
        Ok(Keys { chords, count: 1 })
    }

    /// Returns the same keys, pressed `count` times.
    #[must_use]
    pub fn times(self, count: u32) -> Keys {
        Keys { count, ..self }
    }

    /// Returns the chords, in order.
    pub fn chords(&self) -> &[Chord] {
        &self.chords
    }

    /// Returns the number of times that the sequence is pressed.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the chord if there is only one and it is pressed once; otherwise returns `None`.
    pub fn once(&self) -> Option<&Chord> {
        match &self.chords[..] {
            [chord] if self.count == 1 => Some(chord),
            _ => None,
        }
    }

    /// Writes the names in a form that can be read back.
    pub fn names(&self) -> String {
        let alone = self.chords.len() == 1;
        let names = self.chords.iter().map(|chord| match chord.key {
            // Between spaces, `+` would join the names on either side of it.
            Key::Char('+') if !alone && chord.modifiers.is_empty() => "plus".to_owned(),
            Key::Char('-') if !alone && chord.modifiers.is_empty() => "minus".to_owned(),
            _ => chord.to_string(),
        });
        names.collect::<Vec<_>>().join(" ")
    }
}

impl From<Chord> for Keys {
    fn from(chord: Chord) -> Keys {
        Keys {
            chords: vec![chord],
            count: 1,
        }
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names())?;
        match self.count {
            1 => Ok(()),
            count => write!(f, ", {count} times"),
        }
    }
}

impl FromStr for Keys {
    type Err = KeyError;

    /// Reads chords separated by spaces. Case does not matter; names are joined by `+`, `-`, or a space after a
    /// modifier.
    fn from_str(text: &str) -> Result<Keys, KeyError> {
        if text == " " {
            return Keys::of(["space"]);
        }
        // Some names consist of two words, such as `page down`.
        let whole = text.trim();
        let begins = whole.split_whitespace().next().and_then(Modifier::named);
        if whole.contains(' ') && begins.is_none() && Key::named(whole).is_some() {
            return Keys::of([whole]);
        }
        Keys::of(text.split_whitespace())
    }
}

impl FromStr for Chord {
    type Err = KeyError;

    /// Reads `key` or `modifier+...+key`, like [`Keys`].
    fn from_str(text: &str) -> Result<Chord, KeyError> {
        let keys: Keys = text.parse()?;
        keys.once()
            .cloned()
            .ok_or_else(|| KeyError::Several(text.trim().to_owned()))
    }
}

/// Splits a name into the modifiers that it begins with and the key they apply to.
fn split(name: &str) -> (Vec<Modifier>, &str) {
    let (mut modifiers, mut rest) = (Vec::new(), name);
    while let Some(at) = rest.find(['+', '-'])
        && let Some(modifier) = rest.get(..at).and_then(Modifier::named)
    {
        modifiers.push(modifier);
        rest = rest.get(at + 1..).unwrap_or_default();
    }
    // Treat a surplus `+` as another separator.
    let key = rest.trim_start_matches('+');
    if !modifiers.is_empty() && !key.is_empty() {
        rest = key;
    }
    (modifiers, rest)
}

/// Returns the key with this name. With modifiers held, a capital letter means just its key, without Shift.
fn key(name: &str, held: &[Modifier]) -> Result<Key, KeyError> {
    let unknown = || match name.split_once('+').or_else(|| name.split_once('-')) {
        Some((first, rest)) if !first.is_empty() && !rest.is_empty() => KeyError::NotAModifier(first.to_owned()),
        _ => KeyError::Unknown(name.to_owned()),
    };
    Ok(match Key::named(name).ok_or_else(unknown)? {
        Key::Char(c) if !held.is_empty() => Key::Char(c.to_ascii_lowercase()),
        key => key,
    })
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
            ("shift + CTRL + T", "ctrl+shift+t"),
            ("Ctrl-Shift-T", "ctrl+shift+t"),
            ("ctrl shift t", "ctrl+shift+t"),
            ("ctrl +c", "ctrl+c"),
            ("ctrl+ c", "ctrl+c"),
            ("ctrl - c", "ctrl+c"),
            ("T", "T"),
            ("alt+F4", "alt+f4"),
            ("cmd+c", "win+c"),
            ("super", "win"),
            ("Super_L", "win"),
            ("ControlLeft", "ctrl"),
            ("ctrlright+a", "ctrl+a"),
            ("ctrl++", "ctrl++"),
            ("ctrl++l", "ctrl+l"),
            ("ctrl +", "ctrl++"),
            ("ctrl + +", "ctrl++"),
            ("ctrl+plus", "ctrl++"),
            ("ctrl--", "ctrl+-"),
            ("ctrl-+", "ctrl++"),
            ("ctrl+-", "ctrl+-"),
            ("ctrl+minus", "ctrl+-"),
            ("+", "+"),
            ("-", "-"),
            ("PageDown", "pagedown"),
            ("Page_Down", "pagedown"),
            ("page down", "pagedown"),
            ("ctrl-page-up", "ctrl+pageup"),
            ("Next", "pagedown"),
            ("KP_Enter", "enter"),
            ("KP_Home", "home"),
            ("KP_Left", "left"),
            ("KP_Page_Down", "pagedown"),
            ("KP_Prior", "pageup"),
            ("shift+KP_Delete", "shift+delete"),
            ("PrtScn", "printscreen"),
            ("ControlOrMeta+A", "ctrl+a"),
            ("ArrowLeft", "left"),
            ("left arrow", "left"),
            ("KeyA", "a"),
            ("ctrl+KeyC", "ctrl+c"),
            ("Digit1", "1"),
            ("num7", "7"),
            ("KP_7", "7"),
            ("ctrl+bracketleft", "ctrl+["),
            ("F11", "f11"),
            (" ", "space"),
            ("é", "é"),
            ("ctrl+ctrl+a", "ctrl+a"),
            ("ctrl+a delete", "ctrl+a delete"),
            ("ctrl a Delete", "ctrl+a delete"),
            ("tab tab enter", "tab tab enter"),
            ("shift tab ctrl-C", "shift+tab ctrl+c"),
            ("a plus b", "a plus b"),
            ("ctrl alt", "ctrl+alt"),
            ("ctrl l", "ctrl+l"),
            ("left alt", "alt"),
            ("tab shift", "tab shift"),
        ];
        for (written, canonical) in cases {
            let keys: Keys = written.parse().unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(keys.names(), canonical, "{written}");
            assert_eq!(canonical.parse::<Keys>(), Ok(keys), "{canonical} round-trips");
        }
    }

    #[test]
    fn a_list_of_names_is_read_like_one_text() {
        for (list, canonical) in [
            (&["ctrl", "c"][..], "ctrl+c"),
            (&["ctrl+a", "delete"], "ctrl+a delete"),
            (&["ctrl", "+"], "ctrl++"),
            (&["a", "-", "b"], "a minus b"),
        ] {
            let keys = Keys::of(list.iter().copied()).unwrap();
            assert_eq!(keys.names(), canonical);
            assert_eq!(canonical.parse(), Ok(keys));
        }
    }

    #[test]
    fn unknown_keys_and_bad_chords_are_refused() {
        let unknown = |name: &str| KeyError::Unknown(name.to_owned());
        let not_held = |name: &str| KeyError::NotAModifier(name.to_owned());
        for (text, error) in [
            ("", KeyError::Empty),
            ("  ", KeyError::Empty),
            ("f25", unknown("f25")),
            ("ctrl+blah", unknown("blah")),
            ("ctrl+", unknown("")),
            ("a+b", not_held("a")),
            ("a + b", not_held("a")),
            ("ctrl+a+", unknown("a+")),
            ("ctrl+a+b", not_held("a")),
        ] {
            assert_eq!(text.parse::<Keys>(), Err(error), "{text}");
        }
        assert_eq!("a b".parse::<Chord>(), Err(KeyError::Several("a b".to_owned())));
    }
}
