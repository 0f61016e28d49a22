//! A model's answer to an item.

use serde::{Deserialize, Serialize};

/// The outcome of one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroundingAnswer {
    /// The key of the item.
    pub item: String,
    /// What it counts as.
    pub outcome: GroundingOutcome,
    /// The pixel of the picture that the model clicks, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<(u32, u32)>,
    /// Why there is no click, or no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The beginning of what the model wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// How long the answer took.
    pub seconds: f64,
    /// The tokens that the server counted for the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// The tokens that the server counted for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
}

/// What an answer counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroundingOutcome {
    /// The click is in the box.
    Hit,
    /// The click is somewhere else.
    Miss,
    /// The model answered, but no click can be read from its answer.
    NoClick,
    /// The server did not answer. That says nothing about the model, so FRANZ asks again.
    Failed,
}

impl GroundingOutcome {
    /// Returns whether the model answered.
    pub(crate) fn is_answer(self) -> bool {
        self != GroundingOutcome::Failed
    }

    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            GroundingOutcome::Hit => "hit",
            GroundingOutcome::Miss => "miss",
            GroundingOutcome::NoClick => "no_click",
            GroundingOutcome::Failed => "failed",
        }
    }
}
