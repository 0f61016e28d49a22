//! Passes on a reply while the model is writing it. Holds back anything that could be the beginning of a key.

use std::sync::mpsc::Receiver;

use franz_json::{Story, literal};
use franz_record::{Event, ReplyPiece};
use franz_secret::Veil;

/// The maximum number of bytes to show of a reply that is not complete yet.
const MOST: usize = 1 << 20;
/// The longest escape sequence in JSON: `\u` and four digits.
const LONGEST_ESCAPE: usize = 6;

/// The reply to one request.
pub(super) struct ReplyPieces {
    turn: u64,
    attempt: u32,
    veil: Veil,
    /// How many bytes have been passed on.
    at: usize,
    /// The start of an escape sequence that is not complete yet.
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

    /// Passes on each piece, up to the last. Pieces that arrive while another one is being passed on are sent together.
    pub(super) fn tell(&mut self, pieces: &Receiver<String>, mut told: impl FnMut(&Event)) {
        while let Ok(mut piece) = pieces.recv() {
            piece.extend(pieces.try_iter());
            if let Some(piece) = self.add(&piece) {
                told(&Event::Writing(piece));
            }
        }
    }

    /// Adds the contents of a JSON string literal, and returns the part that can be passed on now.
    fn add(&mut self, piece: &str) -> Option<ReplyPiece> {
        if self.at + LONGEST_ESCAPE > MOST {
            return None;
        }
        self.rest.push_str(&self.veil.push(piece));
        let room = self.rest.floor_char_boundary(MOST - self.at);
        let whole = literal::whole_escapes(&self.rest[..room]);
        if whole == 0 {
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
    fn a_reply_without_end_is_told_up_to_a_limit() {
        let mut reply = ReplyPieces::new(1, 1, Secret::new([KEY]).veil());
        let piece = "\\u00e9 and so on. ".repeat(50);
        let told: Vec<ReplyPiece> = (0..5_000).filter_map(|_| reply.add(&piece)).collect();
        let whole: usize = told.iter().map(|piece| literal::unquoted(piece.text.raw()).len()).sum();
        assert!((MOST - LONGEST_ESCAPE..=MOST).contains(&whole), "{whole}");
        assert!(reply.rest.len() <= piece.len());
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
