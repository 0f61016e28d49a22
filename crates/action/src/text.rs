//! Shortens text shown to people and models.

/// Returns the text, cut off with an ellipsis if it has more than `most` characters.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_longer_text_is_cut_off() {
        for (text, expected) in [
            ("", ""),
            ("abc", "abc"),
            ("abcd", "abc\u{2026}"),
            ("\u{e4}\u{f6}\u{fc}", "\u{e4}\u{f6}\u{fc}"),
            ("\u{e4}\u{f6}\u{fc}\u{df}", "\u{e4}\u{f6}\u{fc}\u{2026}"),
        ] {
            assert_eq!(shortened(text, 3), expected);
        }
    }
}
