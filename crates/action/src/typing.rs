//! Typing: which text, where, and whether it replaces what is there.

use crate::point::Point;

/// A text to type. `\n` in it is the enter key, and `\t` the tab key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typing {
    /// The text. Only one that replaces may be empty: it clears.
    pub text: String,
    /// Where to click first; `None` types where the text cursor is.
    pub at: Option<Point>,
    /// Whether it replaces everything in the field. Only with a place: without one, nobody knows what that would be.
    pub replace: bool,
}

impl Typing {
    /// Returns typing where the text cursor is.
    pub fn of(text: impl Into<String>) -> Typing {
        Typing {
            text: text.into(),
            at: None,
            replace: false,
        }
    }

    /// Returns it with the enter key at the end, which is pressed once.
    #[must_use]
    pub fn entered(mut self) -> Typing {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self
    }

    /// Checks whether it is a text alone.
    pub fn is_plain(&self) -> bool {
        self.at.is_none() && !self.replace
    }
}
