//! Types text: by key what every layout of the keyboard has, and through the clipboard what they lack.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use franz_action::keys::{Key, Modifier};
use xkeysym::Keysym;

use super::{Open, Portal};
use crate::desktop::display::{Display as _, DisplayError, Press};
use crate::desktop::pasting::{NOT_PASTED, NOTICED, Piece, SLICE, await_pasting, enter_all, pieces, rest_until};
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
pub(super) struct Typable {
    symbols: HashSet<String>,
    /// The strokes to type them with, where the portal gets keys instead of symbols.
    strokes: Option<HashMap<String, Stroke>>,
}

/// A key, and what to hold down with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stroke {
    /// Its Linux key code.
    code: u32,
    /// The position of the symbol among the key's.
    level: usize,
}

/// The Linux key code to hold down for each level.
const HELD: [Option<u32>; LEVELS] = [None, Some(42), Some(100)];

/// The difference between the numbers in a keymap and those in Linux.
const OFFSET: u32 = 8;

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
        Typable {
            symbols: common.unwrap_or_default().into_iter().map(str::to_owned).collect(),
            strokes: None,
        }
    }

    /// Reads from a keymap what is on the same place of the same key in every layout.
    pub(super) fn by_stroke(keymap: &str) -> Typable {
        let (codes, symbols) = keymap.split_once("xkb_symbols").unwrap_or_default();
        let keys: Vec<(&str, Vec<Vec<&str>>)> = symbols
            .split("key <")
            .skip(1)
            .filter_map(|key| key.split_once('>').map(|(name, _)| (name, layouts(key))))
            .filter(|(_, layouts)| !layouts.is_empty())
            .collect();
        let mut strokes = HashMap::new();
        for (name, layouts) in &keys {
            let Some(code) = code(codes, name).and_then(|code| code.checked_sub(OFFSET)) else {
                continue;
            };
            for (level, symbol) in layouts[0].iter().enumerate() {
                if layouts.iter().all(|layout| layout.get(level) == Some(symbol)) {
                    strokes.entry((*symbol).to_owned()).or_insert(Stroke { code, level });
                }
            }
        }
        Typable {
            symbols: strokes.keys().cloned().collect(),
            strokes: Some(strokes),
        }
    }

    /// Returns the stroke that types a character, where one is needed.
    pub(super) fn stroke(&self, character: char) -> Option<Stroke> {
        let strokes = self.strokes.as_ref()?;
        names(character).find_map(|name| strokes.get(&name).copied())
    }

    fn is_unknown(&self) -> bool {
        self.symbols.is_empty()
    }

    pub(super) fn has(&self, character: char) -> bool {
        is_key(character) || names(character).any(|name| self.symbols.contains(&name))
    }
}

/// Returns the names that keymaps use for the symbol of a character.
fn names(character: char) -> impl Iterator<Item = String> {
    let keysym = Keysym::from_char(character);
    let is_letter = keysym != Keysym::NoSymbol && !character.is_control();
    let name = keysym.name().map(|name| name.trim_start_matches("XK_").to_owned());
    let number = format!("U{:04X}", u32::from(character));
    name.into_iter().chain([number]).filter(move |_| is_letter)
}

/// Returns the number of a key in a keymap.
fn code(keymap: &str, name: &str) -> Option<u32> {
    let (_, after) = keymap.split_once(&format!("<{name}>"))?;
    let (number, _) = after.trim_start().strip_prefix('=')?.split_once(';')?;
    number.trim().parse().ok()
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
            let typable = if portal.is_kwin {
                Typable::by_stroke(&keymap)
            } else {
                Typable::of(&keymap)
            };
            portal.start()?.typable = typable;
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
        let pieces = pieces(text, |character| typable.has(character));
        enter_all(pieces, |piece| match piece {
            Piece::Typed(text) => self.tap(text, goes_on),
            Piece::Pasted(text) => self.paste(text, goes_on),
        })
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

    /// Presses or releases a key together with its modifiers. This is how KDE gets characters: its portal looks for a
    /// symbol in the first layout only.
    pub(super) fn stroke(&mut self, stroke: Stroke, press: Press) -> Result<(), DisplayError> {
        let mut codes: Vec<u32> = HELD[stroke.level].into_iter().chain([stroke.code]).collect();
        if press == Press::Up {
            codes.reverse();
        }
        codes.into_iter().try_for_each(|code| self.keycode(code, press))
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
        Ok(await_pasting(text, goes_on))
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

    #[test]
    fn a_stroke_is_the_same_in_every_layout() {
        let keymap = r#"xkb_keycodes "(unnamed)" {
    <AC10>               = 47;
    <AD06>               = 29;
    alias <LatY>         = <AD06>;
};
xkb_symbols "pc" {
    key <AC10> { symbols[Group1]= [ semicolon, colon ], symbols[Group2]= [ odiaeresis, colon, at ] };
    key <AD06> { [ y, Y, U20AC ] };
    key <LOST> { [ x ] };
};"#;
        let typable = Typable::by_stroke(keymap);
        let stroke = |code, level| Some(Stroke { code, level });
        for (character, expected) in [
            (':', stroke(39, 1)),
            ('y', stroke(21, 0)),
            ('Y', stroke(21, 1)),
            ('€', stroke(21, 2)),
            (';', None),
            ('ö', None),
            ('@', None),
            ('x', None),
        ] {
            assert_eq!(typable.stroke(character), expected, "{character:?}");
            assert_eq!(typable.has(character), expected.is_some(), "{character:?}");
        }
        assert!(typable.has('\n'));
        assert_eq!(Typable::of(keymap).stroke('y'), None, "it is sent as a symbol");
    }
}
