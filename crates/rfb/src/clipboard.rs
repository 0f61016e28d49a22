//! The server's clipboard. All servers exchange text in Latin-1; some also exchange any text, on request.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::error::RfbError;

/// The longest text to keep, in bytes.
pub(crate) const MOST: usize = 16 << 20;

/// The longest message about the clipboard, in bytes: text that cannot be compressed becomes slightly longer.
pub(crate) const MOST_PACKED: usize = MOST + MOST / 64;

/// Text, the only data format that this client uses.
const TEXT: u32 = 1;

/// The flags that say what a message does.
const CAPABILITIES: u32 = 1 << 24;
const REQUEST: u32 = 1 << 25;
const PEEK: u32 = 1 << 26;
const NOTIFY: u32 = 1 << 27;
const PROVIDE: u32 = 1 << 28;

/// The known state of the server's clipboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServerClipboard {
    /// The server has not reported anything yet.
    #[default]
    Untold,
    /// The clipboard contains no text.
    Empty,
    /// The clipboard contains text, which can be requested.
    Offered,
    /// The clipboard contains this text.
    Text(String),
    /// The clipboard contains text that is too long to keep.
    TooLong,
}

/// What both ends know about the clipboard.
#[derive(Default)]
pub(crate) struct Clipboard {
    pub(crate) server: ServerClipboard,
    /// Whether the server has announced the extended clipboard.
    pub(crate) is_extended: bool,
    /// Whether text outside the extended clipboard is in UTF-8.
    is_utf8: bool,
    /// The message that delivers this client's own text.
    own: Option<Vec<u8>>,
    /// Whether the server might still report that this client's text has replaced another.
    is_replacing: bool,
    /// How often the server has fetched this client's text.
    pub(crate) fetched: u64,
}

impl Clipboard {
    /// Returns the clipboard of a server whose screen has this name. wayvnc 0.5 passes on text in UTF-8, as its
    /// programs use it.
    pub(crate) fn of_server(name: &str) -> Clipboard {
        Clipboard {
            is_utf8: name.starts_with("WayVNC"),
            ..Clipboard::default()
        }
    }

    /// Returns whether the server accepts this character.
    pub(crate) fn takes(&self, character: char) -> bool {
        self.is_extended || self.is_utf8 || u32::from(character) <= 0xff
    }

    /// Records text that the server sent outside the extended clipboard.
    pub(crate) fn take_plain(&mut self, bytes: &[u8]) {
        let text = if self.is_utf8 {
            String::from_utf8_lossy(bytes).into_owned()
        } else {
            bytes.iter().copied().map(char::from).collect()
        };
        self.put(ServerClipboard::Text(text));
    }

    fn put(&mut self, server: ServerClipboard) {
        self.server = server;
        self.own = None;
        self.is_replacing = false;
    }

    /// Records that the server sent text that was too long to read.
    pub(crate) fn pass_over(&mut self) {
        self.put(ServerClipboard::TooLong);
    }

    /// Handles a message of the extended clipboard. Returns the answer, if it needs one.
    pub(crate) fn take(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, RfbError> {
        let (flags, rest) = message
            .split_first_chunk()
            .ok_or(RfbError::Invalid("a clipboard message without flags"))?;
        let flags = u32::from_be_bytes(*flags);
        let is_text = flags & TEXT != 0;
        if flags & CAPABILITIES != 0 {
            let is_first = !self.is_extended;
            // x11vnc announces the extended clipboard only because its library supports it. It sends no notices and
            // drops the text that it gets this way, but it accepts Latin-1.
            let is_able = is_text && flags & NOTIFY != 0;
            self.is_extended = is_able;
            // A server that announces its capabilities again has already had the answer.
            return Ok((is_first && is_able).then(capabilities));
        }
        Ok(match flags & (REQUEST | PEEK | NOTIFY | PROVIDE) {
            REQUEST if is_text => {
                self.fetched += u64::from(self.own.is_some());
                self.own.clone()
            }
            PEEK => Some(notice(self.own.is_some())),
            NOTIFY if !is_text && std::mem::take(&mut self.is_replacing) => None,
            NOTIFY => {
                self.put(if is_text {
                    ServerClipboard::Offered
                } else {
                    ServerClipboard::Empty
                });
                None
            }
            PROVIDE if is_text => {
                self.put(unpack(rest)?);
                None
            }
            _ => None,
        })
    }

    /// Returns the message that offers this text to the server, which must accept every character of it. A server with
    /// the extended clipboard fetches the text; any other server receives it immediately.
    pub(crate) fn offer(&mut self, text: &str) -> Vec<u8> {
        let is_replacing = self.own.is_none() && self.server != ServerClipboard::Empty;
        self.put(ServerClipboard::Text(text.to_owned()));
        if !self.is_extended {
            return plain(if self.is_utf8 { text.into() } else { latin(text) });
        }
        let lines = text.replace("\r\n", "\n").replace('\n', "\r\n");
        self.own = Some(message(PROVIDE | TEXT, &pack(lines.as_bytes())));
        self.is_replacing = is_replacing;
        notice(true)
    }
}

/// Returns the message that asks what is on the server's clipboard.
pub(crate) fn peek() -> Vec<u8> {
    message(PEEK, &[])
}

/// Returns the message that asks for the server's text.
pub(crate) fn request() -> Vec<u8> {
    message(REQUEST | TEXT, &[])
}

fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect()
}

/// Returns the message that sends text outside the extended clipboard.
fn plain(bytes: Vec<u8>) -> Vec<u8> {
    let mut message = vec![6, 0, 0, 0];
    message.extend((bytes.len() as u32).to_be_bytes());
    message.extend(bytes);
    message
}

/// Returns the message that announces this client's capabilities: all of them, but only for text, and no text that it
/// has not asked for.
fn capabilities() -> Vec<u8> {
    message(
        CAPABILITIES | REQUEST | PEEK | NOTIFY | PROVIDE | TEXT,
        &0u32.to_be_bytes(),
    )
}

fn notice(has_text: bool) -> Vec<u8> {
    message(NOTIFY | if has_text { TEXT } else { 0 }, &[])
}

/// Returns a message of the extended clipboard, which a negative length marks as such.
fn message(flags: u32, rest: &[u8]) -> Vec<u8> {
    let mut message = vec![6, 0, 0, 0];
    message.extend((-(4 + rest.len() as i32)).to_be_bytes());
    message.extend(flags.to_be_bytes());
    message.extend(rest);
    message
}

/// Compresses text, preceded by its length and followed by a zero byte that the length includes. Like other clients,
/// this flushes the stream but never ends it, because x11vnc hangs up when a stream ends.
fn pack(text: &[u8]) -> Vec<u8> {
    let length = (text.len() as u32 + 1).to_be_bytes();
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = [&length, text, &[0]].iter().try_for_each(|part| packer.write_all(part));
    // Writing to a vector cannot fail.
    let flushed = written.and_then(|()| packer.flush());
    flushed.map(|()| packer.get_ref().clone()).unwrap_or_default()
}

/// Decompresses text, but never more of it than its announced length.
fn unpack(packed: &[u8]) -> Result<ServerClipboard, RfbError> {
    const BROKEN: RfbError = RfbError::Invalid("clipboard data that cannot be decompressed");
    let mut plain = ZlibDecoder::new(packed);
    let mut length = [0; 4];
    plain.read_exact(&mut length).map_err(|_| BROKEN)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > MOST {
        return Ok(ServerClipboard::TooLong);
    }
    let mut bytes = Vec::new();
    let read = plain.take(length as u64).read_to_end(&mut bytes).map_err(|_| BROKEN)?;
    if read < length {
        return Err(BROKEN);
    }
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
    Ok(ServerClipboard::Text(
        String::from_utf8_lossy(bytes).replace("\r\n", "\n"),
    ))
}
