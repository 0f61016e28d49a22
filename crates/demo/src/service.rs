//! Implements the HTTP interface. Each path has its own answer, and errors are worded like those of model servers.

use std::sync::Arc;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::HeaderValue;
use hyper::{Method, Response, StatusCode};

use crate::answer::HttpAnswer;
use crate::completion;
use crate::model::Model;
use crate::received::{Log, Received};
use crate::request::ChatRequest;
use crate::throttled_body::{Closed, Payload, ThrottledBody};

/// The largest request body in bytes. A picture of a desktop with a long story is far smaller.
const LARGEST_BODY: usize = 64 << 20;

/// The state that all connections share.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) model: Model,
    /// The log, if the requests will be examined later.
    pub(crate) log: Option<Log>,
}

impl Service {
    /// Answers one HTTP request. An error breaks the connection; only scripts cause errors.
    pub(crate) async fn handle(
        self: Arc<Self>,
        request: hyper::Request<Incoming>,
    ) -> Result<Response<ThrottledBody>, Closed> {
        let answer = match (request.uri().path(), request.method()) {
            ("/v1/models", &Method::GET) => {
                HttpAnswer::new(StatusCode::OK, Payload::Json(completion::models(self.model.id())))
            }
            ("/v1/models", _) => not_allowed("GET"),
            ("/v1/chat/completions", &Method::POST) => self.complete(request).await,
            ("/v1/chat/completions", _) => not_allowed("POST"),
            (path, _) => refusal(
                StatusCode::NOT_FOUND,
                &format!("there is nothing at {path}; use GET /v1/models or POST /v1/chat/completions"),
            ),
        };
        answer.send().await
    }

    async fn complete(self: Arc<Self>, request: hyper::Request<Incoming>) -> HttpAnswer {
        let (head, body) = request.into_parts();
        let body = match collect(body).await {
            Ok(body) => body,
            Err(refusal) => return refusal,
        };
        if let Some(log) = &self.log {
            log.add(Received {
                headers: head.headers,
                body: body.clone(),
            });
        }
        // Decoding a large picture takes milliseconds. Decode it on another thread, so that other connections do not
        // have to wait.
        let thinking = tokio::task::spawn_blocking(move || match ChatRequest::read(&body) {
            Ok(request) => self.model.answer(&request),
            Err(error) => refusal(StatusCode::BAD_REQUEST, &error.to_string()),
        });
        thinking.await.unwrap_or_else(|error| {
            refusal(
                StatusCode::INTERNAL_SERVER_ERROR,
                &format!("the model failed ({error}); send the request again"),
            )
        })
    }
}

/// Collects the whole body. A request that announces too large a body is refused before the body arrives.
async fn collect(body: Incoming) -> Result<Bytes, HttpAnswer> {
    if body.size_hint().lower() > LARGEST_BODY as u64 {
        return Err(too_large());
    }
    match Limited::new(body, LARGEST_BODY).collect().await {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(error) => Err(refusal(
            StatusCode::BAD_REQUEST,
            &format!("the request arrived incomplete ({error}); send it again"),
        )),
    }
}

fn too_large() -> HttpAnswer {
    let message = format!("the request is larger than {LARGEST_BODY} bytes; send a smaller picture");
    refusal(StatusCode::PAYLOAD_TOO_LARGE, &message)
}

fn not_allowed(method: &'static str) -> HttpAnswer {
    let mut answer = refusal(StatusCode::METHOD_NOT_ALLOWED, &format!("use {method} here"));
    answer
        .headers
        .push((hyper::header::ALLOW, HeaderValue::from_static(method)));
    answer
}

fn refusal(status: StatusCode, message: &str) -> HttpAnswer {
    let kind = if status.is_server_error() {
        "server_error"
    } else {
        "invalid_request_error"
    };
    HttpAnswer::new(status, Payload::Json(completion::error(message, kind)))
}
