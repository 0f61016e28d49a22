//! The characters that a VNC server can type, and its keys.

use std::time::Duration;

use franz_action::keys::Key;
use franz_rfb::keysym::{self, NamedKeysym};
use serde::{Deserialize, Serialize};

/// The symbols on a US keyboard that need Shift.
const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";

/// What a server can type. The server does not report this, and silently drops what it cannot type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemoteKeyboard {
    /// What the server's name suggests. A server that is known to be limited to one layout counts as `Us`.
    #[default]
    Auto,
    /// Any character: the server finds a key for it.
    Any,
    /// Only the characters of a US keyboard: the server presses the keys of a layout.
    Us,
    /// The characters of a US keyboard. Text with other characters is pasted from the clipboard with ctrl+v.
    Clipboard,
}

impl RemoteKeyboard {
    /// Decides what a server with this name can type.
    pub(super) fn of_server(self, name: &str) -> RemoteKeyboard {
        let has_layout_only = ["QEMU", "WayVNC"].iter().any(|known| name.starts_with(known));
        match self {
            RemoteKeyboard::Auto if has_layout_only => RemoteKeyboard::Us,
            RemoteKeyboard::Auto => RemoteKeyboard::Any,
            known => known,
        }
    }

    /// Returns whether the server has a key for this character.
    pub(super) fn has(self, character: char) -> bool {
        let is_key = matches!(character, '\n' | '\r' | '\t');
        match self {
            _ if is_key => true,
            RemoteKeyboard::Us | RemoteKeyboard::Clipboard => matches!(character, ' '..='~'),
            RemoteKeyboard::Auto | RemoteKeyboard::Any => !character.is_control(),
        }
    }

    /// Returns whether Shift must be held for this character. A server with a layout presses only the key, so FRANZ
    /// holds Shift as a person would. A server that finds a key for each character also finds out what else to hold.
    pub(super) fn shifts(self, character: char) -> bool {
        matches!(self, RemoteKeyboard::Us | RemoteKeyboard::Clipboard)
            && (character.is_ascii_uppercase() || SHIFTED.contains(character))
    }
}

/// Returns how long a server with this name takes for each press and each release. QEMU passes on one every 10 ms,
/// drops those beyond its queue of 1024, and lets the pointer overtake them.
pub(super) fn delay(name: &str) -> Duration {
    let is_slow = name.starts_with("QEMU");
    if is_slow {
        Duration::from_millis(10)
    } else {
        Duration::ZERO
    }
}

/// A key, as the protocol names it.
pub(super) enum RemoteKey {
    /// A key that types this character.
    Char(char),
    /// A key that types no character.
    Named(NamedKeysym),
}

impl RemoteKey {
    /// Returns a key, or `None` if the protocol has no number for it.
    pub(super) fn of(key: Key) -> Option<RemoteKey> {
        match key {
            Key::Char(character) => Some(RemoteKey::Char(character)),
            Key::Named(name) => keysym::named(name).map(RemoteKey::Named),
            Key::Modifier(modifier) => keysym::named(modifier.name()).map(RemoteKey::Named),
            Key::Function(number) => keysym::function(number).map(RemoteKey::Named),
        }
    }
}
