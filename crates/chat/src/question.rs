//! Asks a question about one picture, without any memory. The picture comes before the question, so that a server with
//! a prompt cache reads it only once for all questions.

use crate::completion_request::{ChatMessage, CompletionRequest, ContentPart, UserContent};
use crate::picture::PictureRef;
use crate::sampling::Sampling;

/// One question about one picture.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The instructions, sent as the system message.
    pub system: &'a str,
    /// The picture to ask about.
    pub picture: PictureRef<'a>,
    /// The question, which follows the picture.
    pub words: &'a str,
    /// A JSON array of tool definitions, which is copied unchanged; an empty array is omitted.
    pub tools: &'a str,
}

impl<'a> Question<'a> {
    /// Returns the call for this question.
    pub(crate) fn call(&self, sampling: &'a Sampling) -> CompletionRequest<'a> {
        let parts = vec![ContentPart::picture(self.picture), ContentPart::text(self.words)];
        let messages = vec![
            ChatMessage::System { content: self.system },
            ChatMessage::User {
                content: UserContent::Parts(parts),
            },
        ];
        CompletionRequest::new(messages, sampling).with_tools(self.tools)
    }
}

#[cfg(test)]
mod tests {
    use super::Question;
    use crate::picture::PictureRef;
    use crate::request::Request;
    use crate::sampling::Sampling;

    #[test]
    fn the_picture_comes_before_the_words() {
        let question = Question {
            system: "Look.",
            picture: PictureRef {
                png: b"PNG!",
                sha256: "0123456789abcdef",
            },
            words: "Where?",
            tools: "[]",
        };
        let request = Request::question(&question, &Sampling::default());
        let expected = concat!(
            r#"{"messages":[{"role":"system","content":"Look."},{"role":"user","content":["#,
            r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5HIQ=="}},"#,
            r#"{"type":"text","text":"Where?"}]}],"stream":false}"#
        );
        assert_eq!(str::from_utf8(request.body()).unwrap(), expected);
        let tools = Question {
            tools: r#"[{"type":"function"}]"#,
            ..question
        };
        let request = Request::question(&tools, &Sampling::default());
        let body = str::from_utf8(request.body()).unwrap();
        assert!(
            body.contains(r#""tools":[{"type":"function"}],"tool_choice":"auto""#),
            "{body}"
        );
    }
}
