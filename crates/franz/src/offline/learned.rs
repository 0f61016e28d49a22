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
    let fields = [LIMIT_FIELD, NEWER_LIMIT_FIELD, "temperature", "top_p"];
    let [limit, newer_limit, temperature, top_p] = members(request, fields).unwrap_or_default();
    // The person's own fields can include the newer one, next to the usual one.
    let is_renamed = limit.is_none() && newer_limit.is_some();
    if settings.model.limit_field == LIMIT_FIELD && settings.model.max_tokens.is_some() && is_renamed {
        note("model.limit_field", NEWER_LIMIT_FIELD.into());
    }
    // The numbers can also be the family's.
    if settings.model.send_sampling && temperature.or(top_p).is_none() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::flags::set_flags;

    #[test]
    fn a_request_shows_which_fields_its_server_refuses() {
        for (request, is_renamed, is_bare) in [
            (r#"{"max_tokens":100,"temperature":1}"#, false, false),
            (r#"{"max_tokens":100,"top_p":1}"#, false, false),
            (r#"{"max_completion_tokens":100,"temperature":1}"#, true, false),
            (
                r#"{"max_tokens":100,"max_completion_tokens":50,"temperature":1}"#,
                false,
                false,
            ),
            (r#"{"max_tokens":100}"#, false, true),
        ] {
            let limited = set_flags(&["model.max_tokens=100".to_owned()]).unwrap();
            let settings = Settings::resolve(&Layer::defaults().over(limited));
            let learned = learned(&settings, request);
            assert_eq!(learned.get("model.limit_field").is_some(), is_renamed, "{request}");
            assert_eq!(learned.get("model.send_sampling").is_some(), is_bare, "{request}");
        }
    }
}
