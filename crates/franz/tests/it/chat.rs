//! The requests to a model server, as JSON.

use franz_demo::DemoHandle;
use serde_json::Value;

/// Returns every request for a reply.
pub(crate) fn all(server: &DemoHandle) -> Vec<Value> {
    let requests = server.requests();
    requests
        .iter()
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect()
}

pub(crate) fn messages(chat: &Value) -> &[Value] {
    chat["messages"].as_array().unwrap()
}

/// Returns the text of a message whose content is a string or begins with a text part.
pub(crate) fn text(message: &Value) -> &str {
    let content = &message["content"];
    content.as_str().or(content[0]["text"].as_str()).unwrap_or_default()
}

/// Returns the text of the last message, which is the feedback.
pub(crate) fn feedback(chat: &Value) -> &str {
    text(messages(chat).last().unwrap())
}

/// Returns the system prompt.
pub(crate) fn system(chat: &Value) -> &str {
    text(&messages(chat)[0])
}
