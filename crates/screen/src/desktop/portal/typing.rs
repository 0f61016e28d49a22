//! Types text: by key what every layout of the keyboard has, and through the clipboard what they lack.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use franz_action::keys::{Key, Modifier};
use xkeysym::Keysym;

use super::{Open, Portal};
use crate::desktop::display::{Display as _, DisplayError, Press};
use crate::desktop::pasting::{NOT_PASTED, NOTICED, Piece, SLICE, pieces, rest_until};
use crate::desktop::wayland;

/// How long to wait for a program to fetch the text that it is to paste.
const PATIENCE: Duration = Duration::from_secs(2);

/// The number in Linux of the key that is V on keyboards with Latin letters.
const KEY_V: u32 = 47;

/// The symbols of a key that the compositor finds: alone, with Shift, and with `AltGr`.
const LEVELS: usize = 3;

/// Returns whether a character is typed with a key of its own, whatever the layout.
fn is_key(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\t' | ' ')
}

/// The symbols that every layout of the keyboard has, by their names. The compositor drops any other symbol, and does
/// not say which layout is in use.
#[derive(Debug, Default)]
pub(super) struct Typable(HashSet<String>);

impl Typable {
    /// Reads them from a keymap in XKB's text format.
    pub(super) fn of(keymap: &str) -> Typable {
        let symbols = keymap.split_once("xkb_symbols").map_or("", |(_, symbols)| symbols);
        let keys: Vec<Vec<Vec<&str>>> = symbols.split("key <").skip(1).map(layouts).collect();
        let count = keys.iter().map(Vec::len).max().unwrap_or_default();
        let of_layout = |layout: usize| -> HashSet<&str> {
            // A key with fewer layouts repeats them.
            let symbols = keys.iter().filter(|key| !key.is_empty());
            symbols.flat_map(|key| &key[layout % key.len()]).copied().collect()
        };
        let common = (0..count).map(of_layout).reduce(|all, other| &all & &other);
        Typable(common.unwrap_or_default().into_iter().map(str::to_owned).collect())
    }

    fn is_unknown(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, character: char) -> bool {
        let keysym = Keysym::from_char(character);
        let is_named = |name: &str| self.0.contains(name.trim_start_matches("XK_"));
        let number = u32::from(character);
        let is_letter = keysym != Keysym::NoSymbol && !character.is_control();
        is_key(character) || is_letter && (keysym.name().is_some_and(is_named) || is_named(&format!("U{number:04X}")))
    }
}

/// Returns the symbols of a key in each layout.
fn layouts(key: &str) -> Vec<Vec<&str>> {
    let body = key.split_once("};").map_or(key, |(body, _)| body);
    let mut before = "";
    let mut layouts = Vec::new();
    for part in body.split('[').skip(1) {
        let (list, after) = part.split_once(']').unwrap_or((part, ""));
        let is_name = list.starts_with("Group");
        if !is_name && !before.contains("actions") {
            layouts.push(list.split(',').map(str::trim).take(LEVELS).collect());
        }
        before = if is_name { before } else { after };
    }
    layouts
}

impl Open {
    /// Returns whether a character can be typed here.
    pub(super) fn types(&self, character: char) -> bool {
        self.typable.has(character) || !character.is_control() && self.clipboard.is_there()
    }
}

impl Portal {
    /// Reads the layouts of the keyboard, which the person can change at any time.
    pub(super) fn learn_layouts(&mut self) -> Result<(), DisplayError> {
        let read = |portal: &mut Portal| {
            let keymap = wayland::layouts(&portal.socket, Arc::clone(&portal.is_over))?;
            portal.start()?.typable = Typable::of(&keymap);
            Ok(portal.start()?.typable.is_unknown())
        };
        if read(self)? {
            // A computer without a keyboard has one only once the portal has pressed a key.
            for press in [Press::Down, Press::Up] {
                self.key(&Key::Modifier(Modifier::Shift), press)?;
            }
            let deadline = Instant::now() + PATIENCE;
            while read(self)? && !(self.is_over)() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Ok(())
    }

    /// Types piece by piece, and pastes each piece with characters that the keyboard lacks. Returns `false` if it was
    /// interrupted.
    pub(super) fn type_or_paste(
        &mut self,
        text: &str,
        goes_on: &mut dyn FnMut(Option<char>) -> bool,
    ) -> Result<bool, DisplayError> {
        self.learn_layouts()?;
        let typable = &self.start()?.typable;
        for piece in pieces(text, |character| typable.has(character)) {
            let went_on = match piece {
                Piece::Typed(text) => self.tap(text, goes_on)?,
                Piece::Pasted(text) => self.paste(text, goes_on)?,
            };
            if !went_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn tap(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<bool, DisplayError> {
        for character in text.chars() {
            let key = match character {
                '\n' | '\r' => Key::Named("enter"),
                '\t' => Key::Named("tab"),
                ' ' => Key::Named("space"),
                other => Key::Char(other),
            };
            self.key(&key, Press::Down)?;
            self.key(&key, Press::Up)?;
            if !goes_on(Some(character)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Presses or releases the V of a shortcut. If a layout lacks the letter, presses its usual key: programs look for
    /// the letter of a shortcut in the other layouts, too.
    fn press_v(&mut self, press: Press) -> Result<(), DisplayError> {
        if self.start()?.typable.has('v') {
            self.key(&Key::Char('v'), press)
        } else {
            self.keycode(KEY_V, press)
        }
    }

    fn paste(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<bool, DisplayError> {
        self.set_clipboard(text)?;
        let before = self.start()?.clipboard.fetched();
        if !rest_until(Instant::now() + NOTICED, goes_on) {
            return Ok(false);
        }
        let control = Key::Modifier(Modifier::Ctrl);
        self.key(&control, Press::Down)?;
        let pressed = [Press::Down, Press::Up]
            .into_iter()
            .try_for_each(|press| self.press_v(press));
        self.key(&control, Press::Up)?;
        pressed?;
        let deadline = Instant::now() + PATIENCE;
        while before.is_some() && self.start()?.clipboard.fetched() == before {
            if Instant::now() >= deadline {
                return Err(DisplayError::Refused(NOT_PASTED.to_owned()));
            }
            if !rest_until(Instant::now() + SLICE, goes_on) {
                return Ok(false);
            }
        }
        // Programs paste when they get around to it. The next key must not overtake them.
        Ok(rest_until(Instant::now() + NOTICED, goes_on) && text.chars().all(|character| goes_on(Some(character))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYMAP: &str = r#"
xkb_keymap {
xkb_keycodes "(unnamed)" { <AD01> = 24; };
xkb_symbols "pc" {
    name[Group1]="German";
    key <ESC>  { [ Escape ] };
    key <AD01> {
        type[Group1]= "FOUR_LEVEL_SEMIALPHABETIC",
        symbols[Group1]= [ q, Q, at, Greek_OMEGA ],
        symbols[Group2]= [ Cyrillic_shorti, Cyrillic_SHORTI ]
    };
    key <AC11> { symbols[Group1]= [ adiaeresis, Adiaeresis ], symbols[Group2]= [ U044D, q ] };
    key <AE01> { [ 1, exclam ] };
    key <FK01> { type= "CTRL+ALT", symbols[Group1]= [ F1 ], actions[Group1]= [ NoAction(), NoAction() ] };
    modifier_map Control { <LCTL> };
};
};"#;

    #[test]
    fn only_what_every_layout_has_is_typed_by_key() {
        let typable = Typable::of(KEYMAP);
        for there in ['1', '!', 'q', ' ', '\n', '\t'] {
            assert!(typable.has(there), "{there:?}");
        }
        for missing in ['Q', '@', 'Ω', 'ä', 'й', 'э', '\u{7}', '😀', 'x'] {
            assert!(!typable.has(missing), "{missing:?}");
        }
        let only = Typable::of(&KEYMAP.replace("Group2", "Group1"));
        assert!(!only.has('Ω'), "beyond AltGr");
        let first = Typable::of("xkb_symbols { key <AD01> { [ q, Q, at ] }; key <AC01> { [ U0431, adiaeresis ] }; };");
        for there in ['q', 'Q', '@', 'ä', 'б'] {
            assert!(first.has(there), "{there:?}");
        }
        assert!(!Typable::of("").has('a'));
    }
}
