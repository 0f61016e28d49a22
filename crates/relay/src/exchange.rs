//! Copies of one request and its response as they were on the wire.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;

/// The maximum number of bytes queued, or being collected for the queue, across all exchanges.
pub const QUEUE_BYTES: usize = 64 << 20;
/// The longest body to copy. Longer bodies are not copied at all.
pub const BODY_BYTES: usize = 32 << 20;
/// The longest head to keep even when the queue is full.
const SHORT_HEAD: usize = 16 << 10;
/// The largest number of copies in the queue: two per exchange.
const QUEUE_LENGTH: usize = 2048;

/// A queue entry. Both copies of a request share its bytes.
#[derive(Debug, Clone)]
pub enum Copied {
    /// A request that was sent completely; its exchange follows. This entry is left out if the queue is full.
    Request(SentRequest),
    /// An exchange that is over.
    Exchange(Exchange),
}

/// A request that was sent completely and is now waiting for its response.
#[derive(Debug, Clone)]
pub struct SentRequest {
    /// The exchange number of the request.
    pub id: u64,
    /// The client's connection number.
    pub connection: u64,
    /// The time at which the request's head was complete.
    pub started: Timestamp,
    /// The request, as the client sent it.
    pub message: Message,
}

/// A request and its response, handed over when nothing more will arrive.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The exchange's number, counted from 1. Exchanges are numbered in the order in which their requests began, across
    /// all connections that share this queue.
    pub id: u64,
    /// The client's connection number, counted from 1.
    pub connection: u64,
    /// The time at which the request's head was complete.
    pub started: Timestamp,
    /// The request, as the client sent it.
    pub request: Message,
    /// The final response, as far as it arrived; `None` if not even its head did.
    pub response: Option<Message>,
    /// How the exchange ended.
    pub ended: Ended,
    /// The time from the request's head to its last byte, as far as the request arrived.
    pub sent: Duration,
    /// The time from the request's head to the first byte of the final response.
    pub first_byte: Option<Duration>,
    /// The time from the request's head to the end.
    pub whole: Duration,
}

/// A head and a body as they were on the wire.
#[derive(Debug, Clone)]
pub struct Message {
    /// The head, from the first byte of the start line through the empty line.
    pub head: Bytes,
    /// The bytes after the head, including chunk framing and trailers.
    pub body: Copy,
    /// The number of bytes in the body on the wire, copied or not.
    pub bytes: u64,
}

/// The copy of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Copy {
    /// All bytes that were on the wire.
    Whole(Bytes),
    /// Nothing, because the body was too long or the queue was full.
    Dropped,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Both messages were complete.
    Complete,
    /// The client went away first.
    ClientGone,
    /// The server went away, or sent something other than HTTP.
    ServerGone(String),
    /// No connection to the server could be made.
    Unreachable(String),
}

/// The sending end of the queue between relay and observer. It never blocks: anything that does not fit is dropped and
/// counted.
#[derive(Debug, Clone)]
pub struct Copies {
    sender: SyncSender<Copied>,
    waiting: Arc<AtomicUsize>,
    dropped: Arc<AtomicU64>,
    /// The latest exchange's number.
    latest: Arc<AtomicU64>,
}

/// The receiving end of the queue.
#[derive(Debug)]
pub struct CopiesReader {
    receiver: Receiver<Copied>,
    waiting: Arc<AtomicUsize>,
}

impl Copies {
    /// Creates a queue that holds [`QUEUE_BYTES`].
    pub fn queue() -> (Copies, CopiesReader) {
        let (sender, receiver) = sync_channel(QUEUE_LENGTH);
        let waiting = Arc::new(AtomicUsize::new(0));
        let copies = Copies {
            sender,
            waiting: Arc::clone(&waiting),
            dropped: Arc::default(),
            latest: Arc::default(),
        };
        (copies, CopiesReader { receiver, waiting })
    }

    /// Hands over an exchange. If its bodies do not fit, drops them; if its heads do not fit either, drops the whole
    /// exchange.
    pub fn hand_over(&self, mut exchange: Exchange) {
        if !self.reserve(exchange.copied()) {
            exchange.drop_bodies();
            self.count_dropped();
            if !self.reserve_head(exchange.copied()) {
                return;
            }
        }
        self.hand_over_reserved(exchange);
    }

    /// Returns the number of exchanges that were dropped or lost their bodies.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Returns the next exchange's number.
    pub(crate) fn next_id(&self) -> u64 {
        self.latest.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Hands over a request ahead of its exchange. The exchange reserves the room for the bytes they share. If the
    /// queue has no room, the request is skipped; nothing is lost, because the exchange follows.
    pub fn hand_over_request(&self, request: SentRequest) {
        let _ = self.sender.try_send(Copied::Request(request));
    }

    /// Hands over an exchange whose heads and bodies already have room reserved.
    pub(crate) fn hand_over_reserved(&self, exchange: Exchange) {
        let kept = exchange.copied();
        if self.sender.try_send(Copied::Exchange(exchange)).is_err() {
            self.release(kept);
            self.count_dropped();
        }
    }

    /// Reserves room for this many bytes, if available.
    pub(crate) fn reserve(&self, bytes: usize) -> bool {
        let more = |waiting: usize| waiting.checked_add(bytes).filter(|sum| *sum <= QUEUE_BYTES);
        self.waiting
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .is_ok()
    }

    /// Reserves room for a head. A short head always gets room, so that every exchange is reported; the queue's length
    /// limits how many there are.
    pub(crate) fn reserve_head(&self, bytes: usize) -> bool {
        if bytes > SHORT_HEAD {
            return self.reserve(bytes);
        }
        self.waiting.fetch_add(bytes, Ordering::AcqRel);
        true
    }

    /// Releases reserved room.
    pub(crate) fn release(&self, bytes: usize) {
        self.waiting.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Counts an exchange that lost some of its content.
    pub(crate) fn count_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl CopiesReader {
    /// Waits for the next request or exchange. Returns `None` once there are no more senders.
    pub fn next_copy(&self) -> Option<Copied> {
        let copied = self.receiver.recv().ok()?;
        if let Copied::Exchange(exchange) = &copied {
            self.waiting.fetch_sub(exchange.copied(), Ordering::AcqRel);
        }
        Some(copied)
    }

    /// Waits for the next exchange, skipping requests that are waiting for their response.
    pub fn next(&self) -> Option<Exchange> {
        loop {
            if let Copied::Exchange(exchange) = self.next_copy()? {
                return Some(exchange);
            }
        }
    }
}

impl Exchange {
    /// Returns the combined size of the exchange's heads and bodies.
    fn copied(&self) -> usize {
        self.request.copied() + self.response.as_ref().map_or(0, Message::copied)
    }

    fn drop_bodies(&mut self) {
        self.request.body = Copy::Dropped;
        if let Some(response) = &mut self.response {
            response.body = Copy::Dropped;
        }
    }
}

impl Message {
    pub(crate) fn copied(&self) -> usize {
        self.head.len() + self.body.len()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(bytes: usize) -> Exchange {
        let request = Message {
            head: Bytes::from_static(b"GET / HTTP/1.1\r\n\r\n"),
            body: Copy::Whole(vec![0; bytes].into()),
            bytes: bytes as u64,
        };
        Exchange {
            id: 1,
            connection: 1,
            started: Timestamp::UNIX_EPOCH,
            request,
            response: None,
            ended: Ended::Complete,
            sent: Duration::ZERO,
            first_byte: None,
            whole: Duration::ZERO,
        }
    }

    #[test]
    fn exchanges_that_do_not_fit_are_dropped_and_counted() {
        let (copies, reader) = Copies::queue();
        for _ in 0..3 {
            copies.hand_over(exchange(BODY_BYTES - 100));
        }
        assert_eq!(copies.dropped(), 1);
        let bodies = [(); 3].map(|()| reader.next().unwrap().request.body.len());
        assert_eq!(bodies, [BODY_BYTES - 100, BODY_BYTES - 100, 0]);
        copies.hand_over(exchange(QUEUE_BYTES - 100));
        assert_eq!(
            (reader.next().unwrap().request.body.len(), copies.dropped()),
            (QUEUE_BYTES - 100, 1)
        );
        assert_eq!(copies.waiting.load(Ordering::Acquire), 0);
    }

    #[test]
    fn a_stalled_reader_costs_nothing() {
        let (copies, reader) = Copies::queue();
        for _ in 0..QUEUE_LENGTH + 10 {
            copies.hand_over(exchange(1));
        }
        assert_eq!(copies.dropped(), 10);
        drop(reader);
        copies.hand_over(exchange(1));
        assert_eq!(copies.dropped(), 11);
    }
}
