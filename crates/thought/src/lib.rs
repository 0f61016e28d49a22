//! Finds the tags and tokens with which models mark their thoughts, the parts of a reply in which they reason before
//! they answer.
//!
//! A tag is like `<think>` or `</think>`. Its name contains "think", or is thought, thoughts, reasoning or reflection,
//! in upper or lower case, in angle or square brackets or Kimi's triangles. The tokens of Gemma 4 and gpt-oss count as
//! tags.

use std::ops::Range;

use memchr::memchr3_iter;

/// The maximum length of a tag's name, in bytes. The limit keeps the search linear in text with many brackets.
pub const LONGEST_NAME: usize = 64;

/// What opens a thought of gpt-oss.
const ANALYSIS: &str = "<|channel|>analysis<|message|>";
/// What closes a thought of gpt-oss. Other models end their replies with it.
const END: &str = "<|end|>";
/// The tokens around thoughts, and whether they close one: those of Gemma 4 and of gpt-oss.
const TOKENS: [(&str, bool); 4] = [
    ("<|channel>thought", false),
    ("<channel|>", true),
    (ANALYSIS, false),
    (END, true),
];
/// The brackets around a tag's name. The last ones are Kimi's.
const BRACKETS: [(char, char); 3] = [('<', '>'), ('[', ']'), ('\u{25c1}', '\u{25b7}')];
/// The first byte of Kimi's bracket.
const KIMI: u8 = 0xe2;

/// A tag or token that opens or closes a thought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThoughtTag {
    /// Where it is in the text, in bytes.
    pub range: Range<usize>,
    /// Whether it closes a thought.
    pub closes: bool,
}

/// Finds the tags in a text, in order.
pub fn tags(text: &str) -> impl Iterator<Item = ThoughtTag> + '_ {
    let (mut open, mut analysis) = (false, false);
    memchr3_iter(b'<', b'[', KIMI, text.as_bytes()).filter_map(move |start| {
        let (length, closes) = tag(&text[start..])?;
        let range = start..start + length;
        let written = &text[range.clone()];
        if written == END && !analysis {
            return None;
        }
        analysis = !closes && if open { analysis } else { written == ANALYSIS };
        open = !closes;
        Some(ThoughtTag { range, closes })
    })
}

/// Returns the length of the tag at the beginning of the text, and whether it closes a thought.
fn tag(text: &str) -> Option<(usize, bool)> {
    if let Some((token, closes)) = TOKENS.iter().find(|(token, _)| text.starts_with(token)) {
        return Some((token.len(), *closes));
    }
    let (bracket, end_mark) = *BRACKETS.iter().find(|(bracket, _)| text.starts_with(*bracket))?;
    let inside = &text[bracket.len_utf8()..];
    let named = inside.strip_prefix('/').unwrap_or(inside);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || bracket == '<' && *byte == b':';
    let length = named.bytes().take(LONGEST_NAME).take_while(is_part).count();
    let (name, behind) = named.split_at(length);
    let behind = behind.strip_prefix(end_mark).filter(|_| is_thought(name))?;
    Some((text.len() - behind.len(), named.len() < inside.len()))
}

fn is_thought(name: &str) -> bool {
    let mut parts = name.as_bytes().windows("think".len());
    let whole = ["thought", "thoughts", "reasoning", "reflection"];
    parts.any(|part| part.eq_ignore_ascii_case(b"think")) || whole.iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_in_each_form() {
        for (text, found) in [
            ("plain <b>text</b> [x] \u{25a0}", ""),
            ("<think>a</think>", "<think> /</think>"),
            ("[THINK]a[/Think]", "[THINK] /[/Think]"),
            ("<seed:think>a</seed:think>", "<seed:think> /</seed:think>"),
            ("[a:think]", ""),
            (
                "\u{25c1}think\u{25b7}a\u{25c1}/think\u{25b7}",
                "\u{25c1}think\u{25b7} /\u{25c1}/think\u{25b7}",
            ),
            ("<|channel>thought\na<channel|>", "<|channel>thought /<channel|>"),
            (
                "<|channel|>analysis<|message|>a<|end|>b<|end|>",
                "<|channel|>analysis<|message|> /<|end|>",
            ),
            ("a<|end|>", ""),
            ("<think", ""),
        ] {
            let tags = tags(text).map(|tag| format!("{}{}", if tag.closes { "/" } else { "" }, &text[tag.range]));
            assert_eq!(tags.collect::<Vec<_>>().join(" "), found, "{text}");
        }
    }

    #[test]
    fn a_name_that_is_too_long_is_none() {
        let tag = |length: usize| format!("<{}think>", "x".repeat(length - "think".len()));
        assert_eq!(tags(&tag(LONGEST_NAME)).count(), 1);
        assert_eq!(tags(&tag(LONGEST_NAME + 1)).count(), 0);
    }
}
