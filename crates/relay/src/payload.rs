//! Reads the content of a copied message: its start line, its headers, and its body without transfer and content
//! codings.

use std::borrow::Cow;
use std::io::Read;

use bytes::Bytes;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use thiserror::Error;

use crate::chunks::{ChunkError, Chunks};
use crate::exchange::{Copy, Message};

/// The largest size of a body without its codings.
const PAYLOAD_BYTES: usize = 64 << 20;
/// The largest number of codings for one body; nobody uses more than two.
const CODINGS: usize = 4;

/// Why a body cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// The body was not copied.
    #[error("the body was not copied: it was too long, or too many copies were waiting")]
    Dropped,
    /// The end of the body is missing.
    #[error("the body is incomplete")]
    Incomplete,
    /// The chunks are invalid.
    #[error("the body is not correctly chunked: {0}")]
    Chunks(#[from] ChunkError),
    /// The body uses a coding that is not supported.
    #[error("the body is encoded as {0:?}, which is not supported")]
    Coding(String),
    /// The body does not match its coding.
    #[error("the body does not match its encoding {0:?}")]
    Encoded(String),
    /// The body unpacks to more than 64 MB.
    #[error("the body is longer than 64 MB when decompressed")]
    TooLong,
}

impl Message {
    /// Returns the method of a request.
    pub fn method(&self) -> &str {
        self.word(0)
    }

    /// Returns the target of a request, as it was sent.
    pub fn target(&self) -> &str {
        self.word(1)
    }

    /// Returns the status of a response.
    pub fn status(&self) -> Option<u16> {
        let code = self.word(1);
        (code.len() == 3 && self.word(0).starts_with("HTTP/")).then(|| code.parse().ok())?
    }

    /// Returns the value of the first header with this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    /// Returns the body with the chunk framing removed and `gzip` and `deflate` decoded.
    pub fn payload(&self) -> Result<Bytes, Unreadable> {
        let Copy::Whole(wire) = &self.body else {
            return Err(Unreadable::Dropped);
        };
        let mut body = match self.codings("transfer-encoding").pop() {
            Some(coding) if coding.eq_ignore_ascii_case("chunked") => dechunked(wire)?,
            Some(coding) => return Err(Unreadable::Coding(coding)),
            None => self.measured(wire)?,
        };
        let mut codings = self.codings("content-encoding");
        codings.retain(|coding| !coding.is_empty());
        if let Some(coding) = codings.get(CODINGS) {
            return Err(Unreadable::Coding(coding.clone()));
        }
        for coding in codings.iter().rev() {
            body = decoded(&body, coding)?;
        }
        Ok(body)
    }

    /// Returns what arrived of an incomplete body, with the chunk framing removed; `None` if nothing arrived, or if it
    /// is encoded.
    pub fn arrived(&self) -> Option<Bytes> {
        let Copy::Whole(wire) = &self.body else { return None };
        let is_encoded = self.codings("content-encoding").iter().any(|coding| !coding.is_empty());
        let part = match self.codings("transfer-encoding").pop() {
            _ if is_encoded => return None,
            Some(coding) if coding.eq_ignore_ascii_case("chunked") => without_framing(wire).ok()?.0,
            Some(_) => return None,
            None => wire.clone(),
        };
        (!part.is_empty()).then_some(part)
    }

    /// Returns the body if all bytes that the head announced have arrived.
    fn measured(&self, wire: &Bytes) -> Result<Bytes, Unreadable> {
        let length = self
            .header("content-length")
            .and_then(|length| length.split(',').next()?.trim().parse().ok());
        match length {
            Some(length) if (wire.len() as u64) < length && !wire.is_empty() => Err(Unreadable::Incomplete),
            _ => Ok(wire.clone()),
        }
    }

    fn word(&self, index: usize) -> &str {
        let line = self.lines().next().unwrap_or_default();
        let word = line
            .split(|byte| *byte == b' ')
            .filter(|word| !word.is_empty())
            .nth(index);
        word.and_then(|word| str::from_utf8(word).ok()).unwrap_or_default()
    }

    /// Returns the codings listed by all headers with this name. Values that are not UTF-8 are included, so that a
    /// final `chunked` is always found.
    fn codings(&self, name: &str) -> Vec<String> {
        let lists = self.fields(name).map(String::from_utf8_lossy);
        let codings =
            |list: Cow<'_, str>| -> Vec<String> { list.split(',').map(|coding| coding.trim().to_owned()).collect() };
        lists.flat_map(codings).collect()
    }

    /// Returns the values of all headers with this name that are valid UTF-8.
    fn values<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.fields(name).filter_map(|value| str::from_utf8(value).ok())
    }

    /// Returns the values of all headers with this name.
    fn fields<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.lines().skip(1).filter_map(move |line| {
            let colon = line.iter().position(|byte| *byte == b':')?;
            let (key, value) = line.split_at_checked(colon)?;
            let named = key.trim_ascii_end().eq_ignore_ascii_case(name.as_bytes());
            named.then(|| value.get(1..))?.map(<[u8]>::trim_ascii)
        })
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let lines = self.head.split(|byte| *byte == b'\n');
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }
}

fn dechunked(wire: &[u8]) -> Result<Bytes, Unreadable> {
    match without_framing(wire)? {
        (data, true) => Ok(data),
        (_, false) => Err(Unreadable::Incomplete),
    }
}

/// Returns the data of all chunks, and whether the last chunk has arrived.
fn without_framing(wire: &[u8]) -> Result<(Bytes, bool), ChunkError> {
    let mut data = Vec::with_capacity(wire.len());
    let mut chunks = Chunks::lenient();
    chunks.scan(wire, |range| {
        data.extend_from_slice(wire.get(range).unwrap_or_default());
    })?;
    Ok((data.into(), chunks.is_complete()))
}

fn decoded(body: &Bytes, coding: &str) -> Result<Bytes, Unreadable> {
    let unpacked = match coding.to_ascii_lowercase().as_str() {
        "identity" => return Ok(body.clone()),
        "gzip" | "x-gzip" => read(MultiGzDecoder::new(body.as_ref())),
        // `deflate` means the zlib format, but some servers send raw deflate data.
        "deflate" => match read(ZlibDecoder::new(body.as_ref())) {
            Err(Unreadable::Encoded(_)) => read(DeflateDecoder::new(body.as_ref())),
            unpacked => unpacked,
        },
        _ => return Err(Unreadable::Coding(coding.to_owned())),
    };
    match unpacked {
        Err(Unreadable::Encoded(_)) => Err(Unreadable::Encoded(coding.to_owned())),
        unpacked => unpacked,
    }
}

fn read(decoder: impl Read) -> Result<Bytes, Unreadable> {
    let mut unpacked = Vec::new();
    let limit = PAYLOAD_BYTES as u64 + 1;
    match decoder.take(limit).read_to_end(&mut unpacked) {
        Ok(len) if len > PAYLOAD_BYTES => Err(Unreadable::TooLong),
        Ok(_) => Ok(unpacked.into()),
        Err(_) => Err(Unreadable::Encoded(String::new())),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn message(head: &str, body: impl Into<Bytes>) -> Message {
        let body = body.into();
        Message {
            head: Bytes::copy_from_slice(head.as_bytes()),
            bytes: body.len() as u64,
            body: Copy::Whole(body),
        }
    }

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn chunked(data: &[u8]) -> Vec<u8> {
        let parts = data
            .chunks(5)
            .map(|part| [format!("{:x};x=y\r\n", part.len()).as_bytes(), part, b"\r\n"].concat());
        [parts.collect::<Vec<_>>().concat(), b"0\r\nDigest: x\r\n\r\n".to_vec()].concat()
    }

    #[test]
    fn heads_are_read_as_they_are_written() {
        let request = message(
            "POST  /v1/x?y HTTP/1.1\r\nX-A:  one \r\nx-a: two\r\nBad\r\nB: \u{e9}\r\n\r\n",
            "",
        );
        assert_eq!(
            (request.method(), request.target(), request.status()),
            ("POST", "/v1/x?y", None)
        );
        assert_eq!(
            (request.header("x-A"), request.header("b"), request.header("bad")),
            (Some("one"), Some("é"), None)
        );
        for (line, status) in [
            ("HTTP/1.1 200 OK", Some(200)),
            ("HTTP/1.0 413", Some(413)),
            ("HTTP/1.1 20 OK", None),
            ("", None),
            ("ICY 200 OK", None),
        ] {
            assert_eq!(message(&format!("{line}\r\n\r\n"), "").status(), status, "{line}");
        }
    }

    /// Follows the relay's framing of the body: if the last coding is `chunked`, the body is in chunks, whatever
    /// precedes it, and an unfinished body cannot be read.
    #[test]
    fn an_unreadable_coding_does_not_hide_chunks() {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: \xff\xff, chunked\r\n\r\n";
        let unfinished = Message {
            head: head.to_vec().into(),
            body: Copy::Whole(Bytes::from_static(b"c")),
            bytes: 1,
        };
        assert!(unfinished.payload().is_err());
    }

    #[test]
    fn the_codings_of_the_wire_are_undone() {
        let text = b"the story, the story, the story".as_slice();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(text).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::best());
        raw.write_all(text).unwrap();
        let cases = [
            ("", text.to_vec()),
            ("Content-Length: 31\r\n", text.to_vec()),
            ("Transfer-Encoding: chunked\r\n", chunked(text)),
            ("content-encoding: GZIP\r\n", gzip(text)),
            (
                "content-encoding: x-gzip, identity\r\ntransfer-encoding: Chunked\r\n",
                chunked(&gzip(text)),
            ),
            ("content-encoding: deflate\r\n", zlib.finish().unwrap()),
            ("content-encoding: deflate\r\n", raw.finish().unwrap()),
            (
                "content-encoding: gzip\r\ncontent-encoding: gzip\r\n",
                gzip(&gzip(text)),
            ),
            (
                "content-encoding: gzip\r\n",
                [gzip(&text[..9]), gzip(&text[9..])].concat(),
            ),
        ];
        for (headers, body) in cases {
            let message = message(&format!("HTTP/1.1 200 OK\r\n{headers}\r\n"), body);
            assert_eq!(message.payload(), Ok(Bytes::copy_from_slice(text)), "{headers:?}");
        }
    }

    #[test]
    fn what_arrived_of_an_incomplete_body_is_kept() {
        let cases = [
            ("transfer-encoding: chunked\r\n", "3\r\nabc\r\n4\r\nde", Some("abcde")),
            ("transfer-encoding: chunked\r\n", "3", None),
            ("transfer-encoding: chunked\r\n", "x\r\nabc", None),
            ("content-length: 9\r\n", "abc", Some("abc")),
            ("content-encoding: gzip\r\ncontent-length: 9\r\n", "abc", None),
            ("content-length: 9\r\n", "", None),
        ];
        for (headers, body, expected) in cases {
            let message = message(&format!("HTTP/1.1 200 OK\r\n{headers}\r\n"), body);
            assert_eq!(message.arrived(), expected.map(Bytes::from), "{headers:?} {body:?}");
        }
    }

    #[test]
    fn unreadable_bodies_are_reported() {
        let coding = |name: &str| Unreadable::Coding(name.to_owned());
        let encoded = |name: &str| Unreadable::Encoded(name.to_owned());
        let mut cut = gzip(b"the story, the story");
        cut.truncate(15);
        let cases = [
            ("content-length: 9\r\n", b"abc".to_vec(), Unreadable::Incomplete),
            (
                "transfer-encoding: chunked\r\n",
                b"3\r\nabc\r\n".to_vec(),
                Unreadable::Incomplete,
            ),
            (
                "transfer-encoding: chunked\r\n",
                b"3\r\nabcd\r\n".to_vec(),
                Unreadable::Chunks(ChunkError::Data),
            ),
            ("transfer-encoding: gzip\r\n", gzip(b"abc"), coding("gzip")),
            ("content-encoding: br\r\n", b"abc".to_vec(), coding("br")),
            ("content-encoding: gzip\r\n", b"abc".to_vec(), encoded("gzip")),
            ("content-encoding: gzip\r\n", cut, encoded("gzip")),
            (
                "content-encoding: deflate\r\n",
                b"\xff\xff".to_vec(),
                encoded("deflate"),
            ),
            (
                "content-encoding: identity,identity,identity,identity,identity\r\n",
                Vec::new(),
                coding("identity"),
            ),
            (
                "content-encoding: gzip\r\n",
                gzip(&vec![0; PAYLOAD_BYTES + 1]),
                Unreadable::TooLong,
            ),
        ];
        for (headers, body, why) in cases {
            let message = message(&format!("HTTP/1.1 200 OK\r\n{headers}\r\n"), body);
            assert_eq!(message.payload(), Err(why), "{headers:?}");
        }
        let dropped = Message {
            body: Copy::Dropped,
            ..message("HTTP/1.1 200 OK\r\n\r\n", "")
        };
        assert_eq!(dropped.payload(), Err(Unreadable::Dropped));
    }
}
