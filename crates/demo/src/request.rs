//! Reads a chat-completions request leniently, and keeps only the parts that the model can use.

use franz_json::mend;
use serde_json::Value;

use crate::content::{images, texts};
use crate::tool_call::LastCall;
use crate::tool_spec::ToolSpec;

/// Why a request cannot be answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    /// The body is not JSON, or is nested too deeply.
    #[error("the request body is not valid JSON ({0}); send a chat-completions object")]
    NotJson(#[from] serde_json::Error),
    /// There is nothing to answer.
    #[error("the request has no \"messages\" array; send at least one message")]
    NoMessages,
}

/// A request's contents. Its text is only for reading: characters that no string can hold have been replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChatRequest {
    /// The system messages.
    pub(crate) system: String,
    /// The model's own last reply: the first of several user messages, or the first of several text parts. In a
    /// conversation, or if functions are offered, this is everything that the model has said, one reply per line.
    pub(crate) story: String,
    /// The text of the last user message, without the story.
    pub(crate) feedback: String,
    /// The address of the last picture in the last user message, usually a data URI.
    pub(crate) image: Option<String>,
    /// The functions that the model can call, if any.
    pub(crate) offers: Option<Vec<ToolSpec>>,
    /// Whether the prompt lists the functions, so that the model writes its calls into the text.
    pub(crate) lists_offers: bool,
    /// The last function call in the conversation.
    pub(crate) called: Option<LastCall>,
    /// The length of all messages and offers in characters, not counting pictures.
    pub(crate) characters: usize,
    /// The number of pictures in all messages.
    pub(crate) pictures: usize,
    /// Whether the reply should be streamed.
    pub(crate) stream: bool,
    /// Whether the stream should end with token counts.
    pub(crate) stream_usage: bool,
    /// The largest number of tokens that the reply may have.
    pub(crate) max_tokens: Option<u64>,
}

impl ChatRequest {
    /// Reads a request body.
    pub(crate) fn read(body: &[u8]) -> Result<ChatRequest, RequestError> {
        let value: Value = serde_json::from_str(&mend(body))?;
        let messages = value["messages"].as_array().ok_or(RequestError::NoMessages)?;
        let with_role = |role: &'static str| messages.iter().filter(move |message| message["role"] == role);
        let said = |role| with_role(role).map(|message| texts(&message["content"]));
        let users: Vec<Vec<String>> = said("user").collect();
        let system: String = said("system").flatten().collect();
        let listed = ToolSpec::listed(&system).filter(|_| value["tools"].is_null());
        let lists_offers = listed.is_some();
        let offers = listed.or_else(|| ToolSpec::all(&value["tools"]));
        let talks = with_role("assistant").next().is_some();
        let (story, feedback) = if offers.is_some() || talks {
            let replies: Vec<String> = said("assistant").map(|texts| texts.concat()).collect();
            let last = users.last().map(|texts| texts.concat()).unwrap_or_default();
            (replies.join("\n"), last)
        } else {
            story_and_feedback(&users)
        };
        let limits = ["max_tokens", "max_completion_tokens"];
        Ok(ChatRequest {
            system,
            story,
            feedback,
            image: with_role("user")
                .next_back()
                .and_then(|message| images(&message["content"]).next_back()),
            offers,
            lists_offers,
            called: if lists_offers {
                LastCall::written(messages)
            } else {
                LastCall::last(messages)
            },
            characters: messages.iter().map(length).sum::<usize>() + length_of_json(&value["tools"]),
            pictures: messages.iter().map(|message| images(&message["content"]).count()).sum(),
            stream: value["stream"] == true,
            stream_usage: value["stream_options"]["include_usage"] == true,
            max_tokens: limits.into_iter().find_map(|key| value[key].as_u64()),
        })
    }
}

/// Returns the length of a message's text and calls, in characters.
fn length(message: &Value) -> usize {
    let said: usize = texts(&message["content"]).iter().map(|text| text.chars().count()).sum();
    said + length_of_json(&message["tool_calls"])
}

fn length_of_json(value: &Value) -> usize {
    if value.is_null() { 0 } else { value.to_string().len() }
}

/// Separates the story from the feedback in the user messages, which contain both, either as two messages or as parts
/// of one.
fn story_and_feedback(users: &[Vec<String>]) -> (String, String) {
    match users {
        [] => Default::default(),
        [one] => match one.as_slice() {
            [story, feedback @ ..] if !feedback.is_empty() => (story.clone(), feedback.concat()),
            feedback => (String::new(), feedback.concat()),
        },
        [first, .., last] => (first.concat(), last.concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(body: &str) -> ChatRequest {
        ChatRequest::read(body.as_bytes()).unwrap()
    }

    #[test]
    fn the_three_messages_of_story_memory() {
        let request = read(
            r#"{"messages": [{"role": "system", "content": "draw"}, {"role": "user", "content": "my story \ud800"},
            {"role": "user", "content": [{"type": "text", "text": "OK"},
            {"type": "image_url", "image_url": {"url": "data:image\/png;base64,AA=="}}]}], "max_tokens": 900}"#,
        );
        let wanted = ChatRequest {
            system: "draw".to_owned(),
            story: "my story \u{fffd}".to_owned(),
            feedback: "OK".to_owned(),
            image: Some("data:image/png;base64,AA==".to_owned()),
            max_tokens: Some(900),
            characters: "draw".len() + "my story ?".len() + "OK".len(),
            pictures: 1,
            ..ChatRequest::default()
        };
        assert_eq!(request, wanted);
    }

    #[test]
    fn the_many_messages_of_conversation_memory() {
        let request = read(
            r#"{"messages": [{"role": "system", "content": "act"},
            {"role": "user", "content": [{"type": "text", "text": "task"}, {"type": "text", "text": "[screenshot removed]"}]},
            {"role": "assistant", "content": "one", "tool_calls": []},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,a"}}]},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "function": {"name": "drag"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "{}"},
            {"role": "user", "content": [{"type": "text", "text": "NOTICE: x"}]}],
            "tools": [{"type": "function", "function": {"name": "drag"}}]}"#,
        );
        assert_eq!(
            (request.story.as_str(), request.feedback.as_str()),
            ("one\n", "NOTICE: x")
        );
        // Only the last message shows the current screen, so pictures in earlier messages are ignored.
        assert_eq!((request.image, request.pictures), (None, 1));
        assert_eq!(request.called.unwrap().name, "drag");
        assert_eq!(request.offers.unwrap().len(), 1);
    }

    #[test]
    fn the_one_message_of_merged_memory() {
        let request = read(
            r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "story"},
            {"type": "text", "text": "feedback"}, {"type": "image_url", "image_url": "data:,x"}]}],
            "stream": true, "stream_options": {"include_usage": true}}"#,
        );
        assert_eq!(
            (request.story.as_str(), request.feedback.as_str()),
            ("story", "feedback")
        );
        assert_eq!(request.image.as_deref(), Some("data:,x"));
        assert!(request.stream && request.stream_usage);
    }

    #[test]
    fn unusual_contents_are_read_as_far_as_possible() {
        for content in ["null", "7", "[]", "{}", "[null, 3, []]", r#"[{"image_url": 5}]"#] {
            let request = read(&format!(
                r#"{{"messages": [3, {{"role": "user", "content": {content}}}]}}"#
            ));
            assert_eq!(request, ChatRequest::default(), "{content}");
        }
        let request = read(r#"{"messages": [{"role": "user", "content": "hello"}], "max_tokens": "many"}"#);
        assert_eq!((request.story.as_str(), request.feedback.as_str()), ("", "hello"));
    }

    #[test]
    fn invalid_requests_are_errors() {
        let deep = "[".repeat(100_000);
        for body in ["", "{", "nonsense", deep.as_str()] {
            assert!(
                matches!(ChatRequest::read(body.as_bytes()), Err(RequestError::NotJson(_))),
                "{body:.20}"
            );
        }
        for body in ["{}", "[]", "3", r#"{"messages": {}}"#] {
            assert!(
                matches!(ChatRequest::read(body.as_bytes()), Err(RequestError::NoMessages)),
                "{body}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_request_body_causes_a_panic(body: Vec<u8>) {
            let _ = ChatRequest::read(&body);
        }
    }
}
