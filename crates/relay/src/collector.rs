//! Copies a message aside. The copy takes up room in the queue from its first byte, and is dropped when the queue is
//! full.

use bytes::Bytes;

use crate::exchange::{BODY_BYTES, Copies, Copy, Message};

/// The size in bytes from which a body is considered long.
const LONG: usize = 4 << 20;
/// The capacity reserved for a long body. It costs nothing until used. No allocator caches such a large block once it
/// is freed, so resident memory stays close to what is counted.
const ROOM: usize = BODY_BYTES + (64 << 10);

/// The copy of a message so far.
#[derive(Debug)]
pub(crate) struct Collector {
    copies: Copies,
    head: Option<Bytes>,
    body: Option<Body>,
    bytes: u64,
    announced: usize,
}

/// The copy of a body; complete once its last byte has arrived.
#[derive(Debug)]
enum Body {
    Growing(Vec<u8>),
    Whole(Bytes),
}

impl Collector {
    /// Starts with a head. `length` is the length of its body, if known.
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

    /// Appends bytes of the body that have passed.
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

    /// Returns the message, which shares its bytes with the copy here. Nothing may be added afterwards. Returns `None`
    /// if a long head did not fit.
    pub(crate) fn whole(&mut self) -> Option<Message> {
        let head = self.head.clone()?;
        let body = self.body.take().map(Body::whole);
        self.body = body.clone().map(Body::Whole);
        let bytes = self.bytes;
        let body = body.map_or(Copy::Dropped, Copy::Whole);
        Some(Message { head, body, bytes })
    }

    /// Returns the message like [`Collector::whole`]. The message's room in the queue stays reserved.
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
