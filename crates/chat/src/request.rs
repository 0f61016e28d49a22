//! Describes a question to the model and builds the request's body.

use bytes::Bytes;

use crate::completion_request::{CompletionRequest, Embedded};
use crate::conversation::Conversation;
use crate::messages::{self, Form, Prompt};
use crate::question::Question;
use crate::sampling::Sampling;
use crate::transcript::{self, CallForm, Setting};

/// The finished body of a call.
#[derive(Debug, Clone)]
pub struct Request {
    body: Bytes,
    /// The position of each picture's base64 in the body, in order.
    pictures: Vec<Embedded>,
}

impl Request {
    /// Writes the body for a prompt in `story` memory.
    pub fn new(prompt: &Prompt<'_>, form: &Form, sampling: &Sampling) -> Self {
        Self::from(messages::call(prompt, form, sampling))
    }

    /// Writes the body for a conversation: the system message, the task with everything shown before the first reply,
    /// and then each reply with the results of its calls and everything shown after it.
    ///
    /// `tools` is a JSON array of tool definitions, which is copied into the body unchanged; an empty array is omitted.
    /// `empty` is the text to send in place of empty content from the model, for servers that refuse empty content.
    pub fn conversation(
        system: &str,
        task: &str,
        conversation: &Conversation,
        tools: &str,
        empty: Option<&str>,
        calls: CallForm,
        sampling: &Sampling,
    ) -> Self {
        let setting = Setting {
            system,
            task,
            tools,
            empty: empty.unwrap_or_default(),
            calls,
        };
        Self::from(transcript::call(&setting, conversation, sampling))
    }

    /// Writes the body for a question about one picture.
    pub fn question(question: &Question<'_>, sampling: &Sampling) -> Self {
        Self::from(question.call(sampling))
    }

    /// Returns the body's bytes; a clone shares them.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Returns the body with the base64 of every picture replaced by `[b64 sha=... len=...]`. Every other byte is
    /// unchanged.
    ///
    /// `sha` is the first 12 digits of the picture's SHA-256, as given with the picture; `len` is the number of base64
    /// characters.
    pub fn redacted(&self) -> Vec<u8> {
        let mut redacted = Vec::with_capacity(self.body.len() - self.base64());
        let mut end = 0;
        for picture in &self.pictures {
            redacted.extend_from_slice(&self.body[end..picture.range.start]);
            redacted.extend_from_slice(picture.stand_in().as_bytes());
            end = picture.range.end;
        }
        redacted.extend_from_slice(&self.body[end..]);
        redacted
    }

    fn base64(&self) -> usize {
        self.pictures.iter().map(|picture| picture.range.len()).sum()
    }
}

impl From<CompletionRequest<'_>> for Request {
    fn from(call: CompletionRequest<'_>) -> Self {
        let (bytes, pictures) = call.write();
        let body = bytes.into();
        Self { body, pictures }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Request;
    use crate::messages::{Form, MessageShape, Prompt};
    use crate::picture::{Beside, Picture, PictureRef};
    use crate::sampling::Sampling;
    use franz_json::{Object, Story};
    use proptest::prelude::*;

    /// A regular expression for JSON string literals, with each character unescaped or escaped in one of the ways JSON
    /// allows.
    pub(crate) const ANY_LITERAL: &str =
        r#""([^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}){0,60}""#;

    fn prompt<'a>(story: &'a Story, png: Option<&'a [u8]>) -> Prompt<'a> {
        Prompt {
            system: "Be \"kind\".",
            story,
            feedback: "OK: 1 action\n",
            beside: &[],
            picture: png.map(|png| PictureRef {
                png,
                sha256: "0123456789abcdef",
            }),
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
            ..Sampling::default()
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
    fn the_whole_screen_stands_last_and_says_so() {
        let story = Story::empty();
        let beside = [Beside {
            words: "A part, enlarged:".to_owned(),
            picture: Picture {
                png: "x".into(),
                sha256: "1".to_owned(),
            },
        }];
        for (shape, before) in [
            (MessageShape::Separate, "OK: 1 action"),
            (MessageShape::Merged, "--- FEEDBACK ---"),
        ] {
            let form = Form {
                shape,
                ..Form::default()
            };
            let prompt = Prompt {
                beside: &beside,
                ..prompt(&story, Some(b"PNG!"))
            };
            let request = Request::new(&prompt, &form, &Sampling::default());
            let expected = concat!(
                r#"{"type":"text","text":"A part, enlarged:"},"#,
                r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}},"#,
                r#"{"type":"text","text":"The whole screen now:"},"#,
                r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5HIQ=="}}]}]"#
            );
            let (told, shown) = text(&request)
                .split_once(expected)
                .expect("the pictures stand in order");
            assert!(
                told.contains(before) && shown == r#","stream":false}"#,
                "{}",
                text(&request)
            );
        }
    }

    #[test]
    fn unknown_settings_are_left_out_of_the_request() {
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
        assert_eq!(request.redacted(), &request.body()[..]);
    }

    #[test]
    fn merged_messages_keep_the_story_apart() {
        let story = Story::from_raw(r#""caf\u00e9""#).unwrap();
        let form = Form {
            shape: MessageShape::Merged,
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
    fn only_an_empty_story_is_replaced_by_the_placeholder() {
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
    fn the_log_contains_a_hash_instead_of_the_picture() {
        let story = Story::from_raw(r#""data:image/png;base64,UE5HIQ==""#).unwrap();
        let request = Request::new(&prompt(&story, Some(b"PNG!")), &Form::default(), &Sampling::default());
        let redacted = String::from_utf8(request.redacted()).unwrap();
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
        fn a_story_is_sent_byte_for_byte(literal in ANY_LITERAL, merged: bool) {
            let story = Story::from_raw(&literal).unwrap();
            let shape = if merged { MessageShape::Merged } else { MessageShape::Separate };
            let form = Form { shape, empty_story: None };
            let request = Request::new(&prompt(&story, Some(b"PNG!")), &form, &Sampling::default());
            let messages = Object::read(text(&request)).unwrap().objects("messages").unwrap();
            let content = match shape {
                MessageShape::Separate => messages[1].get("content").unwrap(),
                MessageShape::Merged => messages[1].objects("content").unwrap()[0].get("text").unwrap(),
            };
            prop_assert_eq!(content.get(), literal);
        }
    }
}
