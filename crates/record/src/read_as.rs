//! How to read a reply: what its model was shown and asked for.

use franz_json::lossy;
use serde::{Deserialize, Serialize};

/// The family of a model, and the meaning of its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadAs {
    /// The family's name.
    #[serde(default, deserialize_with = "lossy::string")]
    pub family: String,
    /// The name of the space that its numbers refer to.
    #[serde(default, deserialize_with = "lossy::string")]
    pub space: String,
    /// The name of the order of its numbers.
    #[serde(default, deserialize_with = "lossy::string")]
    pub axes: String,
    /// The width and height of the picture as the model saw it.
    #[serde(default)]
    pub picture: [u32; 2],
    /// The width and height of the screen.
    #[serde(default)]
    pub screen: [u32; 2],
}
