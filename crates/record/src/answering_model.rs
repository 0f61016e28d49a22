//! The model that gave the last reply of a run: on resume, the server might offer another one in its place.

use franz_json::lossy;
use serde::{Deserialize, Serialize};

/// The model that gave a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweringModel {
    /// Its server.
    #[serde(default, deserialize_with = "lossy::string")]
    pub server: String,
    /// The name that the request used for it.
    #[serde(default, deserialize_with = "lossy::string")]
    pub asked: String,
    /// The name that decides the next request: as listed by the server, as requested, or as changed by a reply.
    #[serde(default, deserialize_with = "lossy::string")]
    pub name: String,
    /// The name in the reply; `None` if there was none.
    #[serde(default, deserialize_with = "lossy::option")]
    pub said: Option<String>,
}
