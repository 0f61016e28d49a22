//! Answers that are wrong but do no harm.

use super::{CHUNKED, Fate, Fault, GOOD, OPEN, bytes, fault};
use crate::e2e::chaos::server::{Act, answer};

pub(super) fn all() -> Vec<Fault> {
    let taken = |name, act| Fault {
        fate: Fate::Taken,
        ..fault(name, act, "")
    };
    let typed = |kind: &str| Act::Send(answer("200 OK", &format!("Content-Type: {kind}\r\n"), GOOD));
    let letters: Vec<String> = GOOD.chars().map(|letter| format!("1\r\n{letter}\r\n")).collect();
    vec![
        taken("JSON that is called a page", typed("text/html")),
        taken("JSON that is called a stream", typed("text/event-stream")),
        taken("JSON that is called nonsense", typed("]]")),
        taken("an answer that drips", Act::Drip(answer("200 OK", "", GOOD))),
        taken("no length", Act::Send(bytes(&[OPEN, "\r\n", GOOD]))),
        taken(
            "a stream of single bytes",
            Act::Send(bytes(&[CHUNKED, &letters.concat(), "0\r\n\r\n"])),
        ),
        taken(
            "words behind the answer",
            Act::Send([answer("200 OK", "", GOOD), b"more".to_vec()].concat()),
        ),
        taken(
            "continue first",
            Act::Send([b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(), answer("200 OK", "", GOOD)].concat()),
        ),
    ]
}
