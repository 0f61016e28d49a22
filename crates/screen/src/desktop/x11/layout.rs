//! The keyboard layout: which key, with which modifiers held, produces which symbol.

use std::collections::HashMap;

use x11rb::protocol::xkb::{self, ConnectionExt as _, ID, KeySymMap, KeyType, MapPart};
use xkeysym::Keysym;

use super::server::{Answer, Server};

/// No symbol.
pub(super) const NONE: u32 = 0;

const SHIFT: u8 = 1;

/// Keysyms of the keys that choose a level: Shift, `AltGr`, and the key for the fifth level.
const CHOOSERS: [u32; 3] = [
    xkeysym::key::Shift_L,
    xkeysym::key::ISO_Level3_Shift,
    xkeysym::key::ISO_Level5_Shift,
];

/// Returns whether this is one of the keys for digits, letters and symbols found on every keyboard. Other keys can
/// produce the same symbols, but programs do not expect them to.
fn is_main(code: u8) -> bool {
    matches!(code, 9..=66 | 94)
}

/// A key, and the keys held while it is pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stroke {
    pub(super) code: u8,
    pub(super) held: Vec<u8>,
}

/// The layout of one group.
pub(super) struct Layout {
    symbols: HashMap<u32, Stroke>,
    characters: HashMap<char, Stroke>,
    /// The keys without any symbol, in runs of adjacent keys, the longest first.
    spare: Vec<u8>,
    /// The symbol of each key pressed alone.
    plain: HashMap<u8, u32>,
    /// The modifier that `NumLock` sets.
    pub(super) num_lock: u8,
}

impl Layout {
    /// Reads the layout of this group (from 0) from the server.
    pub(super) fn read(server: &Server, group: u8) -> Answer<Layout> {
        let core = u16::from(ID::USE_CORE_KBD);
        let wanted = MapPart::KEY_TYPES | MapPart::KEY_SYMS | MapPart::MODIFIER_MAP;
        let no = MapPart::from(0u8);
        let asked =
            server
                .connection
                .xkb_get_map(core, wanted, no, 0, 0, 0, 0, 0, 0, 0, 0, 0u16.into(), 0, 0, 0, 0, 0, 0)?;
        let reply = asked.reply()?;
        let modifiers = reply.map.modmap_rtrn.unwrap_or_default();
        let keys = Keys {
            types: reply.map.types_rtrn.unwrap_or_default(),
            maps: (reply.first_key_sym..=u8::MAX)
                .zip(reply.map.syms_rtrn.unwrap_or_default())
                .collect(),
            modifiers: modifiers
                .iter()
                .map(|map| (map.keycode, u16::from(map.mods) as u8))
                .collect(),
        };
        Ok(keys.layout(group))
    }

    pub(super) fn symbol(&self, symbol: u32) -> Option<&Stroke> {
        self.symbols.get(&symbol)
    }

    pub(super) fn character(&self, character: char) -> Option<&Stroke> {
        self.characters.get(&character)
    }

    pub(super) fn plain(&self, code: u8) -> u32 {
        self.plain.get(&code).copied().unwrap_or(NONE)
    }

    /// Returns keys that can be assigned any symbol.
    pub(super) fn spare(&self) -> &[u8] {
        &self.spare
    }
}

/// What a server reports about its keys.
#[derive(Default)]
struct Keys {
    types: Vec<KeyType>,
    maps: Vec<(u8, KeySymMap)>,
    modifiers: HashMap<u8, u8>,
}

impl Keys {
    fn layout(&self, group: u8) -> Layout {
        let mut layout = Layout {
            symbols: HashMap::new(),
            characters: HashMap::new(),
            spare: self.spare(),
            plain: HashMap::new(),
            num_lock: self.modifier_of(xkeysym::key::Num_Lock),
        };
        let holds = self.holds();
        let mut keys: Vec<_> = self.maps.iter().collect();
        keys.sort_by_key(|(code, _)| (!is_main(*code), *code));
        for (code, key) in keys {
            for (modifiers, held) in &holds {
                let symbol = self.symbol(key, group, *modifiers);
                if modifiers == &0 {
                    layout.plain.insert(*code, symbol);
                }
                let stroke = || Stroke {
                    code: *code,
                    held: held.clone(),
                };
                layout.symbols.entry(symbol).or_insert_with(stroke);
                if let Some(character) = character(symbol) {
                    layout.characters.entry(character).or_insert_with(stroke);
                }
            }
        }
        layout.symbols.remove(&NONE);
        layout
    }

    /// Returns every way to choose a level, each with the modifiers that it sets and the keys held for it, the simplest
    /// first.
    fn holds(&self) -> Vec<(u8, Vec<u8>)> {
        let choosers: Vec<_> = CHOOSERS
            .iter()
            .filter_map(|&symbol| {
                let modifiers = if symbol == CHOOSERS[0] {
                    SHIFT
                } else {
                    self.modifier_of(symbol)
                };
                Some((modifiers, self.code_of(symbol)?)).filter(|(modifiers, _)| *modifiers != 0)
            })
            .collect();
        let mut holds: Vec<_> = (0..1usize << choosers.len())
            .map(|choice| {
                let chosen = choosers
                    .iter()
                    .enumerate()
                    .filter(|(place, _)| choice >> place & 1 == 1);
                chosen.fold((0, Vec::new()), |(modifiers, mut held), (_, (modifier, code))| {
                    held.push(*code);
                    (modifiers | modifier, held)
                })
            })
            .collect();
        holds.sort_by_key(|(_, held)| held.len());
        holds
    }

    /// Returns the first key that produces this symbol without other keys held, in any group. Prefers keys that set a
    /// modifier.
    fn code_of(&self, symbol: u32) -> Option<u8> {
        let gives = |(_, key): &&(u8, KeySymMap)| (0..groups(key)).any(|group| self.symbol(key, group, 0) == symbol);
        let codes = || self.maps.iter().filter(gives).map(|(code, _)| *code);
        codes()
            .find(|code| self.modifiers.contains_key(code))
            .or_else(|| codes().next())
    }

    /// Returns the modifiers set by the key with this symbol, or 0 if there is none.
    fn modifier_of(&self, symbol: u32) -> u8 {
        let code = self.code_of(symbol);
        code.and_then(|code| self.modifiers.get(&code).copied()).unwrap_or(0)
    }

    fn symbol(&self, key: &KeySymMap, group: u8, modifiers: u8) -> u32 {
        let group = in_range(key, group);
        let kind = key
            .kt_index
            .get(usize::from(group))
            .and_then(|index| self.types.get(usize::from(*index)));
        let level = kind.map_or(0, |kind| level(kind, modifiers));
        let place = usize::from(group) * usize::from(key.width) + usize::from(level);
        let symbols = if level < key.width { key.syms.get(place) } else { None };
        symbols.copied().unwrap_or(NONE)
    }

    fn spare(&self) -> Vec<u8> {
        let mut runs: Vec<Vec<u8>> = Vec::new();
        for (code, key) in &self.maps {
            if key.syms.iter().any(|&symbol| symbol != NONE) || self.modifiers.contains_key(code) {
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.last().is_some_and(|last| last.checked_add(1) == Some(*code)) => run.push(*code),
                _ => runs.push(vec![*code]),
            }
        }
        runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
        runs.concat()
    }
}

fn groups(key: &KeySymMap) -> u8 {
    key.group_info & 0x0f
}

/// Returns the effective group for a key that has fewer groups than the keyboard (XKB protocol, section 8.5).
fn in_range(key: &KeySymMap, group: u8) -> u8 {
    const CLAMP: u8 = 0x40;
    const REDIRECT: u8 = 0x80;
    let count = groups(key);
    if group < count || count == 0 {
        return group;
    }
    match key.group_info & 0xc0 {
        CLAMP => count - 1,
        REDIRECT => Some(key.group_info >> 4 & 3)
            .filter(|group| *group < count)
            .unwrap_or(0),
        _ => group % count,
    }
}

/// Returns the level that these modifiers choose.
fn level(kind: &KeyType, modifiers: u8) -> u8 {
    let counted = modifiers & u16::from(kind.mods_mask) as u8;
    let chosen = kind
        .map
        .iter()
        .find(|entry| entry.active && u16::from(entry.mods_mask) as u8 == counted);
    chosen.map_or(0, |entry| entry.level)
}

/// Returns the character that a symbol types. Returns `None` for the number pad, which depends on `NumLock`.
fn character(symbol: u32) -> Option<char> {
    let symbol = Keysym::new(symbol);
    let character = symbol.key_char().filter(|character| !character.is_control());
    character.filter(|_| !symbol.is_keypad_key() && !(0xff80..=0xffbd).contains(&symbol.raw()))
}

/// Returns the symbol that types a character, whatever the layout.
pub(super) fn symbol_of(character: char) -> u32 {
    Keysym::from_char(character).raw()
}

/// Turns XKB on for a connection; returns `false` if the server lacks it.
pub(super) fn turn_on(server: &Server) -> Answer<bool> {
    if !server.has(xkb::X11_EXTENSION_NAME)? {
        return Ok(false);
    }
    let connection = &server.connection;
    if !connection.xkb_use_extension(1, 0)?.reply()?.supported {
        return Ok(false);
    }
    let (core, no) = (u16::from(ID::USE_CORE_KBD), xkb::EventType::from(0u16));
    let told = xkb::EventType::NEW_KEYBOARD_NOTIFY | xkb::EventType::MAP_NOTIFY;
    let parts = MapPart::KEY_TYPES | MapPart::KEY_SYMS | MapPart::MODIFIER_MAP;
    let details = xkb::SelectEventsAux::new();
    connection
        .xkb_select_events(core, no, told, parts, parts, &details)?
        .check()?;
    Ok(true)
}

#[cfg(test)]
mod tests;
