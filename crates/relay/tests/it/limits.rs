//! Tests the limits on how much of the relay a client may use.

use std::time::Duration;

use franz_relay::{Copies, Relay, RelayError, RelayLimits, RelayOptions};

use crate::stage::{Observer, Stage, get, ok, shown};

#[tokio::test]
async fn a_missing_head_times_out() {
    let limits = RelayLimits {
        head: Duration::from_millis(50),
        ..RelayLimits::default()
    };
    let stage = Stage::with(Observer::Reading, limits).await;
    let mut silent = stage.client().await;
    silent.expect_end().await;
    let mut slow = stage.client().await;
    slow.send(b"GET / HTTP/1.1\r\nA: ").await;
    assert!(shown(&slow.rest().await).starts_with("HTTP/1.1 408 "));
    // A client may pause between requests, even after an empty line, but not within a head.
    let (mut client, mut server) = stage.asked(&get("/")).await;
    for pause in [b"".as_slice(), b"\r\n"] {
        server.send(&ok(b"x")).await;
        client.expect(&ok(b"x")).await;
        client.send(pause).await;
        tokio::time::sleep(limits.head * 2).await;
        client.send(&get("/again")).await;
        server.expect(&[pause, &get("/again")].concat()).await;
    }
    server.send(&ok(b"x")).await;
    client.expect(&ok(b"x")).await;
    client.send(b"GET ").await;
    assert!(shown(&client.rest().await).starts_with("HTTP/1.1 408 "));
}

#[tokio::test]
async fn one_client_too_many_is_refused_at_once() {
    let limits = RelayLimits {
        connections: 3,
        ..RelayLimits::default()
    };
    let stage = Stage::with(Observer::Reading, limits).await;
    let mut taken = Vec::new();
    for _ in 0..3 {
        taken.push(stage.asked(&get("/")).await);
    }
    let mut client = stage.client().await;
    assert!(shown(&client.rest().await).starts_with("HTTP/1.1 503 "));
    drop(client);
    let (mut client, server) = taken.pop().unwrap();
    drop(server);
    client.expect_end().await;
    drop(client);
    // The client's slot becomes free as soon as the relay has noticed.
    loop {
        let mut client = stage.client().await;
        client.send(&get("/again")).await;
        tokio::select! {
            mut server = stage.server() => break server.expect(&get("/again")).await,
            answer = client.rest() => assert!(answer.starts_with(b"HTTP/1.1 503 ")),
        }
    }
}

#[tokio::test]
async fn clients_that_are_not_admitted_make_room_first() {
    let limits = RelayLimits {
        connections: 3,
        drain: Duration::from_mins(1),
        ..RelayLimits::default()
    };
    let stage = Stage::with(Observer::Reading, limits).await;
    let (mut waiting, mut server) = stage.asked(&get("/waiting")).await;
    waiting.finish().await;
    server.expect_end().await;
    let mut silent = stage.client().await;
    let mut refused = stage.client().await;
    refused.send(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").await;
    assert!(shown(&refused.rest().await).starts_with("HTTP/1.1 421 "));
    let _first = stage.asked(&get("/1")).await;
    silent.expect_end().await;
    let _second = stage.asked(&get("/2")).await;
    // The client that is waiting for its answer could have made room as well, but keeps its place.
    server.send(&ok(b"x")).await;
    waiting.expect(&ok(b"x")).await;
}

#[tokio::test]
async fn a_relay_to_itself_is_refused() {
    for (own, host) in [
        ("127.0.0.1", "localhost"),
        ("0.0.0.0", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "0.0.0.0"),
    ] {
        let free = tokio::net::TcpListener::bind("0.0.0.0:0")
            .await
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let upstream = format!("http://{host}:{free}/v1").parse().unwrap();
        let options = RelayOptions::new(upstream, Copies::queue().0);
        let bound = Relay::bind(format!("{own}:{free}").parse().unwrap(), options).await;
        let error = bound.expect_err("it is refused");
        assert!(matches!(error, RelayError::Itself { .. }), "{own} {host}: {error}");
        assert!(error.to_string().contains("--upstream"), "{error}");
    }
}
