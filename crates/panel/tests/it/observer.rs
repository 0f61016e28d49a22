//! Tests of the observer: what it writes about the exchanges that it receives, and which failures it survives.

mod foreign;
mod relayed;
mod several;
mod telling;
mod troubled;
mod unwatched;
mod verdicts;

use std::path::Path;
use std::sync::Arc;

use franz_panel::Hub;
use franz_panel::history::History;
use franz_panel::observer::{ObserverOptions, spawn};
use franz_relay::{Copied, Copies, Exchange, SentRequest};
use franz_secret::Secret;

use crate::wire::Ask;

fn options(directory: &Path) -> ObserverOptions {
    ObserverOptions {
        home: franz_home::Home::claim(directory).unwrap(),
        hub: Hub::default(),
        history: Arc::new(History::open(directory).unwrap()),
        exchange_log: u64::MAX,
        record_turns: None,
        secret: Secret::default(),
        key: None,
        runs: None,
    }
}

/// Lets an observer see these exchanges, and waits until it has seen all of them.
fn observe(options: ObserverOptions, asks: Vec<Ask>) {
    observe_copies(options, exchanges(asks).into_iter().map(Copied::Exchange));
}

/// Returns the exchanges of these requests, which take place one after another.
fn exchanges(asks: Vec<Ask>) -> Vec<Exchange> {
    let numbered = (1_u32..).zip(asks);
    let exchange = |(number, ask): (u32, Ask)| ask.exchange(number.into(), i64::from(number) * 1_000);
    numbered.map(exchange).collect()
}

/// Returns an exchange's request as it is while it waits for its response.
fn sent(exchange: &Exchange) -> SentRequest {
    SentRequest {
        id: exchange.id,
        connection: exchange.connection,
        started: exchange.started,
        message: exchange.request.clone(),
    }
}

/// Passes these copies to an observer, and waits until it has seen all of them.
fn observe_copies(options: ObserverOptions, all: impl IntoIterator<Item = Copied>) {
    let (copies, reader) = Copies::queue();
    let thread = spawn(reader, options).unwrap();
    for copied in all {
        match copied {
            Copied::Request(sent) => copies.hand_over_request(sent),
            Copied::Exchange(exchange) => copies.hand_over(exchange),
        }
    }
    drop(copies);
    thread.join().expect("an observer does not panic");
}

fn read(directory: &Path, file: &str) -> String {
    std::fs::read_to_string(directory.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}
