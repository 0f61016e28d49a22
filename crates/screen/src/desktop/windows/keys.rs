//! Finds where a key is on the keyboard, and which modifiers a character needs.

use franz_action::keys::{Key, Modifier};
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    GetKeyboardLayout, HKL, MAPVK_VK_TO_VSC_EX, MapVirtualKeyExW, VIRTUAL_KEY, VK_APPS, VK_BACK, VK_CAPITAL, VK_DELETE,
    VK_DOWN, VK_END, VK_ESCAPE, VK_F1, VK_HOME, VK_INSERT, VK_LCONTROL, VK_LEFT, VK_LMENU, VK_LSHIFT, VK_LWIN, VK_NEXT,
    VK_NUMLOCK, VK_PAUSE, VK_PRIOR, VK_RETURN, VK_RIGHT, VK_SCROLL, VK_SNAPSHOT, VK_SPACE, VK_TAB, VK_UP, VkKeyScanExW,
};
use windows_sys::Win32::UI::WindowsAndMessaging::GetWindowThreadProcessId;

use super::barrier::foreground;

/// How a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    /// As a key: most programs read the virtual code, some the position on the keyboard.
    Key {
        /// The virtual code.
        code: VIRTUAL_KEY,
        /// The scan code of set 1, with 0xe0 in the high byte for extended keys.
        scan: u16,
    },
    /// As a character that the keyboard has no key for.
    Character(char),
}

/// The named keys with their virtual codes and scan codes of set 1.
const NAMED: [(&str, VIRTUAL_KEY, u16); 21] = [
    ("enter", VK_RETURN, 0x1c),
    ("esc", VK_ESCAPE, 0x01),
    ("tab", VK_TAB, 0x0f),
    ("space", VK_SPACE, 0x39),
    ("backspace", VK_BACK, 0x0e),
    ("delete", VK_DELETE, 0xe053),
    ("insert", VK_INSERT, 0xe052),
    ("home", VK_HOME, 0xe047),
    ("end", VK_END, 0xe04f),
    ("pageup", VK_PRIOR, 0xe049),
    ("pagedown", VK_NEXT, 0xe051),
    ("up", VK_UP, 0xe048),
    ("down", VK_DOWN, 0xe050),
    ("left", VK_LEFT, 0xe04b),
    ("right", VK_RIGHT, 0xe04d),
    ("capslock", VK_CAPITAL, 0x3a),
    // Windows treats the key with the code of Pause as an extended key, and Pause, whose code has three bytes, as a
    // plain one.
    ("numlock", VK_NUMLOCK, 0xe045),
    ("pause", VK_PAUSE, 0x45),
    ("scrolllock", VK_SCROLL, 0x46),
    ("printscreen", VK_SNAPSHOT, 0xe037),
    ("menu", VK_APPS, 0xe05d),
];

/// Returns the key, and the modifiers that its character needs in the layout of the program with the keyboard focus.
pub(super) fn find(key: Key) -> (Stroke, Vec<Modifier>) {
    let (code, scan) = match key {
        Key::Char(character) => return find_character(character),
        Key::Named(name) => named(name),
        Key::Function(number) => (VK_F1 - 1 + VIRTUAL_KEY::from(number), function(number)),
        Key::Modifier(modifier) => self::modifier(modifier),
    };
    (Stroke::Key { code, scan }, Vec::new())
}

fn named(name: &str) -> (VIRTUAL_KEY, u16) {
    let found = NAMED.iter().find(|(known, ..)| *known == name);
    found.map_or_else(Default::default, |(_, code, scan)| (*code, *scan))
}

/// Returns the codes of the left key of each modifier.
fn modifier(modifier: Modifier) -> (VIRTUAL_KEY, u16) {
    match modifier {
        Modifier::Ctrl => (VK_LCONTROL, 0x1d),
        Modifier::Alt => (VK_LMENU, 0x38),
        Modifier::Shift => (VK_LSHIFT, 0x2a),
        Modifier::Win => (VK_LWIN, 0xe05b),
    }
}

fn function(number: u8) -> u16 {
    let number = u16::from(number);
    match number {
        ..=10 => 0x3a + number,
        11 | 12 => 0x4c + number,
        13..=23 => 0x57 + number,
        _ => 0x76,
    }
}

/// Finds a character with `VkKeyScan`, which packs the virtual code with bits for Shift, Ctrl and Alt above it, and
/// returns -1 if there is no such key.
fn find_character(character: char) -> (Stroke, Vec<Modifier>) {
    let layout = layout();
    let missing = (Stroke::Character(character), Vec::new());
    let Ok(unit) = u16::try_from(u32::from(character)) else {
        return missing;
    };
    let found = code_of(unit, layout);
    if found == -1 {
        return missing;
    }
    let [code, state] = found.to_le_bytes();
    let stroke = Stroke::Key {
        code: code.into(),
        scan: place_of(code, layout),
    };
    let needed = [(1, Modifier::Shift), (2, Modifier::Ctrl), (4, Modifier::Alt)];
    let needed = needed.into_iter().filter(|(bit, _)| state & bit != 0);
    (stroke, needed.map(|(_, modifier)| modifier).collect())
}

/// Returns the key that programs read as a letter or digit in a command, whatever the layout types with it: its virtual
/// code is the ASCII code of the capital letter or digit. Returns `None` for all other keys.
pub(super) fn command(key: Key) -> Option<Stroke> {
    let Key::Char(character) = key else { return None };
    let code = u8::try_from(character.to_ascii_uppercase()).ok();
    let code = code.filter(u8::is_ascii_alphanumeric)?;
    Some(Stroke::Key {
        code: code.into(),
        scan: place_of(code, layout()),
    })
}

/// Returns the keyboard layout of the program with the keyboard focus. Each program has its own layout.
#[expect(unsafe_code)]
fn layout() -> HKL {
    // SAFETY: The call takes plain values; without a window, the thread is 0, which means ours.
    unsafe { GetKeyboardLayout(GetWindowThreadProcessId(foreground(), std::ptr::null_mut())) }
}

#[expect(unsafe_code)]
fn code_of(unit: u16, layout: HKL) -> i16 {
    // SAFETY: The call takes plain values.
    unsafe { VkKeyScanExW(unit, layout) }
}

#[expect(unsafe_code)]
fn place_of(code: u8, layout: HKL) -> u16 {
    // SAFETY: The call takes plain values.
    unsafe { MapVirtualKeyExW(code.into(), MAPVK_VK_TO_VSC_EX, layout) as u16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the key with this code, whose place depends on the keyboard.
    fn key_of(code: u8) -> Stroke {
        let scan = place_of(code, layout());
        assert_ne!(scan, 0, "{code:#x}");
        Stroke::Key {
            code: code.into(),
            scan,
        }
    }

    #[test]
    fn every_named_key_is_known() {
        for name in Key::NAMED {
            assert_ne!(named(name), (0, 0), "{name}");
        }
    }

    #[test]
    fn function_keys_are_where_keyboards_have_them() {
        let known = [
            (1, 0x3b),
            (10, 0x44),
            (11, 0x57),
            (12, 0x58),
            (13, 0x64),
            (23, 0x6e),
            (24, 0x76),
        ];
        for (number, scan) in known {
            assert_eq!(function(number), scan, "F{number}");
        }
    }

    #[test]
    fn characters_are_found_on_the_keyboard_or_typed_without_one() {
        let a = key_of(0x41);
        assert_eq!(find(Key::Char('a')), (a, vec![]));
        assert_eq!(find(Key::Char('A')), (a, vec![Modifier::Shift]));
        assert_eq!(find(Key::Char('你')), (Stroke::Character('你'), vec![]));
        assert_eq!(find(Key::Char('😀')), (Stroke::Character('😀'), vec![]));
    }

    #[test]
    fn only_letters_and_digits_are_commands_in_every_layout() {
        for (key, stroke) in [
            (Key::Char('a'), Some(key_of(0x41))),
            (Key::Char('A'), Some(key_of(0x41))),
            (Key::Char('7'), Some(key_of(0x37))),
            (Key::Char('я'), None),
            (Key::Char('+'), None),
            (Key::Named("enter"), None),
        ] {
            assert_eq!(command(key), stroke, "{key:?}");
        }
    }
}
