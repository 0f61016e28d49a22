//! The parts to remove from a run before it is shared: words in its text, and areas in its pictures.

use std::borrow::Cow;
use std::ops::Range;

use franz_frame::{Color, Frame, draw};
use franz_json::{Raw, literal};

use super::format_words;

/// The replacement for a word.
const TAKEN_OUT: &str = "[redacted]";

/// How many levels of JSON within JSON strings to search: the arguments of a call, within a request that is shown as
/// text.
const DEPTH: usize = 2;

/// Words and areas to hide. The default hides nothing.
#[derive(Debug, Default)]
pub(crate) struct Redaction {
    /// The words in UTF-16, folded to ignore case, in each form in which JSON can contain them.
    words: Vec<Vec<u16>>,
    /// The areas: left, top, right and bottom, in thousandths of a picture.
    areas: Vec<[u16; 4]>,
}

impl Redaction {
    /// Creates a redaction that hides these words, and these areas in each picture of the screen.
    pub(crate) fn new(words: impl IntoIterator<Item = String>, areas: Vec<[u16; 4]>) -> Redaction {
        let mut all: Vec<String> = words.into_iter().collect();
        for level in 0..DEPTH {
            let escaped = all.iter().map(|word| ascii(word)).collect::<Vec<_>>();
            all.extend(escaped.into_iter().filter(|word| level > 0 || word.contains('\\')));
        }
        let mut words: Vec<Vec<u16>> = all
            .iter()
            .map(|word| word.encode_utf16().map(folded).collect())
            .collect();
        words.retain(|word| !word.is_empty());
        // Search for longer words first, because they can contain shorter ones.
        words.sort_unstable_by_key(|word| std::cmp::Reverse(word.len()));
        words.dedup();
        Redaction { words, areas }
    }

    /// Returns whether texts can contain words to remove.
    pub(super) fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns whether pictures have areas to cover.
    pub(super) fn has_areas(&self) -> bool {
        !self.areas.is_empty()
    }

    /// Returns text with the words removed.
    pub(super) fn text(&self, text: &str) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.units(&units)
            .map_or_else(|| text.to_owned(), |units| String::from_utf16_lossy(&units))
    }

    /// Returns JSON with the words removed from its strings, except for the words of the formats themselves. Strings
    /// without any of the words stay the same, byte for byte.
    pub(super) fn json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        if self.words.is_empty() {
            return Cow::Borrowed(json);
        }
        let mut redacted = String::with_capacity(json.len());
        let mut end = 0;
        let mut name = 0..0;
        for string in strings(json) {
            let text = &json[string.clone()];
            let inner = literal::unquoted(text);
            let is_name = json[string.end..].trim_start().starts_with(':');
            let is_of_format = if is_name {
                name = string.clone();
                format_words::is_name(inner)
            } else {
                let is_value = json[name.end..string.start].trim() == ":";
                is_value && format_words::is_word(literal::unquoted(&json[name.clone()]), inner)
            };
            if is_of_format || is_name_of_picture(inner) {
                continue;
            }
            if let Some(units) = self.units(&literal::units(text)) {
                redacted.push_str(&json[end..string.start]);
                redacted.push_str(Raw::of_units(&units).get());
                end = string.end;
            }
        }
        redacted.push_str(&json[end..]);
        Cow::Owned(redacted)
    }

    /// Covers the areas of a picture of the screen.
    pub(super) fn cover(&self, frame: &mut Frame) {
        let (width, height) = (frame.width() as f32, frame.height() as f32);
        for [left, top, right, bottom] in &self.areas {
            let at = |thousandths: &u16, size: f32| f32::from(*thousandths) * size / 1000.0;
            let (left, right) = (at(left, width).floor(), at(right, width).ceil());
            let (top, bottom) = (at(top, height).floor(), at(bottom, height).ceil());
            // In these coordinates, a pixel's edges are half a pixel from its centre.
            let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
            let corners: Vec<(f32, f32)> = corners.iter().map(|(x, y)| (x - 0.5, y - 0.5)).collect();
            draw::fill(frame, &draw::Polygon::new(corners), Color::BLACK);
        }
    }

    /// Returns UTF-16 units with the words removed; `None` if they contain none of the words.
    fn units(&self, units: &[u16]) -> Option<Vec<u16>> {
        let folds: Vec<u16> = units.iter().copied().map(folded).collect();
        let mut kept = Vec::new();
        let (mut at, mut end) = (0, 0);
        while at < units.len() {
            match self.words.iter().find(|word| folds[at..].starts_with(word)) {
                Some(word) => {
                    kept.extend_from_slice(&units[end..at]);
                    kept.extend(TAKEN_OUT.encode_utf16());
                    at += word.len();
                    end = at;
                }
                None => at += 1,
            }
        }
        (end > 0).then(|| {
            kept.extend_from_slice(&units[end..]);
            kept
        })
    }
}

/// Returns the strings in JSON text, with their quotes.
fn strings(json: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = json.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes.get(at..)?.iter().position(|&byte| byte == b'"')?;
        let mut end = start + 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        at = end + 1;
        Some(start..at)
    })
}

/// Returns whether a string is a hash, or stands for a picture in a logged request. Such strings stay, because they are
/// not text even if a short word occurs in them by chance.
fn is_name_of_picture(inner: &str) -> bool {
    let hash = inner.strip_prefix("attachment://").unwrap_or(inner);
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash || (inner.starts_with("data:image") && inner.ends_with(']') && inner.len() < 100)
}

/// Returns a word as it appears in ASCII-only JSON.
fn ascii(word: &str) -> String {
    let literal = literal::of_text(word);
    let units = literal::unquoted(&literal).encode_utf16();
    units
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => literal::escaped(unit),
        })
        .collect()
}

/// Returns the case-folded form of a unit if it is also a single unit, otherwise the unit.
fn folded(unit: u16) -> u16 {
    let Some(character) = char::from_u32(u32::from(unit)) else {
        return unit;
    };
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => u16::try_from(u32::from(one)).unwrap_or(unit),
        _ => unit,
    }
}

#[cfg(test)]
mod tests {
    use franz_frame::PixelFormat;

    use super::*;

    fn hiding(words: &[&str]) -> Redaction {
        Redaction::new(words.iter().map(|word| (*word).to_owned()), Vec::new())
    }

    #[test]
    fn words_are_found_in_every_form_of_json() {
        let redaction = hiding(&["Müller", "a\"b", "Mül"]);
        for (json, redacted) in [
            (r#"["MÜLLER's"]"#, r#"["[redacted]'s"]"#),
            (
                r#"["M\u00fcller","\u004d\u00dcLLER"]"#,
                r#"["[redacted]","[redacted]"]"#,
            ),
            (
                r#"{"arguments":"{\"to\":\"M\\u00fcller\"}"}"#,
                r#"{"arguments":"{\"to\":\"[redacted]\"}"}"#,
            ),
            (
                r#"["{\"text\":\"a\\\"b\"}","a\"b"]"#,
                r#"["{\"text\":\"[redacted]\"}","[redacted]"]"#,
            ),
            (r#"["\ud800 M\u00fcl\ud800"]"#, r#"["\ud800 [redacted]\ud800"]"#),
            (r#"{"Müller":1}"#, r#"{"[redacted]":1}"#),
        ] {
            assert_eq!(redaction.json(json), redacted);
        }
        assert_eq!(redaction.text("to müller"), "to [redacted]");
    }

    #[test]
    fn the_words_of_the_format_stay() {
        let redaction = hiding(&["li", "user", "ed", "mark"]);
        for (json, redacted) in [
            (
                r#"{"line":{"started":"Li","acted":[]},"marks" : {"held":[]}}"#,
                r#"{"line":{"started":"[redacted]","acted":[]},"marks" : {"held":[]}}"#,
            ),
            (
                r#"{"role":"user","content":"user"}"#,
                r#"{"role":"user","content":"[redacted]"}"#,
            ),
            (
                r#"["role","user",{"role":["user"]}]"#,
                r#"["role","[redacted]",{"role":["[redacted]"]}]"#,
            ),
            (r#"{"role":"Ed","liz":1}"#, r#"{"role":"[redacted]","[redacted]z":1}"#),
        ] {
            assert_eq!(redaction.json(json), redacted);
        }
    }

    #[test]
    fn what_holds_no_word_stays_to_the_byte() {
        let hash = "abc0".repeat(16);
        for json in [
            r#"{ "a" : "\u0041\/\ud800", "b":[1.50,"x\\"] }"#.to_owned(),
            format!(r#"["{hash}","attachment://{hash}","data:image/png;base64,[b64 sha=abc0 len=9]"]"#),
        ] {
            assert_eq!(hiding(&["abc"]).json(&json), json);
            assert_eq!(Redaction::default().json(&json), json);
        }
    }

    #[test]
    fn areas_are_covered_to_their_edges() {
        let white = vec![255; 10 * 10];
        let mut frame = Frame::new(10, 10, PixelFormat::Gray8, white).unwrap();
        Redaction::new([], vec![[200, 300, 450, 1000]]).cover(&mut frame);
        for (index, &pixel) in frame.data().iter().enumerate() {
            let (x, y) = (index % 10, index / 10);
            let is_covered = (2..5).contains(&x) && y >= 3;
            assert_eq!(pixel, if is_covered { 0 } else { 255 }, "{x}, {y}");
        }
    }
}
