//! Servers that stall.

use super::{CHUNKED, Fault, GOOD, OPEN, Weight, bytes, fault, short_of};
use crate::e2e::chaos::server::{Act, answer};

const LATE: &str = "did not complete its response within 4 s";
/// How many bytes drip, one at a time. They take far longer than an attempt may.
const DROPS: usize = 16_000;

pub(super) fn all() -> Vec<Fault> {
    let head = GOOD.len();
    let slow = |name, act| Fault {
        weight: Weight::Slow,
        ..fault(name, act, LATE)
    };
    vec![
        slow("hang before the head", Act::Hang(Vec::new())),
        slow("hang in the head", Act::Hang(short_of(head + 10))),
        slow("hang between head and body", Act::Hang(short_of(head))),
        slow("hang in the body", Act::Hang(short_of(head / 2))),
        slow("hang in a stream", Act::Hang(bytes(&[CHUNKED, "4\r\n{\"ch\r\n"]))),
        slow(
            "a body that drips too long",
            Act::Drip(answer("200 OK", "", &" ".repeat(DROPS))),
        ),
        slow(
            "a head that drips too long",
            Act::Drip(bytes(&[OPEN, "X: ", &"x".repeat(DROPS)])),
        ),
        slow(
            "100 Continue without end",
            Act::Flood(Vec::new(), b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(), None),
        ),
    ]
}
