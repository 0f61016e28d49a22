//! Measures the memory that the verifier needs to read an exchange. It must not exceed four times the size of the
//! copied data, whatever the data contains.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use franz_chat::Bytes;
use franz_panel::Verdict;
use franz_panel::verify::Verifier;
use franz_relay::{Copy, Ended, Exchange, Message};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Allows one measurement at a time, because all threads allocate from the same memory.
static MEASURING: Mutex<()> = Mutex::new(());

const MB: usize = 1 << 20;
/// How many bytes are allowed on top of four times the length.
const BESIDES: usize = MB / 2;

const STORY: &str = r#"{"choices":[{"message":{"content":""#;
const CALLS: &str = r#"{"choices":[{"message":{"content":null,"tool_calls":["#;
const CHAT: &str = r#"{"messages":["#;
const DELTA: &str = r#"data: {"choices":[{"index":0,"delta":{"content":""#;

/// The beginning of a body, and the piece that is repeated after it. Few of these bodies are complete, because a body
/// is read as far as possible.
const BODIES: [(&str, &str); 24] = [
    ("", "["),
    ("", "{\"a\":"),
    ("[", "1,"),
    ("{", "\"a\":1,"),
    ("{\"choices\":[", "{},"),
    ("{\"choices\":[", "{\"message\":{}},"),
    (STORY, "a"),
    (STORY, "\\n"),
    (STORY, "\\ud83d\\ude00"),
    (STORY, "\\u0000"),
    (CALLS, "{},"),
    (
        CALLS,
        "{\"id\":\"a\",\"function\":{\"name\":\"a\",\"arguments\":\"{}\"}},",
    ),
    (CHAT, "{\"role\":\"user\",\"content\":\"a\"},"),
    (
        CHAT,
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]},",
    ),
    (CHAT, "1,"),
    ("{\"error\":\"", "a"),
    ("", "data: {}\n\n"),
    ("", "data:\n"),
    ("", "\r"),
    ("", ": a\n\n"),
    (DELTA, "a"),
    (
        "",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n",
    ),
    (
        "",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"a\"}}]}\n\n",
    ),
    (
        "",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"a\"}}]}}]}\n\n",
    ),
];

fn message(head: &str, body: &[u8]) -> Message {
    Message {
        head: Bytes::copy_from_slice(head.as_bytes()),
        bytes: body.len() as u64,
        body: Copy::Whole(Bytes::copy_from_slice(body)),
    }
}

fn exchange(request: &[u8], headers: &str, response: &[u8]) -> Exchange {
    Exchange {
        id: 1,
        connection: 1,
        started: "2026-01-01T00:00:00Z".parse().unwrap(),
        request: message("POST /v1/chat/completions HTTP/1.1\r\n\r\n", request),
        response: Some(message(&format!("HTTP/1.1 200 OK\r\n{headers}\r\n"), response)),
        ended: Ended::Complete,
        sent: Duration::ZERO,
        first_byte: None,
        whole: Duration::ZERO,
    }
}

/// Returns the verdict on an exchange, and how much memory the verdict took in addition to the exchange.
fn judged(exchange: &Exchange) -> (Verdict, usize) {
    let _alone = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut verifier = Verifier::default();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let verdict = verifier.judge(exchange).unwrap();
    (verdict, MEMORY.peak_usage().saturating_sub(before))
}

fn body(head: &str, piece: &str, bytes: usize) -> Vec<u8> {
    format!("{head}{}", piece.repeat(bytes / piece.len())).into_bytes()
}

#[test]
fn no_exchange_costs_more_than_four_times_its_length() {
    const ORDINARY: &[u8] = br#"{"messages":[{"role":"user","content":"a"}]}"#;
    for (head, piece) in BODIES {
        let hostile = body(head, piece, MB);
        let asked = exchange(&hostile, "", b"{}");
        let answered = ["application/json", "text/event-stream"]
            .map(|kind| exchange(ORDINARY, &format!("Content-Type: {kind}\r\n"), &hostile));
        for exchange in std::iter::once(asked).chain(answered) {
            let took = judged(&exchange).1;
            let most = 4 * hostile.len() + BESIDES;
            assert!(took <= most, "{took} bytes for {} of {head:?} {piece:?}", hostile.len());
        }
    }
}

/// For each fragment of a call, the call that it continues has to be found.
#[test]
fn a_stream_of_too_many_calls_is_not_assembled() {
    let chunk = |index: usize| {
        let call = format!(r#"{{"index":{index},"id":"{index}","function":{{"name":"f","arguments":"{{}}"}}}}"#);
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\n")
    };
    let text = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    for (calls, is_whole) in [(1_000, true), (1_001, false), (200_000, false)] {
        let end = "data: [DONE]\n\n".to_owned();
        let stream: String = std::iter::once(text.to_owned())
            .chain((0..calls).map(chunk))
            .chain([end])
            .collect();
        let exchange = exchange(
            br#"{"messages":[{"role":"user","content":"a"}]}"#,
            "Content-Type: text/event-stream\r\n",
            stream.as_bytes(),
        );
        assert_eq!(judged(&exchange).0.adopted, is_whole, "{calls}");
    }
}

/// Unpacked bodies are limited in the same way as plain ones.
#[test]
fn a_decompression_bomb_is_left_unread() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..200 {
        packed.write_all(&vec![b' '; MB]).unwrap();
    }
    let response = packed.finish().unwrap();
    let request = br#"{"messages":[{"role":"user","content":"a"}]}"#;
    let (verdict, took) = judged(&exchange(request, "Content-Encoding: gzip\r\n", &response));
    assert!(!verdict.adopted);
    assert!(took <= 4 * 64 * MB, "{took} bytes");
}
