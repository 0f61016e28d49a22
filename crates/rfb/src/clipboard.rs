//! What is on the server's clipboard: text that all servers tell in Latin-1, and some in full, on request.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::error::RfbError;

/// The most bytes of a text that is kept.
pub(crate) const MOST: usize = 16 << 20;

/// The most bytes of a message about the clipboard: what cannot be packed becomes a little longer.
pub(crate) const MOST_PACKED: usize = MOST + MOST / 64;

/// How many sizes a server may tell: one for each form of data.
const FORMS: u32 = 0xffff;

/// Text, the only form of data that is wanted here.
const TEXT: u32 = 1;

/// What a message does.
const CAPABILITIES: u32 = 1 << 24;
const REQUEST: u32 = 1 << 25;
const PEEK: u32 = 1 << 26;
const NOTIFY: u32 = 1 << 27;
const PROVIDE: u32 = 1 << 28;

/// What is known of the server's clipboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServerClipboard {
    /// The server has not told yet.
    #[default]
    Untold,
    /// It holds no text.
    Empty,
    /// It holds a text, which can be asked for.
    Offered,
    /// This text.
    Text(String),
    /// A text that is too long to be kept.
    TooLong,
}

/// The clipboard as both ends know it.
#[derive(Default)]
pub(crate) struct Clipboard {
    pub(crate) server: ServerClipboard,
    /// The most bytes of a text that the server takes unasked, once it has said that it takes texts in full.
    unasked: Option<u32>,
    /// Whether texts outside the extended clipboard are in UTF-8.
    is_utf8: bool,
    /// The message that provides this client's own text.
    own: Option<Vec<u8>>,
    /// Whether the server may still tell that this client's text has taken the place of another.
    is_replacing: bool,
    /// How often the server has fetched it.
    pub(crate) fetched: u64,
}

impl Clipboard {
    /// Returns that of a server whose screen has this name. wayvnc 0.5 passes texts on as the UTF-8 of its programs.
    pub(crate) fn of_server(name: &str) -> Clipboard {
        Clipboard {
            is_utf8: name.starts_with("WayVNC"),
            ..Clipboard::default()
        }
    }

    /// Whether the server has the extended clipboard.
    pub(crate) fn is_extended(&self) -> bool {
        self.unasked.is_some()
    }

    /// Whether the server takes this character.
    pub(crate) fn takes(&self, character: char) -> bool {
        self.is_extended() || self.is_utf8 || u32::from(character) <= 0xff
    }

    /// Takes a text that the server tells outside the extended clipboard.
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

    /// Takes note of a text that was too long to be read.
    pub(crate) fn pass_over(&mut self) {
        self.put(ServerClipboard::TooLong);
    }

    /// Takes a message of the extended clipboard; returns the answer.
    pub(crate) fn take(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, RfbError> {
        let (flags, rest) = message
            .split_first_chunk()
            .ok_or(RfbError::Invalid("a clipboard without a purpose"))?;
        let flags = u32::from_be_bytes(*flags);
        let is_text = flags & TEXT != 0;
        if flags & CAPABILITIES != 0 {
            let sizes = rest.chunks_exact(4).take((flags & FORMS).count_ones() as usize);
            let sizes: Vec<u32> = sizes
                .map(|size| u32::from_be_bytes([size[0], size[1], size[2], size[3]]))
                .collect();
            let is_first = self.unasked.is_none();
            // x11vnc has it from its library and drops what it gets: it tells of no texts. What it gets in Latin-1 it takes.
            let is_able = is_text && flags & NOTIFY != 0;
            // Text is the first of all forms.
            self.unasked = is_able.then(|| sizes.first().copied().unwrap_or_default());
            // A server that repeats itself has its answer.
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

    /// Returns what tells the server of this text, of which it must take each character. One with the extended clipboard
    /// fetches it; another gets it at once.
    pub(crate) fn offer(&mut self, text: &str) -> Vec<u8> {
        let is_replacing = self.own.is_none() && self.server != ServerClipboard::Empty;
        self.put(ServerClipboard::Text(text.to_owned()));
        if !self.is_extended() {
            return plain(if self.is_utf8 { text.into() } else { latin(text) });
        }
        let lines = text.replace("\r\n", "\n").replace('\n', "\r\n");
        let own = message(PROVIDE | TEXT, &pack(lines.as_bytes()));
        let mut offer = notice(true);
        if self.unasked.is_some_and(|most| lines.len() < most as usize) {
            offer.extend(&own);
        }
        self.own = Some(own);
        self.is_replacing = is_replacing;
        offer
    }
}

/// Returns the question for what the server has.
pub(crate) fn peek() -> Vec<u8> {
    message(PEEK, &[])
}

/// Returns the question for the server's text.
pub(crate) fn request() -> Vec<u8> {
    message(REQUEST | TEXT, &[])
}

fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect()
}

/// Returns the message that tells a text outside the extended clipboard.
fn plain(bytes: Vec<u8>) -> Vec<u8> {
    let mut message = vec![6, 0, 0, 0];
    message.extend((bytes.len() as u32).to_be_bytes());
    message.extend(bytes);
    message
}

/// What this client does: everything, with text, none of which it takes unasked.
fn capabilities() -> Vec<u8> {
    message(
        CAPABILITIES | REQUEST | PEEK | NOTIFY | PROVIDE | TEXT,
        &0u32.to_be_bytes(),
    )
}

fn notice(has_text: bool) -> Vec<u8> {
    message(NOTIFY | if has_text { TEXT } else { 0 }, &[])
}

/// Returns a message of the extended clipboard, which is told by its negative length.
fn message(flags: u32, rest: &[u8]) -> Vec<u8> {
    let mut message = vec![6, 0, 0, 0];
    message.extend((-(4 + rest.len() as i32)).to_be_bytes());
    message.extend(flags.to_be_bytes());
    message.extend(rest);
    message
}

/// Packs a text with its length, and a zero at its end that counts. The stream is flushed but has no end, as that of
/// other clients: x11vnc hangs up at one.
fn pack(text: &[u8]) -> Vec<u8> {
    let length = (text.len() as u32 + 1).to_be_bytes();
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = [&length, text, &[0]].iter().try_for_each(|part| packer.write_all(part));
    // A vector takes everything.
    let flushed = written.and_then(|()| packer.flush());
    flushed.map(|()| packer.get_ref().clone()).unwrap_or_default()
}

/// Unpacks a text, of which no more is unpacked than it may have.
fn unpack(packed: &[u8]) -> Result<ServerClipboard, RfbError> {
    const BROKEN: RfbError = RfbError::Invalid("a clipboard that cannot be unpacked");
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
