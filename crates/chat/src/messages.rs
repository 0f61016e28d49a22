//! Writes the messages of `story` memory into one buffer.

use std::borrow::Cow;

use franz_json::literal;

use crate::picture::PictureRef;
use crate::request::{Form, MessageShape, Prompt};
use crate::sampling::Sampling;
use crate::writer::{Embedded, Writer, room_of_picture, room_of_text};

/// The text that opens the feedback part of a merged message, so that a model can tell its own story from what follows
/// it.
pub const FEEDBACK_MARK: &str = "\n\n--- FEEDBACK ---\n";

/// Writes the body of a call, and returns where the picture's base64 is in it.
pub(crate) fn write(prompt: &Prompt<'_>, form: &Form, sampling: &Sampling) -> (Vec<u8>, Vec<Embedded>) {
    let texts = Texts::of(prompt, form);
    let mut writer = Writer::with_room(room(&texts, sampling));
    writer.open(sampling.model.as_deref(), texts.system);
    match form.shape {
        MessageShape::Separate => separate(&mut writer, &texts),
        MessageShape::Merged => merged(&mut writer, &texts),
    }
    writer.close(sampling)
}

/// The texts of a prompt, with the user's as JSON literals.
struct Texts<'a> {
    system: &'a str,
    story: Cow<'a, str>,
    feedback: String,
    picture: Option<PictureRef<'a>>,
}

impl<'a> Texts<'a> {
    fn of(prompt: &Prompt<'a>, form: &Form) -> Self {
        let story = match &form.empty_story {
            Some(placeholder) if prompt.story.is_empty() => literal::of_text(placeholder).into(),
            _ => prompt.story.raw().into(),
        };
        let feedback = match form.shape {
            MessageShape::Separate => literal::of_text(prompt.feedback),
            MessageShape::Merged => literal::of_text(&format!("{FEEDBACK_MARK}{}", prompt.feedback)),
        };
        Self {
            system: prompt.system,
            story,
            feedback,
            picture: prompt.picture,
        }
    }
}

/// Returns enough bytes for the whole body: besides the texts there is a fixed syntax.
fn room(texts: &Texts<'_>, sampling: &Sampling) -> usize {
    const SYNTAX_AND_NUMBERS: usize = 2048;
    let model = sampling.model.as_deref().map_or(0, room_of_text);
    let picture = texts.picture.map_or(0, room_of_picture);
    SYNTAX_AND_NUMBERS + model + room_of_text(texts.system) + texts.story.len() + texts.feedback.len() + picture
}

fn separate(writer: &mut Writer, texts: &Texts<'_>) {
    writer.message("user");
    writer.raw(&texts.story);
    writer.raw("}");
    writer.message("user");
    writer.raw("[");
    feedback(writer, texts);
}

fn merged(writer: &mut Writer, texts: &Texts<'_>) {
    writer.message("user");
    writer.raw("[");
    writer.text_part(&texts.story);
    feedback(writer, texts);
}

/// Writes the last parts, and closes their message and the messages.
fn feedback(writer: &mut Writer, texts: &Texts<'_>) {
    writer.text_part(&texts.feedback);
    if let Some(picture) = texts.picture {
        writer.picture_part(picture);
    }
    writer.raw("]}]");
}

#[cfg(test)]
mod tests {
    use franz_json::Story;

    use super::{Texts, room, write};
    use crate::picture::PictureRef;
    use crate::request::{Form, MessageShape, Prompt};
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
                picture: Some(picture),
            };
            let room = room(&Texts::of(&prompt, &form), &longest);
            let (bytes, _) = write(&prompt, &form, &longest);
            assert!(bytes.len() <= room, "{} > {room}", bytes.len());
        }
    }
}
