//! The bytes that pass through the relay. Heads and bodies are framed the same way however they are split, and no
//! ambiguous message is accepted.
#![no_main]

use franz_relay::allowed_hosts::AllowedHosts;
use franz_relay::framing::Framing;
use franz_relay::request_head::{HeadEnd, RequestHead};
use franz_relay::response_head::{ResponseHead, head_end};
use franz_relay::{Copy, Message};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&cut, data)) = data.split_first() else { return };
    let cut = usize::from(cut).min(data.len());
    request(data, cut);
    response(data, cut);
});

fn request(data: &[u8], cut: usize) {
    let whole = HeadEnd::default().find(data);
    let mut pieces = HeadEnd::default();
    let found = match pieces.find(&data[..cut]) {
        Ok(None) => pieces.find(data),
        found => found,
    };
    assert_eq!(found, whole);
    let Ok(Some(place)) = whole else { return };
    let (head, body) = (&data[place.clone()], &data[place.end..]);
    let hosts = AllowedHosts { port: 80, allowed: vec!["x".to_owned()] };
    let Ok(read) = RequestHead::read(head, &hosts) else { return };
    assert!(!head.is_empty() && !head.contains(&0) && head.ends_with(b"\r\n\r\n"));
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    let count = |name: &str| text.split("\r\n").skip(1).filter(|line| line.starts_with(name)).count();
    let (lengths, codings) = (count("content-length:"), count("transfer-encoding:"));
    assert!(lengths + codings <= 1 && count("host:") <= 1, "{text}");
    assert_eq!(codings == 1, matches!(read.framing, Framing::Chunked(_)), "{text}");
    assert!(text.split("\r\n").all(|line| !line.contains('\n') && !line.contains('\r') && !line.starts_with([' ', '\t'])));
    assert!(head.get(read.target).is_some_and(|target| !target.is_empty()));
    framed(read.framing.clone(), body, cut);
    message(head, body, read.framing);
}

fn response(data: &[u8], cut: usize) {
    let end = head_end(data, 0);
    if head_end(&data[..cut], 0).is_none() {
        assert_eq!(head_end(data, cut), end);
    }
    let Some(end) = end else { return };
    let (head, body) = data.split_at(end);
    let Some(read) = ResponseHead::read(head, false) else { return };
    framed(read.framing.clone(), body, cut);
    message(head, body, read.framing);
}

/// Checks that the same bytes belong to a body whether they arrive together or in two parts.
fn framed(framing: Framing, body: &[u8], cut: usize) {
    let whole = framing.clone().take(body).map(|part| (part.len, part.complete));
    let (first, second) = body.split_at(cut.min(body.len()));
    let mut framing = framing;
    let pieces = framing.take(first).and_then(|part| {
        if part.complete {
            return Ok((part.len, true));
        }
        assert_eq!(part.len, first.len());
        framing.take(second).map(|rest| (part.len + rest.len, rest.complete))
    });
    assert_eq!(whole.ok(), pieces.ok(), "the same bytes, or none");
    assert!(whole.is_err() || whole.is_ok_and(|(len, _)| len <= body.len()));
}

/// Checks that a copy of the message can be read, or comes with the reason why it cannot.
fn message(head: &[u8], body: &[u8], mut framing: Framing) {
    let Ok(part) = framing.take(body) else { return };
    let message = Message {
        head: head.to_vec().into(),
        body: Copy::Whole(body[..part.len].to_vec().into()),
        bytes: part.len as u64,
    };
    let _ = (message.method(), message.target(), message.status(), message.header("content-type"));
    let payload = message.payload();
    if matches!(framing, Framing::Chunked(_)) && !part.complete {
        assert!(payload.is_err());
    }
}
