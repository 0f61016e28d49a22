//! A finding about one part of the setup.

use std::fmt;

use serde::Serialize;

use crate::exit;
use crate::terminal::one_line;

/// A finding about one part of the setup.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    subject: &'static str,
    #[serde(flatten)]
    pub(super) state: State,
    /// A description of the finding and, for a problem, advice.
    text: String,
}

/// Whether the part is in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum State {
    Fine,
    /// A run would work, though perhaps not as expected.
    Remark,
    /// A run would fail, with this exit code.
    Problem {
        code: u8,
    },
}

impl Finding {
    pub(super) fn fine(subject: &'static str, text: impl Into<String>) -> Finding {
        Finding {
            subject,
            state: State::Fine,
            text: text.into(),
        }
    }

    pub(super) fn remark(subject: &'static str, text: impl Into<String>) -> Finding {
        Finding {
            state: State::Remark,
            ..Finding::fine(subject, text)
        }
    }

    /// Returns this finding about the grounder instead of the model.
    pub(super) fn of_grounder(self) -> Finding {
        Finding {
            subject: "grounder",
            text: format!("{}: {}", self.subject, self.text),
            ..self
        }
    }

    pub(super) fn problem(subject: &'static str, error: &anyhow::Error) -> Finding {
        Finding {
            state: State::Problem {
                code: exit::code(error),
            },
            ..Finding::fine(subject, super::words(error))
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Fine => "ok",
            State::Remark => "note",
            State::Problem { .. } => "PROBLEM",
        };
        write!(f, "{state:<8} {:<14} {}", self.subject, one_line(&self.text))
    }
}
