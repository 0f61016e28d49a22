//! A response body that arrives in pieces with pauses in between, and can break off halfway.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::Sleep;

/// A body and the way it is framed.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    /// JSON of known length.
    Json(Bytes),
    /// Server-sent events.
    Events(Vec<Bytes>),
}

/// The error for a connection that is closed on purpose.
#[derive(Debug, thiserror::Error)]
#[error("the script closes the connection here")]
pub(crate) struct Closed;

/// A body sent in pieces.
#[derive(Debug)]
pub(crate) struct ThrottledBody {
    pieces: VecDeque<Bytes>,
    /// The number of bytes still to send of the length announced in the head. If `None`, the body is sent chunked.
    length: Option<u64>,
    gap: Duration,
    pause: Option<Pin<Box<Sleep>>>,
    /// The number of pieces to send before the body breaks off.
    breaks_after: Option<usize>,
    flushed: bool,
}

impl ThrottledBody {
    /// Creates a body of known length, cut into about `count` pieces.
    pub(crate) fn sized(bytes: &Bytes, count: usize) -> ThrottledBody {
        let length = bytes.len() as u64;
        let size = bytes.len().div_ceil(count).max(1);
        let starts = (0..bytes.len()).step_by(size);
        let pieces: Vec<Bytes> = starts
            .map(|start| bytes.slice(start..bytes.len().min(start + size)))
            .collect();
        ThrottledBody {
            length: Some(length),
            ..ThrottledBody::chunked(pieces)
        }
    }

    /// Creates a body of unknown length, sent piece by piece.
    pub(crate) fn chunked(pieces: Vec<Bytes>) -> ThrottledBody {
        ThrottledBody {
            pieces: pieces.into(),
            length: None,
            gap: Duration::ZERO,
            pause: None,
            breaks_after: None,
            flushed: false,
        }
    }

    /// Spreads the pieces evenly over `time`.
    #[must_use]
    pub(crate) fn over(mut self, time: Duration) -> ThrottledBody {
        let gaps = self.pieces.len().saturating_sub(1).max(1);
        self.gap = time / u32::try_from(gaps).unwrap_or(u32::MAX);
        self
    }

    /// Makes the body break off after half of its pieces; a single piece is split in half first.
    #[must_use]
    pub(crate) fn broken(mut self, broken: bool) -> ThrottledBody {
        if broken {
            if let [whole] = self.pieces.make_contiguous() {
                let rest = whole.split_off(whole.len() / 2);
                self.pieces.push_back(rest);
            }
            self.breaks_after = Some(self.pieces.len() / 2);
        }
        self
    }

    /// Ends a broken body: flushes the pieces sent so far, then fails the connection.
    fn poll_break(&mut self, context: &Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Closed>>> {
        if self.flushed {
            return Poll::Ready(Some(Err(Closed)));
        }
        self.flushed = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Body for ThrottledBody {
    type Data = Bytes;
    type Error = Closed;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Closed>>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        if self.breaks_after == Some(0) {
            return self.poll_break(context);
        }
        let Some(piece) = self.pieces.pop_front() else {
            return Poll::Ready(None);
        };
        self.length = self.length.map(|left| left - piece.len() as u64);
        self.breaks_after = self.breaks_after.map(|left| left - 1);
        if !self.gap.is_zero() && !self.pieces.is_empty() {
            self.pause = Some(Box::pin(tokio::time::sleep(self.gap)));
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map(SizeHint::with_exact).unwrap_or_default()
    }
}
