//! Parses the head of a response as leniently as possible, because the relay does not judge responses.

use httparse::{Error as Flaw, Header, ParserConfig, Status};
use memchr::memchr_iter;

use crate::chunks::Chunks;
use crate::framing::Framing;
use crate::request_head::digits;

/// The largest number of bytes to examine in a head.
pub(crate) const HEAD_BYTES: usize = 256 << 10;
const HEADERS: usize = 64;
const MOST_HEADERS: usize = 16 << 10;

/// The properties of a response that the relay needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHead {
    /// The response's status.
    pub status: u16,
    /// Where the response's body ends.
    pub framing: Framing,
}

impl ResponseHead {
    /// Reads a complete response head. `to_head` says whether it answers a HEAD request. Returns `None` if the head is
    /// not HTTP.
    pub fn read(head: &[u8], to_head: bool) -> Option<ResponseHead> {
        let mut config = ParserConfig::default();
        config
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_multiple_spaces_in_response_status_delimiters(true)
            .ignore_invalid_headers_in_responses(true);
        let mut headers = vec![httparse::EMPTY_HEADER; HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        match config.parse_response(&mut response, head) {
            Ok(Status::Complete(_)) => understand(&response, to_head),
            Err(Flaw::TooManyHeaders) => {
                let mut headers = vec![httparse::EMPTY_HEADER; MOST_HEADERS];
                let mut response = httparse::Response::new(&mut headers);
                let status = config.parse_response(&mut response, head).ok()?;
                status.is_complete().then(|| understand(&response, to_head))?
            }
            Ok(Status::Partial) | Err(_) => None,
        }
    }

    /// Returns whether another head follows this one.
    pub(crate) fn is_interim(&self) -> bool {
        (100..200).contains(&self.status) && !self.switches()
    }

    /// Returns whether the connection stops being HTTP after this head.
    pub fn switches(&self) -> bool {
        self.status == 101
    }
}

/// Returns the position of a head's end in `bytes`. The first `scanned` bytes were searched earlier.
pub fn head_end(bytes: &[u8], scanned: usize) -> Option<usize> {
    let from = scanned.saturating_sub(2);
    memchr_iter(b'\n', bytes.get(from..)?).find_map(|place| {
        let line = bytes.get(from + place + 1..)?;
        let blank = if line.starts_with(b"\n") {
            1
        } else if line.starts_with(b"\r\n") {
            2
        } else {
            return None;
        };
        Some(from + place + 1 + blank)
    })
}

fn understand(response: &httparse::Response<'_, '_>, to_head: bool) -> Option<ResponseHead> {
    let status = response.code?;
    let bodiless = to_head || matches!(status, 100..200 | 204 | 304);
    let framing = if bodiless {
        Framing::Length(0)
    } else {
        framing(response.headers)
    };
    Some(ResponseHead { status, framing })
}

/// Determines where a response's body ends, as in RFC 9112, section 6.3. Where the RFC treats the framing as an error,
/// the body ends when the connection ends.
fn framing(headers: &[Header<'_>]) -> Framing {
    let mut named = headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("transfer-encoding"));
    if let Some(coding) = named.next_back() {
        let last = coding.value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
        return if last.trim_ascii().eq_ignore_ascii_case(b"chunked") {
            Framing::Chunked(Chunks::lenient())
        } else {
            Framing::UntilClose
        };
    }
    let lengths = headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("content-length"));
    let mut lengths = lengths
        .flat_map(|header| header.value.split(|byte| *byte == b','))
        .map(|value| digits(value.trim_ascii()));
    match lengths.next() {
        Some(Some(length)) if lengths.all(|other| other == Some(length)) => Framing::Length(length),
        _ => Framing::UntilClose,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(head: &str) -> Option<(u16, Framing)> {
        ResponseHead::read(head.as_bytes(), false).map(|head| (head.status, head.framing))
    }

    #[test]
    fn bodies_end_where_the_head_says() {
        let chunked = || Framing::Chunked(Chunks::lenient());
        let cases = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 200, Framing::Length(5)),
            ("HTTP/1.1 200\r\ncontent-length:5\r\n\r\n", 200, Framing::Length(5)),
            ("HTTP/1.0 200 \r\n\r\n", 200, Framing::UntilClose),
            ("HTTP/1.1 200 OK\nContent-Length: 5\n\n", 200, Framing::Length(5)),
            (
                "HTTP/1.1 200 \u{e9}t\u{e9}\r\nContent-Length : 5\r\n\r\n",
                200,
                Framing::Length(5),
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\n",
                200,
                Framing::Length(5),
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\n",
                200,
                Framing::UntilClose,
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                200,
                Framing::UntilClose,
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 5\r\n\r\n",
                200,
                chunked(),
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
                200,
                Framing::UntilClose,
            ),
            ("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", 204, Framing::Length(0)),
            (
                "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n",
                304,
                Framing::Length(0),
            ),
            ("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", 103, Framing::Length(0)),
        ];
        for (head, status, framing) in cases {
            assert_eq!(read(head), Some((status, framing)), "{head:?}");
        }
        let to_head = ResponseHead::read(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true).unwrap();
        assert_eq!(to_head.framing, Framing::Length(0));
    }

    #[test]
    fn invalid_response_heads_are_not_understood() {
        for head in [
            "SSH-2.0-x\r\n\r\n",
            "HTTP/2 200\r\n\r\n",
            "HTTP/1.1 OK\r\n\r\n",
            "\0\0\r\n\r\n",
        ] {
            assert_eq!(read(head), None, "{head:?}");
        }
    }

    #[test]
    fn the_end_is_found_however_the_head_is_cut() {
        for head in [
            "HTTP/1.1 200 OK\r\na: b\r\n\r\n",
            "HTTP/1.1 200 OK\na: b\n\n",
            "x\r\n\n",
            "x\n\r\n",
        ] {
            let bytes = format!("{head}rest\n\n");
            for scanned in 0..head.len() {
                let seen = &bytes.as_bytes()[..scanned];
                assert_eq!(head_end(seen, 0), None, "{head:?} {scanned}");
                assert_eq!(
                    head_end(bytes.as_bytes(), scanned),
                    Some(head.len()),
                    "{head:?} {scanned}"
                );
            }
        }
    }
}
