//! Compares two logged requests: by every byte but pictures, and apart from that by their pictures.

use franz_chat::picture::stand_ins;

/// How many bytes of a request to show before and after the first difference.
const BEFORE: usize = 40;
const BEHIND: usize = 60;

/// The text in place of each picture in what is shown.
const PICTURE: &str = "[picture]";

/// How two requests compare.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Everything is equal.
    Equal,
    /// Only pictures differ.
    OtherPictures,
    /// The texts differ.
    Other(Difference),
}

/// The first place where two texts differ.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// How many bytes before it are equal, each picture counted as [`PICTURE`].
    pub(super) at: usize,
    /// The recorded text around it.
    pub(super) recorded: String,
    /// The text of the replay around it.
    pub(super) now: String,
}

/// Compares two logged requests.
pub(super) fn compare(recorded: &str, now: &str) -> Comparison {
    let ((recorded, pictures), (now, others)) = (apart(recorded), apart(now));
    if recorded == now {
        return if pictures == others {
            Comparison::Equal
        } else {
            Comparison::OtherPictures
        };
    }
    let pairs = recorded.bytes().zip(now.bytes());
    let at = pairs.take_while(|(one, other)| one == other).count();
    Comparison::Other(Difference {
        at,
        recorded: around(&recorded, at),
        now: around(&now, at),
    })
}

/// Separates a logged request into its text and the stand-ins for its pictures.
fn apart(request: &str) -> (String, Vec<&str>) {
    let (mut text, mut pictures, mut end) = (String::with_capacity(request.len()), Vec::new(), 0);
    for (place, _) in stand_ins(request) {
        text.push_str(&request[end..place.start]);
        text.push_str(PICTURE);
        end = place.end;
        pictures.push(&request[place]);
    }
    text.push_str(&request[end..]);
    (text, pictures)
}

/// Returns the text around a place, with dots where it is cut.
fn around(text: &str, at: usize) -> String {
    let start = text.floor_char_boundary(at.saturating_sub(BEFORE));
    let end = text.ceil_char_boundary((at + BEHIND).min(text.len()));
    let before = if start > 0 { "…" } else { "" };
    let behind = if end < text.len() { "…" } else { "" };
    format!("{before}{}{behind}", &text[start..end])
}

#[cfg(test)]
mod tests {
    use franz_chat::picture::stand_in;

    use super::*;

    #[test]
    fn pictures_are_compared_apart_from_the_text() {
        let body = |text: &str, sha: &str| format!("{{\"a\":\"{text}\",\"url\":\"{}\"}}", stand_in(sha, 99));
        let (one, other) = ("0123456789ab", "ba9876543210");
        assert_eq!(compare(&body("x", one), &body("x", one)), Comparison::Equal);
        assert_eq!(compare(&body("x", one), &body("x", other)), Comparison::OtherPictures);
        let Comparison::Other(difference) = compare(&body("x", one), &body("y", other)) else {
            panic!("the texts differ");
        };
        assert_eq!(difference.at, 6);
        assert_eq!(difference.recorded, "{\"a\":\"x\",\"url\":\"[picture]\"}");
        assert_eq!(difference.now, "{\"a\":\"y\",\"url\":\"[picture]\"}");
    }

    #[test]
    fn a_request_that_only_continues_differs_at_its_end() {
        let Comparison::Other(difference) = compare("{\"a\":1}", "{\"a\":1}x") else {
            panic!("one is longer");
        };
        assert_eq!(
            (difference.at, difference.recorded.as_str(), difference.now.as_str()),
            (7, "{\"a\":1}", "{\"a\":1}x")
        );
    }

    #[test]
    fn only_the_surroundings_are_shown_and_no_character_is_split() {
        let text = |middle: &str| format!("{}{middle}{}", "ä".repeat(200), "ö".repeat(200));
        let Comparison::Other(difference) = compare(&text("x"), &text("y")) else {
            panic!("the middles differ");
        };
        assert_eq!(difference.at, 400);
        let around = |middle: &str| format!("…{}{middle}{}…", "ä".repeat(20), "ö".repeat(30));
        assert_eq!((difference.recorded, difference.now), (around("x"), around("y")));
    }
}
