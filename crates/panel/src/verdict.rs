//! The verifier's verdict on one exchange, which becomes a line in `verdicts.jsonl`.

use franz_json::Raw;
use serde::{Deserialize, Serialize};

/// The highest turn number to accept. Some JSON readers cannot tell larger numbers apart.
pub(crate) const LAST_TURN: u64 = 1 << 53;

/// The file in a run's directory that contains the verdicts, one per line.
pub(crate) const FILE: &str = "verdicts.jsonl";

/// The verdict on one chat request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The version of this format, [`Verdict::VERSION`].
    #[serde(default)]
    pub v: u32,
    /// When the request began, RFC 3339.
    #[serde(default)]
    pub started: String,
    /// The run that the request named or, if the agent names none, a name that was made up for the agent.
    #[serde(default)]
    pub agent: String,
    /// The turn that the request named or, if the agent names none, a running count of its requests. `None` if the
    /// request came from a stranger in one of our own runs.
    #[serde(default)]
    pub turn: Option<u64>,
    /// The verdict's kind.
    pub verdict: VerdictKind,
    /// The reason in words; `None` for an ordinary match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Where the stories differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<StoryDifference>,
    /// The status of the response; `None` if there was no response.
    #[serde(default)]
    pub status: Option<u16>,
    /// Whether the reply is now the story that the next request must contain.
    #[serde(default)]
    pub adopted: bool,
    /// SHA-256 of the JSON literal of the story that was sent.
    #[serde(default)]
    pub sent: Option<String>,
    /// SHA-256 of the JSON literal of the story that was received.
    #[serde(default)]
    pub received: Option<String>,
    /// The size of the request's body as transmitted, in bytes.
    #[serde(default)]
    pub request_bytes: u64,
    /// The size of the response's body as transmitted, in bytes.
    #[serde(default)]
    pub response_bytes: u64,
    /// Milliseconds until the request was sent.
    #[serde(default)]
    pub sent_ms: f64,
    /// Milliseconds until the response began.
    #[serde(default)]
    pub first_byte_ms: Option<f64>,
    /// Milliseconds until the response was complete.
    #[serde(default)]
    pub whole_ms: f64,
}

impl Verdict {
    /// The current version of the format.
    pub const VERSION: u32 = 1;
}

/// The verdict's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// There was no earlier story.
    First,
    /// The story sent is the one received before.
    Match,
    /// The story of the previous request was sent again.
    Retry,
    /// The story was changed.
    Violation,
    /// FRANZ cannot tell whether the story was changed.
    Unverifiable,
    /// The story was written by a person in place of the model.
    ByPerson,
}

impl VerdictKind {
    /// Every kind with its name in JSON.
    pub const ALL: [(VerdictKind, &str); 6] = [
        (VerdictKind::First, "first"),
        (VerdictKind::Match, "match"),
        (VerdictKind::Retry, "retry"),
        (VerdictKind::Violation, "violation"),
        (VerdictKind::Unverifiable, "unverifiable"),
        (VerdictKind::ByPerson, "by_person"),
    ];

    /// Returns the kind's position in [`VerdictKind::ALL`].
    pub fn place(self) -> usize {
        self as usize
    }

    /// Returns the kind's name in JSON.
    pub fn name(self) -> &'static str {
        Self::ALL.get(self.place()).map_or("", |&(_, name)| name)
    }
}

/// Where two stories differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoryDifference {
    /// The first UTF-16 unit that differs, from 0.
    pub position: u64,
    /// The text that was received around that position, as a JSON string literal.
    pub received: Raw,
    /// The text that was sent around the same position, as a JSON string literal.
    pub sent: Raw,
    /// The number of UTF-16 units in the story that was received.
    pub received_units: u64,
    /// The number of UTF-16 units in the story that was sent.
    pub sent_units: u64,
}
