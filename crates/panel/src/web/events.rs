//! Sends changes of the state as server-sent events.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::answer::{HttpResponse, answer};
use super::body::ResponseBody;
use super::query::parameter;
use super::service::DashboardService;
use crate::controls::Controls;
use crate::hub::{HubEvent, Subscription};

const KIND: &str = "text/event-stream";

/// How often to send something, so that each end notices if the other one is gone.
const ALIVE: Duration = Duration::from_secs(15);

/// A patch that changes nothing. Browsers hide comments from scripts, so the page would not notice one.
const NOTHING: &str = "data: {}\n\n";

impl DashboardService {
    /// Responds with a stream that continues after the last event that the client has seen.
    pub(super) fn events(&self, head: &Parts, closing: watch::Receiver<bool>) -> HttpResponse {
        if head.method == Method::HEAD {
            return answer(StatusCode::OK, KIND, ResponseBody::empty());
        }
        let header = head.headers.get("last-event-id").and_then(|id| id.to_str().ok());
        let query = parameter(head.uri.query(), "last");
        // The header is newer, because a browser that reconnects requests the same address again.
        let last = header.or(query.as_deref()).filter(|id| !id.is_empty());
        let (pieces, body) = ResponseBody::pieces();
        tokio::spawn(tell(self.hub.listen(last), pieces, closing, Client::new(self)));
        answer(StatusCode::OK, KIND, body)
    }
}

/// Sends all events until the client leaves or the server shuts down. On shutdown, still sends the pending events,
/// because they say how the run ended.
async fn tell(
    mut listener: Subscription,
    pieces: mpsc::Sender<io::Result<Bytes>>,
    mut closing: watch::Receiver<bool>,
    _client: Client,
) {
    let mut alive = interval(ALIVE);
    alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Send an ID before the first change. A client that reconnects can then continue from there, even if nothing has
    // happened. Browsers tell a script of an ID only together with an event.
    let mut text = format!("retry: 1000\nid: {}\n{NOTHING}", listener.id());
    alive.reset();
    loop {
        // At the end, the connections of clients that read nothing are dropped, so this fails.
        if pieces.send(Ok(text.into())).await.is_err() {
            return;
        }
        text = tokio::select! {
            biased;
            () = pieces.closed() => return,
            told = listener.next() => written(&told),
            _ = closing.wait_for(|&closing| closing) => return,
            _ = alive.tick() => NOTHING.to_owned(),
        };
    }
}

fn written(told: &[HubEvent]) -> String {
    told.iter().fold(String::new(), |mut text, event| {
        // JSON contains no line break here, and writing to a `String` cannot fail.
        let _ = write!(text, "id: {}\ndata: {}\n\n", event.id, event.json);
        text
    })
}

/// Counts as a listening client until it is dropped.
struct Client {
    clients: watch::Sender<usize>,
    controls: Arc<dyn Controls>,
}

impl Client {
    fn new(dashboard: &DashboardService) -> Client {
        let (clients, controls) = (dashboard.clients.clone(), Arc::clone(&dashboard.controls));
        clients.send_modify(|clients| *clients += 1);
        controls.page(true);
        Client { clients, controls }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.clients.send_modify(|clients| *clients -= 1);
        self.controls.page(false);
    }
}
