//! Where a call ends, and where the strings in it end.

/// Curly double quotation marks that can open or close a string.
pub(super) const DOUBLE_CURLY: [char; 3] = ['\u{201c}', '\u{201d}', '\u{201e}'];
pub(super) const SINGLE_CURLY: [char; 3] = ['\u{2018}', '\u{2019}', '\u{201a}'];

/// Returns where a call ends, given its opening bracket: after the matching closing bracket that is not in a string.
pub(super) fn closed(text: &str, bracket: usize) -> Option<usize> {
    let mut at = bracket;
    let mut depth = 0_usize;
    while let Some(rest) = text.get(at..)
        && let Some(c) = rest.chars().next()
    {
        if let Some(quote) = OpeningQuote::of(rest) {
            at += quote.end(rest)?;
            continue;
        }
        at += c.len_utf8();
        match c {
            '(' | '\u{ff08}' => depth += 1,
            ')' | '\u{ff09}' if depth <= 1 => return Some(at),
            ')' | '\u{ff09}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the length of the bracketed remark at the start of this text. Quotes in it have no meaning.
pub(super) fn remark(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '\u{ff08}' => depth += 1,
            ')' | '\u{ff09}' if depth <= 1 => return Some(at + c.len_utf8()),
            ')' | '\u{ff09}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// How a string is quoted.
pub(super) struct OpeningQuote {
    /// The marks, any of which ends the string.
    marks: &'static [char],
    /// How many marks in a row begin and end the string: 1 or 3.
    count: usize,
}

impl OpeningQuote {
    /// Reads how the string that begins here is quoted.
    pub(super) fn of(text: &str) -> Option<OpeningQuote> {
        let mark = text.chars().next()?;
        let single = |marks| Some(OpeningQuote { marks, count: 1 });
        match mark {
            '"' if text.starts_with("\"\"\"") => Some(OpeningQuote {
                marks: &['"'],
                count: 3,
            }),
            '\'' if text.starts_with("'''") => Some(OpeningQuote {
                marks: &['\''],
                count: 3,
            }),
            '"' => single(&['"']),
            '\'' => single(&['\'']),
            _ if DOUBLE_CURLY.contains(&mark) => single(&DOUBLE_CURLY),
            _ if SINGLE_CURLY.contains(&mark) => single(&SINGLE_CURLY),
            '\u{ff02}' => single(&['\u{ff02}']),
            '\u{ff07}' => single(&['\u{ff07}']),
            _ => None,
        }
    }

    /// Checks whether Python knows this kind of quote.
    pub(super) fn is_straight(&self) -> bool {
        self.marks.iter().all(char::is_ascii)
    }

    /// Returns the string's length, including the marks, or `None` if the string does not end.
    pub(super) fn end(&self, text: &str) -> Option<usize> {
        let mut together = 0;
        let mut escaped = false;
        let mut opening = self.count;
        for (at, c) in text.char_indices() {
            if opening > 0 {
                opening -= 1;
                continue;
            }
            together = if !escaped && self.marks.contains(&c) {
                together + 1
            } else {
                0
            };
            escaped = c == '\\' && !escaped;
            if together == self.count {
                return Some(at + c.len_utf8());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_end_at_their_bracket() {
        let cases = [
            ("f(1, 2) x", Some(7)),
            ("f((1), 2) x)", Some(9)),
            ("f(\")\") x", Some(6)),
            ("f('\\')') x", Some(8)),
            ("f(\"\\\\\") x", Some(7)),
            ("f(\"\"\"a\" )\"\"\") x", Some(13)),
            ("f(\"\") x", Some(5)),
            ("f\u{ff08}1\u{ff09} x", Some(8)),
            ("f(\u{201c})\u{201d}) x", Some(10)),
            ("f(1, 2", None),
            ("f(\"a)", None),
            ("f(\"\"\"a\")", None),
        ];
        for (text, end) in cases {
            let bracket = text.find(['(', '\u{ff08}']).unwrap();
            assert_eq!(closed(text, bracket), end, "{text}");
        }
    }
}
