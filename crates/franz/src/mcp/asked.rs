//! A request of the agent, as far as the host needs it: the tools, what came of the last call, and the picture.

use serde_json::Value;

use super::tool::Tool;

/// What the agent asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Asked {
    pub(super) tools: Vec<Tool>,
    /// What came of the last call, and what else the agent says.
    pub(super) news: Vec<String>,
    /// Whether the last call could not be done.
    pub(super) failed: bool,
    /// The newest picture: its media type, and its bytes in base64.
    pub(super) picture: Option<(String, String)>,
}

/// Why a request cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum AskedError {
    #[error("the request is not JSON: {0}")]
    NoJson(#[from] serde_json::Error),
    #[error("the request has no messages")]
    NoMessages,
}

impl Asked {
    /// Reads the body of a request. What came before the last reply is known to the host.
    pub(super) fn read(body: &[u8]) -> Result<Asked, AskedError> {
        let request: Value = serde_json::from_slice(body)?;
        let messages = request["messages"].as_array().ok_or(AskedError::NoMessages)?;
        let role = |message: &Value| message["role"].as_str().unwrap_or_default().to_owned();
        let last_reply = messages.iter().rposition(|message| role(message) == "assistant");
        let mut asked = Asked {
            tools: request["tools"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Tool::read)
                .collect(),
            ..Asked::default()
        };
        for message in &messages[last_reply.map_or(0, |last| last + 1)..] {
            match &message["content"] {
                Value::String(text) => asked.hear(last_reply.is_some(), text),
                Value::Array(parts) => {
                    for part in parts {
                        asked.look(part);
                        asked.hear(last_reply.is_some(), part["text"].as_str().unwrap_or_default());
                    }
                }
                _ => {}
            }
            if role(message) == "tool" {
                asked.failed |= is_failure(&message["content"]);
            }
        }
        Ok(asked)
    }

    /// Notes a text, unless it is the task with which a conversation begins.
    fn hear(&mut self, is_news: bool, text: &str) {
        if is_news && !text.trim().is_empty() {
            self.news.push(text.to_owned());
        }
    }

    fn look(&mut self, part: &Value) {
        let picture = part["image_url"]["url"]
            .as_str()
            .and_then(|url| url.strip_prefix("data:"));
        if let Some((media_type, data)) = picture.and_then(|url| url.split_once(";base64,")) {
            self.picture = Some((media_type.to_owned(), data.to_owned()));
        }
    }
}

/// Checks whether a call's result says that it was not done.
fn is_failure(result: &Value) -> bool {
    let result = result
        .as_str()
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    result.is_some_and(|result| result["ok"] == false)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(messages: &Value) -> Asked {
        Asked::read(json!({"messages": messages}).to_string().as_bytes()).unwrap()
    }

    fn picture(data: &str) -> Value {
        json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}")}})
    }

    #[test]
    fn only_what_follows_the_last_reply_is_news() {
        let begun = json!([
            {"role": "system", "content": "rules"},
            {"role": "user", "content": [{"type": "text", "text": "the task"}, picture("AAAA")]},
        ]);
        let first = read(&begun);
        assert_eq!((first.news.len(), first.failed), (0, false));
        assert_eq!(first.picture, Some(("image/png".to_owned(), "AAAA".to_owned())));

        let mut later = begun.as_array().unwrap().clone();
        later.extend([
            json!({"role": "assistant", "content": null, "tool_calls": []}),
            json!({"role": "tool", "content": "{\"ok\":true}"}),
            json!({"role": "user", "content": [{"type": "text", "text": "the person says"}, picture("BBBB")]}),
        ]);
        let later = read(&Value::Array(later));
        assert_eq!(later.news, ["{\"ok\":true}", "the person says"]);
        assert_eq!(later.picture.unwrap().1, "BBBB");
        assert!(!later.failed);
    }

    #[test]
    fn a_call_that_was_not_done_is_a_failure() {
        for (content, failed) in [
            ("{\"ok\":false,\"error\":{\"type\":\"held\"}}", true),
            ("{\"ok\":true}", false),
            ("{\"ok\":", false),
            ("no", false),
        ] {
            let asked = read(&json!([{"role": "assistant"}, {"role": "tool", "content": content}]));
            assert_eq!((asked.failed, asked.news), (failed, vec![content.to_owned()]));
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for body in ["", "[]", "{}", "{\"messages\":1}"] {
            assert!(Asked::read(body.as_bytes()).is_err(), "{body}");
        }
    }
}
