//! Passes requests about a registered run on to the run's own dashboard.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH,
    SET_COOKIE, TRANSFER_ENCODING,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::answer::{HttpResponse, refusal};
use super::body::ResponseBody;
use super::request_body::collect;
use crate::registered_runs::RunDashboard;

/// The headers of a page's request that the run's dashboard needs.
const PASSED: [HeaderName; 5] = [
    ACCEPT,
    CONTENT_TYPE,
    IF_MATCH,
    IF_NONE_MATCH,
    HeaderName::from_static("last-event-id"),
];

/// How long connecting to a run's dashboard may take.
const CONNECT: Duration = Duration::from_secs(2);

/// How long the dashboard may take to begin its response. A page that asks for news is answered after ten seconds.
const ANSWER: Duration = Duration::from_secs(20);

/// Passes on a request to `path` on the run's dashboard, and the response as it arrives.
pub(super) async fn pass_on(run: RunDashboard, head: &Parts, path: &str, body: &mut Incoming) -> HttpResponse {
    let body = match head.method {
        Method::POST => match collect(body).await {
            Ok(body) => body,
            Err(refused) => return *refused,
        },
        _ => Bytes::new(),
    };
    let asked = ask(run, head, path, body).await;
    asked.unwrap_or_else(|error| {
        let sentence = format!("the run's process is not responding ({error}); look at the terminal where it runs");
        refusal(StatusCode::BAD_GATEWAY, &sentence)
    })
}

async fn ask(run: RunDashboard, head: &Parts, path: &str, body: Bytes) -> io::Result<HttpResponse> {
    let stream = timeout(CONNECT, TcpStream::connect(run.address)).await??;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    tokio::spawn(connection);
    let mut request = Request::builder().method(head.method.clone()).uri(path);
    if let Some(headers) = request.headers_mut() {
        *headers = passed(&head.headers);
        headers.insert(HOST, value(&run.address.to_string())?);
        headers.insert(AUTHORIZATION, value(&format!("Bearer {}", run.token))?);
    }
    let request = request.body(Full::new(body)).map_err(io::Error::other)?;
    let response = timeout(ANSWER, sender.send_request(request)).await?;
    let response = response.map_err(io::Error::other)?;
    let (mut head, incoming) = response.into_parts();
    for own in [CONNECTION, TRANSFER_ENCODING, SET_COOKIE] {
        head.headers.remove(own);
    }
    let (pieces, body) = ResponseBody::pieces();
    tokio::spawn(pump(incoming, pieces));
    Ok(HttpResponse::from_parts(head, body))
}

/// Sends the pieces of a response on until it ends or the page has gone, which closes the connection to the run.
async fn pump(mut incoming: Incoming, pieces: mpsc::Sender<io::Result<Bytes>>) {
    loop {
        let frame = tokio::select! {
            () = pieces.closed() => return,
            frame = incoming.frame() => frame,
        };
        let piece = match frame {
            None => return,
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => Ok(data),
                Err(_) => continue,
            },
            Some(Err(error)) => Err(io::Error::other(error)),
        };
        let is_broken = piece.is_err();
        if pieces.send(piece).await.is_err() || is_broken {
            return;
        }
    }
}

fn passed(given: &HeaderMap) -> HeaderMap {
    let known = PASSED
        .into_iter()
        .filter_map(|name| given.get(&name).map(|value| (name, value.clone())));
    known.collect()
}

fn value(text: &str) -> io::Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    fn head() -> Parts {
        Request::get("/run/a/api/state").body(()).unwrap().into_parts().0
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_does_not_respond_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let run = RunDashboard {
            address: listener.local_addr().unwrap(),
            token: "t".to_owned(),
        };
        // The connection is accepted by the system, and nobody answers.
        let refused = ask(run, &head(), "/api/state", Bytes::new()).await.err().unwrap();
        assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_page_passes_on_neither_its_cookie_nor_its_origin() {
        let page = Request::get("/")
            .header("cookie", "franz_1=t")
            .header("origin", "http://127.0.0.1:1")
            .header("authorization", "Bearer t")
            .header("if-match", "\"h\"")
            .body(())
            .unwrap();
        let passed = passed(page.headers());
        assert_eq!(passed.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["if-match"]);
    }
}
