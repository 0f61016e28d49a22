//! The text of a block, divided into lines as a person counts them.

use ruff_text_size::TextSize;

/// A block's source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceText<'a> {
    text: &'a str,
}

/// How many characters of a line to show, enough for the model to recognise it.
const LONGEST_LINE: usize = 200;

impl<'a> SourceText<'a> {
    pub(crate) fn new(text: &'a str) -> SourceText<'a> {
        SourceText { text }
    }

    /// Returns the line number at this position, from 1.
    pub(crate) fn line_number(&self, at: TextSize) -> usize {
        let before = &self.text.as_bytes()[..at.to_usize().min(self.text.len())];
        let breaks = before.iter().enumerate().filter(|(i, byte)| match byte {
            b'\n' => true,
            b'\r' => self.text.as_bytes().get(i + 1) != Some(&b'\n'),
            _ => false,
        });
        breaks.count() + 1
    }

    /// Returns how many characters of the line come before this position, not counting the line's indentation.
    pub(crate) fn column(&self, at: TextSize) -> Option<usize> {
        let before = self.text.get(..at.to_usize())?;
        let line = before.rsplit(['\n', '\r']).next()?;
        Some(line.trim_start().chars().count())
    }

    /// Returns a line's text without surrounding whitespace, truncated if very long.
    pub(crate) fn line(&self, number: usize) -> String {
        let mut lines = self
            .text
            .split_inclusive(['\n', '\r'])
            .filter(|line| *line != "\n" || !self.follows_return(line));
        let line = lines.nth(number.saturating_sub(1)).unwrap_or_default().trim();
        match line.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => format!("{}\u{2026}", &line[..end]),
            None => line.to_owned(),
        }
    }

    /// Checks whether this piece of the text is the second half of a `\r\n`.
    fn follows_return(&self, piece: &str) -> bool {
        let at = piece.as_ptr() as usize - self.text.as_ptr() as usize;
        at > 0 && self.text.as_bytes()[at - 1] == b'\r'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let source = SourceText::new("a\r\nb\rc\n\n  d \n");
        let lines: Vec<_> = (1..=6).map(|number| source.line(number)).collect();
        assert_eq!(lines, ["a", "b", "c", "", "d", ""]);
        let at = |text: &str| source.line_number(TextSize::new(source.text.find(text).unwrap() as u32));
        assert_eq!(["a", "b", "c", "d"].map(at), [1, 2, 3, 5]);
    }

    #[test]
    fn columns_count_characters_behind_the_indentation() {
        let source = SourceText::new("a\r\n  \u{e9}\u{e9}=b\n\tc");
        let at = |text: &str| source.column(TextSize::new(source.text.find(text).unwrap() as u32));
        assert_eq!(["a", "=", "b", "c"].map(at), [Some(0), Some(2), Some(3), Some(0)]);
        assert_eq!(source.column(TextSize::new(100)), None);
    }

    #[test]
    fn long_lines_are_cut() {
        let text = "\u{e9}".repeat(500);
        assert_eq!(SourceText::new(&text).line(1).chars().count(), LONGEST_LINE + 1);
    }
}
