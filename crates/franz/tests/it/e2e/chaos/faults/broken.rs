//! Connections that are cut off, and answers with wrong framing.

use super::{CHUNKED, Fault, GOOD, OPEN, bytes, fault, short_of};
use crate::e2e::chaos::server::Act;

const CUT: &str = "it ended before the response was complete";
const CLOSED: &str = "it was closed before a response arrived";

pub(super) fn all() -> Vec<Fault> {
    let head = GOOD.len();
    let reset = |missing| Act::Reset(short_of(missing));
    let closed = |missing| Act::Send(short_of(missing));
    vec![
        fault("reset before the head", Act::Reset(Vec::new()), CLOSED),
        fault("reset in the head", reset(head + 10), CLOSED),
        fault("reset between head and body", reset(head), CUT),
        fault("reset in the body", reset(head / 2), CUT),
        fault("reset before the last byte", reset(1), CUT),
        fault("closed before the head", Act::Send(Vec::new()), CLOSED),
        fault("closed in the head", closed(head + 10), CLOSED),
        fault("closed between head and body", closed(head), CUT),
        fault("closed in the body", closed(head / 2), CUT),
        fault("closed before the last byte", closed(1), CUT),
        fault(
            "stream closed in a chunk",
            Act::Send(bytes(&[CHUNKED, "40\r\n{\"cho"])),
            CUT,
        ),
        fault(
            "stream closed between chunks",
            Act::Send(bytes(&[CHUNKED, "4\r\n{\"ch\r\n"])),
            CUT,
        ),
        fault(
            "stream reset between chunks",
            Act::Reset(bytes(&[CHUNKED, "4\r\n{\"ch\r\n"])),
            CUT,
        ),
        fault(
            "stream closed before its last chunk",
            Act::Send(bytes(&[CHUNKED, &format!("{:x}\r\n{GOOD}\r\n", GOOD.len())])),
            CUT,
        ),
    ]
}

pub(super) fn misframed() -> Vec<Fault> {
    let with = |length: &str| bytes(&[OPEN, length, "\r\n\r\n", GOOD]);
    let size = GOOD.len();
    vec![
        fault(
            "a length that is too long",
            Act::Send(with(&format!("Content-Length: {}", size + 9))),
            CUT,
        ),
        fault(
            "a length that is too short",
            Act::Send(with(&format!("Content-Length: {}", size - 9))),
            "it is not valid JSON",
        ),
        fault(
            "two lengths",
            Act::Send(with(&format!("Content-Length: {size}\r\nContent-Length: {}", size + 1))),
            "the response is not HTTP",
        ),
        fault(
            "a length below nothing",
            Act::Send(with("Content-Length: -1")),
            "the response is not HTTP",
        ),
        fault(
            "chunks of no size",
            Act::Send(bytes(&[CHUNKED, "zz\r\n{}\r\n0\r\n\r\n"])),
            "malformed chunks",
        ),
        fault(
            "a chunk longer than it says",
            Act::Send(bytes(&[CHUNKED, "1\r\n{}x\r\n0\r\n\r\n"])),
            "malformed chunks",
        ),
        fault(
            "no HTTP",
            Act::Send(bytes(&["SSH-2.0-OpenSSH_9.2\r\n\r\n"])),
            "the response is not HTTP",
        ),
        fault(
            "HTTP of another time",
            Act::Send(bytes(&["HTTP/9.9 200 OK\r\n\r\n", GOOD])),
            "the response is not HTTP",
        ),
    ]
}
