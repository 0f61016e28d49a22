//! A piece of a reply that is being written. It is shown, and not recorded.

use franz_json::Story;
use serde::{Deserialize, Serialize};

/// What came of a reply since the piece before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyPiece {
    /// The turn.
    pub turn: u64,
    /// Which attempt of this turn, from 1.
    pub attempt: u32,
    /// Where the piece begins: so many bytes of the reply's JSON literal came before, without its quotes.
    pub at: usize,
    /// The piece, as a literal. It may end in half of a character that `\u` escapes.
    pub text: Story,
}
