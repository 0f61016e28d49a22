//! Enters text on a screen whose keyboard lacks characters: piece by piece, by key or through the clipboard.

use std::time::{Duration, Instant};

use super::display::DisplayError;

/// How long a program gets to notice that there is text to paste, and to finish pasting before the next key.
pub(crate) const NOTICED: Duration = Duration::from_millis(200);

/// How often a wait checks whether it is interrupted.
pub(crate) const SLICE: Duration = Duration::from_millis(10);

/// All that is known if no program has fetched the text.
pub(crate) const NOT_PASTED: &str =
    "the rest is on the clipboard, but no program pasted it on ctrl+v; check whether a field has the keyboard focus";

/// What to do about a clipboard with more text than FRANZ reads.
#[cfg(all(unix, not(target_os = "macos")))]
pub(crate) const TOO_LONG: &str = "the text on the clipboard is too long to read; copy less of it";

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text to enter by key.
    Typed(&'a str),
    /// Text to paste.
    Pasted(&'a str),
}

/// Splits a text. Enter and Tab are always keys; what is between them is pasted whole if the keyboard lacks any of it.
pub(crate) fn pieces(text: &str, has: impl Fn(char) -> bool) -> Vec<Piece<'_>> {
    let is_key = |character: char| matches!(character, '\n' | '\r' | '\t');
    let mut pieces = Vec::new();
    for part in text.split_inclusive(is_key) {
        let words = part.trim_end_matches(is_key);
        if words.chars().all(&has) {
            pieces.push(Piece::Typed(part));
        } else {
            pieces.push(Piece::Pasted(words));
            pieces.extend(
                Some(&part[words.len()..])
                    .filter(|key| !key.is_empty())
                    .map(Piece::Typed),
            );
        }
    }
    pieces
}

/// Enters pieces in order, until `enter` fails or returns `false` because it was interrupted.
pub(crate) fn enter_all(
    pieces: Vec<Piece<'_>>,
    mut enter: impl FnMut(Piece<'_>) -> Result<bool, DisplayError>,
) -> Result<bool, DisplayError> {
    for piece in pieces {
        if !enter(piece)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Lets programs paste the text when they get around to it, so that the next key does not overtake them. Returns `false`
/// if this was interrupted.
pub(crate) fn await_pasting(text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> bool {
    rest_until(Instant::now() + NOTICED, goes_on) && text.chars().all(|character| goes_on(Some(character)))
}

/// Waits; returns `false` if the wait was interrupted.
pub(crate) fn rest_until(then: Instant, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> bool {
    while let Some(left) = then.checked_duration_since(Instant::now()) {
        std::thread::sleep(left.min(SLICE));
        if !goes_on(None) {
            return false;
        }
    }
    true
}

/// Returns the characters for which `has` returns `false`, each of them once.
pub(crate) fn lacking(text: &str, has: impl Fn(char) -> bool) -> Vec<char> {
    let mut lacking: Vec<char> = Vec::new();
    for character in text.chars() {
        if !has(character) && !lacking.contains(&character) {
            lacking.push(character);
        }
    }
    lacking
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_missing_characters_are_pasted() {
        let has = |character: char| character.is_ascii();
        for (text, expected) in [
            ("", vec![]),
            ("plain\n", vec![Piece::Typed("plain\n")]),
            ("über", vec![Piece::Pasted("über")]),
            (
                "a\tüb\n\nc",
                vec![
                    Piece::Typed("a\t"),
                    Piece::Pasted("üb"),
                    Piece::Typed("\n"),
                    Piece::Typed("\n"),
                    Piece::Typed("c"),
                ],
            ),
        ] {
            assert_eq!(pieces(text, has), expected, "{text:?}");
        }
    }

    #[test]
    fn a_missing_character_is_named_once() {
        assert_eq!(lacking("aéaüé", |character| character.is_ascii()), ['é', 'ü']);
    }
}
