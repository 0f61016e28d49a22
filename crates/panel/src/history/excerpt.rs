//! A match in some text, with a few words around it.

use std::ops::Range;

/// How many characters to show before and after the match.
const BEFORE: usize = 40;
const BEHIND: usize = 80;

/// An excerpt of some text, on one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// The number of UTF-16 units before the match.
    pub(super) at: usize,
    /// The number of UTF-16 units in the match.
    pub(super) length: usize,
}

impl Excerpt {
    /// Returns the excerpt around `place`, a byte range in `text`; `None` if the range is not valid.
    pub(super) fn of(text: &str, place: Range<usize>) -> Option<Excerpt> {
        let (before, behind) = (text.get(..place.start)?, text.get(place.end..)?);
        let start = before.char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
        let end = behind.char_indices().nth(BEHIND).map_or(behind.len(), |(at, _)| at);
        let (lead, found, trail) = (before.get(start..)?, text.get(place)?, behind.get(..end)?);

        let mut excerpt = String::from(if start > 0 { "…" } else { "" });
        excerpt.extend(lead.chars().map(on_one_line));
        let at = excerpt.encode_utf16().count();
        excerpt.extend(found.chars().map(on_one_line));
        excerpt.extend(trail.chars().map(on_one_line));
        if end < behind.len() {
            excerpt.push('…');
        }
        Some(Excerpt {
            text: excerpt,
            at,
            length: found.encode_utf16().count(),
        })
    }
}

/// Replaces control characters with spaces, because a line break would hide the rest of the excerpt in a list. A
/// control character and a space are both one unit long.
fn on_one_line(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, place: Range<usize>) -> (String, usize, usize) {
        let excerpt = Excerpt::of(text, place).unwrap();
        (excerpt.text, excerpt.at, excerpt.length)
    }

    #[test]
    fn an_excerpt_includes_surrounding_words() {
        assert_eq!(excerpt("cat", 0..3), ("cat".into(), 0, 3));
        assert_eq!(excerpt("😀\ncat\0", 5..8), ("😀 cat ".into(), 3, 3));
        assert_eq!(excerpt("ä😀", 2..6), ("ä😀".into(), 1, 2));
        let long = format!("{}cat{}", "ä".repeat(50), "ö".repeat(90));
        let (text, at, length) = excerpt(&long, 100..103);
        assert_eq!(text, format!("…{}cat{}…", "ä".repeat(40), "ö".repeat(80)));
        assert_eq!((at, length), (41, 3));
        assert_eq!(Excerpt::of("ä", 1..2), None);
    }
}
