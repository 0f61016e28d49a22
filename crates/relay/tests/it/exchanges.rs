//! Raw exchanges of every kind.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::stage::{NAME, get, ok, post};

/// The target of most requests, chosen so that an observer looks at them closely.
pub(crate) const CHAT: &str = "/v1/chat/completions";

/// One exchange: the client's request, the server's answer, and whether the server then closes the connection.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) request: Vec<u8>,
    pub(crate) response: Vec<u8>,
    pub(crate) closes: bool,
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

pub(crate) fn with(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("POST {CHAT} HTTP/1.1\r\nHost: {NAME}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

pub(crate) fn answer(headers: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body].concat()
}

pub(crate) fn requests() -> Vec<Case> {
    plain_requests().into_iter().chain(odd_requests()).collect()
}

fn plain_requests() -> Vec<Case> {
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
        case("every byte in a body", post(CHAT, &odd_bytes), ok(&odd_bytes)),
        case("a request within a body", post(CHAT, &get("/admin")), ok(&ok(b"x"))),
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
    ]
}

/// Returns requests with headers that a proxy would act on, and requests of old clients.
fn odd_requests() -> Vec<Case> {
    vec![
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
            post(CHAT, b"{}"),
            "HTTP/1.1 500 x\r\nContent-Length: 2\r\n\r\n{}",
        ),
        closing("until the end", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it"),
        closing("old until the end", "HTTP/1.0 200 OK\r\n\r\nall of it"),
        closing("a length, then the end", ok(b"all of it")),
        closing("an unknown coding", answer("Transfer-Encoding: gzip\r\n", b"all of it")),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    requests().into_iter().chain(responses()).collect()
}
