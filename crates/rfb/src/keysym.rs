//! Keysyms, numbered as in X11 and the protocol, and the positions of keys on a keyboard.

/// A key that types no character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedKeysym {
    /// The keysym of the key.
    pub keysym: u32,
    /// The scancode on a PC keyboard of 1984. Keys added later have bit 0x80 set instead of an 0xe0 prefix.
    pub scancode: u32,
}

/// The left Shift.
pub const SHIFT: NamedKeysym = NamedKeysym {
    keysym: 0xffe1,
    scancode: 0x2a,
};

/// The left Ctrl.
pub const CTRL: NamedKeysym = NamedKeysym {
    keysym: 0xffe3,
    scancode: 0x1d,
};

/// Returns the keysym of a character: its number in Latin-1, or else 0x1000000 plus its number.
pub fn of_char(character: char) -> u32 {
    match u32::from(character) {
        0x08 => 0xff08,
        0x09 => 0xff09,
        0x0a | 0x0d => 0xff0d,
        0x1b => 0xff1b,
        latin @ (0x20..=0x7e | 0xa0..=0xff) => latin,
        other => 0x0100_0000 + other,
    }
}

/// Returns the function key with this number, from 1 to 24.
pub fn function(number: u8) -> Option<NamedKeysym> {
    let scancode = match number {
        1..=10 => 0x3b + u32::from(number) - 1,
        11..=12 => 0x57 + u32::from(number) - 11,
        13..=23 => 0x64 + u32::from(number) - 13,
        24 => 0x76,
        _ => return None,
    };
    Some(NamedKeysym {
        keysym: 0xffbe + u32::from(number) - 1,
        scancode,
    })
}

/// Returns the key with this name in FRANZ.
pub fn named(name: &str) -> Option<NamedKeysym> {
    let (keysym, scancode) = match name {
        "shift" => return Some(SHIFT),
        "ctrl" => return Some(CTRL),
        "enter" => (0xff0d, 0x1c),
        "esc" => (0xff1b, 0x01),
        "tab" => (0xff09, 0x0f),
        "space" => (0x20, 0x39),
        "backspace" => (0xff08, 0x0e),
        "delete" => (0xffff, 0xd3),
        "insert" => (0xff63, 0xd2),
        "home" => (0xff50, 0xc7),
        "end" => (0xff57, 0xcf),
        "pageup" => (0xff55, 0xc9),
        "pagedown" => (0xff56, 0xd1),
        "up" => (0xff52, 0xc8),
        "down" => (0xff54, 0xd0),
        "left" => (0xff51, 0xcb),
        "right" => (0xff53, 0xcd),
        "capslock" => (0xffe5, 0x3a),
        "numlock" => (0xff7f, 0x45),
        "scrolllock" => (0xff14, 0x46),
        "printscreen" => (0xff61, 0x54),
        "pause" => (0xff13, 0xc6),
        "menu" => (0xff67, 0xdd),
        "alt" => (0xffe9, 0x38),
        "win" => (0xffeb, 0xdb),
        _ => return None,
    };
    Some(NamedKeysym { keysym, scancode })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_the_keysyms_of_x11() {
        for (character, keysym) in [
            ('a', 0x61),
            ('ü', 0xfc),
            ('\n', 0xff0d),
            ('€', 0x0100_20ac),
            ('日', 0x0100_65e5),
            ('😀', 0x0101_f600),
            ('\u{7f}', 0x0100_007f),
        ] {
            assert_eq!(of_char(character), keysym, "{character:?}");
        }
    }

    #[test]
    fn function_keys_are_24() {
        assert_eq!(function(1).unwrap().keysym, 0xffbe);
        assert_eq!(function(12).unwrap().scancode, 0x58);
        assert_eq!(function(24).unwrap().keysym, 0xffd5);
        assert_eq!((function(0), function(25)), (None, None));
    }
}
