//! Records the exchanges in progress on one connection: requests in the order they arrive, each with its response so
//! far.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::collector::Collector;
use crate::exchange::{Copies, Ended, Exchange, Message, SentRequest};
use crate::limits::RelayLimits;
use crate::request_head::RequestHead;

/// The largest number of requests on one connection that may be waiting for responses. The relay reads nothing more
/// from the client until a response arrives.
const UNDER_WAY: usize = 16;

/// The exchanges in progress. Each direction updates the ledger after passing bytes on.
#[derive(Debug)]
pub(crate) struct Ledger {
    connection: u64,
    copies: Copies,
    entries: Mutex<VecDeque<Entry>>,
    changed: Notify,
}

#[derive(Debug)]
struct Entry {
    id: u64,
    started: Timestamp,
    clock: Instant,
    is_head: bool,
    request: Collector,
    /// The time until the last byte of the request was sent.
    sent: Option<Duration>,
    response: Option<Collector>,
    first_byte: Option<Duration>,
    answered: Option<Instant>,
    /// The number of bytes of the request that were sent after its response was complete.
    late: u64,
}

impl Ledger {
    /// Creates the ledger for the client connection with this number.
    pub(crate) fn new(connection: u64, copies: Copies) -> Ledger {
        Ledger {
            connection,
            copies,
            entries: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Returns the client's connection number.
    pub(crate) fn connection(&self) -> u64 {
        self.connection
    }

    /// Records a request whose head is complete.
    pub(crate) fn begin(&self, head: &[u8], request: &RequestHead) {
        let entry = Entry {
            id: self.copies.next_id(),
            started: Timestamp::now(),
            clock: Instant::now(),
            is_head: request.is_head,
            request: Collector::new(&self.copies, head, request.framing.left()),
            sent: None,
            response: None,
            first_byte: None,
            answered: None,
            late: 0,
        };
        self.entries().push_back(entry);
    }

    /// Returns the number of the newest request's exchange, or 0 if no request is open.
    pub(crate) fn newest(&self) -> u64 {
        self.entries().back().map(|entry| entry.id).unwrap_or_default()
    }

    /// Records that part of the newest request's body was sent. `complete` says whether the request ends here; if so,
    /// it is handed over ahead of its exchange.
    pub(crate) fn sent(&self, body: &[u8], complete: bool) {
        let mut entries = self.entries();
        let Some(entry) = entries.back_mut() else { return };
        entry.request.push(body);
        if complete {
            entry.sent = Some(entry.clock.elapsed());
            if let Some(message) = entry.request.whole() {
                self.copies.hand_over_request(SentRequest {
                    id: entry.id,
                    connection: self.connection,
                    started: entry.started,
                    message,
                });
            }
        }
        if entry.answered.is_some() {
            entry.late += body.len() as u64;
            self.changed.notify_waiters();
        }
        self.settle(&mut entries);
    }

    /// Returns whether the awaited response answers a HEAD request; `None` if no response is awaited.
    pub(crate) fn awaited(&self) -> Option<bool> {
        let entries = self.entries();
        let entry = entries.iter().find(|entry| entry.answered.is_none());
        entry.map(|entry| entry.is_head)
    }

    /// Records that the first byte of a response arrived.
    pub(crate) fn first_byte(&self) {
        self.awaiting(|entry| entry.first_byte = Some(entry.clock.elapsed()));
    }

    /// Records that the head of the final response was passed on. `length` is the body's length, if known.
    pub(crate) fn responded(&self, head: &[u8], length: Option<u64>) {
        self.awaiting(|entry| entry.response = Some(Collector::new(&self.copies, head, length)));
    }

    /// Records that part of the response's body was passed on. `complete` says whether the response ends here.
    pub(crate) fn received(&self, body: &[u8], complete: bool) {
        self.awaiting(|entry| {
            if let Some(response) = &mut entry.response {
                response.push(body);
            }
            entry.answered = complete.then(Instant::now);
        });
        if complete {
            self.settle(&mut self.entries());
        }
    }

    /// Returns whether the response to the request being sent has already begun.
    pub(crate) fn is_early(&self) -> bool {
        self.entries()
            .back()
            .is_some_and(|entry| entry.sent.is_none() && entry.response.is_some())
    }

    /// Waits until all requests are answered, except the last `held` ones.
    pub(crate) async fn quiet(&self, held: usize) {
        self.fewer(held + 1).await;
    }

    /// Waits until there is room for one more request in progress.
    pub(crate) async fn room(&self) {
        self.fewer(UNDER_WAY).await;
    }

    /// Waits until a client has kept sending for too long, or sent too much, after it was answered.
    pub(crate) async fn overdue(&self, limits: &RelayLimits) {
        loop {
            let changed = self.changed.notified();
            let late = self
                .entries()
                .front()
                .and_then(|entry| Some((entry.answered?, entry.late)));
            match late {
                None => changed.await,
                Some((_, late)) if late > limits.drain_bytes => return,
                Some((answered, _)) => tokio::select! {
                    biased;
                    () = changed => {}
                    () = tokio::time::sleep_until(answered + limits.drain) => return,
                },
            }
        }
    }

    /// Closes all exchanges in progress because nothing more will arrive for them.
    pub(crate) fn close(&self, ended: &Ended) {
        for entry in self.entries().drain(..) {
            let ended = match (entry.sent, entry.answered) {
                (Some(_), Some(_)) => Ended::Complete,
                (None, Some(_)) if *ended != Ended::ClientGone => {
                    Ended::ServerGone("it answered before the request was complete".to_owned())
                }
                _ => ended.clone(),
            };
            self.hand_over(entry, ended);
        }
        self.changed.notify_waiters();
    }

    async fn fewer(&self, than: usize) {
        loop {
            let changed = self.changed.notified();
            if self.entries().len() < than {
                return;
            }
            changed.await;
        }
    }

    /// Hands over all complete exchanges. A response that arrives early is kept until its request is complete too.
    fn settle(&self, entries: &mut VecDeque<Entry>) {
        while entries.front().is_some_and(|entry| entry.answered.is_some()) {
            self.changed.notify_waiters();
            match entries.pop_front() {
                Some(entry) if entry.sent.is_some() => self.hand_over(entry, Ended::Complete),
                Some(entry) => return entries.push_front(entry),
                None => return,
            }
        }
    }

    fn hand_over(&self, entry: Entry, ended: Ended) {
        let whole = entry.clock.elapsed();
        let dropped = entry.request.is_dropped() || entry.response.as_ref().is_some_and(Collector::is_dropped);
        if dropped {
            self.copies.count_dropped();
        }
        let response = entry.response.map(Collector::finish);
        let Some(request) = entry.request.finish() else {
            let kept = response.flatten().as_ref().map_or(0, Message::copied);
            return self.copies.release(kept);
        };
        // Drop the exchange. Without the head of a response that did arrive, the copy would claim that there was no
        // response.
        if response.as_ref().is_some_and(Option::is_none) {
            return self.copies.release(request.copied());
        }
        let exchange = Exchange {
            id: entry.id,
            connection: self.connection,
            started: entry.started,
            request,
            response: response.flatten(),
            ended,
            sent: entry.sent.unwrap_or(whole),
            first_byte: entry.first_byte,
            whole,
        };
        self.copies.hand_over_reserved(exchange);
    }

    /// Changes the oldest entry whose response is not complete.
    fn awaiting(&self, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.entries().iter_mut().find(|entry| entry.answered.is_none()) {
            change(entry);
        }
    }

    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ledger {
    /// Closes the exchanges in progress when the connection's task is cancelled.
    fn drop(&mut self) {
        self.close(&Ended::ServerGone("the relay was stopped".to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allowed_hosts::AllowedHosts;
    use crate::exchange::QUEUE_BYTES;

    #[test]
    fn an_exchange_without_its_request_takes_up_no_room() {
        let (copies, _reader) = Copies::queue();
        let head = format!("GET /{} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "x".repeat(20 << 10));
        let hosts = AllowedHosts {
            port: 80,
            allowed: Vec::new(),
        };
        let request = RequestHead::read(head.as_bytes(), &hosts).unwrap();
        let ledger = Ledger::new(1, copies.clone());
        assert!(copies.reserve(QUEUE_BYTES));
        ledger.begin(head.as_bytes(), &request);
        copies.release(QUEUE_BYTES);
        ledger.sent(b"", true);
        ledger.responded(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", Some(5));
        ledger.received(b"hello", true);
        assert_eq!((copies.dropped(), copies.reserve(QUEUE_BYTES)), (1, true));
    }
}
