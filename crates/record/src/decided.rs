//! Questions to the person about the actions of a reply, and what they decided.

use franz_json::lossy;
use serde::{Deserialize, Serialize};

use crate::timings::Millis;

/// What waits for the person: an action that may be done or not, or a question of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonQuestion {
    /// Names this question: a decision counts only for the one that it was made for.
    pub nonce: String,
    /// The turn whose reply is carried out.
    pub turn: u64,
    /// The number of the action in the reply, from 0.
    pub index: usize,
    /// The action that waits, in its canonical text.
    pub action: String,
    /// Why it waits; empty for a question of the model.
    pub why: String,
    /// What the model asks, if it wants an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
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

impl RecordedDecision {
    /// Words what was decided and where, for people: `approved in the page`.
    pub fn words(&self) -> String {
        match self.by.as_str() {
            "nobody" => "nobody was there".to_owned(),
            place => format!("{} in the {place}", self.what),
        }
    }
}
