//! The progress of a calibration: one line, rewritten with each question.

use std::io::{self, Write};

use super::asking::{CalibrationProgress, MOST_QUESTIONS};
use crate::terminal::{can_rewrite, one_line};

/// Writes to stderr: one line in a terminal, otherwise a line for each question.
pub(crate) struct ProgressLine {
    in_place: bool,
}

impl ProgressLine {
    pub(crate) fn new() -> ProgressLine {
        ProgressLine {
            in_place: can_rewrite(),
        }
    }
}

impl CalibrationProgress for ProgressLine {
    fn asks(&mut self, number: usize, about: &str) {
        let text = format!("question {number} of at most {MOST_QUESTIONS}: {}", one_line(about));
        let mut err = io::stderr();
        // A failure is ignored: if stderr is closed, nobody is left to tell.
        let _ = if self.in_place {
            write!(err, "\r\x1b[K{text}").and_then(|()| err.flush())
        } else {
            writeln!(err, "{text}")
        };
    }
}

impl Drop for ProgressLine {
    /// Ends the line, so that other output can follow.
    fn drop(&mut self) {
        if self.in_place {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
