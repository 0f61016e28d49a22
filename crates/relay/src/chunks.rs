//! Parses the chunked coding: scans sizes, extensions, data and trailers without storing them.

use std::ops::Range;

use memchr::memchr2;
use thiserror::Error;

/// The largest number of digits in a chunk's size. Fifteen digits are enough for any realistic size and cannot
/// overflow.
const DIGITS: u8 = 15;
/// The largest number of bytes in a chunk's extensions.
const EXTENSION_BYTES: u32 = 16 << 10;
/// The largest number of bytes in all trailers combined.
const TRAILER_BYTES: u32 = 64 << 10;

/// The position of the next byte in a chunked body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chunks {
    at: At,
    /// Whether spaces may follow a size. Some servers send them; requests must not contain them.
    lenient: bool,
}

/// Why bytes are not a valid chunked body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ChunkError {
    /// A chunk's size contains something other than digits.
    #[error("a chunk's size is not a hexadecimal number of at most {DIGITS} digits")]
    Size,
    /// A line does not end with CR LF.
    #[error("a line of the chunked body does not end with CR LF")]
    Line,
    /// An extension or a trailer contains a control character.
    #[error("a chunk's extension or a trailer contains a control character")]
    Control,
    /// The data goes beyond the chunk's size.
    #[error("a chunk is longer than its stated size")]
    Data,
    /// The extensions or trailers exceed their limit.
    #[error("a chunk's extensions or the trailers are too long")]
    TooLong,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Size { size: u64, digits: u8 },
    Extension { size: u64, bytes: u32 },
    SizeLf { size: u64 },
    Data { left: u64 },
    DataCr,
    DataLf,
    Trailer { bytes: u32, blank: bool },
    TrailerLf { bytes: u32, blank: bool },
    End,
}

impl Default for At {
    fn default() -> Self {
        At::Size { size: 0, digits: 0 }
    }
}

impl Chunks {
    /// Creates a reader for a server's body, where spaces may follow a size.
    pub fn lenient() -> Chunks {
        Chunks {
            at: At::default(),
            lenient: true,
        }
    }

    /// Returns whether the last chunk and its trailers have been scanned.
    pub fn is_complete(&self) -> bool {
        self.at == At::End
    }

    /// Scans the next bytes, passes the range of each stretch of data to `data`, and returns the number of bytes that
    /// belong to the body.
    pub fn scan(&mut self, bytes: &[u8], mut data: impl FnMut(Range<usize>)) -> Result<usize, ChunkError> {
        let mut place = 0;
        while let Some(rest) = bytes.get(place..)
            && let Some(&byte) = rest.first()
        {
            match self.at {
                At::End => break,
                At::Data { left } => {
                    let len = usize::try_from(left).map_or(rest.len(), |left| left.min(rest.len()));
                    data(place..place + len);
                    place += len;
                    let left = left - len as u64;
                    self.at = if left == 0 { At::DataCr } else { At::Data { left } };
                }
                At::Extension { size, bytes } => {
                    let (len, ended) = text(rest, bytes, EXTENSION_BYTES)?;
                    place += len + usize::from(ended);
                    let bytes = bytes + len as u32;
                    self.at = if ended {
                        At::SizeLf { size }
                    } else {
                        At::Extension { size, bytes }
                    };
                }
                At::Trailer { bytes, blank } => {
                    let (len, ended) = text(rest, bytes, TRAILER_BYTES)?;
                    place += len + usize::from(ended);
                    let (bytes, blank) = (bytes + len as u32, blank && len == 0);
                    self.at = if ended {
                        At::TrailerLf { bytes, blank }
                    } else {
                        At::Trailer { bytes, blank }
                    };
                }
                at => {
                    self.at = self.step(at, byte)?;
                    place += 1;
                }
            }
        }
        Ok(place)
    }

    /// Advances the states that consume a single byte.
    fn step(&self, at: At, byte: u8) -> Result<At, ChunkError> {
        let trailer = At::Trailer { bytes: 0, blank: true };
        match (at, byte) {
            (At::Size { size, digits: 1.. }, b'\r') => Ok(At::SizeLf { size }),
            (At::Size { size, digits: 1.. }, b';') => Ok(At::Extension { size, bytes: 0 }),
            (At::Size { size, digits: 1.. }, b' ' | b'\t') if self.lenient => Ok(At::Extension { size, bytes: 0 }),
            (At::Size { size, digits }, _) => match char::from(byte).to_digit(16) {
                Some(digit) if digits < DIGITS => Ok(At::Size {
                    size: size << 4 | u64::from(digit),
                    digits: digits + 1,
                }),
                _ => Err(ChunkError::Size),
            },
            (At::SizeLf { size: 0 }, b'\n') => Ok(trailer),
            (At::SizeLf { size }, b'\n') => Ok(At::Data { left: size }),
            (At::DataCr, b'\r') => Ok(At::DataLf),
            (At::DataCr, _) => Err(ChunkError::Data),
            (At::DataLf, b'\n') => Ok(At::default()),
            (At::TrailerLf { blank: true, .. }, b'\n') => Ok(At::End),
            (At::TrailerLf { bytes, .. }, b'\n') => Ok(At::Trailer {
                bytes: bytes + 2,
                blank: true,
            }),
            _ => Err(ChunkError::Line),
        }
    }
}

/// Returns the number of bytes in `rest` up to the end of the line, and whether the line ends there. `before` bytes of
/// the line arrived earlier; the line can have at most `most`.
fn text(rest: &[u8], before: u32, most: u32) -> Result<(usize, bool), ChunkError> {
    let end = memchr2(b'\r', b'\n', rest);
    let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    if end.and_then(|end| rest.get(end)) == Some(&b'\n') {
        return Err(ChunkError::Line);
    }
    if line.len() > most.saturating_sub(before) as usize {
        return Err(ChunkError::TooLong);
    }
    if line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
        return Err(ChunkError::Control);
    }
    Ok((line.len(), end.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(mut chunks: Chunks, bytes: &[u8]) -> Result<(usize, bool, Vec<u8>), ChunkError> {
        let mut data = Vec::new();
        let len = chunks.scan(bytes, |range| data.extend_from_slice(&bytes[range]))?;
        Ok((len, chunks.is_complete(), data))
    }

    #[test]
    fn bodies_end_behind_their_trailers() {
        let cases: [(&[u8], usize, &[u8]); 7] = [
            (b"0\r\n\r\n", 5, b""),
            (b"3\r\nabc\r\n0\r\n\r\nGET", 13, b"abc"),
            (b"00A;n=v;q=\"a b\"\r\n0123456789\r\n000\r\n\r\n", 36, b"0123456789"),
            (b"1\r\n\r\r\n1\r\n\n\r\n0\r\n\r\n", 17, b"\r\n"),
            (b"1\r\nx\r\n0\r\nA: 1\r\nb:\xff\t2\r\n\r\nrest", 24, b"x"),
            (b"1;\r\nx\r\n0;last\r\n\r\n", 17, b"x"),
            (b"0\r\n\r\n\r\n", 5, b""),
        ];
        for (bytes, len, data) in cases {
            let name = String::from_utf8_lossy(bytes);
            assert_eq!(
                scan(Chunks::default(), bytes),
                Ok((len, true, data.to_vec())),
                "{name:?}"
            );
        }
    }

    #[test]
    fn ambiguous_chunks_are_refused() {
        let cases: [(&[u8], ChunkError); 19] = [
            (b"\r\n", ChunkError::Size),
            (b";x\r\n", ChunkError::Size),
            (b"0x3\r\n", ChunkError::Size),
            (b"+3\r\n", ChunkError::Size),
            (b"-3\r\n", ChunkError::Size),
            (b" 3\r\n", ChunkError::Size),
            (b"3 \r\nabc\r\n", ChunkError::Size),
            (b"3\t;x\r\n", ChunkError::Size),
            (b"3_0\r\n", ChunkError::Size),
            (b"1000000000000000\r\n", ChunkError::Size),
            (b"3\nabc\r\n", ChunkError::Size),
            (b"3\r\r\n", ChunkError::Line),
            (b"3;x\nabc", ChunkError::Line),
            (b"3;x\ry", ChunkError::Line),
            (b"3;\0\r\n", ChunkError::Control),
            (b"3\r\nabcd\r\n", ChunkError::Data),
            (b"3\r\nabc\n0\r\n\r\n", ChunkError::Data),
            (b"3\r\nabc\r0\r\n\r\n", ChunkError::Line),
            (b"0\r\nA: 1\n\r\n", ChunkError::Line),
        ];
        for (bytes, broken) in cases {
            let name = String::from_utf8_lossy(bytes);
            assert_eq!(scan(Chunks::default(), bytes), Err(broken), "{name:?}");
        }
    }

    #[test]
    fn a_server_may_put_blanks_after_a_chunk_size() {
        assert_eq!(
            scan(Chunks::lenient(), b"3  \r\nabc\r\n0 \r\n\r\n"),
            Ok((16, true, b"abc".to_vec()))
        );
    }

    #[test]
    fn extensions_and_trailers_are_bounded() {
        let extension = [b"1;".as_slice(), &vec![b'x'; 1 << 20]].concat();
        assert_eq!(scan(Chunks::default(), &extension), Err(ChunkError::TooLong));
        let mut chunks = Chunks::default();
        assert_eq!(chunks.scan(b"0\r\n", |_| {}), Ok(3));
        let trailers = b"a: b\r\n".repeat(100_000);
        assert!(
            trailers
                .chunks(7)
                .any(|part| chunks.scan(part, |_| {}) == Err(ChunkError::TooLong))
        );
    }
}
