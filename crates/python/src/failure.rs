//! How a block went wrong, with nothing in it but the block's own lines.

use ruff_text_size::TextSize;

use crate::source::SourceText;

/// An error that ended a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFailure {
    /// Outermost first.
    pub frames: Vec<TracebackFrame>,
    /// `TypeError: ...`
    pub message: String,
}

/// A line that an error passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracebackFrame {
    /// Its number, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
}

/// More frames than this tell nothing new: a recursion repeats itself.
const MOST_FRAMES: usize = 6;
/// A longer message is cut.
const LONGEST_MESSAGE: usize = 1000;

impl BlockFailure {
    pub(crate) fn new(message: impl Into<String>) -> BlockFailure {
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(end);
            message.push('\u{2026}');
        }
        BlockFailure {
            frames: Vec::new(),
            message,
        }
    }

    /// Names the places it passed, given innermost first; of many the outer and the inner three are shown.
    pub(crate) fn at(mut self, source: SourceText<'_>, trace: &[TextSize]) -> BlockFailure {
        let inner = trace.len().min(MOST_FRAMES / 2);
        let outer = (trace.len() - inner).min(MOST_FRAMES - inner);
        let shown = trace.iter().rev().take(outer).chain(trace[..inner].iter().rev());
        let lines = shown.map(|at| source.line_number(*at));
        self.frames = lines
            .map(|line| TracebackFrame {
                line,
                text: source.line(line),
            })
            .collect();
        self
    }
}
