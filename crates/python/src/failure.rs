//! How a block failed, showing only the block's own lines.

use std::fmt;

use ruff_text_size::TextSize;

use crate::source::SourceText;

/// An error that ended a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFailure {
    /// The traceback, outermost frame first.
    pub frames: Vec<TracebackFrame>,
    /// The message, such as `TypeError: ...`.
    pub message: String,
}

/// A line that an error passed through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracebackFrame {
    /// The line number, from 1.
    pub line: usize,
    /// The line's text.
    pub text: String,
    /// How many characters of the text come before the error, if a caret points at it.
    pub caret: Option<usize>,
}

impl fmt::Display for TracebackFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = format!("  Line {}: ", self.line);
        write!(f, "{start}{}", self.text)?;
        match self.caret {
            Some(caret) => write!(f, "\n{:width$}^", "", width = start.len() + caret),
            None => Ok(()),
        }
    }
}

/// How many frames to show. More would add nothing, because a recursion repeats its frames.
const MOST_FRAMES: usize = 6;
/// The maximum length of a message, in characters.
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

    /// Adds the one line that could not be parsed, with a caret below the error.
    pub(crate) fn pointing(mut self, source: SourceText<'_>, at: TextSize) -> BlockFailure {
        self = self.at(source, &[at]);
        for frame in &mut self.frames {
            frame.caret = source.column(at).filter(|column| *column <= frame.text.chars().count());
        }
        self
    }

    /// Adds the frames of a trace, given innermost first. Shows only the three outermost and the three innermost frames
    /// of a long trace.
    pub(crate) fn at(mut self, source: SourceText<'_>, trace: &[TextSize]) -> BlockFailure {
        let inner = trace.len().min(MOST_FRAMES / 2);
        let outer = (trace.len() - inner).min(MOST_FRAMES - inner);
        let shown = trace.iter().rev().take(outer).chain(trace[..inner].iter().rev());
        let lines = shown.map(|at| source.line_number(*at));
        self.frames = lines
            .map(|line| TracebackFrame {
                line,
                text: source.line(line),
                caret: None,
            })
            .collect();
        self
    }
}
