//! Relays responses from the model server to the client: passes each piece on unchanged, then examines and copies it.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::framing::Framing;
use crate::ledger::Ledger;
use crate::response_head::{HEAD_BYTES, ResponseHead, head_end};

/// The number of bytes to read at a time.
const BUFFER: usize = 64 << 10;

/// Why no more responses arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResponsesEnd {
    /// The server closed the connection properly. The text describes the interrupted part of a response, if any.
    Ended(Option<String>),
    /// The connection broke in the middle of a response.
    Broke(String),
    /// Data arrived that was not requested, and was passed on anyway.
    Unasked,
    /// The server wants to switch to another protocol; `seen` says whether the client has already received part of it.
    Switches { seen: bool },
    /// The client no longer accepts data.
    ClientGone,
}

/// Passes on responses until no more arrive.
pub(crate) async fn pass(
    upstream: &mut (impl AsyncRead + Unpin),
    client: &mut (impl AsyncWrite + Unpin),
    ledger: &Ledger,
) -> ResponsesEnd {
    let mut buffer = vec![0; BUFFER];
    let mut reading = Reading::new(ledger);
    loop {
        let bytes = match upstream.read(&mut buffer).await {
            Ok(0) => return reading.ended(),
            Ok(read) => buffer.get(..read).unwrap_or_default(),
            Err(error) => return reading.broke(&error),
        };
        if reading.would_switch(bytes) {
            return ResponsesEnd::Switches { seen: false };
        }
        if client.write_all(bytes).await.is_err() {
            return ResponsesEnd::ClientGone;
        }
        if let Some(received) = reading.look(bytes) {
            return received;
        }
    }
}

/// The position of the next byte in the stream of responses.
struct Reading<'a> {
    ledger: &'a Ledger,
    at: At,
}

enum At {
    /// In a head; these bytes of the head have arrived so far.
    Head(Vec<u8>),
    Body(Framing),
    /// In something other than HTTP.
    Wild(&'static str),
}

impl<'a> Reading<'a> {
    fn new(ledger: &'a Ledger) -> Reading<'a> {
        let at = At::Head(Vec::new());
        Reading { ledger, at }
    }

    /// Checks whether these bytes begin a protocol switch, which must not reach clients.
    fn would_switch(&self, bytes: &[u8]) -> bool {
        let begins = matches!(&self.at, At::Head(head) if head.is_empty());
        begins && bytes.starts_with(b"HTTP/1.1 101")
    }

    /// Examines bytes that have been passed on.
    fn look(&mut self, mut bytes: &[u8]) -> Option<ResponsesEnd> {
        while !bytes.is_empty() {
            if self.ledger.awaited().is_none() {
                return Some(ResponsesEnd::Unasked);
            }
            bytes = match &mut self.at {
                At::Wild(_) => return None,
                At::Head(_) => match self.head(bytes) {
                    Ok(rest) => rest,
                    Err(received) => return Some(received),
                },
                At::Body(framing) => match framing.take(bytes) {
                    Err(_) => {
                        self.at = At::Wild("its chunks are malformed");
                        continue;
                    }
                    Ok(part) => {
                        let (body, rest) = bytes.split_at_checked(part.len).unwrap_or((bytes, &[]));
                        if part.complete {
                            self.at = At::Head(Vec::new());
                        }
                        self.ledger.received(body, part.complete);
                        rest
                    }
                },
            };
        }
        None
    }

    /// Consumes bytes of a head and returns the bytes after it.
    fn head<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], ResponsesEnd> {
        let At::Head(head) = &mut self.at else { return Ok(bytes) };
        if head.is_empty() {
            self.ledger.first_byte();
        }
        let scanned = head.len();
        head.extend_from_slice(bytes);
        let Some(end) = head_end(head, scanned) else {
            if head.len() > HEAD_BYTES {
                self.at = At::Wild("its head never ends");
            }
            return Ok(&[]);
        };
        let rest = bytes.get(end - scanned..).unwrap_or_default();
        head.truncate(end);
        let to_head = self.ledger.awaited().unwrap_or_default();
        self.at = match ResponseHead::read(head, to_head) {
            None => At::Wild("it is not HTTP"),
            Some(read) if read.switches() => return Err(ResponsesEnd::Switches { seen: true }),
            Some(read) if read.is_interim() => At::Head(Vec::new()),
            Some(read) => {
                self.ledger.responded(head, read.framing.left());
                if read.framing.is_complete() {
                    self.ledger.received(&[], true);
                    At::Head(Vec::new())
                } else {
                    At::Body(read.framing)
                }
            }
        };
        Ok(rest)
    }

    /// Handles a connection that the server has closed.
    fn ended(self) -> ResponsesEnd {
        let why = match &self.at {
            At::Wild(why) => format!("its response cannot be read: {why}"),
            At::Body(Framing::UntilClose) => {
                self.ledger.received(&[], true);
                return ResponsesEnd::Ended(None);
            }
            At::Body(_) => "it closed the connection in the middle of its response".to_owned(),
            At::Head(head) if !head.is_empty() => {
                "it closed the connection in the middle of its response's head".to_owned()
            }
            At::Head(_) if self.ledger.awaited().is_some() => "it closed the connection without a response".to_owned(),
            At::Head(_) => return ResponsesEnd::Ended(None),
        };
        ResponsesEnd::Ended(Some(why))
    }

    /// Handles a broken connection.
    fn broke(self, error: &io::Error) -> ResponsesEnd {
        match &self.at {
            At::Head(head) if head.is_empty() && self.ledger.awaited().is_none() => ResponsesEnd::Ended(None),
            // If a server closes the connection while the request is still being sent, the connection breaks after its
            // answer.
            At::Body(Framing::UntilClose) if self.ledger.is_early() => self.ended(),
            _ => ResponsesEnd::Broke(format!("its connection broke: {error}")),
        }
    }
}
