//! The result of asking a model: an answer, or the reason why there is none.

use std::fmt;

use bytes::Bytes;

use crate::failure::RequestFailure;
use crate::reply::{Reply, Usage};

/// The largest number of bytes to keep of a failed attempt's answer, enough to see what went wrong.
pub(crate) const MOST_OF_A_FAILED_ANSWER: usize = 1 << 20;

/// A model's answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The reply, which has the content that the client expected.
    pub reply: Reply,
    /// The body as it arrived; for a stream, its events.
    pub wire: Bytes,
    /// The HTTP status, 200..=299.
    pub status: u16,
}

/// An attempt without a usable answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Failed {
    /// The reason for the failure.
    pub failure: RequestFailure,
    /// The body that the server sent, as far as it was read, up to the first megabyte; `None` if nothing arrived. The
    /// bytes are unchanged, even where they repeat the key.
    pub answer: Option<Bytes>,
    /// The tokens that the server counted for an unusable reply, which were used even so. Empty if no reply arrived.
    pub usage: Usage,
}

impl Failed {
    /// Copies the answer's start, because a slice would keep the whole answer in memory.
    pub(crate) fn new(failure: RequestFailure, answer: &Bytes, usage: Usage) -> Self {
        let start = answer.get(..MOST_OF_A_FAILED_ANSWER).unwrap_or(answer);
        Self {
            failure,
            answer: (!start.is_empty()).then(|| Bytes::copy_from_slice(start)),
            usage,
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(formatter)
    }
}

impl fmt::Debug for Failed {
    /// Shows only the answer's length, because the answer can be long and might repeat the key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Failed")
            .field("failure", &self.failure)
            .field("answer_bytes", &self.answer.as_ref().map(Bytes::len))
            .field("usage", &self.usage)
            .finish()
    }
}

impl std::error::Error for Failed {}
