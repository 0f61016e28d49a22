//! Quotation marks and code spans that extend over several lines.

use super::Places;

/// The marks of each kind. Everything between two lines with an odd number of them is quoted.
const KINDS: [&[char]; 6] = [
    &['"'],
    &['\u{201c}', '\u{201d}', '\u{201e}', '\u{201f}'],
    &['\u{ab}', '\u{bb}'],
    &['\u{300c}', '\u{300d}'],
    &['\u{300e}', '\u{300f}'],
    &['\u{ff02}'],
];

/// The open quotes in text that is read line by line.
#[derive(Default)]
pub(super) struct QuoteMarks {
    quotes: [Option<Open>; KINDS.len()],
    span: Option<Open>,
}

/// The last line with an odd number of marks.
#[derive(Clone, Copy)]
struct Open {
    /// Where that line ends.
    at: usize,
    /// Whether that line opens a quote.
    opens: bool,
    /// Whether the mark is at the end of the line, so that the quoted text is below it.
    lasts: bool,
}

impl QuoteMarks {
    /// Reads the next line. In a fence, whose code can be full of marks, only closed marks are considered.
    pub(super) fn line(&mut self, start: usize, line: &str, fenced: bool, places: &mut Places) {
        let end = start + line.len();
        for (open, kind) in self.quotes.iter_mut().zip(KINDS) {
            let odd = line.matches(kind).count() % 2 == 1;
            turn(open, odd, end, !fenced && line.trim_end().ends_with(kind), places);
        }
        let spans = line.split(|c| c != '`').filter(|run| !run.is_empty()).count();
        turn(
            &mut self.span,
            spans % 2 == 1,
            end,
            !fenced && line.trim_end().ends_with('`'),
            places,
        );
    }

    pub(super) fn end(self, end: usize, places: &mut Places) {
        for open in self.quotes.into_iter().chain([self.span]).flatten() {
            if open.opens && open.lasts {
                places.quote(open.at..end);
            }
        }
    }
}

fn turn(open: &mut Option<Open>, odd: bool, end: usize, lasts: bool, places: &mut Places) {
    if !odd {
        return;
    }
    if let Some(before) = open {
        places.quote(before.at..end);
    }
    let opens = open.is_none_or(|before| !before.opens);
    *open = Some(Open { at: end, opens, lasts });
}
