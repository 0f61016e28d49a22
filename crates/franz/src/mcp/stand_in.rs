//! The model server that stands in for the host. It listens only on this machine, and answers only the run's own
//! requests.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use super::handover::Handover;

/// The maximum size of a request. Requests with a picture and a short conversation are far smaller.
const LARGEST_BODY: usize = 64 << 20;

/// How long to pause if no connection can be accepted, for example because no file descriptors are free.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The server.
pub(super) struct StandIn {
    handover: Arc<Handover>,
    /// The name of its only model, which is the host's name.
    name: String,
    authorization: String,
}

impl StandIn {
    pub(super) fn new(handover: Arc<Handover>, name: String, key: &str) -> Arc<StandIn> {
        let authorization = format!("Bearer {key}");
        Arc::new(StandIn {
            handover,
            name,
            authorization,
        })
    }

    /// Answers until the process ends.
    pub(super) async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(converse(stream, Arc::clone(&self)))),
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
        if given != Some(self.authorization.as_bytes()) {
            return Ok(refusal(
                StatusCode::UNAUTHORIZED,
                "this server belongs to a run of FRANZ",
            ));
        }
        Ok(match (request.method(), request.uri().path()) {
            (&Method::GET, "/v1/models") => {
                let model = json!({"id": self.name, "object": "model", "owned_by": "mcp"});
                json_body(StatusCode::OK, &json!({"object": "list", "data": [model]}))
            }
            (&Method::POST, "/v1/chat/completions") => self.complete(request.into_body()).await,
            (_, path) => refusal(StatusCode::NOT_FOUND, &format!("there is nothing at {path}")),
        })
    }

    async fn complete(&self, body: Incoming) -> Response<Full<Bytes>> {
        let body = match Limited::new(body, LARGEST_BODY).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) => return refusal(StatusCode::BAD_REQUEST, &error.to_string()),
        };
        match self.handover.ask(body).await {
            Ok(reply) => response(StatusCode::OK, reply),
            Err(error) => refusal(StatusCode::BAD_REQUEST, &error.to_string()),
        }
    }
}

async fn converse(stream: TcpStream, stand_in: Arc<StandIn>) {
    let service = service_fn(move |request| Arc::clone(&stand_in).answer(request));
    // A failed connection affects only its client.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

fn refusal(status: StatusCode, message: &str) -> Response<Full<Bytes>> {
    json_body(
        status,
        &json!({"error": {"message": message, "type": "invalid_request_error"}}),
    )
}

fn json_body(status: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    response(status, Bytes::from(body.to_string()))
}

fn response(status: StatusCode, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
