//! Text to type, where to type it, and whether it replaces the existing text.

use crate::point::Point;

/// Text to type. `\n` stands for the enter key and `\t` for the tab key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typing {
    /// The text. It may be empty only if it replaces the field's content, which clears the field.
    pub text: String,
    /// Where to click first; `None` types at the text cursor.
    pub at: Option<Point>,
    /// Whether the text replaces everything in the field. This requires a position, because otherwise it is unclear
    /// which field is meant.
    pub replace: bool,
}

impl Typing {
    /// Returns a value that types `text` at the text cursor.
    pub fn of(text: impl Into<String>) -> Typing {
        Typing {
            text: text.into(),
            at: None,
            replace: false,
        }
    }

    /// Returns the same value, with a single press of the enter key after the text.
    #[must_use]
    pub fn entered(mut self) -> Typing {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self
    }

    /// Checks whether this only types text and does not click anywhere first.
    pub fn is_plain(&self) -> bool {
        self.at.is_none() && !self.replace
    }
}
