//! Reads the content of a message: its texts and the addresses of its pictures.

use serde_json::Value;

/// Returns the text parts of a message's content, which is a string or an array of parts.
pub(crate) fn texts(content: &Value) -> Vec<String> {
    let owned = |text: &Value| text.as_str().map(str::to_owned);
    match content {
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| owned(&part["text"]).or_else(|| owned(part)))
            .collect(),
        text => owned(text).into_iter().collect(),
    }
}

/// Returns the addresses of the pictures in a message's content.
pub(crate) fn images(content: &Value) -> impl DoubleEndedIterator<Item = String> {
    let address = |part: &Value| {
        let image = &part["image_url"];
        image["url"].as_str().or_else(|| image.as_str()).map(str::to_owned)
    };
    content.as_array().into_iter().flatten().filter_map(address)
}
