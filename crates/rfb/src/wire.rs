//! Reads the bytes that a server sends, number by number and never further than expected.

use std::io::{self, BufReader, Read, Write};

use crate::error::RfbError;

/// How many bytes one read fetches.
const CHUNK: usize = 1 << 18;

/// A connection with a read buffer.
pub(crate) struct Wire<T>(BufReader<T>);

impl<T: Read> Wire<T> {
    pub(crate) fn new(connection: T) -> Wire<T> {
        Wire(BufReader::with_capacity(CHUNK, connection))
    }

    pub(crate) fn connection(&self) -> &T {
        self.0.get_ref()
    }

    pub(crate) fn connection_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }

    /// Returns whether the buffer holds bytes that were read ahead.
    pub(crate) fn has_more(&self) -> bool {
        !self.0.buffer().is_empty()
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RfbError> {
        Ok(self.0.read_exact(bytes)?)
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], RfbError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, RfbError> {
        Ok(u8::from_be_bytes(self.bytes()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, RfbError> {
        Ok(u16::from_be_bytes(self.bytes()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, RfbError> {
        Ok(u32::from_be_bytes(self.bytes()?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32, RfbError> {
        Ok(i32::from_be_bytes(self.bytes()?))
    }

    /// Appends this many bytes to `into`, which grows only as they arrive, because the announced length might be false.
    pub(crate) fn append(&mut self, length: usize, into: &mut Vec<u8>) -> Result<(), RfbError> {
        let read = self.0.by_ref().take(length as u64).read_to_end(into)?;
        if read < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(())
    }

    /// Skips this many bytes.
    pub(crate) fn skip(&mut self, length: usize) -> Result<(), RfbError> {
        let skipped = io::copy(&mut self.0.by_ref().take(length as u64), &mut io::sink())?;
        if skipped < length as u64 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(())
    }

    /// Reads a length-prefixed string of at most `most` bytes, without control characters.
    pub(crate) fn text(&mut self, most: usize) -> Result<String, RfbError> {
        let length = self.u32()? as usize;
        if length > most {
            return Err(RfbError::Invalid("a string that is too long"));
        }
        let mut bytes = Vec::new();
        self.append(length, &mut bytes)?;
        Ok(printable(&bytes))
    }
}

impl<T: Read + Write> Wire<T> {
    /// Sends a whole message in one write.
    pub(crate) fn send(&mut self, message: &[u8]) -> Result<(), RfbError> {
        let connection = self.0.get_mut();
        connection.write_all(message)?;
        Ok(connection.flush()?)
    }
}

/// Returns the server's text as a single line.
pub(crate) fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.trim_end_matches('\0')
        .chars()
        .map(plain)
        .collect::<String>()
        .trim()
        .to_owned()
}
