//! Tests requests that wait for a person.

use std::sync::Arc;

use franz_relay::{ClientKeys, Ended, RelayLimits, Watcher, peer_user};

use crate::stage::{Observer, Peer, Stage, get, ok, post, turns};
use crate::watching::Heard;

const CHAT: &str = "/v1/chat/completions";

async fn answered(client: &mut Peer, server: &mut Peer) {
    server.send(&ok(b"x")).await;
    client.expect(&ok(b"x")).await;
}

#[tokio::test]
async fn model_requests_wait_until_the_gate_opens() {
    for target in [CHAT, "/v1/chat/completions/#x", "/api/chat", "/v1/responses"] {
        let mut stage = Stage::new().await;
        stage.gate.close();
        let request = post(target, &vec![b'x'; 3 << 20]);
        let mut held = stage.client().await;
        held.send(&request).await;
        // Other requests pass in the meantime, so the server's first connection is not the held one.
        for free in [get(CHAT), get("/v1/models")] {
            let (mut client, mut server) = stage.asked(&free).await;
            answered(&mut client, &mut server).await;
            stage.copy().await;
        }
        stage.gate.open();
        let mut server = stage.server().await;
        server.expect(&request).await;
        answered(&mut held, &mut server).await;
        let copy = stage.copy().await;
        assert_eq!(
            (copy.ended, copy.request.payload().unwrap().len()),
            (Ended::Complete, 3 << 20)
        );
    }
}

#[tokio::test]
async fn a_step_lets_one_pass() {
    let stage = Stage::new().await;
    stage.gate.close();
    let (mut first, mut second) = (stage.client().await, stage.client().await);
    first.send(&post(CHAT, b"{}")).await;
    second.send(&post("/api/chat/completions?x=1", b"{}")).await;
    stage.gate.step();
    let mut server = stage.server().await;
    server.expect(b"POST /").await;
    turns().await;
    stage.gate.step();
    let mut other = stage.server().await;
    other.expect(b"POST /").await;
}

#[tokio::test]
async fn a_held_client_that_leaves_is_forgotten() {
    // The client presents the run's key. If it needed a lookup and left before it, no exchange would be recorded.
    let keys = ClientKeys {
        run: Some("key".to_owned()),
        relay: None,
    };
    let mut stage = Stage::looking_up(keys, Arc::new(peer_user::Peer::look_up)).await;
    for size in [2, 3 << 20] {
        for reset in [false, true] {
            stage.gate.close();
            let mut client = stage.client().await;
            let request = post(CHAT, &vec![b'x'; size]);
            let line = request.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            let (first, rest) = request.split_at(line);
            client.send(&[first, b"X-Franz-Key: key\r\n", rest].concat()).await;
            if reset {
                client.reset();
            } else {
                drop(client);
            }
            let copy = stage.copy().await;
            assert_eq!(copy.ended, Ended::ClientGone);
            stage.gate.open();
        }
    }
    let (mut client, mut server) = stage.asked(&get("/after")).await;
    answered(&mut client, &mut server).await;
}

#[tokio::test]
async fn a_held_client_that_leaves_with_an_unread_body_is_forgotten() {
    let limits = RelayLimits {
        connections: 1,
        ..RelayLimits::default()
    };
    for reset in [false, true] {
        let heard = Arc::new(Heard::default());
        // Nobody reads the copies, so there is no room for more of the body than fits into the buffer.
        let stage = Stage::watched_with(Observer::Full, limits, Arc::clone(&heard) as Arc<dyn Watcher>).await;
        stage.gate.close();
        let mut client = stage.client().await;
        client.send(&post(CHAT, &vec![b'x'; 300 << 10])).await;
        // A client that is not held yet would make room for the next one.
        heard.hold().await;
        if reset {
            client.reset();
        } else {
            drop(client);
        }
        // The client's slot becomes free while the gate is closed.
        loop {
            let mut client = stage.client().await;
            client.send(&get("/after")).await;
            tokio::select! {
                mut server = stage.server() => {
                    server.expect(&get("/after")).await;
                    answered(&mut client, &mut server).await;
                    client.finish().await;
                    client.expect_end().await;
                    break;
                }
                answer = client.rest() => assert!(answer.starts_with(b"HTTP/1.1 503 ")),
            }
        }
    }
}

#[tokio::test]
async fn a_request_that_is_held_outlives_the_server_s_idle_connection() {
    let mut stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&post(CHAT, b"{}")).await;
    stage.gate.close();
    client.send(&post(CHAT, b"{\"two\":2}")).await;
    turns().await;
    // The first request is in progress and is answered.
    answered(&mut client, &mut server).await;
    server.expect_end().await;
    drop(server);
    stage.gate.step();
    let mut server = stage.server().await;
    server.expect(&post(CHAT, b"{\"two\":2}")).await;
    answered(&mut client, &mut server).await;
    for _ in 0..2 {
        assert_eq!(stage.copy().await.ended, Ended::Complete);
    }
}
