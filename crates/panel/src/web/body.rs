//! The body of a response, sent either as a whole or piece by piece as it is produced.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::sync::mpsc;

/// How many pieces can be waiting for the client. After that, the producer has to wait.
const WAITING: usize = 8;

/// A body.
pub(super) enum ResponseBody {
    /// The whole body; `None` once it has been sent.
    Whole(Option<Bytes>),
    /// Pieces from a sender. An error breaks the connection, so that nobody mistakes the part that was sent for the
    /// whole body.
    Pieces(mpsc::Receiver<io::Result<Bytes>>),
}

impl ResponseBody {
    pub(super) fn empty() -> ResponseBody {
        ResponseBody::Whole(None)
    }

    /// Creates a body and a sender for its pieces. The body ends when the sender is dropped.
    pub(super) fn pieces() -> (mpsc::Sender<io::Result<Bytes>>, ResponseBody) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (sender, ResponseBody::Pieces(receiver))
    }
}

impl<T: Into<Bytes>> From<T> for ResponseBody {
    fn from(bytes: T) -> ResponseBody {
        ResponseBody::Whole(Some(bytes.into()).filter(|bytes| !bytes.is_empty()))
    }
}

impl hyper::body::Body for ResponseBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.get_mut() {
            ResponseBody::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            ResponseBody::Pieces(pieces) => pieces.poll_recv(context).map(|piece| Some(piece?.map(Frame::data))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, ResponseBody::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            ResponseBody::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            ResponseBody::Pieces(_) => SizeHint::default(),
        }
    }
}
