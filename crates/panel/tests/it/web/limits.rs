//! Tests of how much clients can request, how slow they can be, and how many there can be.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::web::site::{Recorder, Site, TOKEN};
use crate::web::wire;

async fn site() -> (Recorder, Site) {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    (recorder, site)
}

/// Returns everything that arrives until the server closes the connection, and how long that takes.
async fn rest(mut stream: TcpStream) -> (wire::Reply, Duration) {
    let start = Instant::now();
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all).await;
    (wire::read(&all), start.elapsed())
}

#[tokio::test]
async fn a_head_is_bounded() {
    let (_recorder, site) = site().await;
    for (bytes, status) in [(20 << 10, 200), (40 << 10, 431), (2 << 20, 431)] {
        let reply = site
            .ask("GET", "/api/state", &[("X-Long", &"x".repeat(bytes))], b"")
            .await;
        // If more is sent after a refused head, the response might get lost.
        assert!(
            reply.status == status || (bytes > 1 << 20 && reply.status == 0),
            "{bytes}: {}",
            reply.status
        );
    }
    let many: Vec<(&str, &str)> = vec![("X-Many", "1"); 500];
    assert_eq!(site.ask("GET", "/api/state", &many, b"").await.status, 431);
    assert_eq!(site.get(&format!("/{}", "x".repeat(60 << 10))).await.status / 100, 4);
    assert_eq!(site.get("/api/state").await.status, 200);
}

#[tokio::test]
async fn a_body_is_bounded() {
    let (_recorder, site) = site().await;
    let headers = [("Content-Type", "application/json"), ("If-Match", "h1")];
    let body = |bytes: usize| format!(r#"{{"do":"set","key":"a","value":"{}"}}"#, "x".repeat(bytes));
    for (bytes, status) in [(60_000, 200), (66_000, 413)] {
        let reply = site.ask("POST", "/api/control", &headers, body(bytes).as_bytes()).await;
        assert_eq!(reply.status, status, "{bytes}");
    }
    // This request does not say in advance how long it is.
    let head = format!(
        "POST /api/control HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        site.address
    );
    let chunk = format!("8000\r\n{}\r\n", "x".repeat(0x8000)).repeat(3);
    let reply = site.raw(format!("{head}{chunk}0\r\n\r\n").as_bytes()).await;
    assert_eq!(reply.status, 413);
    // A request that announces too many bytes is refused immediately, even if it never sends them.
    let head = head.replace("Transfer-Encoding: chunked", "Content-Length: 99999999999");
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let (reply, _) = timeout(Duration::from_secs(20), rest(stream)).await.unwrap();
    assert_eq!(reply.status, 413);
}

#[tokio::test(start_paused = true)]
async fn slow_clients_are_dropped_after_ten_seconds() {
    let (_recorder, site) = site().await;
    let post = format!(
        "POST /api/control HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Content-Length: 20\r\nConnection: close\r\n\r\n{{\"do\"",
        site.address
    );
    let begun = [
        ("", 0),
        ("GET / HT", 0),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nX: ", 0),
        (&*post, 408),
    ];
    for (text, status) in begun {
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        // The paused clock advances whenever nothing else is running.
        let (reply, took) = rest(stream).await;
        assert_eq!(reply.status, status, "{text}");
        assert!((9..=11).contains(&took.as_secs()), "{text}: {took:?}");
    }
}

#[tokio::test]
async fn excess_connections_are_refused_until_a_place_is_free() {
    let (_recorder, site) = site().await;
    let mut idle = Vec::new();
    let turned_away = async {
        loop {
            let mut stream = TcpStream::connect(site.address).await.unwrap();
            let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", site.address);
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).await.unwrap();
            match &answer {
                b"HTTP/1.1 200" => idle.push(stream),
                _ => return (answer, stream),
            }
        }
    };
    let (answer, stream) = timeout(Duration::from_secs(20), turned_away).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 503");
    assert_eq!(idle.len(), 256);
    let mut rest = String::new();
    { stream }.read_to_string(&mut rest).await.unwrap();
    let (head, body) = rest.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{rest}");
    drop(idle);
    let free_again = async {
        while site.get("/healthz").await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), free_again).await.unwrap();
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let (_recorder, site) = site().await;
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", site.address);
    let last = request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    stream
        .write_all(format!("{}{last}", request.repeat(3)).as_bytes())
        .await
        .unwrap();
    let mut all = String::new();
    stream.read_to_string(&mut all).await.unwrap();
    assert_eq!(all.matches("HTTP/1.1 200 OK").count(), 4);
}

#[tokio::test]
async fn a_connection_stays_open_only_if_the_answer_says_so() {
    let (_recorder, site) = site().await;
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    let post = |more: &str| format!("{more}Content-Type: application/json\r\nContent-Length: 14\r\n");
    let cases = [
        ("GET /healthz HTTP/1.1", String::new(), "", 200, true),
        ("HEAD /healthz HTTP/1.1", String::new(), "", 200, true),
        (
            "GET /healthz HTTP/1.1",
            "Connection: close\r\n".to_owned(),
            "",
            200,
            false,
        ),
        ("GET /healthz HTTP/1.0", String::new(), "", 200, false),
        (
            "GET /healthz HTTP/1.0",
            "Connection: keep-alive\r\n".to_owned(),
            "",
            200,
            true,
        ),
        (
            "GET /healthz HTTP/1.1",
            "Content-Length: 5\r\n".to_owned(),
            "",
            200,
            false,
        ),
        (
            "GET /healthz HTTP/1.1",
            "Content-Length: 5\r\n".to_owned(),
            "12345",
            200,
            false,
        ),
        ("GET / HTTP/1.1", String::new(), "", 401, true),
        ("GET /api/state HTTP/1.1", String::new(), "", 401, true),
        ("POST /api/control HTTP/1.1", post(""), r#"{"do":"pause"}"#, 401, false),
        ("POST /api/control HTTP/1.1", post(""), "", 401, false),
        (
            "POST /api/control HTTP/1.1",
            post(&bearer),
            r#"{"do":"pause"}"#,
            200,
            true,
        ),
        (
            "POST /api/control HTTP/1.1",
            post(&bearer),
            r#"{"do":"dance"}"#,
            400,
            true,
        ),
        (
            "PUT /healthz HTTP/1.1",
            "Content-Length: 5\r\n".to_owned(),
            "",
            405,
            false,
        ),
        (
            "GET /healthz HTTP/1.1",
            "Origin: http://evil.example\r\n".to_owned(),
            "",
            403,
            true,
        ),
    ];
    for (start, headers, body, status, goes_on) in cases {
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        let host = format!("Host: {}\r\n", site.address);
        stream
            .write_all(format!("{start}\r\n{host}{headers}\r\n{body}").as_bytes())
            .await
            .unwrap();
        let mut came = Vec::new();
        while !came.ends_with(b"\r\n\r\n") {
            came.push(stream.read_u8().await.unwrap());
        }
        let first = wire::read(&came);
        assert_eq!(first.status, status, "{start} {headers}");
        let closes = first.header("connection").eq_ignore_ascii_case("close");
        let is_old = start.ends_with("1.0") && !first.header("connection").eq_ignore_ascii_case("keep-alive");
        assert_eq!(!(closes || is_old), goes_on, "{start} {headers}: {}", first.head);
        // A server that has announced that it will close the connection accepts nothing more. Otherwise, it must answer
        // again.
        let next = format!("GET /healthz HTTP/1.1\r\n{host}Connection: close\r\n\r\n");
        let _ = stream.write_all(next.as_bytes()).await;
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        let answers = String::from_utf8_lossy(&rest).matches("HTTP/1.1 200 OK").count();
        assert_eq!(
            answers,
            usize::from(goes_on),
            "{start} {headers}: {}",
            String::from_utf8_lossy(&rest)
        );
    }
}

#[tokio::test]
async fn invalid_http_is_refused() {
    let (_recorder, site) = site().await;
    let hostile: [&[u8]; 6] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS greeting\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n X: folded\r\n\r\n",
        b"POST /api/control HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ];
    for bytes in hostile {
        let reply = timeout(Duration::from_secs(20), site.raw(bytes)).await.unwrap();
        assert!(
            matches!(reply.status, 0 | 400),
            "{:?}: {}",
            String::from_utf8_lossy(bytes),
            reply.status
        );
    }
    assert_eq!(site.get("/healthz").await.status, 200);
}
