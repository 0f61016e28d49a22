//! The buffer that a call's body is written into: texts as literals, pictures as base64.

use std::ops::Range;

use base64_simd::STANDARD;

use crate::picture::{PictureRef, stand_in};
use crate::sampling::Sampling;

/// A body being written.
pub(crate) struct Writer {
    bytes: Vec<u8>,
    pictures: Vec<Embedded>,
}

/// The position of a picture's base64 in a body, and which picture it is.
#[derive(Debug, Clone)]
pub(crate) struct Embedded {
    pub(crate) range: Range<usize>,
    /// The first 12 hexadecimal digits of the SHA-256 of the PNG bytes.
    sha: String,
}

impl Embedded {
    /// Returns what a log shows in place of the base64, whose characters `len` counts.
    pub(crate) fn stand_in(&self) -> String {
        stand_in(&self.sha, self.range.len())
    }
}

impl Writer {
    /// Creates a writer with room for this many bytes, so that the buffer is allocated once.
    pub(crate) fn with_room(room: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(room),
            pictures: Vec::new(),
        }
    }

    /// Opens the body and its messages, the first of which is the system's.
    pub(crate) fn open(&mut self, model: Option<&str>, system: &str) {
        self.raw("{");
        if let Some(model) = model {
            self.raw("\"model\":");
            self.literal(model);
            self.raw(",");
        }
        self.raw("\"messages\":[");
        self.message("system");
        self.literal(system);
        self.raw("}");
    }

    /// Opens a message up to its content's value.
    pub(crate) fn message(&mut self, role: &str) {
        self.separate();
        self.raw("{\"role\":\"");
        self.raw(role);
        self.raw("\",\"content\":");
    }

    /// Adds a text part; `literal` is a JSON string literal.
    pub(crate) fn text_part(&mut self, literal: &str) {
        self.separate();
        self.raw(r#"{"type":"text","text":"#);
        self.raw(literal);
        self.raw("}");
    }

    /// Adds a picture part.
    pub(crate) fn picture_part(&mut self, picture: PictureRef<'_>) {
        self.separate();
        self.raw(r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,"#);
        let start = self.bytes.len();
        STANDARD.encode_append(picture.png, &mut self.bytes);
        self.pictures.push(Embedded {
            range: start..self.bytes.len(),
            sha: picture.sha256.get(..12).unwrap_or(picture.sha256).to_owned(),
        });
        self.raw(r#""}}"#);
    }

    /// Finishes the body, and returns it with the positions of its pictures.
    pub(crate) fn close(mut self, sampling: &Sampling) -> (Vec<u8>, Vec<Embedded>) {
        sampling.write(&mut self.bytes);
        self.raw(r#","stream":false}"#);
        (self.bytes, self.pictures)
    }

    /// Adds a comma unless the next item is the first of its list.
    pub(crate) fn separate(&mut self) {
        if self.bytes.last() != Some(&b'[') {
            self.raw(",");
        }
    }

    /// Adds a text as a JSON literal.
    pub(crate) fn literal(&mut self, text: &str) {
        serde_json::to_writer(&mut self.bytes, text).expect("every str is JSON and a vector takes every byte");
    }

    /// Adds text that is already JSON.
    pub(crate) fn raw(&mut self, json: &str) {
        self.bytes.extend_from_slice(json.as_bytes());
    }
}

/// Returns an upper bound on the bytes of a text as a JSON literal: a control character grows up to sixfold.
pub(crate) fn room_of_text(text: &str) -> usize {
    let room = |byte| match byte {
        0..0x20 => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    };
    2 + text.bytes().map(room).sum::<usize>()
}

/// Returns an upper bound on the bytes of a picture part.
pub(crate) fn room_of_picture(picture: PictureRef<'_>) -> usize {
    const SYNTAX: usize = 80;
    SYNTAX + STANDARD.encoded_length(picture.png.len())
}
