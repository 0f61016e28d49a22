//! Determines where a message ends in a stream, based on its head and on the bytes of its body that have passed.

use crate::chunks::{ChunkError, Chunks};

/// Where a body ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framing {
    /// After this many more bytes.
    Length(u64),
    /// After the last chunk and its trailers.
    Chunked(Chunks),
    /// At the end of the connection.
    UntilClose,
}

/// The part of a piece of data that belongs to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyPart {
    /// The number of leading bytes that belong to the body.
    pub len: usize,
    /// Whether the body ends with these bytes.
    pub complete: bool,
}

impl Framing {
    /// Creates the framing of a chunked body, parsed strictly.
    pub fn chunked() -> Framing {
        Framing::Chunked(Chunks::default())
    }

    /// Returns whether the body has ended.
    pub fn is_complete(&self) -> bool {
        match self {
            Framing::Length(left) => *left == 0,
            Framing::Chunked(chunks) => chunks.is_complete(),
            Framing::UntilClose => false,
        }
    }

    /// Returns the number of bytes still to come, if known.
    pub fn left(&self) -> Option<u64> {
        match self {
            Framing::Length(left) => Some(*left),
            Framing::Chunked(_) | Framing::UntilClose => None,
        }
    }

    /// Consumes the next bytes and returns the part that belongs to the body.
    pub fn take(&mut self, bytes: &[u8]) -> Result<BodyPart, ChunkError> {
        match self {
            Framing::Length(left) => {
                let len = usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
                *left -= len as u64;
                Ok(BodyPart {
                    len,
                    complete: *left == 0,
                })
            }
            Framing::Chunked(chunks) => {
                let len = chunks.scan(bytes, |_| {})?;
                Ok(BodyPart {
                    len,
                    complete: chunks.is_complete(),
                })
            }
            Framing::UntilClose => Ok(BodyPart {
                len: bytes.len(),
                complete: false,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(len: usize, complete: bool) -> BodyPart {
        BodyPart { len, complete }
    }

    #[test]
    fn a_body_with_a_length_ends_there() {
        let mut framing = Framing::Length(5);
        assert_eq!(framing.take(b"abc"), Ok(part(3, false)));
        assert_eq!(framing.left(), Some(2));
        assert_eq!(framing.take(b"defg"), Ok(part(2, true)));
        assert!(framing.is_complete());
        assert_eq!(framing.take(b"g"), Ok(part(0, true)));
    }

    #[test]
    fn a_body_until_close_is_never_complete_early() {
        assert_eq!(Framing::UntilClose.take(b"abc"), Ok(part(3, false)));
        assert!(!Framing::UntilClose.is_complete());
    }

    proptest! {
        #[test]
        fn cuts_do_not_change_which_bytes_belong_to_a_body(
            body in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..200),
                "([0-9a-f]{1,2}(;[a-z]{0,4})?\r\n[a-z]{0,20}\r\n){0,4}0\r\n(x: y\r\n){0,2}\r\nrest".prop_map(String::into_bytes),
                Just(b"3;a=\"b\"\r\nabc\r\n0\r\nt: v\r\n\r\nrest".to_vec()),
            ],
            cut in 0_usize..200,
            chunked in any::<bool>(),
        ) {
            let start = if chunked { Framing::chunked() } else { Framing::Length(20) };
            let whole = start.clone().take(&body);
            let (first, second) = body.split_at(cut.min(body.len()));
            let mut framing = start;
            let halves = framing.take(first).and_then(|part| {
                if part.complete {
                    return Ok(part);
                }
                prop_assert_eq_or_panic(part.len, first.len());
                let rest = framing.take(second)?;
                Ok(BodyPart { len: part.len + rest.len, complete: rest.complete })
            });
            prop_assert_eq!(whole.ok(), halves.ok());
        }
    }

    fn prop_assert_eq_or_panic(left: usize, right: usize) {
        assert_eq!(left, right, "an incomplete body takes all that there is");
    }
}
