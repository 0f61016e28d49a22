//! Relays requests from the client to the model server: checks heads before passing them on, and finds the end of each
//! body while passing it on.

use std::borrow::Cow;
use std::convert::Infallible;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt as _, Interest, Ready};
use tokio::net::tcp::ReadHalf;
use tokio::time::{Instant, sleep, timeout_at};

use crate::client_buffer::ClientBuffer;
use crate::context::RelayContext;
use crate::framing::Framing;
use crate::ledger::Ledger;
use crate::refusal::RelayRefusal;
use crate::request_head::{HEAD_BYTES, HeadEnd, RequestHead};

/// How often to check whether a client is gone while nothing can be read from it.
const LOOK: Duration = Duration::from_millis(200);

/// A request whose head is complete. The head is still in the buffer, after `blank` bytes of empty lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NextRequest {
    pub(crate) head: RequestHead,
    pub(crate) len: usize,
    pub(crate) blank: usize,
}

impl NextRequest {
    /// Returns the bytes of the request's head.
    pub(crate) fn bytes<'a>(&self, buffer: &'a ClientBuffer) -> &'a [u8] {
        buffer.unread().get(self.blank..self.len).unwrap_or_default()
    }
}

/// Why no more requests are passed on.
#[derive(Debug)]
pub(crate) enum RequestsEnd {
    /// The client has stopped sending, but might still be listening.
    Ended,
    /// The client left in the middle of a request.
    ClientGone { reset: bool },
    /// The next request is refused.
    Refused(RelayRefusal),
    /// The request's framing is broken.
    Broken,
    /// The next request must wait for a person.
    Held(NextRequest),
}

/// The parts of a connection that this direction uses.
pub(crate) struct Sending<'a, 'b, W> {
    pub(crate) client: &'a mut ReadHalf<'b>,
    pub(crate) buffer: &'a mut ClientBuffer,
    pub(crate) upstream: &'a mut W,
    pub(crate) ledger: &'a Ledger,
    pub(crate) context: &'a RelayContext,
}

impl<W: AsyncWrite + Unpin> Sending<'_, '_, W> {
    /// Passes on this request and those after it until no more arrive.
    pub(crate) async fn pass(mut self, first: NextRequest) -> RequestsEnd {
        match self.all(first).await {
            Ok(never) => match never {},
            Err(RequestsEnd::Ended) => {
                // If the server has already closed the connection, this fails harmlessly.
                let _ = self.upstream.shutdown().await;
                RequestsEnd::Ended
            }
            Err(sent) => sent,
        }
    }

    async fn all(&mut self, first: NextRequest) -> Result<Infallible, RequestsEnd> {
        let mut asked = first;
        loop {
            self.one(asked).await?;
            tokio::select! {
                biased;
                () = self.ledger.room() => {}
                () = broken(self.client) => return Err(RequestsEnd::ClientGone { reset: true }),
            }
            asked = next(self.client, self.buffer, self.context, None).await?;
            self.ledger.begin(asked.bytes(self.buffer), &asked.head);
            if asked.head.is_post && !self.context.passes_at_once().await {
                return Err(RequestsEnd::Held(asked));
            }
        }
    }

    async fn one(&mut self, asked: NextRequest) -> Result<(), RequestsEnd> {
        let NextRequest { head, len, blank } = asked;
        self.context.asked(&head, self.ledger);
        let mut framing = head.framing.clone();
        let unread = self.buffer.unread();
        let (lines, body) = unread.split_at_checked(len).unwrap_or((unread, &[]));
        let part = framing.take(body).map_err(|_| RequestsEnd::Broken)?;
        let body = body.get(..part.len).unwrap_or_default();
        let (before, start) = lines.split_at_checked(blank).unwrap_or((&[], lines));
        let addressed = self.context.address(start, &head);
        let passed = match &addressed {
            Cow::Borrowed(_) => Cow::Borrowed(unread.get(..len + part.len).unwrap_or_default()),
            Cow::Owned(start) => Cow::Owned([before, start, body].concat()),
        };
        if !send(self.upstream, self.client, &passed).await? {
            return self.unheard().await;
        }
        self.ledger.sent(body, framing.is_complete());
        self.buffer.take(len + part.len);
        self.body(framing).await
    }

    async fn body(&mut self, mut framing: Framing) -> Result<(), RequestsEnd> {
        while !framing.is_complete() {
            if self.buffer.unread().is_empty() {
                match self.buffer.read(self.client).await {
                    Ok(0) => return Err(RequestsEnd::ClientGone { reset: false }),
                    Ok(_) => {}
                    Err(_) => return Err(RequestsEnd::ClientGone { reset: true }),
                }
            }
            let unread = self.buffer.unread();
            let part = framing.take(unread).map_err(|_| RequestsEnd::Broken)?;
            let body = unread.get(..part.len).unwrap_or_default();
            if !send(self.upstream, self.client, body).await? {
                return self.unheard().await;
            }
            self.ledger.sent(body, part.complete);
            self.buffer.take(part.len);
        }
        Ok(())
    }

    /// Drops whatever the client still sends. The server accepts nothing more, so the rest of its response will arrive
    /// soon.
    async fn unheard(&mut self) -> Result<(), RequestsEnd> {
        let mut left = self.context.limits.drain_bytes;
        while left > 0 {
            self.buffer.take(usize::MAX);
            match self.buffer.read(self.client).await {
                Ok(0) => return Err(RequestsEnd::ClientGone { reset: false }),
                Ok(read) => left = left.saturating_sub(read as u64),
                Err(_) => return Err(RequestsEnd::ClientGone { reset: true }),
            }
        }
        std::future::pending().await
    }
}

/// Sends bytes to the server and returns whether it accepted them. Fails if the client breaks off in the meantime.
async fn send(
    upstream: &mut (impl AsyncWrite + Unpin),
    client: &ReadHalf<'_>,
    bytes: &[u8],
) -> Result<bool, RequestsEnd> {
    let sending = async {
        upstream.write_all(bytes).await?;
        upstream.flush().await
    };
    tokio::select! {
        biased;
        sent = sending => Ok(sent.is_ok()),
        () = broken(client) => Err(RequestsEnd::ClientGone { reset: true }),
    }
}

/// Waits until the system reports that the client's connection is broken.
pub(crate) async fn broken(client: &ReadHalf<'_>) {
    // If the system cannot report this, a later read or write will fail instead.
    if client.ready(Interest::ERROR).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Waits for the next request and checks that it is allowed to pass. The time for its head is limited: the limit starts
/// with the first byte, or ends at `deadline` if that is set.
pub(crate) async fn next(
    client: &mut ReadHalf<'_>,
    buffer: &mut ClientBuffer,
    context: &RelayContext,
    mut deadline: Option<Instant>,
) -> Result<NextRequest, RequestsEnd> {
    let mut end = HeadEnd::default();
    loop {
        if let Some(place) = end.find(buffer.unread()).map_err(RequestsEnd::Refused)? {
            if place.end > HEAD_BYTES {
                return Err(RequestsEnd::Refused(RelayRefusal::HeadTooLong));
            }
            let head = buffer.unread().get(place.clone()).unwrap_or_default();
            let read = RequestHead::read(head, &context.allowed_hosts).map_err(RequestsEnd::Refused)?;
            return Ok(NextRequest {
                head: read,
                len: place.end,
                blank: place.start,
            });
        }
        if buffer.unread().len() >= HEAD_BYTES {
            return Err(RequestsEnd::Refused(RelayRefusal::HeadTooLong));
        }
        // Some clients send a line end after a body, which begins no request (RFC 9112, 2.2).
        let empty = buffer.unread().iter().all(|byte| matches!(byte, b'\r' | b'\n'));
        if !empty && deadline.is_none() {
            deadline = Some(Instant::now() + context.limits.head);
        }
        let read = match deadline {
            None => buffer.read(client).await,
            Some(deadline) => match timeout_at(deadline, buffer.read(client)).await {
                Ok(read) => read,
                Err(_) if empty => return Err(RequestsEnd::Ended),
                Err(_) => return Err(RequestsEnd::Refused(RelayRefusal::HeadTooSlow)),
            },
        };
        match read {
            Ok(0) if empty => return Err(RequestsEnd::Ended),
            Ok(0) => return Err(RequestsEnd::ClientGone { reset: false }),
            Ok(_) => {}
            Err(_) => return Err(RequestsEnd::ClientGone { reset: true }),
        }
    }
}

/// Waits until a client whose request is held has left. Stores any bytes that the client sends in the meantime, while
/// there is room.
pub(crate) async fn gone(client: &mut ReadHalf<'_>, buffer: &mut ClientBuffer) -> io::Result<()> {
    loop {
        let gone = if buffer.grow() {
            buffer.read(client).await? == 0
        } else {
            is_gone(client).await
        };
        if gone {
            return Ok(());
        }
    }
}

/// Checks whether a client is gone while there is no room to read from it, even if it has sent unread bytes. Pauses
/// first, so that room can become available.
async fn is_gone(client: &ReadHalf<'_>) -> bool {
    let looked = async {
        sleep(LOOK).await;
        let ready = client.ready(Interest::READABLE).await;
        ready.is_ok_and(Ready::is_read_closed)
    };
    tokio::select! {
        biased;
        () = broken(client) => true,
        closed = looked => closed,
    }
}
