//! The peers of `cargo xtask bench relay`, each in its own process: an origin server, the relay, and a client that
//! measures.
//!
//! ```text
//! peers origin                                       prints its port
//! peers relay ORIGIN_PORT reading|stuck              prints its port; the copies are read, or the reader is stuck
//! peers requests ROUNDS NAME=PORT...                 prints `NAME MODE MICROSECONDS` for each request
//! peers stream CHUNKS NAME=PORT...                   prints `NAME stream MICROSECONDS` for each chunk
//! peers crowd CLIENTS MEGABYTES PORT                 sends that many megabytes from each client at once
//! ```
#![forbid(unsafe_code)]

mod client;
mod origin;
mod passer;

use std::error::Error;

/// The key that a run's agent sends as `X-Franz-Key`.
const RUN_KEY: &str = "0123456789abcdef0123456789abcdef";

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["origin"] => origin::serve(),
        ["relay", port, observer] => passer::serve(port.parse()?, *observer == "stuck"),
        ["requests", rounds, targets @ ..] => client::requests(rounds.parse()?, &named(targets)?),
        ["stream", chunks, targets @ ..] => client::streams(chunks.parse()?, &named(targets)?),
        ["crowd", clients, megabytes, port] => client::crowd(clients.parse()?, megabytes.parse()?, port.parse()?),
        _ => Err("see the top of examples/peers/main.rs".into()),
    }
}

fn named(targets: &[&str]) -> Result<Vec<(String, u16)>, Box<dyn Error>> {
    let mut named = Vec::new();
    for target in targets {
        let (name, port) = target.split_once('=').ok_or("a target is NAME=PORT")?;
        named.push((name.to_owned(), port.parse()?));
    }
    Ok(named)
}
