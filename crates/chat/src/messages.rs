//! Writes the messages of `story` memory.

use std::borrow::Cow;

use franz_json::Story;

use crate::completion_request::{ChatMessage, CompletionRequest, ContentPart, MessageText, UserContent};
use crate::picture::{Beside, PictureRef};
use crate::sampling::Sampling;

/// The text before the feedback in a merged message, so that a model can tell its own story from the text that follows.
pub const FEEDBACK_MARK: &str = "\n\n--- FEEDBACK ---\n";

/// Everything to send to the model in one turn.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The instructions, sent as the system message.
    pub system: &'a str,
    /// The model's memory.
    pub story: &'a Story,
    /// The outcome of the model's last actions.
    pub feedback: &'a str,
    /// Pictures shown before the picture of the screen.
    pub beside: &'a [Beside],
    /// The picture of the screen; `None` if it could not be captured.
    pub picture: Option<PictureRef<'a>>,
}

/// How a prompt is turned into messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    /// The shape of the messages.
    pub shape: MessageShape,
    /// The text to send in place of an empty story, for servers that refuse empty content.
    pub empty_story: Option<String>,
}

/// The shape of the messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MessageShape {
    /// System, user (only the story), user (feedback and picture).
    #[default]
    Separate,
    /// System, user (story, feedback and picture as parts), for templates that refuse two user messages in a row.
    Merged,
}

/// Returns the chat-completions call for a prompt.
pub(crate) fn call<'a>(prompt: &Prompt<'a>, form: &'a Form, sampling: &'a Sampling) -> CompletionRequest<'a> {
    let system = ChatMessage::System { content: prompt.system };
    let story = match &form.empty_story {
        Some(placeholder) if prompt.story.is_empty() => MessageText::Plain(placeholder.into()),
        _ => MessageText::Story(prompt.story),
    };
    let messages = match form.shape {
        MessageShape::Separate => {
            let story = UserContent::Story(story);
            vec![
                system,
                ChatMessage::User { content: story },
                feedback(None, prompt.feedback, prompt),
            ]
        }
        MessageShape::Merged => {
            let marked = format!("{FEEDBACK_MARK}{}", prompt.feedback);
            vec![
                system,
                feedback(Some(ContentPart::Text { text: story }), marked, prompt),
            ]
        }
    };
    CompletionRequest::new(messages, sampling)
}

/// Returns the last message: the story, unless it has its own message, followed by the feedback and the pictures.
fn feedback<'a>(story: Option<ContentPart<'a>>, text: impl Into<Cow<'a, str>>, prompt: &Prompt<'a>) -> ChatMessage<'a> {
    let mut parts: Vec<_> = story.into_iter().chain([ContentPart::text(text)]).collect();
    ContentPart::add_pictures(&mut parts, prompt.beside, prompt.picture);
    ChatMessage::User {
        content: UserContent::Parts(parts),
    }
}

#[cfg(test)]
mod tests {
    use franz_json::Story;

    use super::{Form, MessageShape, Prompt, call};
    use crate::picture::PictureRef;
    use crate::sampling::Sampling;

    #[test]
    fn the_buffer_is_allocated_once() {
        let story = Story::from_raw(&format!("\"{}\"", "\\u0000".repeat(10_000))).unwrap();
        let png = vec![7; 100_000];
        let picture = PictureRef { png: &png, sha256: "0" };
        let longest = Sampling {
            model: Some("\u{1}".repeat(1_000)),
            temperature: Some(f64::MAX),
            top_p: Some(-f64::MIN_POSITIVE),
            max_tokens: Some(u32::MAX),
            ..Sampling::default()
        };
        for shape in [MessageShape::Separate, MessageShape::Merged] {
            let form = Form {
                shape,
                empty_story: None,
            };
            let prompt = Prompt {
                system: "\n",
                story: &story,
                feedback: "\"",
                beside: &[],
                picture: Some(picture),
            };
            let (bytes, _) = call(&prompt, &form, &longest).write();
            assert_eq!(bytes.len(), bytes.capacity());
        }
    }
}
