//! Detects where growing text repeats the same few lines over and over.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

/// The largest number of lines in a repeated block.
const MOST_LINES: usize = 8;

/// The lines of the text so far, given as the inside of its JSON literal, and how often the last ones have repeated.
#[derive(Debug, Default)]
pub(super) struct RepeatedLines {
    /// The largest number of identical blocks of lines in a row; 0 for any number.
    most: u32,
    /// The position up to which the text has been read.
    read: usize,
    /// Where the last line begins.
    line: usize,
    /// The last lines, newest first.
    last: [u64; MOST_LINES],
    /// For blocks of one line, two lines and so on: the number of consecutive lines that equal the line one block
    /// earlier.
    same: [u32; MOST_LINES],
}

impl RepeatedLines {
    /// Starts with no text.
    pub(super) fn new(most: u32) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// Continues reading. Returns the position at which to cut the text: after the first block beyond the limit.
    pub(super) fn cut(&mut self, inside: &str) -> Option<usize> {
        if self.most == 0 {
            return None;
        }
        let bytes = inside.as_bytes();
        while let Some(next) = inside.get(self.read..).and_then(|rest| rest.find('\\')) {
            let at = self.read + next;
            let rest = &bytes[at..];
            let is_break =
                rest.starts_with(br"\n") || rest.get(..6).is_some_and(|unit| unit.eq_ignore_ascii_case(br"\u000a"));
            let length = if rest.get(1) == Some(&b'u') { 6 } else { 2 };
            self.read = (at + length).min(bytes.len());
            if is_break {
                let line = &bytes[self.line..at];
                self.line = self.read;
                if self.end_line(line) {
                    return Some(self.read);
                }
            }
        }
        self.read = bytes.len();
        None
    }

    /// Ends a line and returns whether this completes the first block beyond the limit.
    fn end_line(&mut self, line: &[u8]) -> bool {
        let line = BuildHasherDefault::<DefaultHasher>::default().hash_one(line);
        let mut is_enough = false;
        for (lines, (same, last)) in (1..).zip(self.same.iter_mut().zip(self.last)) {
            *same = if last == line { *same + 1 } else { 0 };
            is_enough |= *same >= self.most.saturating_mul(lines);
        }
        self.last.rotate_right(1);
        self.last[0] = line;
        is_enough
    }
}

#[cfg(test)]
mod tests {
    use super::RepeatedLines;

    fn cut(text: &str, most: u32) -> Option<usize> {
        let whole = RepeatedLines::new(most).cut(text);
        let mut piece_by_piece = RepeatedLines::new(most);
        let ends = (1..=text.len()).filter(|end| text.is_char_boundary(*end) && !text[..*end].ends_with('\\'));
        assert_eq!(
            ends.filter(|end| !cuts_an_escape(&text[..*end]))
                .find_map(|end| piece_by_piece.cut(&text[..end])),
            whole
        );
        whole
    }

    /// Returns whether text ends within an escape, which no piece of a stream does.
    fn cuts_an_escape(text: &str) -> bool {
        text.rfind("\\u").is_some_and(|at| text.len() - at < 6)
    }

    #[test]
    fn the_same_few_lines_are_cut_behind_the_block_that_is_too_many() {
        assert_eq!(cut(&r"a\n".repeat(9), 3), Some(r"a\n".len() * 4));
        assert_eq!(cut(&r"a\u000A".repeat(9), 3), Some(r"a\u000A".len() * 4));
        assert_eq!(cut(&r"\n".repeat(9), 3), Some(r"\n".len() * 4));
        let block = r"one\ntwo é\n\nthree\\n\n";
        assert_eq!(cut(&block.repeat(9), 3), Some(block.len() * 4));
        let before = r"x\n".to_owned() + &block.repeat(9);
        assert_eq!(cut(&before, 3), Some(r"x\n".len() + block.len() * 4));
    }

    #[test]
    fn other_texts_are_left_alone() {
        let counted = (0..99)
            .map(|line| format!(r"line {line}\n"))
            .collect::<Vec<_>>()
            .concat();
        let nine = r"1\n2\n3\n4\n5\n6\n7\n8\n9\n".repeat(99);
        for text in [
            counted.as_str(),
            nine.as_str(),
            "",
            r"a\na\na\na",
            r"a\\na\\na\\na\\na\\na\\n",
            &"ha ".repeat(99),
        ] {
            assert_eq!(cut(text, 3), None, "{text}");
        }
        assert_eq!(cut(&r"a\n".repeat(99), 0), None);
    }
}
