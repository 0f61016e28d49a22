//! Text that a reply only quotes: text in fences, after `>`, between tags, in code spans and in quotation marks.
//!
//! When in doubt, text counts as quoted. If a STATUS is ignored by mistake, the model is told about it. If a STATUS is
//! used by mistake, the model can act when it should not.

mod fence;
mod marks;
mod tags;

use std::ops::Range;

use crate::written::line;
use fence::{Fences, Whole};
use marks::QuoteMarks;
use tags::Tags;

/// Positions in the text, in ascending order, and which of them are quoted.
pub(super) struct Places {
    at: Vec<usize>,
    quoted: Vec<bool>,
}

impl Places {
    /// Marks which of these positions, given in ascending order, are in a quote. A fence around the whole text does not
    /// make it a quote.
    pub(super) fn of(text: &str, at: Vec<usize>) -> Places {
        let quoted = vec![false; at.len()];
        let mut places = Places { at, quoted };
        let part = match Whole::of(text) {
            Whole::Open => 0..text.len(),
            Whole::Fenced(inside) => inside,
            Whole::Unclear => {
                places.quote(0..text.len());
                return places;
            }
        };
        let (mut fences, mut tags, mut marks) = (Fences::default(), Tags::default(), QuoteMarks::default());
        for (start, line) in line::lines(text, part.clone()) {
            let is_fenced = fences.line(start, line, &mut places);
            if is_behind_mark(line) {
                places.quote(start..start + line.len() + 1);
            }
            tags.line(start, line, is_fenced, &mut places);
            marks.line(start, line, is_fenced, &mut places);
        }
        fences.end(part.end, &mut places);
        tags.end(part.end, &mut places);
        marks.end(part.end, &mut places);
        places
    }

    /// Checks whether this position is quoted. It must be one of those given to [`Places::of`].
    pub(super) fn is_quoted(&self, place: usize) -> bool {
        let index = self.at.binary_search(&place).ok();
        index.and_then(|index| self.quoted.get(index)).copied().unwrap_or(true)
    }

    /// Marks the positions in this range as quoted.
    fn quote(&mut self, range: Range<usize>) {
        let first = self.at.partition_point(|at| *at < range.start);
        let inside = self.at.iter().skip(first).take_while(|at| **at < range.end).count();
        for quoted in self.quoted.iter_mut().skip(first).take(inside) {
            *quoted = true;
        }
    }
}

/// Checks whether a `>` before the first word marks a line as quoted.
fn is_behind_mark(line: &str) -> bool {
    line.chars().take_while(|c| !c.is_alphabetic()).any(|c| c == '>')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, for each `S` at the beginning of a line, whether it is quoted.
    fn quoted(text: &str) -> Vec<bool> {
        let at: Vec<usize> = line::lines(text, 0..text.len())
            .filter_map(|(start, line)| Some(start + line.find('S')?))
            .collect();
        let places = Places::of(text, at.clone());
        at.into_iter().map(|at| places.is_quoted(at)).collect()
    }

    #[test]
    fn enclosed_parts_count_as_quoted() {
        for text in [
            "a\n```\nS\n```",
            "```\nS\n```\na",
            "```\nS\n```\n```\na\n```",
            "a\n```text\nS",
            "a\n~~~\n```\nS\n```\n~~~",
            "```\n~~~\nS\n~~~\n```",
            "a\n````\n```\nS\n```\n````",
            "- ```\n  S\n  ```\na",
            "```\na\n```\nS\n```\nb\n```",
            "```\n```\nS\n```\n```",
            "a\n\"\"\"\nS\n\"\"\"",
            "> S",
            "a\n - > S\n",
            ">S\na",
            "1. > S",
            "<a>\nS\n</a>",
            "b <a>\nS\n</a>",
            "<a b=\"c\">\nS\n</a>",
            "<a\nb>\nS\n</a >",
            "<a><a>\n</a>\nS\n</a>",
            "<A>\nS\n</a>",
            "<a>\nS",
            "- <a>\nS",
            "<a><b>\nS</a>\n</b>",
            "a <!-- b\nS -->",
            "a <![CDATA[\nS]]>",
            "[note]\nS\n[/note]",
            "a `b\nS\nc` d",
            "he wrote: \"\nS\n\"",
            "he wrote \"b\nS\" and went",
            "he wrote: \"\nS\n",
            "he wrote \u{201c}b\nS\u{201d}",
            "\u{ab}\nS\n\u{bb}",
            "\u{300c}\nS\n\u{300d}",
        ] {
            assert_eq!(quoted(text), [true], "{text}");
        }
    }

    #[test]
    fn unenclosed_parts_do_not_count_as_quoted() {
        for text in [
            "S",
            "```\nS\n```",
            "\n```text\nS\n```\n\n",
            "~~~\nS",
            "```\na\n```\nS",
            "S\n```\na\n```",
            "> a\nS",
            "<a>b</a>\nS",
            "a <a>\nS",
            "press <Enter>\nS",
            "<a/>\nS",
            "<a>\n</a>\nS",
            "</a>\nS",
            "1 < a\nS",
            "[x] a\nS",
            "`a`\nS",
            "```a```\nS",
            "\"a\"\nS",
            "a 5\" line\nS",
            "it's\nS",
            "a \"b\nc\"\nS",
        ] {
            assert_eq!(quoted(text), [false], "{text}");
        }
    }
}
