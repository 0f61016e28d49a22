//! The keys that a browser normally handles itself. A browser without a window does not, so FRANZ handles them here.

use franz_action::keys::{Key, Modifier};

use super::keys::ModifierBits;

/// The effect of a key on the browser.
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
    /// Returns the effect of this key while these modifiers are down.
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
