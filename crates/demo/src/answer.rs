//! Represents an answer as it is sent over the wire, whatever produced it: status, headers, body and timing.

use std::time::Duration;

use hyper::header::{HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Deserialize;

use crate::completion;
use crate::throttled_body::{Closed, Payload, ThrottledBody};

/// The number of pieces into which a slow body is split.
const DRIPS: usize = 10;

/// One HTTP answer.
#[derive(Clone, Debug)]
pub(crate) struct HttpAnswer {
    /// The HTTP status.
    pub(crate) status: StatusCode,
    /// Headers other than the length and the content type; a content type among them replaces the usual one.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub(crate) payload: Payload,
    /// How long to wait before sending anything.
    pub(crate) delay: Duration,
    /// How long sending the body takes.
    pub(crate) drip: Duration,
    /// When to break the connection, if at all.
    pub(crate) close: Option<Close>,
}

/// When to drop the connection instead of answering properly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Close {
    /// Before the first byte of the answer.
    Before,
    /// After half of the body.
    Mid,
}

impl HttpAnswer {
    /// Creates an answer that is sent immediately.
    pub(crate) fn new(status: StatusCode, payload: Payload) -> HttpAnswer {
        HttpAnswer {
            status,
            headers: Vec::new(),
            payload,
            delay: Duration::ZERO,
            drip: Duration::ZERO,
            close: None,
        }
    }

    /// Waits for the answer's delay and turns it into the response.
    pub(crate) async fn send(self) -> Result<Response<ThrottledBody>, Closed> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        if self.close == Some(Close::Before) {
            return Err(Closed);
        }
        let kind = match self.payload {
            Payload::Json(_) => "application/json",
            Payload::Events(_) => "text/event-stream",
        };
        let body = match self.payload {
            Payload::Json(bytes) => ThrottledBody::sized(&bytes, if self.drip.is_zero() { 1 } else { DRIPS }),
            Payload::Events(events) => ThrottledBody::chunked(events),
        };
        let body = body.over(self.drip).broken(self.close == Some(Close::Mid));
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert("content-type", HeaderValue::from_static(kind));
        headers.insert("server", HeaderValue::from_static(completion::MODEL));
        for (name, value) in self.headers {
            headers.insert(name, value);
        }
        Ok(response)
    }
}
