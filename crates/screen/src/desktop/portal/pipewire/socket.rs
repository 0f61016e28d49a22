//! The socket to PipeWire: messages with values, and files beside them.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendFlags, recvmsg, sendmsg,
};

use super::pod::Writer;

/// The length of the numbers before a message.
const HEAD: usize = 16;

/// The longest message to accept.
const LONGEST: usize = 1 << 20;

/// The most files to accept before the messages that they belong to.
const MOST_FILES: usize = 1024;

/// The most files that one read accepts.
const FILES_AT_ONCE: usize = 28;

/// A message from PipeWire.
pub(super) struct Message {
    /// The object that it is from.
    pub(super) object: u32,
    pub(super) event: u32,
    pub(super) body: Vec<u8>,
    pub(super) files: Vec<Option<OwnedFd>>,
}

impl Message {
    /// Takes one of its files.
    pub(super) fn take(&mut self, index: usize) -> Option<OwnedFd> {
        self.files.get_mut(index)?.take()
    }
}

/// The connection to PipeWire.
pub(super) struct Socket {
    file: OwnedFd,
    received: Received,
    sent: u32,
}

/// What has been received but not yet processed.
#[derive(Default)]
struct Received {
    bytes: Vec<u8>,
    files: VecDeque<OwnedFd>,
}

impl Socket {
    pub(super) fn over(file: OwnedFd) -> io::Result<Socket> {
        rustix::io::ioctl_fionbio(&file, true)?;
        Ok(Socket {
            file,
            received: Received::default(),
            sent: 0,
        })
    }

    /// Sends a structure to an object. Requests are small, so they always fit.
    pub(super) fn send(&mut self, object: u32, method: u32, fields: impl FnOnce(&mut Writer)) -> io::Result<()> {
        let mut body = Writer::default();
        body.structure(fields);
        let body = body.into_bytes();
        let head = [object, method << 24 | body.len() as u32, self.sent, 0];
        self.sent = self.sent.wrapping_add(1);
        let bytes: Vec<u8> = head.into_iter().flat_map(u32::to_ne_bytes).chain(body).collect();
        let mut none = SendAncillaryBuffer::default();
        let sent = sendmsg(&self.file, &[IoSlice::new(&bytes)], &mut none, SendFlags::NOSIGNAL)?;
        if sent == bytes.len() {
            Ok(())
        } else {
            Err(io::Error::new(
                ErrorKind::WriteZero,
                "PipeWire does not read its messages",
            ))
        }
    }

    /// Returns the next message, or `None` if it has not arrived.
    pub(super) fn receive(&mut self) -> io::Result<Option<Message>> {
        loop {
            if let Some(message) = self.received.message()? {
                return Ok(Some(message));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Reads what has arrived; returns `false` if that is nothing.
    fn fill(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 16384];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES_AT_ONCE))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let into = &mut [IoSliceMut::new(&mut bytes)];
        let count = match recvmsg(&self.file, into, &mut beside, RecvFlags::CMSG_CLOEXEC) {
            Ok(got) => got.bytes,
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        for beside in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = beside {
                self.received.files.extend(files);
            }
        }
        if count == 0 {
            return Err(io::Error::new(
                ErrorKind::UnexpectedEof,
                "PipeWire has closed the connection",
            ));
        }
        self.received.bytes.extend_from_slice(&bytes[..count]);
        Ok(true)
    }
}

impl Received {
    /// Splits off the first message, if all of it is there.
    fn message(&mut self) -> io::Result<Option<Message>> {
        let invalid = |what| Err(io::Error::new(ErrorKind::InvalidData, what));
        if self.files.len() > MOST_FILES {
            return invalid("PipeWire sent too many files");
        }
        let Some((head, rest)) = self.bytes.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let number = |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (object, what, files) = (number(0), number(4), number(12) as usize);
        let length = (what & 0x00ff_ffff) as usize;
        if length > LONGEST {
            return invalid("PipeWire sent a message that is too long");
        }
        let Some(body) = rest.get(..length) else {
            return Ok(None);
        };
        if files > self.files.len() {
            return invalid("PipeWire sent fewer files than it says");
        }
        let message = Message {
            object,
            event: what >> 24,
            body: body.to_vec(),
            files: self.files.drain(..files).map(Some).collect(),
        };
        self.bytes.drain(..HEAD + length);
        Ok(Some(message))
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
