//! How much of a reply is read: bounds on the work and the memory that a text can cost.

use std::cell::Cell;

/// The longest call, in bytes.
pub(crate) const LONGEST_CALL: usize = 256 << 10;
/// Bytes of calls that are parsed of one reply, a call that is mended and parsed again among them. A parser takes about a hundred
/// bytes of memory for each, and a microsecond.
const MOST_PARSED: usize = 2 << 20;

/// Bytes of calls of functions that are kept of one way of writing them in a reply.
pub(crate) const MOST_KEPT: usize = 1 << 20;

/// The text from here on, as far as one call may go.
pub(crate) fn window(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_CALL)]
}

/// What may still be parsed of a reply.
#[derive(Debug)]
pub(crate) struct ParseBudget(Cell<usize>);

impl Default for ParseBudget {
    fn default() -> ParseBudget {
        ParseBudget(Cell::new(MOST_PARSED))
    }
}

impl ParseBudget {
    /// Takes so many bytes out; `false` when they are too many.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let left = self.0.get().checked_sub(bytes);
        self.0.set(left.unwrap_or_default());
        left.is_some()
    }
}
