//! The tokens with which models end a reply or a part of it, and which servers leave in the text.

/// Those that are not written as `<|NAME|>`: of Gemma, `SmolVLM`, `DeepSeek` and older models.
const TOKENS: [&str; 7] = [
    "</s>",
    "[EOS]",
    "<eos>",
    "<end_of_turn>",
    "<turn|>",
    "<end_of_utterance>",
    "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
];

/// The maximum length of a token's name, in bytes.
const LONGEST_NAME: usize = 32;

/// Returns the length of the token at the beginning of the text.
pub(crate) fn length(text: &str) -> Option<usize> {
    let known = TOKENS.iter().find(|token| text.starts_with(**token));
    known.map(|token| token.len()).or_else(|| named(text, "<|", "|>"))
}

/// Returns the length of a name between two marks at the beginning of the text, including the marks.
pub(crate) fn named(text: &str, opening: &str, closing: &str) -> Option<usize> {
    let inside = text.strip_prefix(opening)?;
    let length = inside
        .bytes()
        .take(LONGEST_NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count();
    let (name, behind) = inside.split_at(length);
    (!name.is_empty() && behind.starts_with(closing)).then_some(opening.len() + length + closing.len())
}
