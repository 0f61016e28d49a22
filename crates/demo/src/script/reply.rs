//! Represents one answer of a script, checked and ready to send.

use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use serde_json::value::RawValue;

use crate::answer::{Close, HttpAnswer};
use crate::completion::{self, Completion};
use crate::request::ChatRequest;
use crate::throttled_body::Payload;

/// One line.
#[derive(Debug)]
pub(crate) enum ScriptLine {
    /// The answer that the built-in model gives when it has nothing left to do.
    Rest,
    /// An answer defined by the script.
    Reply(Box<ScriptReply>),
}

/// An answer that is spelled out in the script and has been checked.
#[derive(Debug)]
pub(crate) struct ScriptReply {
    pub(super) body: ScriptBody,
    pub(super) status: StatusCode,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) delay: Duration,
    pub(super) drip: Duration,
    pub(super) close: Option<Close>,
}

/// An answer's contents.
#[derive(Debug)]
pub(super) enum ScriptBody {
    /// An exact body.
    Exact(Bytes),
    /// An error object whose message depends on the status.
    Error,
    /// A reply.
    Completion {
        content: Box<RawValue>,
        tool_calls: Option<Box<RawValue>>,
        finish: String,
    },
}

impl ScriptReply {
    /// Returns the answer to a request; `number` counts the server's answers.
    pub(crate) fn answer(&self, request: &ChatRequest, number: u64) -> HttpAnswer {
        HttpAnswer {
            status: self.status,
            headers: self.headers.clone(),
            payload: self.body.payload(request, number, self.status),
            delay: self.delay,
            drip: self.drip,
            close: self.close,
        }
    }
}

impl ScriptBody {
    fn payload(&self, request: &ChatRequest, number: u64, status: StatusCode) -> Payload {
        match self {
            ScriptBody::Exact(bytes) => Payload::Json(bytes.clone()),
            ScriptBody::Error => {
                let reason = status.canonical_reason().unwrap_or("refused");
                Payload::Json(completion::error(reason, "server_error"))
            }
            ScriptBody::Completion {
                content,
                tool_calls,
                finish,
            } => {
                let tool_calls = tool_calls.as_deref();
                let completion = Completion {
                    content,
                    tool_calls,
                    finish,
                    model: completion::MODEL,
                    number,
                };
                completion.payload(request)
            }
        }
    }
}
