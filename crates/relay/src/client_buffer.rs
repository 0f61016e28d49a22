//! Buffers bytes from a client that are not passed on yet.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::exchange::Copies;

/// The number of bytes to read at a time, enough for any head. With a smaller buffer, passing on a picture would take
/// more reads and writes.
const BUFFER: usize = 256 << 10;

/// A buffer that is filled at the end and drained from the start.
#[derive(Debug)]
pub(crate) struct ClientBuffer {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The number of bytes beyond [`BUFFER`], which are deducted from the room for copies.
    grown: usize,
    copies: Copies,
}

impl ClientBuffer {
    pub(crate) fn new(copies: Copies) -> ClientBuffer {
        ClientBuffer {
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            grown: 0,
            copies,
        }
    }

    /// Returns the bytes that have not been taken yet.
    pub(crate) fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Takes this many bytes.
    pub(crate) fn take(&mut self, bytes: usize) {
        self.start = self.end.min(self.start.saturating_add(bytes));
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            if self.grown > 0 {
                self.shrink();
            }
        }
    }

    /// Reads once and appends the bytes. Reads nothing if the client has stopped sending or there is no room.
    pub(crate) async fn read(&mut self, client: &mut (impl AsyncRead + Unpin)) -> io::Result<usize> {
        if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let read = client.read(self.buffer.get_mut(self.end..).unwrap_or_default()).await?;
        self.end += read;
        Ok(read)
    }

    /// Makes room for another read if the queue of copies can spare it.
    pub(crate) fn grow(&mut self) -> bool {
        if self.end - self.start < self.buffer.len() {
            return true;
        }
        let more = self.buffer.len();
        let grows = self.copies.reserve(more);
        if grows {
            self.grown += more;
            self.buffer.resize(self.buffer.len() + more, 0);
        }
        grows
    }

    fn shrink(&mut self) {
        self.buffer = vec![0; BUFFER];
        self.copies.release(self.grown);
        self.grown = 0;
    }
}

impl Drop for ClientBuffer {
    fn drop(&mut self) {
        self.copies.release(self.grown);
    }
}
