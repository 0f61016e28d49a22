//! Finds the tags and tokens with which models mark their thoughts, the parts of a reply in which they reason before
//! they answer.
//!
//! A tag is like `<think>` or `</think>`. Its name contains "think", or is thought, thoughts, reasoning or reflection,
//! in upper or lower case, in angle or square brackets or Kimi's triangles. A tag like `<nothink>`, with which a model
//! says that it does not think, does not count. The tokens of some models count as tags.

use std::ops::Range;

use memchr::memchr3_iter;

/// The maximum length of a tag's name, in bytes. The limit keeps the search linear in text with many brackets.
pub const LONGEST_NAME: usize = 64;

/// The tokens around the thoughts of a model.
struct ThoughtTokens {
    /// What stands before the first bracket of `open`.
    lead: &'static str,
    open: &'static str,
    close: &'static str,
    /// Whether `close` ends a thought even if nothing opened it, because the chat template did. Otherwise, `close` can
    /// also end something else.
    always: bool,
}

static TOKENS: [ThoughtTokens; 6] = [
    // Gemma 4.
    ThoughtTokens {
        lead: "",
        open: "<|channel>thought",
        close: "<channel|>",
        always: true,
    },
    // gpt-oss. Other models end their replies with the closing token.
    ThoughtTokens {
        lead: "",
        open: "<|channel|>analysis<|message|>",
        close: "<|end|>",
        always: false,
    },
    // Kimi K3: https://github.com/xorbitsai/inference/issues/5417
    ThoughtTokens {
        lead: "",
        open: "<|open|>think<|sep|>",
        close: "<|close|>think<|sep|>",
        always: true,
    },
    // MedGemma 1.5: https://github.com/ollama/ollama/issues/15754
    ThoughtTokens {
        lead: "",
        open: "<unused94>thought",
        close: "<unused95>",
        always: false,
    },
    // Command A: https://huggingface.co/CohereLabs/command-a-reasoning-08-2025
    ThoughtTokens {
        lead: "",
        open: "<|START_THINKING|>",
        close: "<|END_THINKING|>",
        always: true,
    },
    // Muse Glimmer, which ends each message with the closing token: https://github.com/Blaizzy/mlx-vlm/pull/1843
    ThoughtTokens {
        lead: "to=self",
        open: "<|message|>",
        close: "<|eom|>",
        always: false,
    },
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
    // The token that must close the open thought, if it counts only there.
    let (mut open, mut end) = (false, None);
    memchr3_iter(b'<', b'[', KIMI, text.as_bytes()).filter_map(move |start| {
        let (tag, tokens) = match token(text, start) {
            Some((tag, tokens)) => (tag, Some(tokens)),
            None => (named(text, start)?, None),
        };
        let own = tokens.filter(|tokens| !tokens.always).map(|tokens| tokens.close);
        if tag.closes && own.is_some() && own != end {
            return None;
        }
        if tag.closes {
            end = None;
        } else if !open {
            end = own;
        }
        open = !tag.closes;
        Some(tag)
    })
}

/// Returns the token whose first bracket is at this position.
fn token(text: &str, start: usize) -> Option<(ThoughtTag, &'static ThoughtTokens)> {
    let (before, here) = text.split_at(start);
    TOKENS.iter().find_map(|tokens| {
        let (from, token) = if here.starts_with(tokens.close) {
            (start, tokens.close)
        } else if here.starts_with(tokens.open) && before.ends_with(tokens.lead) {
            (start - tokens.lead.len(), tokens.open)
        } else {
            return None;
        };
        let tag = ThoughtTag {
            range: from..start + token.len(),
            closes: token == tokens.close,
        };
        Some((tag, tokens))
    })
}

/// Returns the tag at this position, if its name says that it encloses a thought.
fn named(text: &str, start: usize) -> Option<ThoughtTag> {
    let here = &text[start..];
    let (bracket, end_mark) = *BRACKETS.iter().find(|(bracket, _)| here.starts_with(*bracket))?;
    let inside = &here[bracket.len_utf8()..];
    let named = inside.strip_prefix('/').unwrap_or(inside);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || bracket == '<' && *byte == b':';
    let length = named.bytes().take(LONGEST_NAME).take_while(is_part).count();
    let (name, behind) = named.split_at(length);
    let behind = behind.strip_prefix(end_mark).filter(|_| is_thought(name))?;
    Some(ThoughtTag {
        range: start..text.len() - behind.len(),
        closes: named.len() < inside.len(),
    })
}

fn is_thought(name: &str) -> bool {
    let whole = ["thought", "thoughts", "reasoning", "reflection"];
    let mut parts = name.as_bytes().windows("think".len());
    match parts.position(|part| part.eq_ignore_ascii_case(b"think")) {
        Some(at) => !is_denied(&name[..at], &name[at + "think".len()..]),
        None => whole.iter().any(|known| name.eq_ignore_ascii_case(known)),
    }
}

/// Checks whether the parts of a name around "think" say that the model does not think, as in Phi-4's `<nothink>`
/// (<https://huggingface.co/microsoft/Phi-4-reasoning-vision-15B>) and KAT's `<think_off>`. Nothing closes such a tag.
fn is_denied(before: &str, behind: &str) -> bool {
    let no = before.trim_end_matches('_');
    no.eq_ignore_ascii_case("no") || behind.eq_ignore_ascii_case("_off")
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
            (
                "<|open|>think<|sep|>a<|close|>think<|sep|><|open|>response<|sep|>b<|close|>response<|sep|>",
                "<|open|>think<|sep|> /<|close|>think<|sep|>",
            ),
            ("a<|close|>think<|sep|>b", "/<|close|>think<|sep|>"),
            (
                " to=self<|message|>a<|eom|><|start|>assistant to=user<|message|>b<|eom|>",
                "to=self<|message|> /<|eom|>",
            ),
            ("to=user<|message|>a<|eom|>", ""),
            (
                "<unused94>thought\na<unused95>b<unused95>",
                "<unused94>thought /<unused95>",
            ),
            ("<unused94>a<unused95>", ""),
            (
                "<|START_THINKING|>a<|END_THINKING|>b",
                "<|START_THINKING|> /<|END_THINKING|>",
            ),
            (
                "<think>a<unused94>thought<unused95>b<|eom|></think>",
                "<think> <unused94>thought /</think>",
            ),
            ("<nothink>a", ""),
            ("<No_Think>a</No_Think>[NOTHINKING]", ""),
            ("<judge>a</judge><think_off>b", ""),
            ("<think_on><think>a</think>b", "<think_on> <think> /</think>"),
            ("<casinothink>a", "<casinothink>"),
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
