//! Represents a picture shown to the model, and the hash that identifies it in logs.

use std::ops::Range;

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

/// The beginning of a stand-in, and how many digits of the picture's hash follow.
const BEGIN: &str = "[b64 sha=";
const DIGITS: usize = 12;

/// Returns the text that replaces a picture's base64 in the log: the first 12 digits of the SHA-256 of its bytes, and
/// the number of base64 characters.
pub fn stand_in(sha256: &str, characters: usize) -> String {
    let sha = sha256.get(..DIGITS).unwrap_or(sha256);
    format!("{BEGIN}{sha} len={characters}]")
}

/// Finds the stand-ins in a logged body. Returns the place of each and the digits that identify its picture.
pub fn stand_ins(body: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    body.match_indices(BEGIN).filter_map(|(start, _)| {
        let (inside, _) = body.get(start + BEGIN.len()..)?.split_once(']')?;
        let (digits, length) = inside.split_once(" len=")?;
        let is_one = digits.len() == DIGITS
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && !length.is_empty()
            && length.bytes().all(|byte| byte.is_ascii_digit());
        is_one.then_some((start..start + BEGIN.len() + inside.len() + 1, digits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_found_where_they_were_put() {
        let sha = "0123456789abcdef0123";
        let body = format!("<[b64 sha={}{}[b64 sha=1 len=2]>", stand_in(sha, 9), stand_in(sha, 88));
        let found: Vec<(&str, &str)> = stand_ins(&body).map(|(range, digits)| (&body[range], digits)).collect();
        assert_eq!(
            found,
            [
                ("[b64 sha=0123456789ab len=9]", "0123456789ab"),
                ("[b64 sha=0123456789ab len=88]", "0123456789ab")
            ]
        );
        assert_eq!(stand_ins("[b64 sha=0123456789ab len=").count(), 0);
    }
}
