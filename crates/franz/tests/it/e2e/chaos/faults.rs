//! Every fault of a model server, with what the record says of it.

mod broken;
mod large;
mod odd;
mod silent;
mod status;
mod useless;

use super::server::{Act, answer};

/// What becomes of the turn in which it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The server is asked again and the turn gets its reply.
    Retried,
    /// Nothing was wrong enough to be told.
    Taken,
    /// Asking again would be of no use: the turn fails, the run goes on.
    Lost,
}

/// How much of a run it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Light,
    /// The attempt takes all of its time.
    Slow,
    /// There are very many bytes.
    Heavy,
}

/// One fault.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) name: &'static str,
    pub(super) act: Act,
    pub(super) fate: Fate,
    pub(super) weight: Weight,
    /// What the record says, in part.
    pub(super) told: &'static str,
}

/// A body that is fine.
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

/// An answer that is whole and of status 200.
fn ok(name: &'static str, body: &str, told: &'static str) -> Fault {
    fault(name, Act::Send(answer("200 OK", "", body)), told)
}

fn bytes(parts: &[&str]) -> Vec<u8> {
    parts.concat().into_bytes()
}

/// A good answer without its last `missing` bytes.
fn short_of(missing: usize) -> Vec<u8> {
    let mut whole = answer("200 OK", "", GOOD);
    whole.truncate(whole.len() - missing);
    whole
}
