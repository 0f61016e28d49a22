//! Copies a message. From its first byte, the copy takes up room in the queue. It is dropped if the queue fills up.

use bytes::Bytes;

use crate::exchange::{BODY_BYTES, Copies, Copy, Message};

/// The size in bytes from which a body is considered long.
const LONG: usize = 4 << 20;
/// The capacity reserved for a long body. It uses no memory until it is written to. Allocators do not cache a block
/// this large once it is freed, so resident memory stays close to the amount that is counted.
const ROOM: usize = BODY_BYTES + (64 << 10);

/// The part of a message that has been copied so far.
#[derive(Debug)]
pub(crate) struct Collector {
    copies: Copies,
    head: Option<Bytes>,
    body: Option<Body>,
    bytes: u64,
    announced: usize,
}

/// The copy of a body. It is whole once its last byte has arrived.
#[derive(Debug)]
enum Body {
    Growing(Vec<u8>),
    Whole(Bytes),
}

impl Collector {
    /// Starts a copy with the head. `length` is the body's length, if known.
    pub(crate) fn new(copies: &Copies, head: &[u8], length: Option<u64>) -> Collector {
        let kept = copies.reserve_head(head.len());
        Collector {
            copies: copies.clone(),
            head: kept.then(|| Bytes::copy_from_slice(head)),
            body: kept.then(|| Body::Growing(Vec::new())),
            bytes: 0,
            announced: length
                .and_then(|length| usize::try_from(length).ok())
                .unwrap_or_default(),
        }
    }

    /// Appends bytes of the body that have been passed on.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let Some(Body::Growing(body)) = &mut self.body else {
            return;
        };
        if body.len() + bytes.len() > BODY_BYTES || !self.copies.reserve(bytes.len()) {
            self.drop_body();
            return;
        }
        let length = self.announced.max(body.len() + bytes.len());
        let room = if length > LONG { ROOM } else { self.announced };
        // If this fails, the body grows as needed.
        let _ = body.try_reserve_exact(room.saturating_sub(body.len()));
        body.extend_from_slice(bytes);
    }

    /// Returns whether any part of the body is lost.
    pub(crate) fn is_dropped(&self) -> bool {
        self.body.is_none()
    }

    /// Returns the message, which shares its bytes with this copy. Nothing may be added afterwards. Returns `None` if
    /// the head was long and did not fit.
    pub(crate) fn whole(&mut self) -> Option<Message> {
        let head = self.head.clone()?;
        let body = self.body.take().map(Body::whole);
        self.body = body.clone().map(Body::Whole);
        let bytes = self.bytes;
        let body = body.map_or(Copy::Dropped, Copy::Whole);
        Some(Message { head, body, bytes })
    }

    /// Returns the message, like [`Collector::whole`], and keeps its room in the queue reserved.
    pub(crate) fn finish(mut self) -> Option<Message> {
        let message = self.whole();
        (self.head, self.body) = (None, None);
        message
    }

    fn drop_body(&mut self) {
        if let Some(body) = self.body.take() {
            self.copies.release(body.len());
        }
    }
}

impl Body {
    fn whole(self) -> Bytes {
        match self {
            Body::Growing(mut body) => {
                body.shrink_to_fit();
                body.into()
            }
            Body::Whole(body) => body,
        }
    }

    fn len(&self) -> usize {
        match self {
            Body::Growing(body) => body.len(),
            Body::Whole(body) => body.len(),
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
