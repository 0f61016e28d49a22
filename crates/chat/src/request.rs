//! Writes the body of a chat-completions call around a story.
//!
//! The story's literal is copied as it is and the picture is encoded straight into the one buffer that is sent; nothing
//! passes through a JSON tree.

use std::ops::Range;

use bytes::Bytes;

use crate::messages;
use crate::sampling::Sampling;
use crate::story::Story;

/// What is asked in one turn.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The instructions: the system message.
    pub system: &'a str,
    /// The model's memory.
    pub story: &'a Story,
    /// What became of the model's last actions.
    pub feedback: &'a str,
    /// The screen as PNG bytes; `None` when it could not be captured.
    pub picture: Option<&'a [u8]>,
}

/// How a prompt becomes messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    /// The messages' shape.
    pub shape: Shape,
    /// A text sent in place of an empty story, for servers that refuse empty content.
    pub empty_story: Option<String>,
}

/// The shape of the messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// System, user (the story alone), user (feedback and picture).
    #[default]
    Separate,
    /// System, user (story, feedback and picture as parts), for templates that refuse two user messages in a row.
    Merged,
}

/// The finished body of a call.
#[derive(Debug, Clone)]
pub struct Request {
    body: Bytes,
    /// Where the base64 of the picture stands in the body.
    picture: Option<Range<usize>>,
}

impl Request {
    /// Writes the body for a prompt in `story` memory.
    pub fn new(prompt: &Prompt<'_>, form: &Form, sampling: &Sampling) -> Self {
        let (bytes, picture) = messages::write(prompt, form, sampling);
        let body = bytes.into();
        Self { body, picture }
    }

    /// The body's bytes; a clone shares them.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The body with the picture's base64 replaced by `[b64 sha=... len=...]`, every other byte as it is.
    ///
    /// `sha_hex` is the SHA-256 of the picture's own bytes in hexadecimal, of which the first 12 digits are shown; `len`
    /// counts base64 characters.
    pub fn redacted(&self, sha_hex: &str) -> Vec<u8> {
        let Some(range) = self.picture.clone() else {
            return self.body.to_vec();
        };
        let sha = sha_hex.get(..12).unwrap_or(sha_hex);
        let stand_in = format!("[b64 sha={sha} len={}]", range.len());
        [&self.body[..range.start], stand_in.as_bytes(), &self.body[range.end..]].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Prompt, Request, Shape};
    use crate::literal::tests::any_literal;
    use crate::object::Object;
    use crate::sampling::Sampling;
    use crate::story::Story;
    use proptest::prelude::*;

    fn prompt<'a>(story: &'a Story, picture: Option<&'a [u8]>) -> Prompt<'a> {
        Prompt {
            system: "Be \"kind\".",
            story,
            feedback: "OK: 1 action\n",
            picture,
        }
    }

    fn text(request: &Request) -> &str {
        str::from_utf8(request.body()).unwrap()
    }

    #[test]
    fn three_messages_and_nothing_else() {
        let story = Story::from_raw(r#""\ud800\u0041/\/""#).unwrap();
        let sampling = Sampling {
            model: Some("m\"1".to_owned()),
            temperature: Some(0.7),
            top_p: Some(1.0),
            max_tokens: Some(900),
        };
        let request = Request::new(&prompt(&story, Some(b"PNG!")), &Form::default(), &sampling);
        let expected = concat!(
            r#"{"model":"m\"1","messages":[{"role":"system","content":"Be \"kind\"."},"#,
            r#"{"role":"user","content":"\ud800\u0041/\/"},"#,
            r#"{"role":"user","content":[{"type":"text","text":"OK: 1 action\n"},"#,
            r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5HIQ=="}}]}],"#,
            r#""temperature":0.7,"top_p":1,"max_tokens":900,"stream":false}"#
        );
        assert_eq!(text(&request), expected);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let sampling = Sampling {
            temperature: Some(f64::NAN),
            ..Sampling::default()
        };
        let story = Story::empty();
        let request = Request::new(&prompt(&story, None), &Form::default(), &sampling);
        let expected = concat!(
            r#"{"messages":[{"role":"system","content":"Be \"kind\"."},{"role":"user","content":""},"#,
            r#"{"role":"user","content":[{"type":"text","text":"OK: 1 action\n"}]}],"stream":false}"#
        );
        assert_eq!(text(&request), expected);
        assert_eq!(request.redacted("00"), &request.body()[..]);
    }

    #[test]
    fn merged_messages_keep_the_story_apart() {
        let story = Story::from_raw(r#""caf\u00e9""#).unwrap();
        let form = Form {
            shape: Shape::Merged,
            empty_story: Some("(nothing)".to_owned()),
        };
        let request = Request::new(&prompt(&story, Some(b"PNG!")), &form, &Sampling::default());
        let expected = concat!(
            r#"{"role":"user","content":[{"type":"text","text":"caf\u00e9"},"#,
            r#"{"type":"text","text":"\n\n--- FEEDBACK ---\nOK: 1 action\n"},{"type":"image_url","#
        );
        assert!(text(&request).contains(expected), "{}", text(&request));
    }

    #[test]
    fn a_placeholder_stands_for_an_empty_story_only() {
        let form = Form {
            empty_story: Some("(nothing)".to_owned()),
            ..Form::default()
        };
        for (raw, sent) in [(r#""""#, r#""(nothing)""#), (r#"" ""#, r#"" ""#)] {
            let story = Story::from_raw(raw).unwrap();
            let request = Request::new(&prompt(&story, None), &form, &Sampling::default());
            let message = format!(r#"{{"role":"user","content":{sent}}}"#);
            assert!(text(&request).contains(&message), "{}", text(&request));
        }
    }

    #[test]
    fn the_log_gets_a_stand_in_for_the_picture() {
        let story = Story::from_raw(r#""data:image/png;base64,UE5HIQ==""#).unwrap();
        let request = Request::new(&prompt(&story, Some(b"PNG!")), &Form::default(), &Sampling::default());
        let redacted = String::from_utf8(request.redacted("0123456789abcdef")).unwrap();
        assert!(
            redacted.contains(r#""url":"data:image/png;base64,[b64 sha=0123456789ab len=8]""#),
            "{redacted}"
        );
        assert_eq!(
            redacted.replace("[b64 sha=0123456789ab len=8]", "UE5HIQ=="),
            text(&request)
        );
    }

    proptest! {
        #[test]
        fn a_story_comes_back_to_the_byte((_, literal) in any_literal(), merged: bool) {
            let story = Story::from_raw(&literal).unwrap();
            let shape = if merged { Shape::Merged } else { Shape::Separate };
            let form = Form { shape, empty_story: None };
            let request = Request::new(&prompt(&story, Some(b"PNG!")), &form, &Sampling::default());
            let messages = Object::read(text(&request)).unwrap().objects("messages").unwrap();
            let content = match shape {
                Shape::Separate => messages[1].get("content").unwrap(),
                Shape::Merged => messages[1].objects("content").unwrap()[0].get("text").unwrap(),
            };
            prop_assert_eq!(content.get(), literal);
        }
    }
}
