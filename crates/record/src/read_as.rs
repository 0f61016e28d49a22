//! How to read a reply: the picture that the model got, and the form of calls that it was asked to use.

use franz_json::lossy;
use serde::{Deserialize, Serialize};

/// A model's family, and how to interpret its coordinates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadAs {
    /// The family's name.
    #[serde(default, deserialize_with = "lossy::string")]
    pub family: String,
    /// The name of the model's coordinate space.
    #[serde(default, deserialize_with = "lossy::string")]
    pub space: String,
    /// The name of the order in which the model writes a position's coordinates.
    #[serde(default, deserialize_with = "lossy::string")]
    pub axes: String,
    /// The width and height of the picture as the model saw it.
    #[serde(default)]
    pub picture: [u32; 2],
    /// The width and height of the screen.
    #[serde(default)]
    pub screen: [u32; 2],
}
