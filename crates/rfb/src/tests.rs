//! Tests the client against a scripted server.

mod clipboards;
mod entering;
mod pictures;

use std::io::{self, Cursor, Read, Write};

use crate::{RfbError, VncClient, VncPassword};

/// A connection whose other end has already sent everything.
pub(crate) struct Script {
    says: Cursor<Vec<u8>>,
    pub(crate) heard: Vec<u8>,
    /// How often pixels have arrived.
    arrivals: usize,
}

impl Script {
    fn saying(says: impl Into<Vec<u8>>) -> Script {
        Script {
            says: Cursor::new(says.into()),
            heard: Vec::new(),
            arrivals: 0,
        }
    }
}

impl Read for Script {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.says.read(buffer)
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.heard.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the bytes that a version 3.8 server sends at the start if it requires no password.
fn entrance(width: u16, height: u16) -> Vec<u8> {
    [b"RFB 003.008\n\x01\x01\0\0\0\0", &start(width, height)[..]].concat()
}

/// Returns how a server describes its screen.
fn start(width: u16, height: u16) -> Vec<u8> {
    let mut start = [width.to_be_bytes(), height.to_be_bytes()].concat();
    start.extend([7; 16]);
    start.extend(b"\0\0\0\x04name");
    start
}

/// Returns an update with these rectangles, each given by its position, its encoding and its data.
fn update(rectangles: &[([u16; 4], i32, Vec<u8>)]) -> Vec<u8> {
    let mut message = vec![0, 0];
    message.extend((rectangles.len() as u16).to_be_bytes());
    message.extend(rectangles.iter().flat_map(bytes_of));
    message
}

fn bytes_of((place, encoding, rest): &([u16; 4], i32, Vec<u8>)) -> Vec<u8> {
    let place = place.iter().flat_map(|number| number.to_be_bytes());
    place
        .chain(encoding.to_be_bytes())
        .chain(rest.iter().copied())
        .collect()
}

/// Returns a client of a server with a screen of this size, which then sends these messages.
fn client(width: u16, height: u16, messages: &[Vec<u8>]) -> VncClient<Script> {
    let says = [entrance(width, height), messages.concat()].concat();
    VncClient::connect(Script::saying(says), None).unwrap()
}

fn enter(says: impl Into<Vec<u8>>, password: Option<&str>) -> Result<VncClient<Script>, RfbError> {
    let password = password.and_then(VncPassword::new);
    VncClient::connect(Script::saying(says), password.as_ref())
}
