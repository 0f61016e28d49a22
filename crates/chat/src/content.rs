//! Reads a message's content, which is a string or an array of parts.

use franz_json::{Story, each_item, literal, members, string};
use serde_json::value::RawValue;

/// Returns the text between a string's quotes.
pub(crate) fn inside(value: &RawValue) -> Option<&str> {
    string(value).map(literal::unquoted)
}

/// Joins the texts of an array of parts, still escaped, and skips everything else. `None` for any other value.
pub(crate) fn inside_parts(value: &RawValue) -> Option<String> {
    let mut text = String::new();
    let mut are_parts = true;
    let is_array = each_item(value.get(), |part| match members(part.get(), ["text"]) {
        Some([part]) => text.push_str(part.and_then(inside).unwrap_or_default()),
        None => are_parts = false,
    });
    (is_array && are_parts).then_some(text)
}

/// Reads content that came in one piece, either text or parts.
pub(crate) fn story(content: &RawValue) -> Option<Story> {
    Story::from_value(content).or_else(|| Story::from_raw(&format!("\"{}\"", inside_parts(content)?)))
}
