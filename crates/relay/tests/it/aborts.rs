//! Tests peers that go away at any moment. The other side must notice, and the exchange must record which side left.

use franz_relay::{Ended, RelayLimits};

use crate::stage::{Observer, Peer, Stage, get, ok, patiently, post, turns};
use crate::traffic::{ANSWERS_CUT, Way, client_goes, head, server_goes};

#[tokio::test]
async fn a_client_leaving_within_its_head_leaves_no_trace() {
    let mut stage = Stage::new().await;
    for way in Way::BOTH {
        for part in [
            b"".as_slice(),
            b"\r\n",
            b"GET / HT",
            b"GET / HTTP/1.1\r\nHost: relay.test\r\n",
        ] {
            let mut client = stage.client().await;
            client.send(part).await;
            turns().await;
            way.go(client);
        }
    }
    let (mut client, mut server) = stage.asked(&get("/after")).await;
    server.send(&ok(b"")).await;
    client.expect(&ok(b"")).await;
    assert_eq!(stage.copy().await.request.target(), "/after");
}

#[tokio::test]
async fn a_client_leaving_within_its_body_closes_the_servers_connection() {
    for observer in Observer::ALL {
        let mut stage = Stage::with(observer, RelayLimits::default()).await;
        for way in Way::BOTH {
            client_goes(&stage, way).await;
            if observer == Observer::Reading {
                let copy = stage.copy().await;
                assert_eq!((copy.ended, copy.request.bytes), (Ended::ClientGone, 4));
                assert!(copy.response.is_none());
            }
        }
    }
}

#[tokio::test]
async fn a_reset_by_a_waiting_client_reaches_the_server() {
    let mut stage = Stage::new().await;
    let (client, mut server) = stage.asked(&post("/v1/chat/completions", b"{}")).await;
    client.reset();
    server.expect_reset().await;
    assert_eq!(stage.copy().await.ended, Ended::ClientGone);
}

#[tokio::test]
async fn a_close_by_a_waiting_client_reaches_the_server() {
    let mut stage = Stage::new().await;
    let (client, mut server) = stage.asked(&post("/v1/chat/completions", b"{}")).await;
    drop(client);
    // As on a direct connection, the server sees that the client has stopped sending, and can still answer.
    server.expect_end().await;
    drop(server);
    let copy = stage.copy().await;
    assert!(matches!(copy.ended, Ended::ServerGone(_)), "{:?}", copy.ended);
}

#[tokio::test]
async fn a_client_that_is_gone_frees_its_place_despite_a_hung_server() {
    let mut stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&post("/v1/chat/completions", b"{}")).await;
    client.finish().await;
    server.expect_end().await;
    client.reset();
    // The server neither sends anything nor closes the connection.
    assert_eq!(stage.copy().await.ended, Ended::ClientGone);
    server.expect_gone().await;
}

#[tokio::test]
async fn half_closed_clients_make_room_when_all_places_are_taken() {
    let limits = RelayLimits {
        connections: 3,
        ..RelayLimits::default()
    };
    let mut stage = Stage::with(Observer::Reading, limits).await;
    let mut waiting = Vec::new();
    for number in 0..2 {
        let (mut client, mut server) = stage.asked(&get(&format!("/{number}"))).await;
        client.finish().await;
        server.expect_end().await;
        waiting.push((client, server));
    }
    // This client has not closed its side, so it keeps its slot whatever happens.
    waiting.push(stage.asked(&get("/whole")).await);
    let (newcomer, server) = stage.asked(&get("/new")).await;
    waiting.push((newcomer, server));
    let (mut oldest, _server) = waiting.remove(0);
    oldest.expect_end().await;
    let copy = stage.copy().await;
    assert_eq!((copy.request.target(), copy.ended), ("/0", Ended::ClientGone));
    // All other clients receive their answers.
    for (client, server) in &mut waiting {
        server.send(&ok(b"x")).await;
        client.expect(&ok(b"x")).await;
        assert_eq!(stage.copy().await.ended, Ended::Complete);
    }
    // When none of the remaining clients can be gone, the relay turns a new client away.
    let mut more = Vec::new();
    let refused = loop {
        let mut client = stage.client().await;
        client.send(&get("/more")).await;
        tokio::select! {
            server = stage.server() => more.push((client, server)),
            answer = client.rest() => break answer,
        }
    };
    assert!(refused.starts_with(b"HTTP/1.1 503 "));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn silent_peers_are_probed_by_keepalive() {
    let stage = Stage::new().await;
    let (client, server) = stage.asked(&get("/")).await;
    let port = |peer: &Peer| peer.stream.local_addr().unwrap().port();
    let relay = server.stream.peer_addr().unwrap().port();
    for (own, peer) in [(stage.address.port(), port(&client)), (relay, port(&server))] {
        // The relay's end of the connection. Timer 2, keepalive, must be running.
        let ends = format!("0100007F:{own:04X} 0100007F:{peer:04X} 01");
        let is_probed = || {
            let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
            let line = table.lines().find(|line| line.contains(&ends)).expect("the connection");
            line.split_whitespace().nth(5).unwrap().starts_with("02:")
        };
        // Another timer runs until the server's system has acknowledged the request.
        let probed = async {
            while !is_probed() {
                turns().await;
            }
        };
        patiently(probed).await;
    }
}

#[tokio::test]
async fn a_reset_behind_full_buffers_reaches_the_server() {
    let mut stage = Stage::new().await;
    let (client, mut server) = stage.asked(&head(1 << 30)).await;
    // Send until every buffer on the way is full.
    let full = async { while client.stream.try_write(&[0; 8192]).is_ok() || writable(&client).await {} };
    full.await;
    client.reset();
    let mut came = vec![0; 65536];
    let error = loop {
        match patiently(tokio::io::AsyncReadExt::read(&mut server.stream, &mut came)).await {
            Ok(0) => panic!("it is broken off, not ended"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!(stage.copy().await.ended, Ended::ClientGone);
}

/// Returns whether there is room again after the relay's tasks have run.
async fn writable(client: &Peer) -> bool {
    for _ in 0..50 {
        turns().await;
        if client.stream.try_write(&[0; 1024]).is_ok() {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn a_client_leaving_within_the_response_disconnects_the_server() {
    for way in Way::BOTH {
        let mut stage = Stage::new().await;
        let (mut client, mut server) = stage.asked(&get("/")).await;
        server.send(b"HTTP/1.1 200 OK\r\n\r\nsome").await;
        client.expect(b"HTTP/1.1 200 OK\r\n\r\nsome").await;
        way.go(client);
        // The server keeps sending until it learns that the client is gone.
        while patiently(tokio::io::AsyncWriteExt::write_all(&mut server.stream, b"more"))
            .await
            .is_ok()
        {
            turns().await;
        }
        let copy = stage.copy().await;
        assert_eq!(copy.ended, Ended::ClientGone);
        assert!(copy.response.is_some());
    }
}

#[tokio::test]
async fn a_server_that_leaves_closes_the_clients_connection() {
    for observer in Observer::ALL {
        let mut stage = Stage::with(observer, RelayLimits::default()).await;
        for way in Way::BOTH {
            for (came, name) in ANSWERS_CUT {
                server_goes(&stage, way, came).await;
                if observer == Observer::Reading {
                    let copy = stage.copy().await;
                    assert!(
                        matches!(copy.ended, Ended::ServerGone(_)),
                        "{name} {way:?}: {:?}",
                        copy.ended
                    );
                    let head = came.ends_with(b"\r\n\r\n") || came.ends_with(b"so") || came.ends_with(b"some");
                    assert_eq!(copy.response.is_some(), head, "{name}");
                }
            }
        }
    }
}

#[tokio::test]
async fn an_endless_body_that_breaks_off_does_not_look_complete() {
    let mut stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&get("/")).await;
    server.send(b"HTTP/1.1 200 OK\r\n\r\nsome").await;
    client.expect(b"HTTP/1.1 200 OK\r\n\r\nsome").await;
    server.reset();
    client.expect_reset().await;
    assert!(matches!(stage.copy().await.ended, Ended::ServerGone(_)));
}

#[tokio::test]
async fn a_server_closing_an_idle_connection_closes_the_clients() {
    let mut stage = Stage::new().await;
    for way in Way::BOTH {
        let (mut client, mut server) = stage.asked(&get("/")).await;
        server.send(&ok(b"x")).await;
        client.expect(&ok(b"x")).await;
        way.go(server);
        client.expect_end().await;
        assert_eq!(stage.copy().await.ended, Ended::Complete);
    }
}

#[tokio::test]
async fn invalid_http_passes_and_is_recorded_as_such() {
    let answers: [&[u8]; 4] = [
        b"SSH-2.0-x\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense",
        b"\0\x01\x02",
    ];
    let mut stage = Stage::new().await;
    for answer in answers {
        let (mut client, mut server) = stage.asked(&get("/")).await;
        server.send(answer).await;
        client.expect(answer).await;
        server.send(b"and more").await;
        client.expect(b"and more").await;
        drop(server);
        client.expect_end().await;
        drop(client);
        assert!(matches!(stage.copy().await.ended, Ended::ServerGone(_)));
    }
}

#[tokio::test]
async fn an_unsolicited_answer_passes_and_ends_the_connection() {
    let mut stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&get("/")).await;
    let twice = [ok(b"one"), ok(b"two")].concat();
    server.send(&twice).await;
    client.expect(&twice).await;
    client.expect_end().await;
    assert_eq!(stage.copy().await.ended, Ended::Complete);
}

#[tokio::test]
async fn a_relay_that_ends_cuts_every_connection() {
    let mut stage = Stage::new().await;
    let (mut client, mut server) = stage.asked(&get("/")).await;
    stage.cut();
    client.expect_gone().await;
    server.expect_gone().await;
    assert!(matches!(stage.copy().await.ended, Ended::ServerGone(_)));
}

#[tokio::test]
async fn an_unreachable_server_is_named() {
    let mut stage = Stage::new().await;
    let nobody = tokio::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))
        .await
        .unwrap();
    let gone = std::mem::replace(&mut stage.upstream, nobody);
    let address = gone.local_addr().unwrap();
    drop(gone);
    let mut client = stage.client().await;
    client.send(&post("/v1/chat/completions", &vec![b'x'; 1 << 20])).await;
    let answer = String::from_utf8(client.rest().await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 502 Bad Gateway\r\n"), "{answer}");
    let body: serde_json::Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    let message = body["error"]["message"].as_str().unwrap();
    assert!(
        message.contains(&address.to_string()) && message.contains("--upstream"),
        "{message}"
    );
    let copy = stage.copy().await;
    assert!(matches!(copy.ended, Ended::Unreachable(_)) && copy.response.is_none());
    assert_eq!(copy.request.target(), "/v1/chat/completions");
}
