//! The part of a block's output that is shown.

/// How many characters of the output a model sees.
const MOST_CHARACTERS: usize = 2000;

/// Printed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrintedText {
    text: String,
    characters: usize,
}

impl PrintedText {
    /// Appends text, dropping whatever exceeds the limit.
    pub(crate) fn print(&mut self, text: &str) {
        let room = MOST_CHARACTERS - self.characters;
        let shown = text.char_indices().nth(room).map_or(text, |(end, _)| &text[..end]);
        self.text.push_str(shown);
        self.characters += shown.chars().count();
    }

    /// Returns what is shown, without the last line break.
    pub(crate) fn shown(&self) -> &str {
        self.text.strip_suffix('\n').unwrap_or(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_counts_characters() {
        let mut output = PrintedText::default();
        output.print(&"\u{e9}".repeat(1999));
        output.print("ab\n");
        output.print("c");
        assert!(output.shown().ends_with("\u{e9}a"));
        assert_eq!(output.shown().chars().count(), MOST_CHARACTERS);
    }
}
