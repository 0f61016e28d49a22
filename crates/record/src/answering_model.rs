//! The model that gave a run's last reply. When the run is resumed, the server might offer a different one.

use franz_json::lossy;
use serde::{Deserialize, Serialize};

/// The model that gave a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweringModel {
    /// The model's server.
    #[serde(default, deserialize_with = "lossy::string")]
    pub server: String,
    /// The model's name in the request.
    #[serde(default, deserialize_with = "lossy::string")]
    pub asked: String,
    /// The name that the next request is based on: the one that the server lists, the requested one, or the one that a
    /// reply changed it to.
    #[serde(default, deserialize_with = "lossy::string")]
    pub name: String,
    /// The name in the reply; `None` if there was none.
    #[serde(default, deserialize_with = "lossy::option")]
    pub said: Option<String>,
    /// The length of the model's context in tokens, if the server said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// The name of the program that serves the model, if it is known.
    #[serde(default, deserialize_with = "lossy::option", skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}
