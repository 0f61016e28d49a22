//! Tests that nothing is held back: each piece reaches the other side before the next one is sent.

use franz_relay::Ended;

use crate::stage::{NAME, Stage, get, post};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

#[tokio::test]
async fn each_event_of_a_stream_is_seen_before_the_next_is_sent() {
    let mut stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&post("/v1/chat/completions", b"{\"stream\":true}")).await;
    server.send(HEAD).await;
    client.expect(HEAD).await;
    for number in 0..200 {
        let event = format!("data: {{\"n\":{number}}}\n\n");
        let chunk = format!("{:x}\r\n{event}\r\n", event.len());
        server.send(chunk.as_bytes()).await;
        client.expect(chunk.as_bytes()).await;
    }
    server.send(b"0\r\n\r\n").await;
    client.expect(b"0\r\n\r\n").await;
    let copy = stage.copy().await;
    assert_eq!(copy.ended, Ended::Complete);
    assert!(
        copy.response
            .unwrap()
            .payload()
            .unwrap()
            .ends_with(b"data: {\"n\":199}\n\n")
    );
}

#[tokio::test]
async fn partial_events_are_forwarded_too() {
    let stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&get("/")).await;
    for part in [
        b"HTTP/1.1 200 O".as_slice(),
        b"K\r\nConnection: close\r",
        b"\n\r\n",
        b"data",
        b": x",
        b"\n",
        b"\n",
    ] {
        server.send(part).await;
        client.expect(part).await;
    }
    drop(server);
    client.expect_end().await;
}

#[tokio::test]
async fn a_request_streams_as_well() {
    let stage = Stage::new().await;
    let head = format!("POST /v1/x HTTP/1.1\r\nHost: {NAME}\r\nTransfer-Encoding: chunked\r\n\r\n");
    let (mut client, mut server) = stage.asked(head.as_bytes()).await;
    server.send(HEAD).await;
    client.expect(HEAD).await;
    // The two directions alternate within one exchange.
    for _ in 0..50 {
        client.send(b"4\r\nping\r\n").await;
        server.expect(b"4\r\nping\r\n").await;
        server.send(b"4\r\npong\r\n").await;
        client.expect(b"4\r\npong\r\n").await;
    }
    client.send(b"0\r\n\r\n").await;
    server.expect(b"0\r\n\r\n").await;
}
