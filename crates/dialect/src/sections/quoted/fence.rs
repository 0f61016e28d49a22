//! Fences: lines with three or more marks around code, closed by a line with at least as many marks.

use std::ops::Range;

use super::Places;
use crate::written::line;

const MARKS: [char; 4] = ['`', '~', '"', '\''];
const FEWEST: usize = 3;

/// The marks that opened a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence {
    mark: char,
    count: usize,
}

impl Fence {
    /// Returns the fence that this line opens.
    fn opened(line: &str) -> Option<Fence> {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || "-+*.)>".contains(c));
        let mark = line.chars().next().filter(|mark| MARKS.contains(mark))?;
        let behind = line.trim_start_matches(mark);
        let count = line.len() - behind.len();
        // If the marks occur again on the line, it is a code span or quoted text.
        (count >= FEWEST && !behind.contains(mark)).then_some(Fence { mark, count })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let line = line
            .trim_start_matches(|c: char| c.is_whitespace() || c == '>')
            .trim_end();
        line.len() >= self.count && line.chars().all(|c| c == self.mark)
    }
}

/// The fences in text that is read line by line. Nested fences can be read in two ways: either whatever opened first
/// must be closed first, as in Markdown, or each kind of mark is treated separately. Text counts as fenced if it is
/// fenced in either reading.
pub(super) struct Fences([FenceReading; 1 + MARKS.len()]);

impl Default for Fences {
    fn default() -> Fences {
        let [a, b, c, d] = MARKS.map(|mark| FenceReading::of(Some(mark)));
        Fences([FenceReading::of(None), a, b, c, d])
    }
}

impl Fences {
    /// Reads the next line. Returns whether it belongs to a fence.
    pub(super) fn line(&mut self, start: usize, line: &str, places: &mut Places) -> bool {
        let mut fenced = false;
        for reading in &mut self.0 {
            fenced |= reading.line(start, line, places);
        }
        fenced
    }

    /// Ends the text, and with it every fence that is still open.
    pub(super) fn end(self, end: usize, places: &mut Places) {
        for (from, _) in self.0.into_iter().filter_map(|reading| reading.open) {
            places.quote(from..end);
        }
    }
}

/// One way to read fences.
struct FenceReading {
    /// The only mark that opens fences in this reading; `None` if all do.
    mark: Option<char>,
    open: Option<(usize, Fence)>,
    /// Whether the open fence has no content yet. A closing line then counts as content and does not close the fence.
    empty: bool,
}

impl FenceReading {
    fn of(mark: Option<char>) -> FenceReading {
        FenceReading {
            mark,
            open: None,
            empty: true,
        }
    }

    fn line(&mut self, start: usize, line: &str, places: &mut Places) -> bool {
        match self.open {
            None => {
                let counts = |fence: &Fence| self.mark.is_none_or(|mark| mark == fence.mark);
                self.open = Fence::opened(line).filter(counts).map(|fence| (start, fence));
                self.empty = true;
                self.open.is_some()
            }
            Some((from, fence)) => {
                if !fence.is_closed_by(line) {
                    self.empty &= line.trim().is_empty();
                } else if !self.empty {
                    places.quote(from..start);
                    self.open = None;
                }
                true
            }
        }
    }
}

/// What surrounds the whole text.
pub(super) enum Whole {
    /// Nothing.
    Open,
    /// One fence, with this range of contents.
    Fenced(Range<usize>),
    /// The text begins and ends with fence marks and has more of them inside, so it is unclear which belong together.
    Unclear,
}

impl Whole {
    pub(super) fn of(text: &str) -> Whole {
        let mut lines = line::lines(text, 0..text.len()).filter(|(_, line)| !line.trim().is_empty());
        let Some((first, opening)) = lines.next() else {
            return Whole::Open;
        };
        let Some(fence) = Fence::opened(opening).filter(|fence| opening.trim_start().starts_with(fence.mark)) else {
            return Whole::Open;
        };
        let inside = first + opening.len();
        let Some((close, _)) = lines.find(|(_, line)| fence.is_closed_by(line)) else {
            return Whole::Fenced(inside..text.len());
        };
        match lines.last() {
            None => Whole::Fenced(inside..close),
            Some((_, last)) if fence.is_closed_by(last) => Whole::Unclear,
            Some(_) => Whole::Open,
        }
    }
}
