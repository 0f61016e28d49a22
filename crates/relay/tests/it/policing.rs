//! Tests the requests that are not passed on: one case for each rule, answered by the relay and never seen by the
//! server.

use franz_relay::Ended;

use crate::stage::{NAME, Stage, get, ok, post, shown};

/// Returns a request line and headers, with the empty line that ends them.
fn lines(lines: &[&str]) -> Vec<u8> {
    format!("{}\r\n\r\n", lines.join("\r\n")).into_bytes()
}

fn with(header: &str) -> Vec<u8> {
    lines(&["POST /v1/x HTTP/1.1", &format!("Host: {NAME}"), header])
}

type Case = (&'static str, u16, Vec<u8>);

/// Returns cases about a request's sender and recipient.
fn askers() -> Vec<Case> {
    vec![
        ("no host", 400, lines(&["GET / HTTP/1.1"])),
        ("two hosts", 400, with("Host: relay.test")),
        ("foreign host", 421, lines(&["GET / HTTP/1.1", "Host: evil.example"])),
        (
            "rebound host",
            421,
            lines(&["GET / HTTP/1.1", "Host: 127.0.0.1.evil.example"]),
        ),
        ("no port", 421, lines(&["GET / HTTP/1.1", "Host: 127.0.0.1"])),
        ("empty host", 421, lines(&["GET / HTTP/1.1", "Host:"])),
        (
            "foreign host of an old client",
            421,
            lines(&["GET / HTTP/1.0", "Host: evil.example"]),
        ),
        (
            "foreign absolute target",
            421,
            lines(&["GET http://evil.example/ HTTP/1.1", "Host: relay.test"]),
        ),
        (
            "absolute target of another scheme",
            421,
            lines(&["GET https://relay.test/ HTTP/1.1", "Host: relay.test"]),
        ),
        (
            "absolute target with a user",
            421,
            lines(&["GET http://relay.test@evil/ HTTP/1.1", "Host: relay.test"]),
        ),
        ("origin", 403, with("Origin: http://localhost")),
        ("null origin", 403, with("ORIGIN: null")),
        ("page of another site", 403, with("Sec-Fetch-Site: cross-site")),
        ("page of the same origin", 403, with("sec-fetch-site: same-origin")),
        ("probe", 421, with("X-Franz-Probe: 1")),
        (
            "tunnel",
            405,
            lines(&["CONNECT relay.test:443 HTTP/1.1", "Host: relay.test"]),
        ),
    ]
}

/// Returns cases about the body's framing.
fn framings() -> Vec<Case> {
    vec![
        (
            "length and chunks",
            400,
            with("Content-Length: 3\r\nTransfer-Encoding: chunked"),
        ),
        (
            "chunks and length",
            400,
            with("Transfer-Encoding: chunked\r\nContent-Length: 3"),
        ),
        ("two lengths", 400, with("Content-Length: 3\r\nContent-Length: 4")),
        ("two equal lengths", 400, with("Content-Length: 3\r\nContent-Length: 3")),
        ("list of lengths", 400, with("Content-Length: 3, 3")),
        ("signed length", 400, with("Content-Length: +3")),
        ("negative length", 400, with("Content-Length: -3")),
        ("hexadecimal length", 400, with("Content-Length: 0x3")),
        ("empty length", 400, with("Content-Length:")),
        ("endless length", 400, with("Content-Length: 99999999999999999999")),
        ("two codings", 400, with("Transfer-Encoding: gzip, chunked")),
        (
            "coding twice",
            400,
            with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        ),
        ("identity", 400, with("Transfer-Encoding: identity")),
        ("odd coding", 400, with("Transfer-Encoding: xchunked")),
        (
            "chunks of an old client",
            400,
            lines(&["POST / HTTP/1.0", "Host: relay.test", "Transfer-Encoding: chunked"]),
        ),
    ]
}

/// Returns cases about the head's syntax.
fn writings() -> Vec<Case> {
    vec![
        ("bare line feed", 400, b"GET / HTTP/1.1\nHost: relay.test\n\n".to_vec()),
        (
            "one bare line feed",
            400,
            b"GET / HTTP/1.1\r\nHost: relay.test\nA: b\r\n\r\n".to_vec(),
        ),
        ("bare carriage return", 400, with("A: b\rTransfer-Encoding: chunked")),
        ("folded header", 400, with("A: b\r\n c")),
        (
            "folded header with a tab",
            400,
            with("A: b\r\n\tTransfer-Encoding: chunked"),
        ),
        ("nul", 400, with("A: b\0c")),
        ("nul in a name", 400, with("A\0: b")),
        ("control character", 400, with("A: b\x01c")),
        ("blank before a colon", 400, with("Content-Length : 3")),
        ("tab before a colon", 400, with("Transfer-Encoding\t: chunked")),
        ("header without a name", 400, with(": x")),
        ("header without a colon", 400, with("nonsense")),
        (
            "blank within a target",
            400,
            lines(&["GET /a b HTTP/1.1", "Host: relay.test"]),
        ),
        ("two blanks", 400, lines(&["GET  / HTTP/1.1", "Host: relay.test"])),
        ("no path", 400, lines(&["GET v1/models HTTP/1.1", "Host: relay.test"])),
        ("no version", 400, lines(&["GET /", "Host: relay.test"])),
        ("another version", 505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec()),
        ("tls", 400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n".to_vec()),
        ("long head", 431, with(&format!("A: {}", "x".repeat(70_000)))),
        (
            "endless head",
            431,
            [b"GET / HTTP/1.1\r\nA: ".to_vec(), vec![b'x'; 70_000]].concat(),
        ),
        ("endless empty lines", 431, b"\r\n".repeat(40_000)),
    ]
}

#[tokio::test]
async fn each_rule_is_answered_and_nothing_reaches_the_server() {
    let stage = Stage::new().await;
    for (name, status, request) in [askers(), framings(), writings()].concat() {
        let mut client = stage.client().await;
        client.send(&request).await;
        let answer = shown(&client.rest().await);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{name}: {answer}");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(
            head.contains("\r\nconnection: close") && head.contains("\r\ncontent-type: application/json"),
            "{name}: {head}"
        );
        assert!(
            head.contains(&format!("\r\ncontent-length: {}\r\n", body.len())),
            "{name}: {head}"
        );
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert!(
            body["error"]["message"]
                .as_str()
                .is_some_and(|message| message.len() > 10),
            "{name}: {body}"
        );
    }
    // The first request to reach the server is one that may pass.
    let (mut client, mut server) = stage.asked(&get("/v1/models")).await;
    server.send(&ok(b"x")).await;
    client.expect(&ok(b"x")).await;
}

#[tokio::test]
async fn the_loopback_names_with_the_relay_s_port_may_pass() {
    let stage = Stage::new().await;
    for host in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
        let request = format!(
            "GET / HTTP/1.1\r\nHost: {host}:{}\r\nSec-Fetch-Site: none\r\n\r\n",
            stage.address.port()
        );
        drop(stage.asked(request.as_bytes()).await);
    }
}

#[tokio::test]
async fn a_refused_head_request_gets_no_body() {
    let stage = Stage::new().await;
    for before in ["", "\r\n"] {
        let mut client = stage.client().await;
        let request = format!("{before}HEAD / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
        client.send(request.as_bytes()).await;
        let answer = shown(&client.rest().await);
        assert!(
            answer.starts_with("HTTP/1.1 421 ") && answer.ends_with("\r\n\r\n"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_refusal_is_readable_while_the_client_is_still_sending() {
    let stage = Stage::new().await;
    for _ in 0..30 {
        let mut client = stage.client().await;
        let head = "POST /v1/x HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 4000000\r\n\r\n";
        client.send(&[head.as_bytes(), &vec![b'x'; 4_000_000]].concat()).await;
        assert!(client.rest().await.starts_with(b"HTTP/1.1 421 "));
    }
}

#[tokio::test]
async fn a_request_behind_another_is_policed_as_well() {
    for bad in [b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".as_slice(), b"\0\n"] {
        let mut stage = Stage::new().await;
        let mut client = stage.client().await;
        client.send(&[post("/v1/x", b"{}"), bad.to_vec()].concat()).await;
        let mut server = stage.server().await;
        server.expect(&post("/v1/x", b"{}")).await;
        server.send(&ok(b"first")).await;
        client.expect(&ok(b"first")).await;
        assert!(client.rest().await.starts_with(b"HTTP/1.1 4"));
        drop(client);
        server.expect_gone().await;
        assert_eq!(stage.copy().await.ended, Ended::Complete);
    }
}

#[tokio::test]
async fn malformed_chunks_cut_both_sides_and_do_not_pass() {
    let head = format!("POST /v1/x HTTP/1.1\r\nHost: {NAME}\r\nTransfer-Encoding: chunked\r\n\r\n");
    let smuggled = get("/admin");
    for bad in [
        b"3\r\nabcX".as_slice(),
        b"3\nabc\r\n",
        b"0x3\r\nabc\r\n",
        b"3 \r\nabc\r\n",
        b"-1\r\n",
        b"0\r\nX: \n\r\n",
        b"g\r\n",
    ] {
        let mut stage = Stage::new().await;
        let (mut client, mut server) = stage.asked(head.as_bytes()).await;
        client.send(b"2\r\nok\r\n").await;
        server.expect(b"2\r\nok\r\n").await;
        client.send(&[bad, &smuggled].concat()).await;
        server.expect_gone().await;
        client.expect_gone().await;
        assert_eq!(stage.copy().await.ended, Ended::ClientGone, "{}", shown(bad));
    }
}

#[tokio::test]
async fn a_server_that_switches_protocols_is_not_followed() {
    let stage = Stage::new().await;
    let request = with("Connection: Upgrade\r\nUpgrade: websocket");
    let (mut client, mut server) = stage.asked(&request).await;
    server
        .send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x01x")
        .await;
    assert!(client.rest().await.starts_with(b"HTTP/1.1 502 "));
    drop(client);
    server.expect_gone().await;
}
