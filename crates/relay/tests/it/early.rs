//! Tests a server that answers while the request is still being sent.

use std::time::Duration;

use franz_relay::{Ended, Message, RelayLimits};
use tokio::io::AsyncWriteExt as _;

use crate::stage::{Observer, Stage, ok, patiently, shown};
use crate::traffic::head;

const TOO_LARGE: &[u8] = b"HTTP/1.1 413 Payload Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";

#[tokio::test]
async fn a_refusal_arrives_even_if_the_server_hangs_up() {
    let endless = b"HTTP/1.1 413 Payload Too Large\r\n\r\nall of it".as_slice();
    for answer in [TOO_LARGE, endless] {
        let mut stage = Stage::new().await;
        for round in 0..30 {
            let head = head(8 << 20);
            let (mut client, mut server) = stage.asked(&head).await;
            let sending = tokio::spawn(async move {
                client.send(&vec![b'x'; 8 << 20]).await;
                client
            });
            server.expect(b"xxxx").await;
            server.send(answer).await;
            // Because part of the request is unread, the server's system resets the connection.
            drop(server);
            let mut client = patiently(sending).await.unwrap();
            assert_eq!(shown(&client.rest().await), shown(answer), "{round}");
            let copy = stage.copy().await;
            assert_eq!(copy.response.as_ref().and_then(Message::status), Some(413));
            assert!(matches!(copy.ended, Ended::ServerGone(_)), "{:?}", copy.ended);
        }
    }
}

#[tokio::test]
async fn a_refusal_is_seen_while_the_client_is_still_sending() {
    let stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&head(100)).await;
    server.send(TOO_LARGE).await;
    client.expect(TOO_LARGE).await;
    client.send(b"more").await;
    server.expect(b"more").await;
}

#[tokio::test]
async fn a_server_that_reads_on_keeps_its_connection() {
    let mut stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&head(4)).await;
    server.send(&ok(b"early")).await;
    client.expect(&ok(b"early")).await;
    client.send(b"late").await;
    server.expect(b"late").await;
    assert_eq!(stage.copy().await.ended, Ended::Complete);
    client.send(&head(0)).await;
    server.expect(&head(0)).await;
    server.send(&ok(b"again")).await;
    client.expect(&ok(b"again")).await;
}

#[tokio::test]
async fn a_client_that_sends_endlessly_is_cut_off() {
    let short = RelayLimits {
        drain: Duration::from_millis(50),
        ..RelayLimits::default()
    };
    let few = RelayLimits {
        drain_bytes: 1 << 20,
        ..RelayLimits::default()
    };
    for limits in [short, few] {
        let mut stage = Stage::with(Observer::Reading, limits).await;
        let (mut client, mut server) = stage.asked(&head(1 << 30)).await;
        server.send(TOO_LARGE).await;
        client.expect(TOO_LARGE).await;
        let reading = tokio::spawn(async move {
            // The server reads everything it receives and never hangs up.
            let _ = tokio::io::copy(&mut server.stream, &mut tokio::io::sink()).await;
        });
        let endless = async { while client.stream.write_all(&[b'x'; 4096]).await.is_ok() {} };
        patiently(endless).await;
        patiently(reading).await.unwrap();
        assert!(matches!(stage.copy().await.ended, Ended::ServerGone(_)));
    }
}
