//! The reply that the model is currently writing. It is kept in memory until the next request, for the pages that show
//! it.

use std::sync::Mutex;

use franz_json::{Story, literal};
use franz_record::ReplyPiece;
use serde::Serialize;
use tokio::sync::watch;

use crate::lock::lock;

/// The part of the reply that has arrived so far.
#[derive(Debug)]
pub struct GrowingReply {
    kept: Mutex<Kept>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Kept {
    /// How many replies have begun. The same attempt can begin several: a message from the person cancels its request,
    /// and the model is asked again.
    reply: u64,
    turn: u64,
    attempt: u32,
    /// The JSON literal without its quotes.
    text: String,
}

/// The part of the reply that a page does not have yet.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Growth {
    /// The number of the reply.
    pub reply: u64,
    /// Where the part begins, in bytes of the reply's literal without its quotes.
    pub at: usize,
    /// Where the next part begins.
    pub end: usize,
    /// The text that the model wrote.
    pub text: Story,
}

impl Default for GrowingReply {
    fn default() -> GrowingReply {
        GrowingReply {
            kept: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }
}

impl GrowingReply {
    /// Adds a piece. Ignores a piece whose predecessors are missing.
    pub fn push(&self, piece: &ReplyPiece) {
        let mut kept = lock(&self.kept);
        if piece.at == 0 {
            kept.reply += 1;
            (kept.turn, kept.attempt) = (piece.turn, piece.attempt);
            kept.text.clear();
        } else if (kept.turn, kept.attempt, kept.text.len()) != (piece.turn, piece.attempt, piece.at) {
            return;
        }
        kept.text.push_str(literal::unquoted(piece.text.raw()));
        drop(kept);
        self.changed.send_replace(());
    }

    /// Forgets the reply, because it is complete or was broken off.
    pub fn clear(&self) {
        lock(&self.kept).text.clear();
        self.changed.send_replace(());
    }

    /// Returns the part of a turn's reply after the first `at` bytes of the reply with this number, or all of it if the
    /// model writes another one now. `None` if nothing more has arrived.
    pub fn since(&self, turn: u64, reply: u64, at: usize) -> Option<Growth> {
        let kept = lock(&self.kept);
        let at = if kept.reply == reply { at } else { 0 };
        let inside = kept
            .text
            .get(at..)
            .filter(|inside| !inside.is_empty() && kept.turn == turn)?;
        Some(Growth {
            reply: kept.reply,
            at,
            end: kept.text.len(),
            text: Story::from_raw(&format!("\"{inside}\""))?,
        })
    }

    /// Returns a receiver that is notified of changes.
    pub(crate) fn listen(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(reply: u64, at: usize, end: usize, text: &str) -> Growth {
        let text = Story::from_raw(text).unwrap();
        Growth { reply, at, end, text }
    }

    fn piece(turn: u64, attempt: u32, at: usize, text: &str) -> ReplyPiece {
        ReplyPiece {
            turn,
            attempt,
            at,
            text: Story::from_raw(text).unwrap(),
        }
    }

    #[test]
    fn a_page_gets_what_it_lacks() {
        let reply = GrowingReply::default();
        assert_eq!(reply.since(1, 1, 0), None);
        reply.push(&piece(1, 1, 0, r#""a\ud83d""#));
        reply.push(&piece(1, 1, 7, r#""\ude00b""#));
        assert_eq!(reply.since(1, 1, 0), Some(growth(1, 0, 14, r#""a\ud83d\ude00b""#)));
        assert_eq!(reply.since(1, 1, 7), Some(growth(1, 7, 14, r#""\ude00b""#)));
        assert_eq!(reply.since(1, 1, 14), None);
        for unknown in [reply.since(2, 1, 0), reply.since(1, 1, 99)] {
            assert_eq!(unknown, None);
        }
        reply.push(&piece(1, 1, 20, r#""a gap""#));
        assert_eq!(reply.since(1, 1, 14), None);
        reply.push(&piece(1, 2, 0, r#""again""#));
        assert_eq!(reply.since(1, 1, 14), Some(growth(2, 0, 5, r#""again""#)));
        reply.clear();
        assert_eq!(reply.since(1, 2, 0), None);
    }

    #[test]
    fn a_reply_to_the_same_attempt_begins_anew() {
        let reply = GrowingReply::default();
        reply.push(&piece(1, 1, 0, r#""abcdefgh""#));
        assert_eq!(reply.since(1, 0, 0), Some(growth(1, 0, 8, r#""abcdefgh""#)));
        reply.clear();
        reply.push(&piece(1, 1, 8, r#""late""#));
        assert_eq!(reply.since(1, 1, 8), None);
        reply.push(&piece(1, 1, 0, r#""xyz""#));
        assert_eq!(reply.since(1, 1, 8), Some(growth(2, 0, 3, r#""xyz""#)));
    }
}
