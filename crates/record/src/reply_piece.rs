//! A piece of a reply that is being written. It is shown, but not recorded.

use franz_json::Story;
use serde::{Deserialize, Serialize};

/// The part of a reply that arrived since the previous piece.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyPiece {
    /// The turn.
    pub turn: u64,
    /// Which attempt of this turn, from 1.
    pub attempt: u32,
    /// Where the piece begins: the number of bytes before it in the reply's JSON literal, without the quotes.
    pub at: usize,
    /// The piece, as a literal. It can end in half of a character that is escaped with `\u`.
    pub text: Story,
}
