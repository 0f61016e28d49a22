//! The keys of a US keyboard, as pages see them.

use franz_action::keys::{Key, Modifier};
use serde_json::{Value, json};

/// The modifiers that are down, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ModifierBits(u32);

impl ModifierBits {
    pub(super) fn with(self, modifier: Modifier) -> ModifierBits {
        ModifierBits(self.0 | bit(modifier))
    }

    pub(super) fn without(self, modifier: Modifier) -> ModifierBits {
        ModifierBits(self.0 & !bit(modifier))
    }

    pub(super) fn has(self, modifier: Modifier) -> bool {
        self.0 & bit(modifier) != 0
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// Returns whether a key pressed with these modifiers types no character.
    fn is_command(self) -> bool {
        [Modifier::Alt, Modifier::Ctrl, Modifier::Win]
            .into_iter()
            .any(|modifier| self.has(modifier))
    }
}

fn bit(modifier: Modifier) -> u32 {
    match modifier {
        Modifier::Alt => 1,
        Modifier::Ctrl => 2,
        Modifier::Win => 4,
        Modifier::Shift => 8,
    }
}

/// A key: the name and the position that pages see, its Windows code, and the text that it types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageKey {
    key: String,
    code: String,
    windows: u32,
    text: String,
    /// 1 for the left key of a pair.
    location: u32,
    /// Whether the key needs Shift.
    pub(super) is_shifted: bool,
}

/// The named keys: FRANZ's name, the page's name, the position, the Windows code, and the typed text.
const NAMED: [(&str, &str, &str, u32, &str); 21] = [
    ("enter", "Enter", "Enter", 13, "\r"),
    ("esc", "Escape", "Escape", 27, ""),
    ("tab", "Tab", "Tab", 9, ""),
    ("space", " ", "Space", 32, " "),
    ("backspace", "Backspace", "Backspace", 8, ""),
    ("delete", "Delete", "Delete", 46, ""),
    ("insert", "Insert", "Insert", 45, ""),
    ("home", "Home", "Home", 36, ""),
    ("end", "End", "End", 35, ""),
    ("pageup", "PageUp", "PageUp", 33, ""),
    ("pagedown", "PageDown", "PageDown", 34, ""),
    ("up", "ArrowUp", "ArrowUp", 38, ""),
    ("down", "ArrowDown", "ArrowDown", 40, ""),
    ("left", "ArrowLeft", "ArrowLeft", 37, ""),
    ("right", "ArrowRight", "ArrowRight", 39, ""),
    ("capslock", "CapsLock", "CapsLock", 20, ""),
    ("numlock", "NumLock", "NumLock", 144, ""),
    ("scrolllock", "ScrollLock", "ScrollLock", 145, ""),
    ("printscreen", "PrintScreen", "PrintScreen", 44, ""),
    ("pause", "Pause", "Pause", 19, ""),
    ("menu", "ContextMenu", "ContextMenu", 93, ""),
];

/// The other keys that type symbols: the symbol without and with Shift, the position, and the Windows code.
const SIGNS: [(char, char, &str, u32); 21] = [
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('`', '~', "Backquote", 192),
];

impl PageKey {
    /// Returns the key as pages see it, or `None` for a character that a US keyboard has no key for.
    pub(super) fn of(key: Key) -> Option<PageKey> {
        let found = |key: &str, code: &str, windows, text: &str| PageKey {
            key: key.to_owned(),
            code: code.to_owned(),
            windows,
            text: text.to_owned(),
            location: 0,
            is_shifted: false,
        };
        Some(match key {
            Key::Named(name) => {
                let (_, key, code, windows, text) = NAMED.iter().find(|(known, ..)| *known == name)?;
                found(key, code, *windows, text)
            }
            Key::Function(number) => found(
                &format!("F{number}"),
                &format!("F{number}"),
                111 + u32::from(number),
                "",
            ),
            Key::Modifier(modifier) => {
                let (key, code, windows) = match modifier {
                    Modifier::Ctrl => ("Control", "ControlLeft", 17),
                    Modifier::Alt => ("Alt", "AltLeft", 18),
                    Modifier::Shift => ("Shift", "ShiftLeft", 16),
                    Modifier::Win => ("Meta", "MetaLeft", 91),
                };
                PageKey {
                    location: 1,
                    ..found(key, code, windows, "")
                }
            }
            Key::Char(' ') => return PageKey::of(Key::Named("space")),
            Key::Char(letter) if letter.is_ascii_alphabetic() => {
                let upper = letter.to_ascii_uppercase();
                PageKey {
                    is_shifted: letter.is_ascii_uppercase(),
                    ..found(
                        &letter.to_string(),
                        &format!("Key{upper}"),
                        u32::from(upper),
                        &letter.to_string(),
                    )
                }
            }
            Key::Char(sign) => {
                let (plain, _, code, windows) =
                    SIGNS.iter().find(|(plain, with, ..)| [plain, with].contains(&&sign))?;
                PageKey {
                    is_shifted: sign != *plain,
                    ..found(&sign.to_string(), code, *windows, &sign.to_string())
                }
            }
        })
    }

    /// Returns the event for a press.
    pub(super) fn down(&self, modifiers: ModifierBits) -> Value {
        let text = if modifiers.is_command() { "" } else { &self.text };
        let mut event = self.event(if text.is_empty() { "rawKeyDown" } else { "keyDown" }, modifiers);
        if !text.is_empty() {
            event["text"] = Value::from(text);
            event["unmodifiedText"] = Value::from(text);
        }
        // On other systems, pages handle these keys without an editing command.
        if cfg!(target_os = "macos")
            && let Some(command) = self.editing(modifiers)
        {
            event["commands"] = json!([command]);
        }
        event
    }

    /// Returns the event for a release.
    pub(super) fn up(&self, modifiers: ModifierBits) -> Value {
        self.event("keyUp", modifiers)
    }

    /// Builds an event without a system key code. With one, the browser would act on keys that the page ignores: it
    /// would open its maker's pages, print, and open windows that nobody sees.
    fn event(&self, kind: &str, modifiers: ModifierBits) -> Value {
        json!({
            "type": kind,
            "modifiers": modifiers.bits(),
            "key": self.key,
            "code": self.code,
            "windowsVirtualKeyCode": self.windows,
            "location": self.location,
        })
    }

    /// Returns the editing command for Ctrl or Cmd with this key.
    fn editing(&self, modifiers: ModifierBits) -> Option<&'static str> {
        if !modifiers.has(Modifier::Ctrl) && !modifiers.has(Modifier::Win) {
            return None;
        }
        match self.code.as_str() {
            "KeyA" => Some("selectAll"),
            "KeyC" => Some("copy"),
            "KeyV" => Some("paste"),
            "KeyX" => Some("cut"),
            "KeyZ" => Some("undo"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_place_and_characters_are_written() {
        let keys = Key::NAMED
            .into_iter()
            .map(Key::Named)
            .chain((1..=24).map(Key::Function))
            .chain((' '..='~').map(Key::Char));
        for key in keys {
            let page = PageKey::of(key).unwrap_or_else(|| panic!("{key}"));
            assert!(!page.code.is_empty() && page.windows > 0, "{key}");
            if let Key::Char(character) = key {
                assert_eq!(page.down(ModifierBits::default())["text"], character.to_string());
            }
        }
        assert_eq!(PageKey::of(Key::Char('ü')), None);
    }

    #[test]
    fn a_command_writes_nothing() {
        let ctrl = ModifierBits::default().with(Modifier::Ctrl);
        let event = PageKey::of(Key::Char('a')).unwrap().down(ctrl);
        assert_eq!(
            (&event["type"], &event["modifiers"], &event["text"]),
            (&json!("rawKeyDown"), &json!(2), &Value::Null)
        );
        let shifted = PageKey::of(Key::Char('A')).unwrap();
        assert!(shifted.is_shifted);
        assert_eq!(ctrl.without(Modifier::Ctrl), ModifierBits::default());
    }
}
