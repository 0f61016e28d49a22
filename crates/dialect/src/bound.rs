//! Limits on how much of a reply is read. They bound the work and memory that a reply can cost.

use std::cell::Cell;

/// The longest call, in bytes.
pub(crate) const LONGEST_CALL: usize = 256 << 10;
/// How many bytes of calls to parse per reply. A call that is repaired and parsed again counts twice. For each byte,
/// the parser uses about a hundred bytes of memory and a microsecond.
const MOST_PARSED: usize = 2 << 20;

/// How many bytes of function calls to keep per reply and notation.
pub(crate) const MOST_KEPT: usize = 1 << 20;

/// Returns the beginning of the text, cut to the maximum length of one call.
pub(crate) fn window(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_CALL)]
}

/// How many more bytes of a reply may be parsed.
#[derive(Debug)]
pub(crate) struct ParseBudget(Cell<usize>);

impl Default for ParseBudget {
    fn default() -> ParseBudget {
        ParseBudget(Cell::new(MOST_PARSED))
    }
}

impl ParseBudget {
    /// Takes this many bytes from the budget. Returns `false` if fewer are left.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let left = self.0.get().checked_sub(bytes);
        self.0.set(left.unwrap_or_default());
        left.is_some()
    }
}
