//! Every fault of a model server, with the error recorded for it.

mod broken;
mod large;
mod odd;
mod silent;
mod status;
mod useless;

use super::server::{Act, answer};

/// The fate of the turn in which the fault occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The request is sent again, and the turn gets its reply.
    Retried,
    /// The fault was too small to be reported.
    Taken,
    /// A retry would be useless. The turn fails, and the run continues.
    Lost,
}

/// How much time or memory the fault costs a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Light,
    /// The attempt takes all the time that it is allowed.
    Slow,
    /// The answer is very large.
    Heavy,
}

/// One fault.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) name: &'static str,
    pub(super) act: Act,
    pub(super) fate: Fate,
    pub(super) weight: Weight,
    /// Text that the recorded error must contain.
    pub(super) told: &'static str,
}

/// A valid body.
pub(super) const GOOD: &str =
    r#"{"choices":[{"message":{"role":"assistant","content":"I look."},"finish_reason":"stop"}]}"#;
const OPEN: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";

pub(super) fn all() -> Vec<Fault> {
    [
        broken::all(),
        silent::all(),
        status::all(),
        useless::all(),
        useless::streams(),
        broken::misframed(),
        large::all(),
        odd::all(),
    ]
    .concat()
}

fn fault(name: &'static str, act: Act, told: &'static str) -> Fault {
    Fault {
        name,
        act,
        told,
        fate: Fate::Retried,
        weight: Weight::Light,
    }
}

/// Returns a fault that is a complete answer with status 200.
fn ok(name: &'static str, body: &str, told: &'static str) -> Fault {
    fault(name, Act::Send(answer("200 OK", "", body)), told)
}

fn bytes(parts: &[&str]) -> Vec<u8> {
    parts.concat().into_bytes()
}

/// Returns a good answer without its last `missing` bytes.
fn short_of(missing: usize) -> Vec<u8> {
    let mut whole = answer("200 OK", "", GOOD);
    whole.truncate(whole.len() - missing);
    whole
}
