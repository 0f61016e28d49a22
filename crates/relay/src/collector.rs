//! A message that is being copied aside: it counts against the queue from its first byte on, and gives way when that is full.

use bytes::Bytes;

use crate::exchange::{BODY_BYTES, Copies, Copy, Message};

/// Bytes of a body that is long.
const LONG: usize = 4 << 20;
/// Room that is made for a long one. Untouched, it costs nothing; and no allocator keeps so much for later when it is given back, so
/// that what is resident stays near what is counted.
const ROOM: usize = BODY_BYTES + (64 << 10);

/// The copy of a message so far.
#[derive(Debug)]
pub(crate) struct Collector {
    copies: Copies,
    head: Option<Vec<u8>>,
    body: Option<Vec<u8>>,
    bytes: u64,
    announced: usize,
}

impl Collector {
    /// Begins with a head; its body will be so long, where that is known.
    pub(crate) fn new(copies: &Copies, head: &[u8], length: Option<u64>) -> Collector {
        let kept = copies.reserve_head(head.len());
        Collector {
            copies: copies.clone(),
            head: kept.then(|| head.to_vec()),
            body: kept.then(Vec::new),
            bytes: 0,
            announced: length
                .and_then(|length| usize::try_from(length).ok())
                .unwrap_or_default(),
        }
    }

    /// Takes in what passed of the body.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let Some(body) = &mut self.body else { return };
        if body.len() + bytes.len() > BODY_BYTES || !self.copies.reserve(bytes.len()) {
            self.drop_body();
            return;
        }
        let length = self.announced.max(body.len() + bytes.len());
        let room = if length > LONG { ROOM } else { self.announced };
        // Where there is no such room, it grows as it must.
        let _ = body.try_reserve_exact(room.saturating_sub(body.len()));
        body.extend_from_slice(bytes);
    }

    /// Whether something of the body is lost.
    pub(crate) fn is_dropped(&self) -> bool {
        self.body.is_none()
    }

    /// The message, for which there is room in the queue; `None` when there was none even for its long head.
    pub(crate) fn finish(mut self) -> Option<Message> {
        let head = Bytes::from(self.head.take()?);
        let body = self.body.take().map_or(Copy::Dropped, |mut body| {
            body.shrink_to_fit();
            Copy::Whole(body.into())
        });
        let bytes = self.bytes;
        Some(Message { head, body, bytes })
    }

    fn drop_body(&mut self) {
        if let Some(body) = self.body.take() {
            self.copies.release(body.len());
        }
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.drop_body();
        if let Some(head) = self.head.take() {
            self.copies.release(head.len());
        }
    }
}
