//! Lines with the decorations that models add: bullets, numbers, quote marks, bold marks, labels.

use std::ops::Range;

use crate::label;

/// Iterates over the lines in a part of the text, without their line breaks. Each comes with its position in the whole
/// text.
pub(crate) fn lines(text: &str, part: Range<usize>) -> impl Iterator<Item = (usize, &str)> {
    let mut at = part.start;
    let lines = text.get(part).unwrap_or_default().split_inclusive(['\n', '\r']);
    lines.map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// Returns how many bytes precede the content of a line. These are marks, and labels that only announce an action or a
/// thought.
pub(super) fn beginning(line: &str) -> usize {
    let marks = marks(line);
    match labelled(line) {
        Some((word, behind)) if label::is_action(word) || label::is_thought(word) => {
            behind + self::marks(line.get(behind..).unwrap_or_default())
        }
        _ => marks,
    }
}

/// Returns a line's label, and where the text after its colon begins. Ignores marks.
pub(crate) fn labelled(line: &str) -> Option<(&str, usize)> {
    let marks = marks(line);
    let said = line.get(marks..)?;
    let label = label::of(said)?;
    let colon = said.find(COLONS)?;
    let behind = said
        .get(colon..)?
        .trim_start_matches(COLONS)
        .trim_start_matches(is_emphasis);
    Some((label, line.len() - behind.len()))
}

const COLONS: [char; 2] = [':', '\u{ff1a}'];

/// Checks whether the text begins with a call of a tool.
pub(crate) fn begins_call(text: &str) -> bool {
    super::name::Name::of(text).is_some_and(|name| name.tool.is_some())
}

pub(super) fn is_emphasis(c: char) -> bool {
    matches!(c, '*' | '`')
}

/// Returns how many bytes of marks are at the start of a line. Only a single dash is a mark, so that `->` and `--` can
/// still open comments.
pub(crate) fn marks(line: &str) -> usize {
    let mut rest = line;
    let (mut dashed, mut numbered) = (false, false);
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || is_emphasis(c));
        if let Some(behind) = rest.strip_prefix(['-', '+', '\u{2022}', '\u{2013}'])
            && !dashed
        {
            (dashed, rest) = (true, behind);
        } else if let Some(behind) = rest.strip_prefix('>')
            && !dashed
        {
            rest = behind;
        } else if let Some(behind) = behind_number(rest)
            && !numbered
        {
            (numbered, rest) = (true, behind);
        } else {
            return line.len() - rest.len();
        }
    }
}

/// Returns the text after a list number such as `1.` or `12)`.
fn behind_number(text: &str) -> Option<&str> {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - behind.len();
    let behind = behind.strip_prefix(['.', ')', '\u{ff0e}', '\u{ff09}', '\u{3001}'])?;
    (1..=3).contains(&digits).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_and_quote_marks_before_a_line_are_skipped() {
        for line in [
            "x(1)",
            "  x(1)",
            "- x(1)",
            "* x(1)",
            "1. x(1)",
            "12) x(1)",
            "- 1. x(1)",
            "> > x(1)",
            "**x(1)",
            "- **`x(1)",
            "```x(1)",
            "Action: x(1)",
            "**ACTION:** `x(1)",
            "1. Actions\u{ff1a} x(1)",
            "Action 2: x(1)",
            "\u{3000}x(1)",
        ] {
            assert_eq!(&line[beginning(line)..], "x(1)", "{line}");
        }
        for line in [
            "-> x(1)",
            "-- x(1)",
            "# x(1)",
            "1234. x(1)",
            "Next: x(1)",
            "[ ] x(1)",
            "| x(1) |",
        ] {
            assert!(!line[beginning(line)..].starts_with('x'), "{line}");
        }
    }

    #[test]
    fn labels_stand_before_their_text() {
        let cases = [
            ("STATUS: executing", Some(("STATUS", " executing"))),
            ("## **Goal:** draw", Some(("Goal", " draw"))),
            ("**Goal**: draw", Some(("Goal", " draw"))),
            ("2. `story\u{ff1a}` once", Some(("story", " once"))),
            ("no label", None),
            ("left_click(1, 2): here", None),
        ];
        for (line, wanted) in cases {
            let found = labelled(line).map(|(label, behind)| (label, &line[behind..]));
            assert_eq!(found, wanted, "{line}");
        }
    }

    #[test]
    fn lines_report_their_offsets() {
        let found: Vec<_> = lines("ab\nc\r\n\u{e9}", 1..8).collect();
        assert_eq!(found, [(1, "b"), (3, "c"), (5, ""), (6, "\u{e9}")]);
    }
}
