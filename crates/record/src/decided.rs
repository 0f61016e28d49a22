//! Questions to the person about a reply, and what they decided.

use franz_json::lossy;
use serde::{Deserialize, Serialize};

use crate::timings::Millis;

/// A question that waits for the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonQuestion {
    /// Names this question: a decision counts only for the one that it was made for.
    pub nonce: String,
    /// The turn whose reply is carried out.
    pub turn: u64,
    /// The number of the action in the reply, from 0.
    pub index: usize,
    /// What is asked.
    pub asks: Asks,
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// Whether an action may be done.
    Approval {
        /// The action, in its canonical text.
        action: String,
        /// Why it waits.
        why: String,
    },
    /// What the model wants to know.
    Words {
        /// Its question.
        question: String,
    },
}

/// What the person decided about an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedDecision {
    /// What: `approved`, `refused`, `edited` or `answered`.
    #[serde(deserialize_with = "lossy::string")]
    pub what: String,
    /// Where they decided: `page` or `terminal`; `nobody` if nobody did.
    #[serde(default, deserialize_with = "lossy::string")]
    pub by: String,
    /// When, RFC 3339.
    #[serde(default, deserialize_with = "lossy::string")]
    pub at: String,
    /// How long the action had waited.
    #[serde(default)]
    pub ms: Millis,
    /// Why it waited.
    #[serde(default, deserialize_with = "lossy::string")]
    pub why: String,
    /// The action that was done instead, in its canonical text.
    #[serde(default, deserialize_with = "lossy::option", skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}
