//! A keyboard layout of our own: the keys of a US keyboard at their usual places, and a key for any other character.

use std::fmt::Write as _;

use franz_action::keys::{Key, Modifier};

/// The number of a key in Linux.
pub(in crate::desktop) type Code = u32;

pub(super) const SHIFT: Code = 42;

/// XKB numbers keys differently.
const XKB: Code = 8;

/// The keys that type a letter or a symbol: the code, and the characters without and with Shift.
const TYPING: &[(Code, &str)] = &[
    (2, "1!"),
    (3, "2@"),
    (4, "3#"),
    (5, "4$"),
    (6, "5%"),
    (7, "6^"),
    (8, "7&"),
    (9, "8*"),
    (10, "9("),
    (11, "0)"),
    (12, "-_"),
    (13, "=+"),
    (16, "qQ"),
    (17, "wW"),
    (18, "eE"),
    (19, "rR"),
    (20, "tT"),
    (21, "yY"),
    (22, "uU"),
    (23, "iI"),
    (24, "oO"),
    (25, "pP"),
    (26, "[{"),
    (27, "]}"),
    (30, "aA"),
    (31, "sS"),
    (32, "dD"),
    (33, "fF"),
    (34, "gG"),
    (35, "hH"),
    (36, "jJ"),
    (37, "kK"),
    (38, "lL"),
    (39, ";:"),
    (40, "'\""),
    (41, "`~"),
    (43, "\\|"),
    (44, "zZ"),
    (45, "xX"),
    (46, "cC"),
    (47, "vV"),
    (48, "bB"),
    (49, "nN"),
    (50, "mM"),
    (51, ",<"),
    (52, ".>"),
    (53, "/?"),
];

/// The other keys: the code, our name for the key, and XKB's.
const NAMED: &[(Code, &str, &str)] = &[
    (1, "esc", "Escape"),
    (14, "backspace", "BackSpace"),
    (15, "tab", "Tab"),
    (28, "enter", "Return"),
    (57, "space", "space"),
    (58, "capslock", "Caps_Lock"),
    (69, "numlock", "Num_Lock"),
    (70, "scrolllock", "Scroll_Lock"),
    (99, "printscreen", "Print"),
    (102, "home", "Home"),
    (103, "up", "Up"),
    (104, "pageup", "Prior"),
    (105, "left", "Left"),
    (106, "right", "Right"),
    (107, "end", "End"),
    (108, "down", "Down"),
    (109, "pagedown", "Next"),
    (110, "insert", "Insert"),
    (111, "delete", "Delete"),
    (119, "pause", "Pause"),
    (127, "menu", "Menu"),
];

/// The modifiers: the code, the modifier, XKB's name, and XKB's name and number for what the key changes.
const MODIFIERS: &[(Code, Modifier, &str, &str, u32)] = &[
    (29, Modifier::Ctrl, "Control_L", "Control", 4),
    (SHIFT, Modifier::Shift, "Shift_L", "Shift", 1),
    (56, Modifier::Alt, "Alt_L", "Mod1", 8),
    (125, Modifier::Win, "Super_L", "Mod4", 64),
];

/// The codes for characters that no key has. Keyboards do not use them, or only for special functions.
const FREE: [std::ops::RangeInclusive<Code>; 2] = [195..=247, 128..=182];

/// Returns the code of a key that always exists, and whether it needs Shift.
pub(in crate::desktop) fn fixed(key: Key) -> Option<(Code, bool)> {
    match key {
        Key::Char(character) => typing(character),
        Key::Named(name) => NAMED
            .iter()
            .find(|(_, ours, _)| *ours == name)
            .map(|(code, ..)| (*code, false)),
        Key::Modifier(modifier) => MODIFIERS
            .iter()
            .find(|(_, ours, ..)| *ours == modifier)
            .map(|(code, ..)| (*code, false)),
        Key::Function(number @ 1..=10) => Some((58 + Code::from(number), false)),
        Key::Function(number @ 11..=12) => Some((76 + Code::from(number), false)),
        Key::Function(number @ 13..=24) => Some((170 + Code::from(number), false)),
        Key::Function(_) => None,
    }
}

fn typing(character: char) -> Option<(Code, bool)> {
    match character {
        '\n' | '\r' => return fixed(Key::Named("enter")),
        '\t' => return fixed(Key::Named("tab")),
        ' ' => return fixed(Key::Named("space")),
        _ => {}
    }
    TYPING.iter().find_map(|(code, characters)| {
        let level = characters.chars().position(|other| other == character)?;
        Some((*code, level == 1))
    })
}

/// Returns the modifier's bit in XKB's mask, or `None` if the key is not a modifier.
pub(super) fn modifier(code: Code) -> Option<u32> {
    MODIFIERS.iter().find(|known| known.0 == code).map(|known| known.4)
}

/// Returns whether a key exists or can be made for this character.
pub(super) fn can_type(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\t') || !character.is_control()
}

/// The keys for characters that no other key has, in the order of their codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Extra(Vec<char>);

impl Extra {
    /// How many characters fit.
    const MOST: usize = 108;

    /// Returns the code of the key for a character.
    pub(super) fn code(&self, character: char) -> Option<Code> {
        let place = self.0.iter().position(|other| *other == character)?;
        free().nth(place)
    }

    /// Adds keys for a character and for those that follow in the text, as far as they fit. Replaces all earlier ones if
    /// the first does not fit.
    pub(super) fn add(&mut self, first: char, then: &str) {
        if self.0.len() >= Extra::MOST {
            self.0.clear();
        }
        for character in std::iter::once(first).chain(then.chars()) {
            let is_new = typing(character).is_none() && !self.0.contains(&character);
            if is_new && can_type(character) && self.0.len() < Extra::MOST {
                self.0.push(character);
            }
        }
    }

    /// Returns the layout in the text format of XKB.
    pub(super) fn keymap(&self) -> String {
        let mut keys = Keys::default();
        for (code, characters) in TYPING {
            let symbols: Vec<String> = characters.chars().map(symbol).collect();
            keys.add(*code, &symbols.join(", "));
        }
        for (code, _, symbol) in NAMED {
            keys.add(*code, symbol);
        }
        for number in 1..=24 {
            if let Some((code, _)) = fixed(Key::Function(number)) {
                keys.add(code, &format!("F{number}"));
            }
        }
        for (code, character) in free().zip(&self.0) {
            keys.add(code, &symbol(*character));
        }
        for (code, _, symbol, changes, _) in MODIFIERS {
            keys.add(*code, symbol);
            let _ = write!(keys.symbols, "modifier_map {changes} {{ {} }}; ", name(*code));
        }
        let Keys { codes, symbols } = keys;
        format!(
            "xkb_keymap {{ xkb_keycodes \"franz\" {{ minimum = 8; maximum = 255; {codes}}}; xkb_types \"franz\" {{ {TYPES} \
             }}; xkb_compatibility \"franz\" {{ {COMPATIBILITY} }}; xkb_symbols \"franz\" {{ {symbols}}}; }};"
        )
    }
}

/// The definitions of keys.
#[derive(Default)]
struct Keys {
    codes: String,
    symbols: String,
}

impl Keys {
    fn add(&mut self, code: Code, symbols: &str) {
        let _ = write!(self.codes, "{} = {}; ", name(code), code + XKB);
        let _ = write!(self.symbols, "key {} {{ [ {symbols} ] }}; ", name(code));
    }
}

/// Returns XKB's name for the key; X servers want at most four characters.
fn name(code: Code) -> String {
    format!("<K{code:03}>")
}

fn free() -> impl Iterator<Item = Code> {
    FREE.into_iter().flatten()
}

/// Returns XKB's name for a character.
fn symbol(character: char) -> String {
    format!("U{:04X}", u32::from(character))
}

/// How Shift chooses between a key's characters. X servers want all four types.
const TYPES: &str = "virtual_modifiers NumLock, Alt, Super; \
    type \"ONE_LEVEL\" { modifiers = none; level_name[Level1] = \"Any\"; }; \
    type \"TWO_LEVEL\" { modifiers = Shift; map[Shift] = Level2; \
    level_name[Level1] = \"Base\"; level_name[Level2] = \"Shift\"; }; \
    type \"ALPHABETIC\" { modifiers = Shift + Lock; map[Shift] = Level2; map[Lock] = Level2; \
    level_name[Level1] = \"Base\"; level_name[Level2] = \"Caps\"; }; \
    type \"KEYPAD\" { modifiers = Shift + NumLock; map[Shift] = Level2; map[NumLock] = Level2; \
    level_name[Level1] = \"Base\"; level_name[Level2] = \"Number\"; };";

/// What the modifiers do.
const COMPATIBILITY: &str = "virtual_modifiers NumLock, Alt, Super; \
    interpret.useModMapMods = AnyLevel; interpret.repeat = False; \
    interpret Alt_L + AnyOf(all) { virtualModifier = Alt; action = SetMods(modifiers = modMapMods, clearLocks); }; \
    interpret Super_L + AnyOf(all) { virtualModifier = Super; action = SetMods(modifiers = modMapMods, clearLocks); }; \
    interpret Any + AnyOf(all) { action = SetMods(modifiers = modMapMods, clearLocks); };";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_key_has_a_code_of_its_own() {
        let characters = TYPING.iter().flat_map(|(_, characters)| characters.chars());
        let keys: Vec<Key> = (Key::NAMED.into_iter().map(Key::Named))
            .chain((1..=24).map(Key::Function))
            .chain(MODIFIERS.iter().map(|known| Key::Modifier(known.1)))
            .collect();
        let mut codes: BTreeSet<Code> = free().collect();
        let free = codes.len();
        assert_eq!(free, Extra::MOST);
        for key in &keys {
            let (code, shifts) = fixed(*key).unwrap_or_else(|| panic!("{key} has no code"));
            assert!(codes.insert(code) && !shifts && code + XKB <= 255, "{key}");
        }
        codes.extend(TYPING.iter().map(|(code, _)| *code));
        assert_eq!(codes.len(), free + keys.len() + TYPING.len());
        let typed: BTreeSet<char> = characters.chain([' ']).collect();
        assert_eq!(typed, (' '..='~').collect(), "the characters of a US keyboard");
    }

    #[test]
    fn characters_get_keys_as_far_as_they_fit() {
        let mut extra = Extra::default();
        extra.add('ü', "aß日\n\u{7}ü€");
        assert_eq!(extra.0, ['ü', 'ß', '日', '€']);
        assert_eq!(extra.code('ü'), Some(195));
        assert_eq!(extra.code('a'), None);
        let keymap = extra.keymap();
        assert!(keymap.contains("key <K195> { [ U00FC ] }; ") && keymap.contains("key <K030> { [ U0061, U0041 ] }; "));
        let many: String = ('一'..).take(200).collect();
        extra.add('丁', &many);
        assert_eq!(extra.0.len(), Extra::MOST);
        extra.add('😀', "");
        assert_eq!(extra.0, ['😀'], "the others had to go");
    }

    proptest! {
        #[test]
        fn every_character_that_can_be_typed_gets_a_key(text in "\\PC{1,40}") {
            let mut extra = Extra::default();
            for (at, character) in text.char_indices() {
                if typing(character).is_none() && extra.code(character).is_none() {
                    extra.add(character, &text[at..]);
                }
                prop_assert!(typing(character).or(extra.code(character).map(|code| (code, false))).is_some());
            }
        }
    }
}
