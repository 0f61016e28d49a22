//! The view that a person gets of a screen that they have taken over. It is neither recorded nor sent to the model.

use serde::{Deserialize, Serialize};

/// A part of the screen that has changed since the previous picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LivePicture {
    /// The picture's number since the takeover began, from 1.
    pub number: u64,
    /// Whether the part is the whole screen, which needs no earlier picture.
    pub whole: bool,
    /// The screen's width and height, in pixels.
    pub screen: (u32, u32),
    /// The part's top left corner, in pixels.
    pub at: (u32, u32),
    /// A PNG of the part, in Base64.
    pub png: String,
}
