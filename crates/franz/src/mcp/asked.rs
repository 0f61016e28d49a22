//! The parts of an agent's request that the host needs: the tools, the result of the last call, and the pictures.

use franz_dialect::WRITE;
use serde_json::Value;

use super::tool::Tool;

/// The contents of an agent's request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Asked {
    pub(super) tools: Vec<Tool>,
    /// The result of the last call, and all further text and pictures from the agent, in order.
    pub(super) news: Vec<News>,
    /// Whether the last call could not be performed.
    pub(super) failed: bool,
    /// The last call; `None` if the last reply contains none.
    pub(super) last_call: Option<LastCall>,
}

/// The call in the last reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LastCall {
    /// The ID, which the agent assigns.
    pub(super) id: String,
    /// The function's name.
    pub(super) name: String,
}

impl LastCall {
    fn read(reply: &Value) -> Option<LastCall> {
        let call = &reply["tool_calls"][0];
        Some(LastCall {
            id: call["id"].as_str()?.to_owned(),
            name: call["function"]["name"].as_str()?.to_owned(),
        })
    }
}

/// A part of the agent's message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum News {
    Words(String),
    Picture {
        media_type: String,
        /// In base64.
        data: String,
    },
}

/// The reason why a request cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub(super) enum AskedError {
    #[error("the request is not JSON: {0}")]
    NoJson(#[from] serde_json::Error),
    #[error("the request has no messages")]
    NoMessages,
}

impl Asked {
    /// Parses the body of a request. Ignores everything up to the last reply, because the host already knows it.
    pub(super) fn read(body: &[u8]) -> Result<Asked, AskedError> {
        let request: Value = serde_json::from_slice(body)?;
        let messages = request["messages"].as_array().ok_or(AskedError::NoMessages)?;
        let last_reply = messages.iter().rposition(|message| message["role"] == "assistant");
        let new = &messages[last_reply.map_or(0, |last| last + 1)..];
        // Before the first reply, the messages contain only instructions and the task, which the host does not need.
        let is_told = |news: &News| last_reply.is_some() || matches!(news, News::Picture { .. });
        let tools = request["tools"].as_array().into_iter().flatten();
        Ok(Asked {
            tools: tools.filter_map(Tool::read).collect(),
            news: new.iter().flat_map(of_message).filter(is_told).collect(),
            failed: new.iter().any(is_failure),
            last_call: last_reply.and_then(|last| LastCall::read(messages.get(last)?)),
        })
    }
}

fn of_message(message: &Value) -> Vec<News> {
    match &message["content"] {
        Value::String(text) => words(text).into_iter().collect(),
        Value::Array(parts) => parts.iter().filter_map(of_part).collect(),
        _ => Vec::new(),
    }
}

fn of_part(part: &Value) -> Option<News> {
    if let Some(text) = part["text"].as_str() {
        return words(text);
    }
    let (media_type, data) = part["image_url"]["url"]
        .as_str()?
        .strip_prefix("data:")?
        .split_once(";base64,")?;
    Some(News::Picture {
        media_type: media_type.to_owned(),
        data: data.to_owned(),
    })
}

/// Returns text reworded for the host, whose model makes calls instead of writing text. `None` if nothing is left.
fn words(text: &str) -> Option<News> {
    if text.trim().is_empty() {
        return None;
    }
    let call = text
        .strip_prefix(WRITE)
        .map(|call| format!("A call that can be performed: {call}"));
    Some(News::Words(call.unwrap_or_else(|| text.to_owned())))
}

/// Checks whether a message is the result of a call that was not performed.
fn is_failure(message: &Value) -> bool {
    let result = message["content"].as_str().filter(|_| message["role"] == "tool");
    let result = result.and_then(|text| serde_json::from_str::<Value>(text).ok());
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

    /// Returns the words, and the data of pictures in brackets.
    fn shown(asked: &Asked) -> Vec<String> {
        let one = |news: &News| match news {
            News::Words(words) => words.clone(),
            News::Picture { media_type, data } => format!("[{media_type} {data}]"),
        };
        asked.news.iter().map(one).collect()
    }

    #[test]
    fn only_what_follows_the_last_reply_is_news() {
        let begun = json!([
            {"role": "system", "content": "rules"},
            {"role": "user", "content": [{"type": "text", "text": "the task"}, picture("AAAA")]},
        ]);
        assert_eq!(shown(&read(&begun)), ["[image/png AAAA]"]);

        let mut later = begun.as_array().unwrap().clone();
        let zoomed = [
            json!({"type": "text", "text": "a part"}),
            picture("BBBB"),
            picture("CCCC"),
        ];
        later.extend([
            json!({"role": "assistant", "content": null, "tool_calls": []}),
            json!({"role": "tool", "content": "{\"ok\":true}"}),
            json!({"role": "user", "content": zoomed}),
        ]);
        let later = read(&Value::Array(later));
        assert_eq!(
            shown(&later),
            ["{\"ok\":true}", "a part", "[image/png BBBB]", "[image/png CCCC]"]
        );
        assert!(!later.failed);
    }

    #[test]
    fn the_last_reply_says_which_call_was_the_last() {
        let reply = |id: &str| json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "function": {"name": "zoom"}}]});
        let result = json!({"role": "tool", "content": "{}"});
        let spoken = json!({"role": "assistant", "content": "a person's words"});
        for (messages, last_call) in [
            (json!([{"role": "user", "content": "the task"}]), None),
            (json!([reply("a"), result]), Some("a")),
            (json!([reply("a"), result, reply("b"), result]), Some("b")),
            (json!([reply("a"), result, spoken]), None),
        ] {
            let read = read(&messages).last_call.map(|call| call.id);
            assert_eq!(read.as_deref(), last_call, "{messages}");
        }
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
            assert_eq!((asked.failed, shown(&asked)), (failed, vec![content.to_owned()]));
        }
        // Text from a person or a page never counts as a result.
        let said = read(&json!([{"role": "assistant"}, {"role": "user", "content": "{\"ok\":false}"}]));
        assert!(!said.failed);
    }

    #[test]
    fn a_correction_is_worded_for_a_model_that_calls() {
        let asked = read(&json!([{"role": "assistant"}, {"role": "user", "content": format!("{WRITE}{{}}")}]));
        assert_eq!(shown(&asked), ["A call that can be performed: {}"]);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for body in ["", "[]", "{}", "{\"messages\":1}"] {
            assert!(Asked::read(body.as_bytes()).is_err(), "{body}");
        }
    }
}
