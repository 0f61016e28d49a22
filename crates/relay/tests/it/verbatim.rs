//! Compares raw exchanges byte for byte in both directions, whether or not the copies are read, and however the
//! exchanges are split.

use franz_relay::{Copy, Ended, Message, RelayLimits};

use crate::exchanges::{Case, answer, cases, requests, with};
use crate::stage::{Observer, Stage, get, ok, post, turns};
use crate::traffic;

#[tokio::test]
async fn traffic_is_relayed_unchanged_under_every_observer() {
    assert!(cases().len() >= 30);
    for observer in Observer::ALL {
        eprintln!("{observer:?}");
        traffic::every_case(&Stage::with(observer, RelayLimits::default()).await).await;
    }
}

#[tokio::test]
async fn every_exchange_is_copied_as_it_was() {
    let mut stage = Stage::new().await;
    for (index, case) in cases().into_iter().enumerate() {
        let (mut client, mut server) = stage.asked(&case.request).await;
        server.send(&case.response).await;
        client.expect(&case.response).await;
        drop(server);
        client.expect_end().await;
        drop(client);
        let copy = stage.copy().await;
        assert_eq!(
            (copy.id, copy.connection),
            (index as u64 + 1, index as u64 + 1),
            "{}",
            case.name
        );
        assert_eq!(copy.ended, Ended::Complete, "{}", case.name);
        assert!(
            copy.first_byte
                .is_some_and(|first| copy.sent <= first && first <= copy.whole),
            "{}",
            case.name
        );
        let copied = |message: &Message| match &message.body {
            Copy::Whole(body) => {
                assert_eq!(body.len() as u64, message.bytes);
                [message.head.as_ref(), body].concat()
            }
            Copy::Dropped => panic!("{} was not copied", case.name),
        };
        assert!(case.request.ends_with(&copied(&copy.request)), "{}", case.name);
        assert!(
            case.response.ends_with(&copied(copy.response.as_ref().unwrap())),
            "{}",
            case.name
        );
    }
    assert_eq!(stage.queue.dropped(), 0);
}

#[tokio::test]
async fn bytes_sent_one_by_one_pass() {
    let stage = Stage::new().await;
    for case in cases()
        .into_iter()
        .filter(|case| case.request.len() + case.response.len() < 2000)
    {
        let mut client = stage.client().await;
        for byte in &case.request {
            client.send(&[*byte]).await;
            turns().await;
        }
        let mut server = stage.server().await;
        server.expect(&case.request).await;
        for byte in &case.response {
            server.send(&[*byte]).await;
            client.expect(&[*byte]).await;
        }
        drop(server);
        client.expect_end().await;
    }
}

#[tokio::test]
async fn a_cut_at_every_byte_changes_nothing() {
    let chunked = with("Transfer-Encoding: chunked\r\n", b"3;x\r\nabc\r\n0\r\nT: 1\r\n\r\n");
    let response = answer("Transfer-Encoding: chunked\r\n", b"3;x\r\nabc\r\n0\r\nT: 1\r\n\r\n");
    let mut stage = Stage::new().await;
    for place in 0..chunked.len() {
        let mut client = stage.client().await;
        client.send_cut(&chunked, place).await;
        let mut server = stage.server().await;
        server.expect(&chunked).await;
        server.send_cut(&response, place.min(response.len())).await;
        client.expect(&response).await;
        drop(client);
        let copy = stage.copy().await;
        assert_eq!(copy.ended, Ended::Complete, "{place}");
        assert_eq!(copy.request.payload().as_deref(), Ok(b"abc".as_slice()));
        assert_eq!(copy.response.unwrap().payload().as_deref(), Ok(b"abc".as_slice()));
    }
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let mut stage = Stage::new().await;
    let first = post("/v1/x", b"one");
    let (mut client, mut server) = stage.asked(&first).await;
    server.send(&ok(b"1")).await;
    client.expect(&ok(b"1")).await;
    for case in requests() {
        client.send(&case.request).await;
        server.expect(&case.request).await;
        server.send(&case.response).await;
        client.expect(&case.response).await;
    }
    for id in 1..=requests().len() as u64 + 1 {
        let copy = stage.copy().await;
        assert_eq!((copy.id, copy.connection, copy.ended), (id, 1, Ended::Complete));
    }
}

#[tokio::test]
async fn pipelined_requests_are_accepted() {
    let mut stage = Stage::new().await;
    let cases: Vec<Case> = requests().into_iter().take(16).collect();
    let all: Vec<u8> = cases.iter().flat_map(|case| case.request.clone()).collect();
    let (mut client, mut server) = stage.asked(&all).await;
    let answers: Vec<u8> = cases.iter().flat_map(|case| case.response.clone()).collect();
    server.send(&answers).await;
    client.expect(&answers).await;
    for case in &cases {
        let copy = stage.copy().await;
        let Copy::Whole(body) = &copy.request.body else {
            panic!("{} was not copied", case.name)
        };
        assert!(
            case.request.ends_with(&[copy.request.head.as_ref(), body].concat()),
            "{}",
            case.name
        );
        assert_eq!(copy.ended, Ended::Complete);
    }
}

#[tokio::test]
async fn a_hundred_requests_at_once_wait_for_each_other() {
    let stage = Stage::new().await;
    let all: Vec<u8> = (0..100).flat_map(|number| get(&format!("/{number}"))).collect();
    let mut client = stage.client().await;
    client.send(&all).await;
    let mut server = stage.server().await;
    for number in 0..100 {
        server.expect(&get(&format!("/{number}"))).await;
        server.send(&ok(b"x")).await;
        client.expect(&ok(b"x")).await;
    }
}

#[tokio::test]
async fn a_client_may_stop_sending_and_listen() {
    let mut stage = Stage::new().await;
    for request in [
        get("/"),
        post("/v1/chat/completions", b"{}"),
        [get("/a"), get("/b")].concat(),
    ] {
        let (mut client, mut server) = stage.asked(&request).await;
        client.finish().await;
        server.expect_end().await;
        let response = if request.starts_with(b"GET /a") {
            [ok(b"a"), ok(b"b")].concat()
        } else {
            ok(b"x")
        };
        server.send(&response).await;
        client.expect(&response).await;
        client.expect_end().await;
        assert_eq!(stage.copy().await.ended, Ended::Complete);
    }
}

#[tokio::test]
async fn a_client_may_stop_sending_after_an_empty_line() {
    let mut stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&post("/v1/chat/completions", b"{}")).await;
    client.send(b"\r\n").await;
    client.finish().await;
    server.expect_end().await;
    server.send(&ok(b"x")).await;
    client.expect(&ok(b"x")).await;
    client.expect_end().await;
    assert_eq!(stage.copy().await.ended, Ended::Complete);
}

#[tokio::test]
async fn ten_megabytes_pass_both_ways() {
    for observer in Observer::ALL {
        eprintln!("{observer:?}");
        traffic::ten_megabytes(&Stage::with(observer, RelayLimits::default()).await).await;
    }
}

#[tokio::test]
async fn a_100_continue_is_forwarded_at_once() {
    let stage = Stage::new().await;
    let head = with("Content-Length: 3\r\nExpect: 100-continue\r\n", b"");
    let (mut client, mut server) = stage.asked(&head).await;
    server.send(b"HTTP/1.1 100 Continue\r\n\r\n").await;
    client.expect(b"HTTP/1.1 100 Continue\r\n\r\n").await;
    client.send(b"abc").await;
    server.expect(b"abc").await;
    server.send(&ok(b"x")).await;
    client.expect(&ok(b"x")).await;
}
