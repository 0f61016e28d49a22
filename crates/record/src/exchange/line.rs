//! One line in the log: a request or a response, with its body as it was on the wire.

use std::borrow::Cow;
use std::io;

use franz_json::Raw;
use franz_secret::Secret;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::line::to_line;

const VERSION: u32 = 1;

/// The body of a request or response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoggedBody<'a> {
    /// The bytes of the body.
    Bytes(&'a [u8]),
    /// The reason why there is no body.
    Missing(&'a str),
    /// The bytes that arrived of a body, and the reason why the rest did not.
    Partial(&'a [u8], &'a str),
}

/// Where a request went and its headers, without the key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedHead {
    /// The path, and the query if there is one.
    pub target: String,
    /// The names and values of the headers. The value of a header that authenticates the client is `None`.
    pub headers: Vec<(String, Option<String>)>,
}

/// The member that contains a JSON body, byte for byte, or null.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Side<'a> {
    Request(Option<&'a RawValue>),
    Response(Option<&'a RawValue>),
}

/// A line. `text` contains a body that is not JSON or not complete. `error` says why there is none, or no more of it.
#[derive(Clone, Serialize)]
pub(super) struct Line<'a> {
    v: u32,
    id: &'a str,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(flatten)]
    pub(super) head: Option<LoggedHead>,
    #[serde(flatten)]
    side: Side<'a>,
    /// The JSON body again, as it was sent, if line breaks or blanks around it are lost in the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_sent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Cow<'a, str>>,
}

/// A body that is not JSON.
#[derive(Clone, Serialize)]
#[serde(untagged)]
enum Text<'a> {
    Utf8(&'a str),
    Escaped(Raw),
}

impl<'a> Line<'a> {
    pub(super) fn new(side: Side<'a>, id: &'a str, at: Timestamp, turn: Option<u64>, status: Option<u16>) -> Self {
        Self {
            v: VERSION,
            id,
            at: at.to_string(),
            turn,
            status,
            head: None,
            side,
            as_sent: None,
            text: None,
            error: None,
        }
    }

    /// Returns the line with this body as bytes, without any API key.
    pub(super) fn with(&self, body: LoggedBody<'_>, secret: &Secret) -> io::Result<Vec<u8>> {
        let (bytes, why) = match body {
            LoggedBody::Bytes(bytes) => (secret.bytes(bytes), None),
            LoggedBody::Missing(why) => {
                let error = Some(secret.text(why));
                return to_line(&Line { error, ..self.clone() });
            }
            LoggedBody::Partial(bytes, why) => (secret.bytes(bytes), Some(secret.text(why))),
        };
        let mut line: Line<'_> = self.clone();
        line.error = why;
        match str::from_utf8(&bytes) {
            Ok(text) if line.error.is_some() => line.text = Some(Text::Utf8(text)),
            Ok(text) => match serde_json::from_str::<&RawValue>(text) {
                Ok(json) => match &mut line.side {
                    Side::Request(body) => {
                        let loses = json.get().len() < text.len() || text.contains(['\n', '\r']);
                        line.as_sent = loses.then_some(text);
                        *body = Some(json);
                    }
                    Side::Response(body) => *body = Some(json),
                },
                Err(_) => line.text = Some(Text::Utf8(text)),
            },
            Err(_) => line.text = Some(Text::Escaped(escaped(&bytes))),
        }
        to_line(&line)
    }
}

/// Returns bytes as a JSON string. Each byte that is not valid UTF-8 becomes a lone surrogate, U+DC00 plus its value,
/// so that no byte is lost. Python's `surrogateescape` does the same.
fn escaped(bytes: &[u8]) -> Raw {
    let mut units = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        units.extend(chunk.valid().encode_utf16());
        units.extend(chunk.invalid().iter().map(|byte| 0xdc00 + u16::from(*byte)));
    }
    Raw::of_units(&units)
}
