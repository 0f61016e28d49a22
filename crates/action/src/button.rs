//! The buttons of a mouse.

use std::fmt;

use crate::verb::Verb;

/// A mouse button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Button {
    /// The left button.
    Left,
    /// The wheel button.
    Middle,
    /// The right button.
    Right,
}

impl Button {
    /// All buttons.
    pub const ALL: [Button; 3] = [Button::Left, Button::Middle, Button::Right];

    /// Returns the button with this name.
    pub fn named(name: &str) -> Option<Button> {
        match name.trim().to_ascii_lowercase().as_str() {
            "left" | "primary" => Some(Button::Left),
            "middle" | "wheel" => Some(Button::Middle),
            "right" | "secondary" => Some(Button::Right),
            _ => None,
        }
    }

    /// Returns the canonical name.
    pub fn name(self) -> &'static str {
        match self {
            Button::Left => "left",
            Button::Middle => "middle",
            Button::Right => "right",
        }
    }

    /// Returns the verb for one click with this button.
    pub fn click(self) -> Verb {
        match self {
            Button::Left => Verb::LeftClick,
            Button::Middle => Verb::MiddleClick,
            Button::Right => Verb::RightClick,
        }
    }
}

impl fmt::Display for Button {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
