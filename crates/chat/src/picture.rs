//! Represents a picture shown to the model, and the hash that identifies it in logs.

use bytes::Bytes;

/// A picture that is kept because it might be sent again with later requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The bytes of the PNG file.
    pub png: Bytes,
    /// The SHA-256 of these bytes, in hexadecimal.
    pub sha256: String,
}

/// A picture shown before the picture of the whole screen, with a line that introduces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// The line that introduces the picture.
    pub words: String,
    /// The picture.
    pub picture: Picture,
}

/// A picture borrowed for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureRef<'a> {
    /// The bytes of the PNG file.
    pub png: &'a [u8],
    /// The SHA-256 of these bytes, in hexadecimal.
    pub sha256: &'a str,
}

impl<'a> From<&'a Picture> for PictureRef<'a> {
    fn from(picture: &'a Picture) -> Self {
        Self {
            png: &picture.png,
            sha256: &picture.sha256,
        }
    }
}

/// Returns the text that replaces a picture's base64 in the log: the first 12 digits of the SHA-256 of its bytes, and
/// the number of base64 characters.
pub fn stand_in(sha256: &str, characters: usize) -> String {
    let sha = sha256.get(..12).unwrap_or(sha256);
    format!("[b64 sha={sha} len={characters}]")
}
