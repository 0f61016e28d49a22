//! Parses the head of a request: finds it, checks it strictly, and reads only what the relay needs.

use std::ops::Range;

use httparse::{Error as Flaw, Header, Status};
use memchr::memchr;

use crate::allowed_hosts::AllowedHosts;
use crate::framing::Framing;
use crate::model_api::ModelApi;
use crate::refusal::RelayRefusal;

/// The largest number of bytes in a head.
pub(crate) const HEAD_BYTES: usize = 64 << 10;
/// The number of headers to make room for at first, enough for most requests. A second attempt makes room for more.
const HEADERS: usize = 64;
/// The largest number of headers that fit into a head of [`HEAD_BYTES`].
const MOST_HEADERS: usize = HEAD_BYTES / 4;

/// Finds the end of a head that arrives in pieces, and refuses a line feed without a CR.
#[derive(Debug, Clone, Default)]
pub struct HeadEnd {
    scanned: usize,
    line: usize,
    start: Option<usize>,
}

impl HeadEnd {
    /// Returns the range of the head in `bytes`, which must begin with the bytes of the previous call. Skips empty
    /// lines before the head.
    pub fn find(&mut self, bytes: &[u8]) -> Result<Option<Range<usize>>, RelayRefusal> {
        while let Some(place) = bytes.get(self.scanned..).and_then(|rest| memchr(b'\n', rest)) {
            let end = self.scanned + place;
            let line = bytes.get(self.line..end).unwrap_or_default();
            let Some((b'\r', line)) = line.split_last() else {
                return Err(RelayRefusal::Malformed("a line of its head does not end with CR LF"));
            };
            let began = self.line;
            (self.scanned, self.line) = (end + 1, end + 1);
            match self.start {
                Some(start) if line.is_empty() => return Ok(Some(start..end + 1)),
                None if !line.is_empty() => self.start = Some(began),
                _ => {}
            }
        }
        self.scanned = bytes.len();
        Ok(None)
    }
}

/// The properties of a request that the relay needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHead {
    /// Where the request's body ends.
    pub framing: Framing,
    /// Whether this is a HEAD request, whose response has no body, whatever the response's head says.
    pub is_head: bool,
    /// Whether this is a POST, which must wait while a person holds the agent.
    pub is_post: bool,
    /// Whether this request asks the model.
    pub asks_model: bool,
    /// The position of the request's target in the head.
    pub target: Range<usize>,
    /// The position of the `Host` value in the head.
    pub host: Option<Range<usize>>,
    /// The position of the `X-Franz-Key` value.
    pub run_key: Option<Range<usize>>,
    /// The position of the `X-Franz-Relay-Key` header.
    pub relay_key: Option<HeaderLine>,
}

/// The position of a header in a head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderLine {
    /// The range from the header's name to the end of its line.
    pub line: Range<usize>,
    /// The range of the header's value.
    pub value: Range<usize>,
}

impl RequestHead {
    /// Reads a complete head and checks that it is allowed to pass.
    pub fn read(head: &[u8], hosts: &AllowedHosts) -> Result<RequestHead, RelayRefusal> {
        by_the_letter(head)?;
        let mut headers = vec![httparse::EMPTY_HEADER; HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(head) {
            Err(Flaw::TooManyHeaders) => {
                let mut headers = vec![httparse::EMPTY_HEADER; MOST_HEADERS];
                let mut request = httparse::Request::new(&mut headers);
                let status = request.parse(head);
                judge(head, status, &request, hosts)
            }
            status => judge(head, status, &request, hosts),
        }
    }
}

/// Refuses anything that a lenient parser might read differently.
fn by_the_letter(head: &[u8]) -> Result<(), RelayRefusal> {
    let pairs = head.iter().zip(head.iter().skip(1));
    for (&byte, &next) in pairs {
        let flaw = match (byte, next) {
            (0, _) => "its head contains a NUL",
            (b'\r', next) if next != b'\n' => "its head contains a CR without an LF",
            (b'\n', b' ' | b'\t') => "a header continues on the next line",
            _ => continue,
        };
        return Err(RelayRefusal::Malformed(flaw));
    }
    Ok(())
}

fn judge(
    head: &[u8],
    status: Result<Status<usize>, Flaw>,
    request: &httparse::Request<'_, '_>,
    hosts: &AllowedHosts,
) -> Result<RequestHead, RelayRefusal> {
    match status {
        Ok(Status::Complete(len)) if len == head.len() => {}
        Err(Flaw::Version) if names_a_version(head) => return Err(RelayRefusal::Version),
        Err(Flaw::HeaderName) => {
            return Err(RelayRefusal::Malformed(
                "a header's name is invalid, or followed by a space",
            ));
        }
        Err(Flaw::HeaderValue) => {
            return Err(RelayRefusal::Malformed("a header's value contains a control character"));
        }
        _ => return Err(RelayRefusal::Malformed("its head is not valid HTTP")),
    }
    let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
    let is_old = request.version == Some(0);
    if method == "CONNECT" {
        return Err(RelayRefusal::Tunnel);
    }
    let framing = framing(request.headers, is_old)?;
    let host = one(request.headers, "host", "it has more than one Host header")?;
    if host.is_none() && !is_old {
        return Err(RelayRefusal::Malformed("it has no Host header"));
    }
    if let Some(host) = host {
        let name = String::from_utf8_lossy(host);
        if !hosts.is_named(&name) {
            return Err(RelayRefusal::Host(name.into_owned()));
        }
    }
    aimed(target, hosts)?;
    uninvited(request.headers)?;
    Ok(RequestHead {
        framing,
        is_head: method == "HEAD",
        is_post: method == "POST",
        asks_model: ModelApi::of(method, target).is_some(),
        target: place(head, target.as_bytes()),
        host: host.map(|host| place(head, host)),
        run_key: first(request.headers, "x-franz-key").map(|key| place(head, key)),
        relay_key: line(
            head,
            request.headers,
            "x-franz-relay-key",
            "it has more than one X-Franz-Relay-Key header",
        )?,
    })
}

/// Checks whether the first line is an HTTP request line, whatever the version.
fn names_a_version(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ').skip(2);
    words.next().is_some_and(|word| word.starts_with(b"HTTP/")) && words.next().is_none()
}

fn framing(headers: &[Header<'_>], is_old: bool) -> Result<Framing, RelayRefusal> {
    let length = one(headers, "content-length", "it has more than one Content-Length header")?;
    let coding = one(
        headers,
        "transfer-encoding",
        "it has more than one Transfer-Encoding header",
    )?;
    match (length, coding) {
        (Some(_), Some(_)) => Err(RelayRefusal::Malformed(
            "it has both Content-Length and Transfer-Encoding",
        )),
        (None, Some(_)) if is_old => Err(RelayRefusal::Malformed("HTTP/1.0 does not allow Transfer-Encoding")),
        (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") => Ok(Framing::chunked()),
        (None, Some(_)) => Err(RelayRefusal::Malformed("its Transfer-Encoding is not chunked")),
        (Some(length), None) => match digits(length) {
            Some(length) => Ok(Framing::Length(length)),
            None => Err(RelayRefusal::Malformed("its Content-Length is not a number")),
        },
        (None, None) => Ok(Framing::Length(0)),
    }
}

/// Parses a number that consists only of digits.
pub(crate) fn digits(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// Checks that the target is a path, or a URL that names this relay.
fn aimed(target: &str, hosts: &AllowedHosts) -> Result<(), RelayRefusal> {
    if target.starts_with('/') || target == "*" {
        return Ok(());
    }
    let Some((scheme, rest)) = target.split_once("://") else {
        return Err(RelayRefusal::Malformed("its target is not a path"));
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if scheme.eq_ignore_ascii_case("http") && hosts.is_named(authority) {
        Ok(())
    } else {
        Err(RelayRefusal::Host(authority.to_owned()))
    }
}

/// Refuses requests from web pages. Such requests can be recognised by headers that no page can omit.
fn uninvited(headers: &[Header<'_>]) -> Result<(), RelayRefusal> {
    if first(headers, "origin").is_some() {
        return Err(RelayRefusal::WebPage("Origin"));
    }
    let site = |header: &&Header<'_>| header.name.eq_ignore_ascii_case("sec-fetch-site") && header.value != b"none";
    if headers.iter().any(|header| site(&header)) {
        return Err(RelayRefusal::WebPage("Sec-Fetch-Site"));
    }
    if first(headers, "x-franz-probe").is_some() {
        return Err(RelayRefusal::Probe);
    }
    Ok(())
}

fn first<'a>(headers: &[Header<'a>], name: &str) -> Option<&'a [u8]> {
    let header = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
    header.map(|header| header.value)
}

/// Returns the value of the only header with this name; a second one makes the request malformed.
fn one<'a>(headers: &[Header<'a>], name: &str, flaw: &'static str) -> Result<Option<&'a [u8]>, RelayRefusal> {
    let mut named = headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
    let value = named.next().map(|header| header.value);
    if named.next().is_some() {
        return Err(RelayRefusal::Malformed(flaw));
    }
    Ok(value)
}

/// Finds the only header with this name and returns its position.
fn line(
    head: &[u8],
    headers: &[Header<'_>],
    name: &str,
    flaw: &'static str,
) -> Result<Option<HeaderLine>, RelayRefusal> {
    one(headers, name, flaw)?;
    let Some(header) = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)) else {
        return Ok(None);
    };
    let start = place(head, header.name.as_bytes()).start;
    let rest = head.get(start..).unwrap_or_default();
    let length = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
    let value = place(head, header.value);
    Ok(Some(HeaderLine {
        line: start..start + length,
        value,
    }))
}

/// Returns the range of `part`, which is a part of `head`.
fn place(head: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(head.as_ptr() as usize);
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(head: &str) -> Result<RequestHead, RelayRefusal> {
        let hosts = AllowedHosts {
            port: 80,
            allowed: Vec::new(),
        };
        let bytes = head.as_bytes();
        match HeadEnd::default().find(bytes)? {
            Some(place) => RequestHead::read(&bytes[place], &hosts),
            None => panic!("{head:?} does not end"),
        }
    }

    #[test]
    fn the_fields_that_the_relay_needs_are_read() {
        let head = read("\r\nPOST /v1/chat/completions?x HTTP/1.1\r\nhost: \t localhost \r\nX-Franz-Turn: 12\r\ncontent-length: 7\r\n\r\n").unwrap();
        assert_eq!(head.framing, Framing::Length(7));
        assert_eq!((head.is_head, head.asks_model), (false, true));
        assert_eq!((head.target, head.host), (5..27, Some(46..55)));
        let head = read("HEAD * HTTP/1.0\r\n\r\n").unwrap();
        assert_eq!((head.is_head, head.asks_model, head.host), (true, false, None));
        assert_eq!(
            read("GET http://LOCALHOST/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .unwrap()
                .target,
            4..23
        );
    }

    #[test]
    fn many_headers_are_accepted() {
        let many = "a:\r\n".repeat(16_000);
        assert!(read(&format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n")).is_ok());
    }

    #[test]
    fn a_head_is_found_however_it_is_cut() {
        let head = b"\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\nbody\n";
        let mut end = HeadEnd::default();
        for len in 0..37 {
            assert_eq!(end.find(&head[..len]), Ok(None), "{len}");
        }
        assert_eq!(end.find(head), Ok(Some(2..37)));
    }

    #[test]
    fn a_bare_line_feed_is_refused_at_once() {
        for head in [
            "\n",
            "GET / HTTP/1.1\n",
            "GET / HTTP/1.1\r\nHost: x\n",
            "GET / HTTP/1.1\r\n\n",
        ] {
            assert!(HeadEnd::default().find(head.as_bytes()).is_err(), "{head:?}");
        }
    }
}
