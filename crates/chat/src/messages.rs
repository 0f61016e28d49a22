//! Writes the messages of a call, and what stands around them, into one buffer.

use std::borrow::Cow;
use std::ops::Range;

use base64_simd::STANDARD;

use crate::request::{Form, Prompt, Shape};
use crate::sampling::Sampling;

/// What opens the feedback part of a merged message, so that a model can tell its own story from what follows it.
const FEEDBACK_MARK: &str = "\n\n--- FEEDBACK ---\n";

/// The body of a call, and where the base64 of the picture stands in it.
pub(crate) fn write(prompt: &Prompt<'_>, form: &Form, sampling: &Sampling) -> (Vec<u8>, Option<Range<usize>>) {
    let texts = Texts::of(prompt, form);
    let mut writer = Writer::with_capacity(capacity(&texts, sampling));
    writer.open(sampling, &texts);
    match form.shape {
        Shape::Separate => writer.separate(&texts),
        Shape::Merged => writer.merged(&texts),
    }
    writer.close(sampling)
}

/// The texts of a prompt as JSON literals.
struct Texts<'a> {
    system: String,
    story: Cow<'a, str>,
    feedback: String,
    picture: Option<&'a [u8]>,
}

impl<'a> Texts<'a> {
    fn of(prompt: &Prompt<'a>, form: &Form) -> Self {
        let story = match &form.empty_story {
            Some(placeholder) if prompt.story.is_empty() => literal(placeholder).into(),
            _ => prompt.story.raw().into(),
        };
        let feedback = match form.shape {
            Shape::Separate => literal(prompt.feedback),
            Shape::Merged => literal(&format!("{FEEDBACK_MARK}{}", prompt.feedback)),
        };
        let system = literal(prompt.system);
        Self {
            system,
            story,
            feedback,
            picture: prompt.picture,
        }
    }
}

/// Bytes enough for the whole body, so that the buffer is allocated once: beside the texts there is a fixed syntax, and
/// a name of control characters grows sixfold.
fn capacity(texts: &Texts<'_>, sampling: &Sampling) -> usize {
    const SYNTAX_AND_NUMBERS: usize = 2048;
    let model = sampling.model.as_ref().map_or(0, |name| 6 * name.len());
    let picture = texts.picture.map_or(0, |png| STANDARD.encoded_length(png.len()));
    SYNTAX_AND_NUMBERS + model + texts.system.len() + texts.story.len() + texts.feedback.len() + picture
}

/// A text as JSON literal.
fn literal(text: &str) -> String {
    serde_json::to_string(text).expect("every str is JSON")
}

struct Writer {
    bytes: Vec<u8>,
    picture: Option<Range<usize>>,
}

impl Writer {
    fn with_capacity(capacity: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(capacity),
            picture: None,
        }
    }

    fn open(&mut self, sampling: &Sampling, texts: &Texts<'_>) {
        self.push("{");
        if let Some(model) = &sampling.model {
            self.push("\"model\":");
            self.push(&literal(model));
            self.push(",");
        }
        self.push(r#""messages":[{"role":"system","content":"#);
        self.push(&texts.system);
        self.push("},");
    }

    fn separate(&mut self, texts: &Texts<'_>) {
        self.push(r#"{"role":"user","content":"#);
        self.push(&texts.story);
        self.push(r#"},{"role":"user","content":["#);
        self.text_part(&texts.feedback);
        self.picture_part(texts.picture);
        self.push("]}]");
    }

    fn merged(&mut self, texts: &Texts<'_>) {
        self.push(r#"{"role":"user","content":["#);
        self.text_part(&texts.story);
        self.push(",");
        self.text_part(&texts.feedback);
        self.picture_part(texts.picture);
        self.push("]}]");
    }

    fn text_part(&mut self, literal: &str) {
        self.push(r#"{"type":"text","text":"#);
        self.push(literal);
        self.push("}");
    }

    fn picture_part(&mut self, picture: Option<&[u8]>) {
        let Some(png) = picture else { return };
        self.push(r#",{"type":"image_url","image_url":{"url":"data:image/png;base64,"#);
        let start = self.bytes.len();
        STANDARD.encode_append(png, &mut self.bytes);
        self.picture = Some(start..self.bytes.len());
        self.push(r#""}}"#);
    }

    fn close(mut self, sampling: &Sampling) -> (Vec<u8>, Option<Range<usize>>) {
        sampling.write(&mut self.bytes);
        self.push(r#","stream":false}"#);
        (self.bytes, self.picture)
    }

    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::{Texts, capacity, write};
    use crate::request::{Form, Prompt, Shape};
    use crate::sampling::Sampling;
    use crate::story::Story;

    #[test]
    fn the_buffer_is_allocated_once() {
        let story = Story::from_raw(&format!("\"{}\"", "\\u0000".repeat(10_000))).unwrap();
        let picture = vec![7; 100_000];
        let longest = Sampling {
            model: Some("\u{1}".repeat(1_000)),
            temperature: Some(f64::MAX),
            top_p: Some(-f64::MIN_POSITIVE),
            max_tokens: Some(u32::MAX),
        };
        for shape in [Shape::Separate, Shape::Merged] {
            let form = Form {
                shape,
                empty_story: None,
            };
            let prompt = Prompt {
                system: "\n",
                story: &story,
                feedback: "\"",
                picture: Some(&picture),
            };
            let room = capacity(&Texts::of(&prompt, &form), &longest);
            let (bytes, _) = write(&prompt, &form, &longest);
            assert!(bytes.len() <= room, "{} > {room}", bytes.len());
        }
    }
}
