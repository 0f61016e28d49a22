//! Tests that copies never slow down the traffic, and never use more memory than they may.

use franz_relay::exchange::{BODY_BYTES, QUEUE_BYTES};
use franz_relay::{Copied, Copy, Ended, RelayLimits};

use crate::stage::{NAME, Observer, Stage, get, ok, patiently, post};

#[tokio::test]
async fn a_body_that_is_too_long_passes_without_a_copy() {
    let mut stage = Stage::new().await;
    let length = BODY_BYTES + 1;
    let head = format!("POST /v1/x HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: {length}\r\n\r\n");
    let (mut client, mut server) = stage.asked(head.as_bytes()).await;
    let block = vec![b'x'; 1 << 20];
    for _ in 0..length >> 20 {
        let mut came = vec![0; block.len()];
        let ((), read) = tokio::join!(
            client.send(&block),
            tokio::io::AsyncReadExt::read_exact(&mut server.stream, &mut came)
        );
        assert!(read.is_ok() && came == block);
    }
    client.send(b"x").await;
    server.expect(b"x").await;
    server.send(&ok(b"x")).await;
    client.expect(&ok(b"x")).await;
    let copy = stage.copy().await;
    assert_eq!((copy.request.body, copy.request.bytes), (Copy::Dropped, length as u64));
    assert_eq!(copy.response.unwrap().payload().as_deref(), Ok(b"x".as_slice()));
    assert_eq!((copy.ended, stage.queue.dropped()), (Ended::Complete, 1));
}

#[tokio::test]
async fn a_request_is_copied_at_once_and_takes_no_extra_room() {
    let mut stage = Stage::new().await;
    let request = post("/v1/x", &vec![b'x'; 1 << 20]);
    let (first, rest) = request.split_at(request.len() / 2);
    let (mut client, mut server) = stage.asked(first).await;
    client.send(rest).await;
    server.expect(rest).await;
    let reader = stage.hand_over_reader();
    let next = move || (reader.next_copy(), reader);
    // The server has not answered yet.
    let (copied, reader) = patiently(tokio::task::spawn_blocking(next)).await.unwrap();
    let Some(Copied::Request(sent)) = copied else {
        panic!("{copied:?}")
    };
    server.send(&ok(b"x")).await;
    client.expect(&ok(b"x")).await;
    let next = move || reader.next_copy();
    let copied = patiently(tokio::task::spawn_blocking(next)).await.unwrap();
    let Some(Copied::Exchange(exchange)) = copied else {
        panic!("{copied:?}")
    };
    assert_eq!(
        (sent.id, sent.connection, sent.started),
        (exchange.id, exchange.connection, exchange.started)
    );
    let bytes = [&sent.message, &exchange.request].map(|message| message.payload().unwrap().as_ptr());
    assert_eq!(bytes[0], bytes[1], "both copies share their bytes");
}

#[tokio::test]
async fn bodies_still_being_collected_count_towards_the_limit() {
    let mut stage = Stage::new().await;
    let body = vec![b'x'; 10 << 20];
    let request = post("/v1/x", &body);
    let mut under_way = Vec::new();
    for _ in 0..10 {
        let mut client = stage.client().await;
        let sent = request.clone();
        let sending = tokio::spawn(async move {
            client.send(&sent).await;
            client
        });
        let mut server = stage.server().await;
        server.expect(&request).await;
        under_way.push((sending.await.unwrap(), server));
    }
    let mut kept = 0;
    for (mut client, mut server) in under_way {
        server.send(&ok(b"x")).await;
        client.expect(&ok(b"x")).await;
        match stage.copy().await.request.body {
            Copy::Whole(body) => kept += body.len(),
            Copy::Dropped => {}
        }
    }
    assert_eq!(kept, 6 * body.len(), "as many as fit in {QUEUE_BYTES}");
    assert_eq!(stage.queue.dropped(), 4);
    let (mut client, mut server) = stage.asked(&request[..request.len() - body.len() + 4]).await;
    client.send(b"rest").await;
    server.expect(b"rest").await;
    drop(client);
    assert_eq!(
        stage.copy().await.request.body,
        Copy::Whole(b"xxxxrest".as_slice().into()),
        "there is room again"
    );
}

#[tokio::test]
async fn an_exchange_that_does_not_fit_is_reported_without_its_bodies() {
    let mut stage = Stage::with(Observer::Full, RelayLimits::default()).await;
    let (mut client, mut server) = stage.asked(&post("/v1/x", b"{}")).await;
    server.send(&ok(b"x")).await;
    client.expect(&ok(b"x")).await;
    // The exchange that filled the queue comes first.
    assert_eq!(stage.copy().await.id, 0);
    let copy = stage.copy().await;
    let response = copy.response.unwrap();
    assert_eq!((copy.id, copy.request.body, copy.request.bytes), (1, Copy::Dropped, 2));
    assert_eq!(
        (response.status(), response.body, response.bytes),
        (Some(200), Copy::Dropped, 1)
    );
    assert_eq!(stage.queue.dropped(), 1);
}

#[tokio::test]
async fn an_exchange_says_how_long_it_took() {
    let mut stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&get("/")).await;
    server.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n").await;
    client.expect(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n").await;
    let pause = std::time::Duration::from_millis(20);
    tokio::time::sleep(pause).await;
    server.send(b"x").await;
    client.expect(b"x").await;
    let copy = stage.copy().await;
    let first = copy.first_byte.unwrap();
    assert!(
        copy.sent <= first && first + pause <= copy.whole + std::time::Duration::from_millis(1),
        "{copy:?}"
    );
    assert!(copy.started.as_millisecond() <= jiff::Timestamp::now().as_millisecond());
}
