//! Raw exchanges, compared byte for byte both ways, whoever watches and however they are cut.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use franz_panel::exchange::Ended;
use franz_panel::relay::Limits;

use crate::stage::{NAME, Observer, Stage, get, ok, patiently, post, turns};

/// One exchange: what the client sends, what the server answers, whether the server then closes.
struct Case {
    name: &'static str,
    request: Vec<u8>,
    response: Vec<u8>,
    closes: bool,
}

fn case(name: &'static str, request: impl Into<Vec<u8>>, response: impl Into<Vec<u8>>) -> Case {
    Case {
        name,
        request: request.into(),
        response: response.into(),
        closes: false,
    }
}

fn closing(name: &'static str, response: impl Into<Vec<u8>>) -> Case {
    Case {
        closes: true,
        ..case(name, get("/"), response)
    }
}

fn with(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("POST /v1/x HTTP/1.1\r\nHost: {NAME}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

fn answer(headers: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body].concat()
}

fn requests() -> Vec<Case> {
    let obs_text = [b"X-Name: \xe9\xff\x80\r\nContent-Length: 0\r\n".as_slice()].concat();
    let odd_bytes: Vec<u8> = (0..=255).collect();
    vec![
        case("plain", get("/v1/models"), ok(b"{}")),
        case(
            "odd case",
            with("cOnTeNt-LeNgTh: 2\r\nX-fRaNz-TURN: 7\r\n", b"{}"),
            ok(b"{}"),
        ),
        case(
            "order and duplicates",
            with("B: 1\r\nA: 2\r\nB: 3\r\nb: 4\r\nContent-Length: 0\r\n", b""),
            ok(b""),
        ),
        case(
            "odd blanks in headers",
            with("A:\t x \t\r\nB:\r\nC:    \r\nContent-Length:2  \r\n", b"{}"),
            ok(b""),
        ),
        case(
            "unknown method",
            format!("BREW /pot-1 HTTP/1.1\r\nHost: {NAME}\r\n\r\n"),
            ok(b""),
        ),
        case(
            "odd target",
            format!("GET //a/../b%00?x=%zz&y={{|}}#f HTTP/1.1\r\nHost: {NAME}\r\n\r\n"),
            ok(b""),
        ),
        case(
            "absolute target",
            format!("GET http://{NAME}/v1/x HTTP/1.1\r\nHost: {NAME}\r\n\r\n"),
            ok(b""),
        ),
        case(
            "asterisk",
            format!("OPTIONS * HTTP/1.1\r\nHost: {NAME}\r\n\r\n"),
            ok(b""),
        ),
        case(
            "obs-text",
            [
                format!("GET / HTTP/1.1\r\nHost: {NAME}\r\n").as_bytes(),
                &obs_text,
                b"\r\n",
            ]
            .concat(),
            ok(b""),
        ),
        case("empty lines before", [b"\r\n\r\n".to_vec(), get("/")].concat(), ok(b"")),
        case("every byte in a body", post("/v1/x", &odd_bytes), ok(&odd_bytes)),
        case("a request within a body", post("/v1/x", &get("/admin")), ok(&ok(b"x"))),
        case(
            "chunks with extensions and trailers",
            with(
                "Transfer-Encoding: chunked\r\nTrailer: X\r\n",
                b"3;a=\"b\";c\r\nabc\r\n00a\r\n0123456789\r\n0;z\r\nX: 1\r\nY:\t2\r\n\r\n",
            ),
            ok(b"ok"),
        ),
        case(
            "no chunk but the last",
            with("Transfer-Encoding: CHUNKED\r\n", b"0\r\n\r\n"),
            ok(b""),
        ),
        case(
            "connection headers",
            with(
                "Connection: keep-alive, X\r\nX: 1\r\nKeep-Alive: 5\r\nContent-Length: 0\r\n",
                b"",
            ),
            ok(b""),
        ),
        case(
            "an upgrade not taken",
            with("Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n", b""),
            ok(b""),
        ),
        case(
            "proxy headers",
            with(
                "Via: x\r\nForwarded: for=x\r\nProxy-Authorization: x\r\nTE: trailers\r\nContent-Length: 0\r\n",
                b"",
            ),
            ok(b""),
        ),
        case(
            "old",
            format!("GET / HTTP/1.0\r\nHost: {NAME}\r\n\r\n"),
            "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
        ),
        case(
            "old without a host",
            "GET / HTTP/1.0\r\n\r\n",
            "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
        ),
        case(
            "many headers",
            with(&("X: 1\r\n".repeat(2000) + "Content-Length: 1\r\n"), b"x"),
            ok(b""),
        ),
        case(
            "a cookie",
            with("Cookie: a=b\r\nAuthorization: Bearer x\r\nContent-Length: 0\r\n", b""),
            ok(b""),
        ),
    ]
}

fn responses() -> Vec<Case> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(b"{\"a\": 1}").unwrap();
    let gzip = gzip.finish().unwrap();
    let head = format!("HEAD / HTTP/1.1\r\nHost: {NAME}\r\n\r\n");
    let zipped = format!("Content-Encoding: gzip\r\nContent-Length: {}\r\n", gzip.len());
    let many = "Set-Cookie: a=b\r\n".repeat(3000) + "Content-Length: 0\r\n";
    vec![
        case("gzip", get("/"), answer(&zipped, &gzip)),
        case(
            "chunks",
            get("/"),
            answer(
                "Transfer-Encoding: chunked\r\n",
                b"5;x\r\nhello\r\n0\r\nDigest: x\r\n\r\n",
            ),
        ),
        case(
            "padded chunks",
            get("/"),
            answer("Transfer-Encoding: chunked\r\n", b"5  \r\nhello\r\n0 \r\n\r\n"),
        ),
        case(
            "both lengths",
            get("/"),
            answer("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
        ),
        case(
            "an equal length twice",
            get("/"),
            answer("Content-Length: 1\r\ncontent-length: 1\r\n", b"x"),
        ),
        case("no reason", get("/"), "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
        case(
            "an empty reason",
            get("/"),
            "HTTP/1.1 599 \r\nContent-Length: 0\r\n\r\n",
        ),
        case(
            "an odd status",
            get("/"),
            "HTTP/1.1 999 Qu\u{e9}\r\nContent-Length: 0\r\n\r\n",
        ),
        case(
            "bare line feeds",
            get("/"),
            "HTTP/1.1 200 OK\nContent-Length: 1\nA:b\n\nx",
        ),
        case(
            "blanks before colons",
            get("/"),
            "HTTP/1.1 200 OK\r\nContent-Length : 1\r\nB\t:x\r\n\r\nx",
        ),
        case(
            "a folded header",
            get("/"),
            "HTTP/1.1 200 OK\r\nA: b\r\n  c\r\nContent-Length: 1\r\n\r\nx",
        ),
        case(
            "a header without a colon",
            get("/"),
            "HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 1\r\n\r\nx",
        ),
        case(
            "no content",
            get("/"),
            "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n",
        ),
        case(
            "not modified",
            get("/"),
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\nETag: x\r\n\r\n",
        ),
        case("to a HEAD", head, "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n"),
        case("many headers back", get("/"), answer(&many, b"")),
        case(
            "early hints",
            get("/"),
            [
                b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 P\r\n\r\n".to_vec(),
                ok(b"x"),
            ]
            .concat(),
        ),
        case(
            "a redirect is not followed",
            get("/"),
            "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n",
        ),
        case(
            "an error",
            post("/v1/x", b"{}"),
            "HTTP/1.1 500 x\r\nContent-Length: 2\r\n\r\n{}",
        ),
        closing("until the end", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it"),
        closing("old until the end", "HTTP/1.0 200 OK\r\n\r\nall of it"),
        closing("a length, then the end", ok(b"all of it")),
        closing("an unknown coding", answer("Transfer-Encoding: gzip\r\n", b"all of it")),
    ]
}

fn cases() -> Vec<Case> {
    requests().into_iter().chain(responses()).collect()
}

#[tokio::test]
async fn whatever_is_sent_comes_out_at_the_other_end_whoever_watches() {
    assert!(cases().len() >= 30);
    for observer in Observer::ALL {
        let stage = Stage::with(observer, Limits::default()).await;
        for case in cases() {
            eprintln!("{} {observer:?}", case.name);
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
        let copied = |message: &franz_panel::Message| match &message.body {
            franz_panel::Copy::Whole(body) => {
                assert_eq!(body.len() as u64, message.bytes);
                [message.head.as_ref(), body].concat()
            }
            franz_panel::Copy::Dropped => panic!("{} was not copied", case.name),
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
async fn bytes_that_come_one_by_one_pass() {
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
async fn requests_may_come_all_at_once() {
    let mut stage = Stage::new().await;
    let cases: Vec<Case> = requests().into_iter().take(16).collect();
    let all: Vec<u8> = cases.iter().flat_map(|case| case.request.clone()).collect();
    let (mut client, mut server) = stage.asked(&all).await;
    let answers: Vec<u8> = cases.iter().flat_map(|case| case.response.clone()).collect();
    server.send(&answers).await;
    client.expect(&answers).await;
    for case in &cases {
        let copy = stage.copy().await;
        let franz_panel::Copy::Whole(body) = &copy.request.body else {
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
async fn ten_megabytes_pass_both_ways() {
    for observer in Observer::ALL {
        let stage = Stage::with(observer, Limits::default()).await;
        let body: Vec<u8> = (0..10_u32 << 20).map(|place| (place % 251) as u8).collect();
        let (request, response) = (post("/v1/x", &body), ok(&body));
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
}

#[tokio::test]
async fn a_server_that_is_asked_to_go_on_says_so_at_once() {
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
