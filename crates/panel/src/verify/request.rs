//! Finds the story in the body of a chat request.

use franz_chat::FEEDBACK_MARK;
use franz_json::{Story, each_item, literal, members, members_and_repeated, says, string};
use serde_json::value::RawValue;
use thiserror::Error;

/// The reason that a request contains no story to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum NoStory {
    /// The body was not copied, or its encoding cannot be undone.
    #[error("the request could not be copied completely")]
    NotCopied,
    /// The server could not be reached.
    #[error("the model server was not reached, so the request was not sent")]
    NotSent,
    /// The body is not text.
    #[error("the request is not valid UTF-8")]
    NotUtf8,
    /// The body is not a JSON object, or has no `messages`.
    #[error("the request has no messages")]
    NoMessages,
    /// A member appears twice. Readers that use its first value then see a different request from readers that use its
    /// last value.
    #[error("the request contains {0} twice")]
    Twice(&'static str),
    /// The request contains messages from the model.
    #[error("the request contains a whole conversation, not just a story")]
    Conversation,
    /// The request has neither of the two shapes that contain a story.
    #[error("the request has {messages} messages, in a shape that contains no story")]
    OtherShape {
        /// The number of messages, including the system message.
        messages: usize,
    },
}

/// Returns the story in a request. If two user messages follow the system message, the story is the first of them. If
/// there is just one user message, the story is its first part, provided that the second part is the feedback.
pub(crate) fn story(body: &[u8]) -> Result<Story, NoStory> {
    let text = str::from_utf8(body).map_err(|_| NoStory::NotUtf8)?;
    let messages = RequestMessages::read(text).ok_or(NoStory::NoMessages)?;
    if let Some(name) = messages.repeated {
        return Err(NoStory::Twice(name));
    }
    if messages.of_the_model {
        return Err(NoStory::Conversation);
    }
    let story = match (messages.users, messages.others) {
        (2, 0) => messages.first.and_then(alone),
        (1, 0) => messages.first.and_then(before_feedback),
        _ => None,
    };
    story.and_then(Story::from_raw).ok_or(NoStory::OtherShape {
        messages: messages.count,
    })
}

/// The properties of a request's messages that matter for finding the story.
#[derive(Default)]
struct RequestMessages<'a> {
    count: usize,
    /// How many of the messages are the user's.
    users: usize,
    /// Whether any message is from the model or a tool.
    of_the_model: bool,
    /// How many messages have unknown roles, or are system messages in unexpected places.
    others: usize,
    /// The content of the user's first message.
    first: Option<&'a str>,
    /// The name of a member that matters for the story but appears twice.
    repeated: Option<&'static str>,
}

impl<'a> RequestMessages<'a> {
    fn read(body: &'a str) -> Option<Self> {
        let ([messages], repeated) = members_and_repeated(body, ["messages"])?;
        let mut read = Self {
            repeated,
            ..Self::default()
        };
        each_item(messages?.get(), |message| read.take(message)).then_some(read)
    }

    fn take(&mut self, message: &'a RawValue) {
        self.count += 1;
        let ([role, content], repeated) = members_and_repeated(message.get(), ["role", "content"]).unwrap_or_default();
        self.repeated = self.repeated.or(repeated);
        let is = |names: &[&str]| names.iter().any(|name| says(role, name));
        if is(&["user"]) {
            self.users += 1;
            if self.users == 1 {
                self.first = content.map(RawValue::get);
                each_item(self.first.unwrap_or_default(), |part| {
                    let part = members_and_repeated(part.get(), ["type", "text"]);
                    self.repeated = self.repeated.or(part.and_then(|(_, repeated)| repeated));
                });
            }
        } else if is(&["assistant", "tool", "function"]) {
            self.of_the_model = true;
        } else if self.count > 1 || !is(&["system", "developer"]) {
            self.others += 1;
        }
    }
}

/// Returns the text of a message's content, if it contains nothing else.
fn alone(content: &str) -> Option<&str> {
    if content.starts_with('"') {
        return Some(content);
    }
    let mut texts = Vec::new();
    let mut parts = 0;
    each_item(content, |part| {
        parts += 1;
        texts.extend(text_of(part).filter(|_| parts == 1));
    });
    texts.pop().filter(|_| parts == 1)
}

/// Returns the first of two text parts, if the second begins with the feedback mark.
fn before_feedback(content: &str) -> Option<&str> {
    let mut texts = Vec::new();
    let mut parts = 0;
    each_item(content, |part| {
        parts += 1;
        texts.extend(text_of(part).filter(|_| parts <= 2));
    });
    match texts[..] {
        [story, feedback] => literal::decode(feedback).starts_with(FEEDBACK_MARK).then_some(story),
        _ => None,
    }
}

fn text_of(part: &RawValue) -> Option<&str> {
    let [kind, text] = members(part.get(), ["type", "text"])?;
    says(kind, "text").then(|| string(text?)).flatten()
}

#[cfg(test)]
mod tests {
    use franz_chat::{Form, MessageShape, PictureRef, Prompt, Request, Sampling};
    use franz_json::Story;

    use super::{NoStory, story};

    #[test]
    fn our_requests_are_read_in_both_shapes() {
        for raw in [r#""""#, r#""a\/\ud800""#] {
            let sent = Story::from_raw(raw).unwrap();
            for shape in [MessageShape::Separate, MessageShape::Merged] {
                for png in [None, Some(PictureRef { png: b"x", sha256: "0" })] {
                    let prompt = Prompt {
                        system: "s",
                        story: &sent,
                        feedback: "f",
                        beside: &[],
                        picture: png,
                    };
                    let form = Form {
                        shape,
                        empty_story: None,
                    };
                    let request = Request::new(&prompt, &form, &Sampling::default());
                    assert_eq!(story(request.body()).unwrap().raw(), raw);
                }
            }
        }
    }

    #[test]
    fn unsupported_shapes_give_a_reason() {
        let system = r#"{"role":"system","content":"s"}"#;
        let user = r#"{"role":"user","content":"u"}"#;
        let parts = r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#;
        let model = r#"{"role":"assistant","content":"m"}"#;
        let other = |messages| Err(NoStory::OtherShape { messages });
        let cases = [
            (vec![system, user, user], Ok("\"u\"")),
            (vec![user, user], Ok("\"u\"")),
            (
                vec![r#"{"role":"\u0075ser","content":[{"type":"text","text":"a"}]}"#, user],
                Ok("\"a\""),
            ),
            (vec![system, parts, user], other(3)),
            (vec![system, r#"{"role":"user","content":null}"#, user], other(3)),
            (vec![system, r#"{"role":"user"}"#, user], other(3)),
            (vec![system, user], other(2)),
            (vec![system, parts], other(2)),
            (vec![system, user, user, user], other(4)),
            (vec![system, system, user, user], other(4)),
            (vec![system, user, "{\"role\":1}", user], other(4)),
            (vec![system, user, "7", user], other(4)),
            (vec![], other(0)),
            (vec![system, user, model, user], Err(NoStory::Conversation)),
            (
                vec![system, user, user, r#"{"role":"tool","content":""}"#],
                Err(NoStory::Conversation),
            ),
        ];
        for (messages, expected) in cases {
            let body = format!("{{\"messages\":[{}]}}", messages.join(","));
            let found = story(body.as_bytes());
            assert_eq!(found.as_ref().map(Story::raw).map_err(|why| *why), expected, "{body}");
        }
        let part = r#"{"type":"text","text":"a","text":"b"}"#;
        let twice = [
            (
                format!("{{\"messages\":[{user},{user}],\"messages\":[{user},{user}]}}"),
                "messages",
            ),
            (
                format!("{{\"m\\u0065ssages\":0,\"messages\":[{user},{user}]}}"),
                "messages",
            ),
            (
                format!("{{\"messages\":[{user},{{\"role\":\"user\",\"content\":1,\"content\":\"u\"}}]}}"),
                "content",
            ),
            (
                format!("{{\"messages\":[{{\"role\":\"user\",\"role\":\"user\",\"content\":\"u\"}},{user}]}}"),
                "role",
            ),
            (
                format!("{{\"messages\":[{{\"role\":\"user\",\"content\":[{part}]}},{user}]}}"),
                "text",
            ),
            (
                format!("{{\"messages\":[{model}],\"messages\":[{user},{user}]}}"),
                "messages",
            ),
        ];
        for (body, name) in twice {
            assert_eq!(story(body.as_bytes()).unwrap_err(), NoStory::Twice(name), "{body}");
        }
        for body in ["", "[]", "{}", "{\"messages\":1}", "{\"messages\":[1}"] {
            assert_eq!(story(body.as_bytes()).unwrap_err(), NoStory::NoMessages, "{body}");
        }
        assert_eq!(story(b"{\"messages\":\"\xff\"}").unwrap_err(), NoStory::NotUtf8);
    }
}
