//! The parts of a chat request, besides its story, that are recorded and shown.

use std::ops::Range;

use franz_chat::FEEDBACK_MARK;
use franz_json::{each_item, literal, members, says, splice, string, text};
use serde_json::value::RawValue;

/// The settings in a request that influence its reply.
const SAMPLING: [&str; 10] = [
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "max_tokens",
    "max_completion_tokens",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "stop",
];

/// A chat request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RecordedRequest {
    /// The requested model.
    pub(super) model: Option<String>,
    /// The settings as a JSON object, written as in the request.
    pub(super) sampling: String,
    /// What is new in the request: the text of the user's last message, or the results of the tools called after it.
    pub(super) feedback: String,
    /// Whether the feedback so far contains results of tools.
    is_of_tools: bool,
    /// The range of each picture's base64 in the body, in order.
    pub(super) pictures: Vec<Range<usize>>,
}

impl RecordedRequest {
    /// Reads a body. If it is not a chat request, the result is empty.
    pub(super) fn read(body: &str) -> Self {
        let [model, messages] = members(body, ["model", "messages"]).unwrap_or_default();
        let mut asked = Self {
            model: model.and_then(text),
            sampling: sampling(body),
            ..Self::default()
        };
        if let Some(messages) = messages {
            each_item(messages.get(), |message| asked.take(body, message));
        }
        asked
    }

    fn take(&mut self, body: &str, message: &RawValue) {
        let Some([role, Some(content)]) = members(message.get(), ["role", "content"]) else {
            return;
        };
        let mut texts = Vec::new();
        texts.extend(text(content));
        each_item(content.get(), |part| {
            let [kind, said, image] = members(part.get(), ["type", "text", "image_url"]).unwrap_or_default();
            if says(kind, "text") {
                texts.extend(said.and_then(text));
            }
            self.pictures.extend(image.and_then(|image| base64_of(body, image)));
        });
        if says(role, "user") && !self.is_of_tools {
            self.feedback = feedback(&texts);
        } else if says(role, "user") {
            // A message that comes with the results of tools, often their picture.
            for text in texts {
                self.feedback.push('\n');
                self.feedback.push_str(&text);
            }
        } else if ["tool", "function"].iter().any(|name| says(role, name)) {
            if std::mem::replace(&mut self.is_of_tools, true) {
                self.feedback.push('\n');
            } else {
                self.feedback.clear();
            }
            self.feedback.push_str(&texts.join("\n"));
        } else if says(role, "assistant") {
            // The results of earlier calls are no longer new.
            self.is_of_tools = false;
        }
    }
}

/// Joins the text parts of a message. If one of them has the mark, returns only what follows the mark.
fn feedback(texts: &[String]) -> String {
    let marked = texts.iter().find_map(|text| text.strip_prefix(FEEDBACK_MARK));
    marked.map_or_else(|| texts.join("\n"), str::to_owned)
}

fn sampling(body: &str) -> String {
    let values = members(body, SAMPLING).unwrap_or_default();
    let named = SAMPLING.into_iter().zip(values);
    splice(named.filter_map(|(name, value)| Some((name, value?.get()))))
}

/// Returns the range of a picture's base64 in `body`. The picture is either an object with a data URL, or just the URL.
fn base64_of(body: &str, image: &RawValue) -> Option<Range<usize>> {
    let inside = || {
        let [url] = members(image.get(), ["url"])?;
        string(url?)
    };
    let url = string(image).or_else(inside)?;
    let head = url.get(..url.len().min(200)).unwrap_or_default();
    let comma = head.find(',')?;
    let kind = literal::decode(url.get(..comma)?);
    if !(kind.starts_with("data:") && kind.ends_with(";base64")) {
        return None;
    }
    let start = (url.as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
    Some(start + comma + 1..(start + url.len()).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::RecordedRequest;

    #[test]
    fn everything_but_the_story_is_found() {
        let body = r#"{"model":"m","temperature":0.50,"stop":["x"],"messages":[{"role":"system","content":"s"},
            {"role":"user","content":"story"},{"role":"user","content":[{"type":"text","text":"a\ud800"},
            {"type":"image_url","image_url":{"url":"data:image\/png;base64,eA=="}},{"type":"text","text":"b"},
            {"type":"image_url","image_url":"data:image/jpeg;base64,eQ=="},
            {"type":"image_url","image_url":{"url":"https://example.org/a,b"}}]},{"role":"tool","content":"t"}]}"#;
        let asked = RecordedRequest::read(body);
        assert_eq!(asked.model.as_deref(), Some("m"));
        assert_eq!(asked.sampling, r#"{"temperature":0.50,"stop":["x"]}"#);
        assert_eq!(asked.feedback, "t");
        let pictures: Vec<_> = asked.pictures.into_iter().map(|range| &body[range]).collect();
        assert_eq!(pictures, ["eA==", "eQ=="]);
    }

    #[test]
    fn what_is_new_is_the_last_message_or_the_last_results() {
        let user = r#"{"role":"user","content":"u"}"#;
        let calls = r#"{"role":"assistant","content":"calls"}"#;
        let picture =
            r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}]}"#;
        let [a, b, c] = ["a", "b", "c"].map(|text| format!(r#"{{"role":"tool","content":"{text}"}}"#));
        for (messages, new) in [
            (vec![user], "u"),
            (vec![user, calls, &a, &b], "a\nb"),
            (vec![user, calls, &a, &b, calls, &c], "c"),
            (vec![user, calls, &a, user], "a\nu"),
            (vec![user, calls, &a, picture], "a"),
            (vec![user, calls, &a, picture, calls, user], "u"),
            (vec![user, user, calls], "u"),
        ] {
            let body = format!(r#"{{"messages":[{}]}}"#, messages.join(","));
            assert_eq!(RecordedRequest::read(&body).feedback, new, "{body}");
        }
    }

    #[test]
    fn merged_feedback_stands_behind_its_mark() {
        let body = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"story"},{"type":"text","text":"\n\n--- FEEDBACK ---\nf"}]}]}"#;
        assert_eq!(RecordedRequest::read(body).feedback, "f");
    }

    #[test]
    fn nothing_is_found_in_anything_else() {
        for body in ["", "[]", "{\"messages\":{}}", "{\"messages\":[1,{},{\"content\":1}]}"] {
            let nothing = RecordedRequest {
                sampling: "{}".to_owned(),
                ..RecordedRequest::default()
            };
            assert_eq!(RecordedRequest::read(body), nothing, "{body}");
        }
    }
}
