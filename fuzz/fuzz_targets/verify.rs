//! Requests and replies as they arrive over the wire. The verifier judges all of them, and later ones by earlier ones.
#![no_main]

use std::time::Duration;

use franz_chat::Bytes;
use franz_panel::verify::Verifier;
use franz_panel::VerdictKind;
use franz_relay::{Copy, Ended, Exchange, Message};
use libfuzzer_sys::fuzz_target;

/// Separates request and reply in an input. UTF-8 never contains this byte.
const BETWEEN: u8 = 0xff;

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(2, |&byte| byte == BETWEEN);
    let (request, reply) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let kind = if reply.starts_with(b"{") { "application/json" } else { "text/event-stream" };
    let exchange = |id| Exchange {
        id,
        connection: 1,
        started: "2026-01-01T00:00:00Z".parse().expect("a time"),
        request: message("POST /v1/chat/completions HTTP/1.1\r\n\r\n", request),
        response: Some(message(&format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n"), reply)),
        ended: Ended::Complete,
        sent: Duration::ZERO,
        first_byte: None,
        whole: Duration::ZERO,
    };
    let mut verifier = Verifier::default();
    let first = verifier.judge(&exchange(1)).expect("a chat request");
    let again = verifier.judge(&exchange(2)).expect("a chat request");
    assert!(matches!(first.verdict, VerdictKind::First | VerdictKind::Unverifiable));
    // The same agent sends the same request again, which is at worst a retry.
    assert_ne!(again.verdict, VerdictKind::Violation);
});

fn message(head: &str, body: &[u8]) -> Message {
    Message {
        head: Bytes::copy_from_slice(head.as_bytes()),
        bytes: body.len() as u64,
        body: Copy::Whole(Bytes::copy_from_slice(body)),
    }
}
