//! Passes traffic through the relay, with peers that stay or leave, whether or not the copies are read. The panel's
//! tests run the same traffic past the panel's observer.

use crate::exchanges::{CHAT, cases};
use crate::stage::{NAME, Peer, Stage, get, ok, patiently, post};

/// How a peer leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way {
    Close,
    Reset,
}

impl Way {
    pub(crate) const BOTH: [Way; 2] = [Way::Close, Way::Reset];

    pub(crate) fn go(self, peer: Peer) {
        match self {
            Way::Close => drop(peer),
            Way::Reset => peer.reset(),
        }
    }
}

/// The part of its answer that a server sends before it leaves, and a name for that moment.
pub(crate) const ANSWERS_CUT: [(&[u8], &str); 5] = [
    (b"", "before the response"),
    (b"HTTP/1.1 200 O", "within the head"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "before the body"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome", "within the body"),
    (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nso",
        "within a chunk",
    ),
];

/// Returns a request's head.
pub(crate) fn head(length: usize) -> Vec<u8> {
    format!("POST /v1/x HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: {length}\r\n\r\n").into_bytes()
}

/// Passes every case in both directions.
pub(crate) async fn every_case(stage: &Stage) {
    for case in cases() {
        eprintln!("{}", case.name);
        let (mut client, mut server) = stage.asked(&case.request).await;
        server.send(&case.response).await;
        client.expect(&case.response).await;
        if case.closes {
            drop(server);
        } else {
            client.finish().await;
            server.expect_end().await;
            drop(server);
        }
        client.expect_end().await;
    }
}

/// Passes a long body in both directions.
pub(crate) async fn ten_megabytes(stage: &Stage) {
    let body: Vec<u8> = (0..10_u32 << 20).map(|place| (place % 251) as u8).collect();
    let (request, response) = (post(CHAT, &body), ok(&body));
    let mut client = stage.client().await;
    let sent = request.clone();
    let client = tokio::spawn(async move {
        client.send(&sent).await;
        client
    });
    let mut server = stage.server().await;
    server.expect(&request).await;
    let sent = response.clone();
    let server = tokio::spawn(async move {
        server.send(&sent).await;
        server
    });
    patiently(client).await.unwrap().expect(&response).await;
    drop(server);
}

/// Lets a client leave in the middle of its body; the server's connection must end the same way.
pub(crate) async fn client_goes(stage: &Stage, way: Way) {
    let (mut client, mut server) = stage.asked(&head(100)).await;
    client.send(b"some").await;
    server.expect(b"some").await;
    way.go(client);
    match way {
        Way::Close => server.expect_end().await,
        Way::Reset => server.expect_reset().await,
    }
}

/// Lets a server leave after sending `sent`; the client's connection must end the same way.
pub(crate) async fn server_goes(stage: &Stage, way: Way, sent: &[u8]) {
    let (mut client, mut server) = stage.asked(&get("/")).await;
    server.send(sent).await;
    client.expect(sent).await;
    way.go(server);
    match way {
        Way::Close => client.expect_end().await,
        Way::Reset => client.expect_reset().await,
    }
}
