//! A reply that is being written, as far as it may be shown: people see it before it is read as a whole.

use std::sync::mpsc::Receiver;

use franz_json::{Story, literal};
use franz_record::{Event, ReplyPiece};
use franz_secret::Veil;

/// The most that is shown of a reply before it is whole, in bytes.
const MOST: usize = 1 << 20;

/// A growing reply of one request.
pub(super) struct ReplyPieces {
    turn: u64,
    attempt: u32,
    veil: Veil,
    /// How much was told.
    at: usize,
    /// What the veil let through and was not told, as an escape is not whole.
    rest: String,
}

impl ReplyPieces {
    pub(super) fn new(turn: u64, attempt: u32, veil: Veil) -> ReplyPieces {
        ReplyPieces {
            turn,
            attempt,
            veil,
            at: 0,
            rest: String::new(),
        }
    }

    /// Tells of all pieces that come. Those that come while one is told are told together.
    pub(super) fn tell(&mut self, pieces: &Receiver<String>, mut told: impl FnMut(&Event)) {
        while let Ok(mut piece) = pieces.recv() {
            piece.extend(pieces.try_iter());
            if let Some(piece) = self.add(&piece) {
                told(&Event::Writing(piece));
            }
        }
    }

    /// Adds the inside of a JSON literal, and returns what can be told now.
    fn add(&mut self, piece: &str) -> Option<ReplyPiece> {
        self.rest.push_str(&self.veil.push(piece));
        let whole = literal::whole_escapes(&self.rest);
        if whole == 0 || self.at + whole > MOST {
            return None;
        }
        let rest = self.rest.split_off(whole);
        let text = std::mem::replace(&mut self.rest, rest);
        let at = self.at;
        self.at += text.len();
        Some(ReplyPiece {
            turn: self.turn,
            attempt: self.attempt,
            at,
            text: Story::from_raw(&format!("\"{text}\""))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use franz_secret::Secret;

    use super::*;

    const KEY: &str = "sk-0123456789-abc";

    fn told(pieces: &[&str]) -> Vec<(usize, String)> {
        let mut reply = ReplyPieces::new(1, 1, Secret::new([KEY]).veil());
        let told = pieces.iter().filter_map(|piece| reply.add(piece));
        told.map(|piece| (piece.at, piece.text.raw().to_owned())).collect()
    }

    #[test]
    fn an_escape_and_what_may_be_a_key_wait_until_they_are_whole() {
        let piece = |at: usize, text: &str| (at, text.to_owned());
        assert_eq!(told(&["a\\", "nb"]), [piece(0, r#""a""#), piece(1, r#""\nb""#)]);
        assert_eq!(told(&[r"a\u00", "e9"]), [piece(0, r#""a""#), piece(1, r#""\u00e9""#)]);
        assert_eq!(
            told(&["ask", "-0123 is none"]),
            [piece(0, r#""a""#), piece(1, r#""sk-0123 is none""#)]
        );
        assert_eq!(told(&["a sk-0123", "456789-abc", " and more"]), [piece(0, r#""a ""#)]);
    }
}
