//! What comes out of asking: an answer, or why there is none.

use std::time::Duration;

use thiserror::Error;

use crate::failure::Failure;
use crate::reply::Reply;
use crate::retry::Attempt;

/// A model's answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The reply, which holds what was expected.
    pub reply: Reply,
    /// The HTTP status, 200..=299.
    pub status: u16,
    /// The attempts that failed before, each with what the server sent in it.
    pub attempts: Vec<Attempt>,
    /// The time from the first attempt to the whole answer, waits included.
    pub elapsed: Duration,
}

/// No answer, after every attempt that made sense.
#[derive(Debug, Clone, Error)]
#[error("{kind}")]
pub struct AskError {
    /// How the last attempt failed.
    pub kind: Failure,
    /// Every attempt with what the server sent in it, the last included.
    pub attempts: Vec<Attempt>,
    /// The time from the first attempt to the last failure, waits included.
    pub elapsed: Duration,
}

impl AskError {
    /// Whether asking the same again is without hope.
    pub fn is_permanent(&self) -> bool {
        self.kind.is_permanent()
    }

    /// The server's own words, at most about 500 characters; `None` when it had none.
    pub fn message(&self) -> Option<&str> {
        self.kind.words()
    }
}
