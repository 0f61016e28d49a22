//! An element of the screen, as reported to the model.

use franz_json::lossy;
use serde::{Deserialize, Serialize};

/// An element that the model got with a picture. Its number is its position in the list, from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToldElement {
    /// The element's kind, such as `button`.
    #[serde(deserialize_with = "lossy::string")]
    pub role: String,
    /// The element's name, which is text from the screen and can be empty.
    #[serde(default, deserialize_with = "lossy::string")]
    pub name: String,
    /// The centre of the element's visible part, measured from the left and from the top, in 0..=1000.
    pub at: [f64; 2],
}

/// The beginning of the list of elements, which is the last part of the feedback.
pub const ELEMENTS: &str = "ELEMENTS in view";

/// Returns feedback without its list of elements, which applies only to a single picture.
pub fn without_elements(feedback: &str) -> &str {
    // No element's name can start a new line in the list.
    if feedback.starts_with(ELEMENTS) {
        return "";
    }
    feedback
        .rfind(&format!("\n\n{ELEMENTS}"))
        .map_or(feedback, |start| &feedback[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_end_of_a_feedback() {
        for (feedback, rest) in [
            ("done", "done"),
            ("done\n\nELEMENTS in view by number:\n[1] button \"a\" (1, 2)", "done"),
            ("ELEMENTS in view by number:\n[1] button \"a\" (1, 2)", ""),
            ("say ELEMENTS\n\nNOTICE: x", "say ELEMENTS\n\nNOTICE: x"),
        ] {
            assert_eq!(without_elements(feedback), rest);
        }
    }
}
