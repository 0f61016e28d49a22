//! Questions to the person about a reply's actions, and the person's decisions.

use franz_json::lossy;
use serde::{Deserialize, Serialize};

use crate::timings::Millis;

/// A question that is waiting for the person: an action to approve or refuse, or a question from the model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonQuestion {
    /// Identifies the question. A decision applies only to the question with the same nonce.
    pub nonce: String,
    /// The turn whose reply is being performed.
    pub turn: u64,
    /// The action's index in the reply, from 0.
    pub index: usize,
    /// The action that is waiting, in canonical form.
    pub action: String,
    /// The reason why the action is waiting; empty for a question from the model.
    pub why: String,
    /// The model's question, if the model wants an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// The person's decision about an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedDecision {
    /// The decision: `approved`, `refused`, `edited` or `answered`.
    #[serde(deserialize_with = "lossy::string")]
    pub what: String,
    /// The place where the person decided: `page` or `terminal`; `nobody` if nobody decided.
    #[serde(default, deserialize_with = "lossy::string")]
    pub by: String,
    /// When the person decided, RFC 3339.
    #[serde(default, deserialize_with = "lossy::string")]
    pub at: String,
    /// How long the action waited.
    #[serde(default)]
    pub ms: Millis,
    /// The reason why it waited.
    #[serde(default, deserialize_with = "lossy::string")]
    pub why: String,
    /// The action that was performed instead, in canonical form.
    #[serde(default, deserialize_with = "lossy::option", skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}

impl RecordedDecision {
    /// Describes the decision for people, and where it was made: `approved in the page`.
    pub fn words(&self) -> String {
        match self.by.as_str() {
            "nobody" => "nobody was there".to_owned(),
            place => format!("{} in the {place}", self.what),
        }
    }
}
