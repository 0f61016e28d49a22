//! The summary of a turn, for lists.

use franz_record::{Image, Status, Timings, Tokens, TurnLine};
use serde::Serialize;

use crate::verdict::VerdictKind;

/// The summary of a turn, for lists.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The turn.
    pub turn: u64,
    /// When it began, RFC 3339.
    pub started: String,
    /// Whether a story came back.
    pub status: Status,
    /// The mode that was sent.
    pub mode: Option<String>,
    /// How long each step took.
    pub ms: Timings,
    /// How many actions were performed, and how many were requested.
    pub actions: [usize; 2],
    /// The picture that the model saw.
    pub image: Option<Image>,
    /// The number of bytes in the reply's JSON literal.
    pub reply_bytes: usize,
    /// Why the server ended the reply.
    pub finish: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// The tokens of this turn.
    pub tokens: Tokens,
    /// The number of errors.
    pub errors: usize,
    /// The verdict on its last request; `None` if there is none yet.
    pub verdict: Option<VerdictKind>,
}

impl Summary {
    /// Summarises `line`, whose last request got this verdict.
    pub fn of(line: &TurnLine, verdict: Option<VerdictKind>) -> Summary {
        let done = line.acted.iter().filter(|acted| acted.outcome.is_done());
        Summary {
            turn: line.turn,
            started: line.started.clone(),
            status: line.status,
            mode: line.mode.clone(),
            ms: line.ms,
            actions: [done.count(), line.acted.len()],
            image: line.image.clone(),
            reply_bytes: line.reply.as_ref().map_or(0, |reply| reply.raw().len()),
            finish: line.finish.clone(),
            model: line.model.clone(),
            tokens: Tokens::of(line),
            errors: line.errors.len(),
            verdict,
        }
    }
}
