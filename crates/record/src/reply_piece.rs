//! A piece of a reply that the model is still writing. It is shown but not recorded.

use franz_json::Story;
use serde::{Deserialize, Serialize};

/// The part of a reply that arrived since the previous piece.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyPiece {
    /// The turn.
    pub turn: u64,
    /// The number of the attempt in this turn, from 1.
    pub attempt: u32,
    /// Where the piece begins: the number of bytes before it in the reply's JSON literal, without the quotes.
    pub at: usize,
    /// The piece as part of a JSON literal. It can end between the two `\u` escapes of one character.
    pub text: Story,
}
