//! The keys that a browser keeps for itself. One without a window would not know them.

use franz_action::keys::{Key, Modifier};

use super::keys::ModifierBits;

/// What a key does to the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortcut {
    Back,
    Forward,
    Reload,
    NewTab,
    CloseTab,
    NextTab,
}

impl Shortcut {
    /// Returns what this key does while these are down.
    pub(super) fn of(key: Key, modifiers: ModifierBits) -> Option<Shortcut> {
        let only = |modifier: Modifier| modifiers == ModifierBits::default().with(modifier);
        let none = modifiers == ModifierBits::default();
        match key {
            Key::Named("left") if only(Modifier::Alt) => Some(Shortcut::Back),
            Key::Named("right") if only(Modifier::Alt) => Some(Shortcut::Forward),
            Key::Function(5) if none => Some(Shortcut::Reload),
            Key::Char('r' | 'R') if only(Modifier::Ctrl) => Some(Shortcut::Reload),
            Key::Char('t' | 'T') if only(Modifier::Ctrl) => Some(Shortcut::NewTab),
            Key::Char('w' | 'W') if only(Modifier::Ctrl) => Some(Shortcut::CloseTab),
            Key::Named("tab") if only(Modifier::Ctrl) => Some(Shortcut::NextTab),
            _ => None,
        }
    }
}
