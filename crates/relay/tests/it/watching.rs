//! Tests the relay's notifications while traffic passes.

use std::sync::{Arc, Mutex};

use franz_relay::Watcher;
use tokio::sync::Notify;

use crate::exchanges::CHAT;
use crate::stage::{Stage, get, ok, patiently, post};

/// Stores the notifications: the numbers of the connection and the exchange when a chat request is sent to the model,
/// and `None` when a connection to the server is opened. Also stores whether requests were held back.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    traffic: Mutex<Vec<Option<(u64, u64)>>>,
    held: Mutex<Vec<bool>>,
    changed: Notify,
}

impl Heard {
    fn take(&self) -> Vec<Option<(u64, u64)>> {
        std::mem::take(&mut self.traffic.lock().unwrap())
    }

    fn held(&self) -> Vec<bool> {
        self.held.lock().unwrap().clone()
    }

    /// Waits until a request is held back.
    pub(crate) async fn hold(&self) {
        while self.held().last() != Some(&true) {
            patiently(self.changed.notified()).await;
        }
    }
}

impl Watcher for Heard {
    fn connected(&self) {
        self.traffic.lock().unwrap().push(None);
    }

    fn asked(&self, connection: u64, exchange: u64) {
        self.traffic.lock().unwrap().push(Some((connection, exchange)));
    }

    fn held(&self, is_held: bool) {
        self.held.lock().unwrap().push(is_held);
        self.changed.notify_one();
    }
}

#[tokio::test]
async fn a_watcher_is_notified_of_connections_and_model_requests() {
    let heard = Arc::new(Heard::default());
    let stage = Stage::watched_by(Arc::clone(&heard) as Arc<dyn Watcher>).await;
    let (mut client, mut server) = stage.asked(&post(CHAT, b"{}")).await;
    assert_eq!(
        heard.take(),
        [None, Some((1, 1))],
        "before the server has said anything"
    );
    server.send(&ok(b"1")).await;
    client.expect(&ok(b"1")).await;
    for (request, told) in [
        (post(CHAT, b"{}"), vec![Some((1, 2))]),
        (get(CHAT), vec![]),
        (post("/v1/embeddings", b"{}"), vec![]),
    ] {
        client.send(&request).await;
        server.expect(&request).await;
        assert_eq!(heard.take(), told, "on a connection that is there already");
        server.send(&ok(b"2")).await;
        client.expect(&ok(b"2")).await;
    }
    let (_client, _server) = stage.asked(&post(CHAT, b"{}")).await;
    assert_eq!(heard.take(), [None, Some((2, 5))]);
}

#[tokio::test]
async fn a_held_request_is_announced_once_it_passes() {
    let heard = Arc::new(Heard::default());
    let stage = Stage::watched_by(Arc::clone(&heard) as Arc<dyn Watcher>).await;
    stage.gate.close();
    let mut client = stage.client().await;
    client.send(&post(CHAT, b"{}")).await;
    heard.changed.notified().await;
    stage.nothing_came().await;
    assert_eq!((heard.take(), heard.held()), (vec![], vec![true]));
    stage.gate.open();
    let mut server = stage.server().await;
    server.expect(&post(CHAT, b"{}")).await;
    assert_eq!(heard.take(), [None, Some((1, 1))]);
    assert_eq!(heard.held(), [true, false]);
}

#[tokio::test]
async fn a_step_closes_an_open_gate_behind_one_request() {
    let heard = Arc::new(Heard::default());
    let stage = Stage::watched_by(Arc::clone(&heard) as Arc<dyn Watcher>).await;
    stage.gate.step();
    let (_client, _server) = stage.asked(&post(CHAT, b"{}")).await;
    assert!(heard.held().is_empty(), "the first one passes");
    let mut client = stage.client().await;
    client.send(&post(CHAT, b"{\"two\":2}")).await;
    patiently(heard.changed.notified()).await;
    assert_eq!(heard.held(), [true]);
    stage.gate.step();
    let mut server = stage.server().await;
    server.expect(&post(CHAT, b"{\"two\":2}")).await;
}
