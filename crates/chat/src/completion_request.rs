//! Writes the body of a chat-completions call: serde writes it, stories stay raw, and pictures are appended as base64.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use base64_simd::STANDARD;
use franz_json::Story;
use memchr::memmem;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::picture::{Beside, PictureRef, stand_in};
use crate::sampling::{Sampling, Streaming};
use crate::tool_call::ToolCall;

/// The URL of every picture before its base64 is appended.
const DATA_URL: &str = "data:image/png;base64,";

/// The JSON that serde writes for that URL. Quotes are escaped in all text, so nothing else in the messages looks like
/// this.
const EMPTY_PICTURE: &[u8] = br#"{"url":"data:image/png;base64,"}"#;

/// The characters that follow the base64 in that JSON.
const AFTER_BASE64: &[u8] = br#""}"#;

/// The text before the picture of the whole screen if other pictures precede it.
const WHOLE: &str = "The whole screen now:";

/// The members of a call, in the order they are written.
#[derive(Serialize)]
pub(crate) struct CompletionRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    messages: Vec<ChatMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(flatten)]
    sampling: &'a Sampling,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(crate) enum ChatMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: UserContent<'a>,
    },
    Assistant {
        content: MessageText<'a>,
        /// The reasoning, under the name that the server gave it.
        #[serde(flatten)]
        reasoning: Option<BTreeMap<&'static str, &'a str>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<MessageToolCall<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum UserContent<'a> {
    Story(MessageText<'a>),
    Parts(Vec<ContentPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ContentPart<'a> {
    Text { text: MessageText<'a> },
    ImageUrl { image_url: ImageUrl<'a> },
}

/// The model's text, byte for byte, or FRANZ's own text.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum MessageText<'a> {
    Story(&'a Story),
    Plain(Cow<'a, str>),
}

#[derive(Serialize)]
pub(crate) struct ImageUrl<'a> {
    url: &'static str,
    #[serde(skip)]
    picture: PictureRef<'a>,
}

#[derive(Serialize)]
pub(crate) struct MessageToolCall<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// The position of a picture's base64 in a body, and the picture's hash.
#[derive(Debug, Clone)]
pub(crate) struct Embedded {
    pub(crate) range: Range<usize>,
    /// The first 12 hexadecimal digits of the SHA-256 of the PNG bytes.
    sha: String,
}

impl<'a> CompletionRequest<'a> {
    pub(crate) fn new(messages: Vec<ChatMessage<'a>>, sampling: &'a Sampling) -> Self {
        Self {
            model: sampling.model.as_deref(),
            messages,
            tools: None,
            tool_choice: None,
            sampling,
            stream: sampling.streaming != Streaming::Off,
            stream_options: (sampling.streaming == Streaming::WithUsage)
                .then_some(StreamOptions { include_usage: true }),
        }
    }

    /// Adds a JSON array of tools unless it is empty, because servers refuse an empty list of tools, and a tool choice
    /// without tools.
    pub(crate) fn with_tools(mut self, tools: &'a str) -> Self {
        let tools = serde_json::from_str::<&RawValue>(tools).ok();
        self.tools = tools.filter(|tools| tools.get() != "[]");
        self.tool_choice = self.tools.map(|_| "auto");
        self
    }

    /// Writes the body into a buffer of exactly the right size. Returns the positions of the pictures' base64 in the
    /// body.
    pub(crate) fn write(&self) -> (Vec<u8>, Vec<Embedded>) {
        let json = serde_json::to_vec(self).expect("texts, numbers and raw JSON can be written");
        let base64 = |picture: PictureRef<'_>| STANDARD.encoded_length(picture.png.len());
        let mut body = Vec::with_capacity(json.len() + self.pictures().map(base64).sum::<usize>());
        let mut pictures = Vec::new();
        let mut end = 0;
        for (picture, start) in self.pictures().zip(memmem::find_iter(&json, EMPTY_PICTURE)) {
            let gap = start + EMPTY_PICTURE.len() - AFTER_BASE64.len();
            body.extend_from_slice(&json[end..gap]);
            let start = body.len();
            STANDARD.encode_append(picture.png, &mut body);
            pictures.push(Embedded::new(start..body.len(), picture));
            end = gap;
        }
        body.extend_from_slice(&json[end..]);
        (body, pictures)
    }

    fn pictures(&self) -> impl Iterator<Item = PictureRef<'a>> {
        let parts = self.messages.iter().filter_map(|message| match message {
            ChatMessage::User {
                content: UserContent::Parts(parts),
            } => Some(parts),
            _ => None,
        });
        parts.flatten().filter_map(|part| match part {
            ContentPart::ImageUrl { image_url } => Some(image_url.picture),
            ContentPart::Text { .. } => None,
        })
    }
}

impl<'a> ContentPart<'a> {
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        let text = MessageText::Plain(text.into());
        Self::Text { text }
    }

    pub(crate) fn picture(picture: PictureRef<'a>) -> Self {
        let image_url = ImageUrl { url: DATA_URL, picture };
        Self::ImageUrl { image_url }
    }

    /// Adds the pictures, each after the line that introduces it. The picture of the whole screen comes last.
    pub(crate) fn add_pictures(parts: &mut Vec<Self>, beside: &'a [Beside], whole: Option<PictureRef<'a>>) {
        for Beside { words, picture } in beside {
            parts.extend([Self::text(words), Self::picture(picture.into())]);
        }
        if !beside.is_empty() && whole.is_some() {
            parts.push(Self::text(WHOLE));
        }
        parts.extend(whole.map(Self::picture));
    }
}

impl<'a> From<&'a ToolCall> for MessageToolCall<'a> {
    fn from(call: &'a ToolCall) -> Self {
        Self {
            id: &call.id,
            kind: "function",
            function: Function {
                name: &call.name,
                arguments: call.sendable_arguments(),
            },
        }
    }
}

impl Embedded {
    fn new(range: Range<usize>, picture: PictureRef<'_>) -> Self {
        let sha = picture.sha256.get(..12).unwrap_or(picture.sha256).to_owned();
        Self { range, sha }
    }

    /// Returns the text that replaces the base64 in the log, where `len` is the number of base64 characters.
    pub(crate) fn stand_in(&self) -> String {
        stand_in(&self.sha, self.range.len())
    }
}

#[cfg(test)]
mod tests {
    use franz_json::Story;
    use proptest::prelude::*;

    use super::{ChatMessage, CompletionRequest, ContentPart, MessageText, UserContent};
    use crate::picture::PictureRef;
    use crate::sampling::Sampling;

    /// Text that resembles a picture without base64 as closely as text can.
    const LIKE_A_PICTURE: &str =
        r#"(\{"url":"data:image/png;base64,"\}|\{|"url":"|data:image/png;base64,|"\}|\\|.){0,6}"#;

    proptest! {
        #[test]
        fn every_picture_is_inserted_at_its_own_part(
            system in LIKE_A_PICTURE, story in LIKE_A_PICTURE, text in LIKE_A_PICTURE,
            pictures in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..4),
        ) {
            let story = Story::from_raw(&serde_json::to_string(&story).unwrap()).unwrap();
            let mut messages = vec![
                ChatMessage::System { content: &system },
                ChatMessage::User { content: UserContent::Story(MessageText::Story(&story)) },
            ];
            for png in &pictures {
                let parts = vec![ContentPart::text(&text), ContentPart::picture(PictureRef { png, sha256: "0" }), ContentPart::text(&text)];
                messages.push(ChatMessage::User { content: UserContent::Parts(parts) });
            }
            let sampling = Sampling::default();
            let (body, embedded) = CompletionRequest::new(messages, &sampling).with_tools(r#"[{"url":"data:image/png;base64,"}]"#).write();
            let read: serde_json::Value = serde_json::from_slice(&body).unwrap();
            prop_assert_eq!((body.len(), embedded.len()), (body.capacity(), pictures.len()));
            prop_assert_eq!(&read["messages"][0]["content"], &system);
            prop_assert_eq!(&read["tools"][0]["url"], "data:image/png;base64,");
            for (index, (png, place)) in pictures.iter().zip(embedded).enumerate() {
                let base64 = base64_simd::STANDARD.encode_to_string(png);
                prop_assert_eq!(&body[place.range], base64.as_bytes());
                let parts = &read["messages"][index + 2]["content"];
                prop_assert_eq!(&parts[1]["image_url"]["url"], &format!("data:image/png;base64,{base64}"));
                prop_assert_eq!([&parts[0]["text"], &parts[2]["text"]], [&text; 2]);
            }
        }
    }
}
