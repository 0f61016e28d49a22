//! The settings that a recorded run had learned about its model server before its first request: only the request shows
//! them.

use franz_json::{Raw, members, text};
use serde_json::value::RawValue;
use toml::Value;

use crate::agent::NOTHING;
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::config::settings::{LIMIT_FIELD, MemoryKind, MemoryShape, NEWER_LIMIT_FIELD, Settings, StreamChoice};

/// Returns settings that this request shows but `settings` lacks.
pub(super) fn learned(settings: &Settings, request: &str) -> Layer {
    let mut learned = Layer::default();
    let mut note = |name: &str, value: Value| learned.insert(name, value, Origin::Learned);
    let Some([stream, options, tools, messages]) = members(request, ["stream", "stream_options", "tools", "messages"])
    else {
        return learned;
    };
    let [limit, temperature, top_p] = members(request, [NEWER_LIMIT_FIELD, "temperature", "top_p"]).unwrap_or_default();
    if settings.model.limit_field == LIMIT_FIELD && settings.model.max_tokens.is_some() && limit.is_some() {
        note("model.limit_field", NEWER_LIMIT_FIELD.into());
    }
    let has_sampling = settings.model.temperature.or(settings.model.top_p).is_some();
    if settings.model.send_sampling && has_sampling && temperature.or(top_p).is_none() {
        note("model.send_sampling", false.into());
    }
    if settings.model.stream != StreamChoice::Off && stream.is_none() {
        note("model.stream", "off".into());
    } else if settings.model.stream_usage && stream.is_some() && options.is_none() {
        note("model.stream_usage", false.into());
    }
    let messages: Vec<Raw> = messages
        .and_then(|messages| serde_json::from_str(messages.get()).ok())
        .unwrap_or_default();
    let is_story = settings.memory.kind == MemoryKind::Story;
    if is_story && settings.memory.shape == MemoryShape::Seeds && messages.len() == 2 {
        note("memory.shape", "merged".into());
    }
    if settings.memory.empty_story.is_none() && messages.iter().any(is_nothing) {
        note("memory.empty_story", NOTHING.into());
    }
    if !is_story && !settings.calls_in_text() && tools.is_none() {
        note("model.calls", "text".into());
    }
    learned
}

/// Returns whether a message contains only the words for an empty story.
fn is_nothing(message: &Raw) -> bool {
    let content = members(message.get(), ["content"]).and_then(|[content]| content);
    content.and_then(|content: &RawValue| text(content)).as_deref() == Some(NOTHING)
}
