//! Where a key is on the keyboard, and what has to be held for a character.

use franz_action::keys::{Key, Modifier};
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    GetKeyboardLayout, HKL, MAPVK_VK_TO_VSC_EX, MapVirtualKeyExW, VK_PAUSE, VkKeyScanExW,
};
use windows_sys::Win32::UI::WindowsAndMessaging::GetWindowThreadProcessId;

use super::barrier::foreground;

/// How a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    /// By its place: a scan code of set 1, with 0xe0 in the high byte for the extended keys.
    Place(u16),
    /// By its virtual code: a key that has no place of its own.
    Virtual(u16),
    /// As a character that no key of the keyboard has.
    Character(char),
}

/// The named keys: scan codes of set 1. Pause, whose code has three bytes, is missing.
const NAMED: [(&str, u16); 20] = [
    ("enter", 0x1c),
    ("esc", 0x01),
    ("tab", 0x0f),
    ("space", 0x39),
    ("backspace", 0x0e),
    ("delete", 0xe053),
    ("insert", 0xe052),
    ("home", 0xe047),
    ("end", 0xe04f),
    ("pageup", 0xe049),
    ("pagedown", 0xe051),
    ("up", 0xe048),
    ("down", 0xe050),
    ("left", 0xe04b),
    ("right", 0xe04d),
    ("capslock", 0x3a),
    ("numlock", 0xe045),
    ("scrolllock", 0x46),
    ("printscreen", 0xe037),
    ("menu", 0xe05d),
];

/// The key, and the modifiers that its character needs on the keyboard of the program that has the keyboard now.
pub(super) fn find(key: Key) -> (Stroke, Vec<Modifier>) {
    let stroke = match key {
        Key::Char(character) => return find_character(character),
        Key::Named(name) => match NAMED.iter().find(|(known, _)| *known == name) {
            Some((_, scan)) => Stroke::Place(*scan),
            None => Stroke::Virtual(VK_PAUSE),
        },
        Key::Function(number) => Stroke::Place(function(number)),
        Key::Modifier(modifier) => Stroke::Place(self::modifier(modifier)),
    };
    (stroke, Vec::new())
}

/// The left one of each.
pub(super) fn modifier(modifier: Modifier) -> u16 {
    match modifier {
        Modifier::Ctrl => 0x1d,
        Modifier::Alt => 0x38,
        Modifier::Shift => 0x2a,
        Modifier::Win => 0xe05b,
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

/// What `VkKeyScan` packs: the virtual code, and above it bits for Shift, Ctrl and Alt; -1 when there is no such key.
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
    let scan = place_of(code, layout);
    let stroke = if scan == 0 {
        Stroke::Virtual(code.into())
    } else {
        Stroke::Place(scan)
    };
    let needed = [(1, Modifier::Shift), (2, Modifier::Ctrl), (4, Modifier::Alt)];
    let needed = needed.into_iter().filter(|(bit, _)| state & bit != 0);
    (stroke, needed.map(|(_, modifier)| modifier).collect())
}

/// Of the program that has the keyboard: each has its own.
#[expect(unsafe_code, reason = "takes plain values; no window is thread 0, which is ours")]
fn layout() -> HKL {
    unsafe { GetKeyboardLayout(GetWindowThreadProcessId(foreground(), std::ptr::null_mut())) }
}

#[expect(unsafe_code, reason = "takes plain values")]
fn code_of(unit: u16, layout: HKL) -> i16 {
    unsafe { VkKeyScanExW(unit, layout) }
}

#[expect(unsafe_code, reason = "takes plain values")]
fn place_of(code: u8, layout: HKL) -> u16 {
    unsafe { MapVirtualKeyExW(code.into(), MAPVK_VK_TO_VSC_EX, layout) as u16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_key_has_a_place() {
        for name in Key::NAMED {
            let (stroke, modifiers) = find(Key::Named(name));
            assert_eq!(matches!(stroke, Stroke::Virtual(_)), name == "pause", "{name}");
            assert_eq!(modifiers, []);
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
        assert_eq!(find(Key::Char('a')), (Stroke::Place(0x1e), vec![]));
        assert_eq!(find(Key::Char('A')), (Stroke::Place(0x1e), vec![Modifier::Shift]));
        assert_eq!(find(Key::Char('你')), (Stroke::Character('你'), vec![]));
        assert_eq!(find(Key::Char('😀')), (Stroke::Character('😀'), vec![]));
    }
}
