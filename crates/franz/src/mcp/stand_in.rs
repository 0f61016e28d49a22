//! The model server that stands in for the host. It listens only on this machine, and answers only the run's own
//! requests.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use subtle::ConstantTimeEq as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::handover::Handover;

/// The maximum size of a request. Requests with a picture and a short conversation are far smaller.
const LARGEST_BODY: usize = 64 << 20;

/// The maximum number of simultaneous connections. The relay opens only a few; others wait.
const MOST: usize = 32;

/// How long receiving a request's head may take, including the first one on a new connection.
const HEAD_TIME: Duration = Duration::from_secs(10);

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
        let free = Arc::new(Semaphore::new(MOST));
        while let Ok(place) = Arc::clone(&free).acquire_owned().await {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let stand_in = Arc::clone(&self);
            tokio::spawn(async move {
                converse(stream, stand_in).await;
                drop(place);
            });
        }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
        if !given.is_some_and(|given| bool::from(given.ct_eq(self.authorization.as_bytes()))) {
            let mut refusal = refusal(StatusCode::UNAUTHORIZED, "this server belongs to a run of FRANZ");
            // A stranger must not keep the connection.
            refusal
                .headers_mut()
                .insert(CONNECTION, HeaderValue::from_static("close"));
            return Ok(refusal);
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
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
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

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    async fn served() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stand_in = StandIn::new(Arc::default(), "host".to_owned(), "secret");
        tokio::spawn(stand_in.serve(listener));
        address
    }

    /// Asks for the models with these headers, and reads until the server closes the connection.
    async fn ask(address: SocketAddr, headers: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET /v1/models HTTP/1.1\r\nHost: h\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    const OWN: &str = "Authorization: Bearer secret\r\nConnection: close\r\n";

    #[tokio::test]
    async fn strangers_are_turned_away() {
        let address = served().await;
        for headers in [
            "",
            "Authorization: Bearer secre\r\n",
            "Authorization: Bearer Secret\r\n",
        ] {
            let answer = ask(address, headers).await;
            assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
        }
        assert!(ask(address, OWN).await.starts_with("HTTP/1.1 200 "));
    }

    #[tokio::test]
    async fn excess_connections_wait_until_a_place_is_free() {
        let address = served().await;
        let mut open = Vec::new();
        for _ in 0..MOST {
            open.push(TcpStream::connect(address).await.unwrap());
        }
        let mut waiting = Box::pin(ask(address, OWN));
        let early = tokio::time::timeout(ACCEPT_PAUSE, &mut waiting).await;
        assert!(early.is_err(), "{early:?}");
        open.pop();
        assert!(waiting.await.starts_with("HTTP/1.1 200 "));
    }
}
