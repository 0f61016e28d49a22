//! One request and its response as they were on the wire, copied aside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;

/// Bytes of bodies that may wait in the queue, all exchanges together.
pub const QUEUE_BYTES: usize = 64 << 20;
/// Bytes of one body that are copied; of a longer one nothing is kept.
pub const BODY_BYTES: usize = 32 << 20;
/// Exchanges that may wait in the queue.
const QUEUE_LENGTH: usize = 1024;

/// A request and what came back. It is handed over once, when nothing more will come.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Numbered from 1, in the order in which requests began, in all connections of the relay.
    pub id: u64,
    /// The connection of the client, numbered from 1.
    pub connection: u64,
    /// When the request's head was complete.
    pub started: Timestamp,
    /// What the client sent.
    pub request: Message,
    /// The final response as far as it came; `None` when not even its head did.
    pub response: Option<Message>,
    /// How it ended.
    pub ended: Ended,
    /// From the request's head to its last byte, as far as it came.
    pub sent: Duration,
    /// From the request's head to the first byte of the final response.
    pub first_byte: Option<Duration>,
    /// From the request's head to the end.
    pub whole: Duration,
}

/// A head and a body as they were on the wire.
#[derive(Debug, Clone)]
pub struct Message {
    /// From the first byte of the start line to the empty line, both included.
    pub head: Bytes,
    /// What followed, chunk framing and trailers included.
    pub body: Copy,
    /// Bytes of the body on the wire, copied or not.
    pub bytes: u64,
}

/// The copy of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Copy {
    /// All that was on the wire.
    Whole(Bytes),
    /// It was too long, or the queue was full.
    Dropped,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Both messages were complete.
    Complete,
    /// The client went away first.
    ClientGone,
    /// The server went away, or sent what is no HTTP.
    ServerGone(String),
    /// No connection to the server could be made.
    Unreachable(String),
}

/// The sending end of the queue between relay and observer. It never waits: what does not fit is dropped and counted.
#[derive(Debug, Clone)]
pub struct Copies {
    sender: SyncSender<Exchange>,
    waiting: Arc<AtomicUsize>,
    dropped: Arc<AtomicU64>,
}

/// The receiving end.
#[derive(Debug)]
pub struct CopiesReader {
    receiver: Receiver<Exchange>,
    waiting: Arc<AtomicUsize>,
}

impl Copies {
    /// A queue of [`QUEUE_BYTES`].
    pub fn queue() -> (Copies, CopiesReader) {
        let (sender, receiver) = sync_channel(QUEUE_LENGTH);
        let waiting = Arc::new(AtomicUsize::new(0));
        let copies = Copies {
            sender,
            waiting: Arc::clone(&waiting),
            dropped: Arc::default(),
        };
        (copies, CopiesReader { receiver, waiting })
    }

    /// Hands an exchange over. Where its bodies do not fit they are dropped; where it does not fit at all, it is.
    pub fn hand_over(&self, mut exchange: Exchange) {
        let bytes = exchange.copied();
        let before = self.waiting.fetch_add(bytes, Ordering::AcqRel);
        if before.saturating_add(bytes) > QUEUE_BYTES {
            self.waiting.fetch_sub(bytes, Ordering::AcqRel);
            self.dropped.fetch_add(1, Ordering::Relaxed);
            exchange.drop_bodies();
        }
        let kept = exchange.copied();
        if self.sender.try_send(exchange).is_err() {
            self.waiting.fetch_sub(kept, Ordering::AcqRel);
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Exchanges that were dropped, in whole or only their bodies.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl CopiesReader {
    /// Waits for the next exchange; `None` when there is nobody left to send one.
    pub fn next(&self) -> Option<Exchange> {
        let exchange = self.receiver.recv().ok()?;
        self.waiting.fetch_sub(exchange.copied(), Ordering::AcqRel);
        Some(exchange)
    }
}

impl Exchange {
    fn copied(&self) -> usize {
        let response = self.response.as_ref().map_or(0, |message| message.body.len());
        self.request.body.len() + response
    }

    fn drop_bodies(&mut self) {
        self.request.body = Copy::Dropped;
        if let Some(response) = &mut self.response {
            response.body = Copy::Dropped;
        }
    }
}

impl Copy {
    fn len(&self) -> usize {
        match self {
            Copy::Whole(bytes) => bytes.len(),
            Copy::Dropped => 0,
        }
    }
}
