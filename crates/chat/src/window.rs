//! Limits how much of the past a request contains, and decides when something is forgotten.
//!
//! A server caches the requests that it has read, and processes the next one only from the first difference on. Nothing
//! is therefore forgotten until a limit is exceeded, and then enough is forgotten in one go to last for many turns.

use serde::{Deserialize, Serialize};

/// How much of the past the model continues to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// The number of pictures to keep when older ones are dropped, including the latest.
    pub screenshots: usize,
    /// The largest number of pictures in a request.
    pub most_screenshots: usize,
    /// The number of replies that keep their thoughts when older replies lose them.
    pub thinks: usize,
    /// The largest number of turns; 0 counts as 1. A turn consists of a reply and everything shown after it.
    pub turns: usize,
}

/// The limit on a request's length, in estimated tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The largest number of tokens in a request.
    pub tokens: u64,
    /// The number of tokens in a picture.
    pub picture: u64,
    /// The number of tokens in everything except the conversation: instructions, task and tools.
    pub fixed: u64,
}

impl Room {
    /// Sets no limit.
    pub const UNLIMITED: Room = Room {
        tokens: u64::MAX,
        picture: 0,
        fixed: 0,
    };
}

/// The turns that a request still contains. Older ones are forgotten, entirely or in part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryWindow {
    /// The first turn whose reply is remembered.
    pub turns: u64,
    /// The first turn whose picture is still sent.
    pub pictures: u64,
    /// The first turn whose additional pictures are still sent.
    pub beside: u64,
    /// The first turn whose reply keeps its thoughts.
    pub thinks: u64,
}

/// Estimates the tokens of text: 4 bytes each in English, 2 or 3 in most other languages.
pub fn estimated_tokens(text: &str) -> u64 {
    tokens_of_bytes(text.len())
}

pub(crate) fn tokens_of_bytes(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

/// Returns the size to prune to once a limit is exceeded: seven tenths of the limit, so that it is not exceeded again
/// soon.
pub(crate) fn brought_down(limit: u64) -> u64 {
    limit / 10 * 7 + limit % 10 * 7 / 10
}
