//! Decides how to address requests to the model server: verbatim if it is on this machine, otherwise with its name and
//! path prefix substituted.

use std::borrow::Cow;
use std::ops::Range;

use franz_chat::Endpoint;

use crate::request_head::RequestHead;

/// How to address a request's head to the model server.
#[derive(Debug, Clone)]
pub(crate) enum Addressing {
    /// The head is passed on unchanged.
    Verbatim,
    /// The value of `Host` and the prefix of the target are replaced.
    Readdressed {
        /// The server's host, with its port unless it is the scheme's default.
        authority: String,
        /// The path that replaces `/v1`.
        api: String,
    },
}

impl Addressing {
    /// Chooses how to address this server.
    pub(crate) fn to(upstream: &Endpoint) -> Addressing {
        if upstream.is_loopback() && upstream.api() == "/v1" {
            return Addressing::Verbatim;
        }
        Addressing::Readdressed {
            authority: upstream.authority().to_owned(),
            api: upstream.api().to_owned(),
        }
    }

    /// Returns the head as the server receives it, without the part at `hidden`.
    pub(crate) fn address<'a>(
        &self,
        head: &'a [u8],
        request: &RequestHead,
        hidden: Option<Range<usize>>,
    ) -> Cow<'a, [u8]> {
        let mut changes: Vec<_> = hidden.map(|place| (place, Vec::new())).into_iter().collect();
        if let Addressing::Readdressed { authority, api } = self {
            let target = head.get(request.target.clone()).unwrap_or_default();
            changes.push((request.target.clone(), retarget(target, api)));
            let host = request.host.clone();
            changes.extend(host.map(|place| (place, authority.clone().into_bytes())));
        }
        if changes.is_empty() {
            return Cow::Borrowed(head);
        }
        changes.sort_by_key(|(place, _)| place.start);
        let more: usize = changes.iter().map(|(_, value)| value.len()).sum();
        let mut readdressed = Vec::with_capacity(head.len() + more);
        let mut passed = 0;
        for (place, value) in changes {
            readdressed.extend_from_slice(head.get(passed..place.start).unwrap_or_default());
            readdressed.extend_from_slice(&value);
            passed = place.end;
        }
        readdressed.extend_from_slice(head.get(passed..).unwrap_or_default());
        Cow::Owned(readdressed)
    }
}

/// Maps `/v1` and everything below it to the server's API, and all other paths to paths next to that API.
fn retarget(target: &[u8], api: &str) -> Vec<u8> {
    let path = path(target);
    if path == b"*" {
        return path.to_vec();
    }
    let beside = api.strip_suffix("/v1").unwrap_or(api);
    match path.strip_prefix(b"/v1") {
        Some(rest) if matches!(rest.first(), None | Some(b'/' | b'?')) => [api.as_bytes(), rest].concat(),
        _ => [beside.as_bytes(), path].concat(),
    }
}

/// Returns a target without its scheme and authority.
fn path(target: &[u8]) -> &[u8] {
    if matches!(target.first(), Some(b'/' | b'*')) {
        return target;
    }
    let authority = target
        .windows(3)
        .position(|window| window == b"://")
        .map_or(0, |place| place + 3);
    let rest = target.get(authority..).unwrap_or_default();
    let path = rest.iter().position(|byte| *byte == b'/');
    path.and_then(|place| rest.get(place..)).unwrap_or(b"/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allowed_hosts::AllowedHosts;

    fn addressed(upstream: &str, head: &str) -> String {
        let hosts = AllowedHosts {
            port: 80,
            allowed: Vec::new(),
        };
        let request = RequestHead::read(head.as_bytes(), &hosts).unwrap();
        let route = Addressing::to(&upstream.parse().unwrap());
        String::from_utf8(route.address(head.as_bytes(), &request, None).into_owned()).unwrap()
    }

    #[test]
    fn a_server_on_this_machine_gets_what_was_sent() {
        let head = "GET http://localhost/v1/x HTTP/1.1\r\nHOST:  localhost \r\n\r\n";
        for upstream in [
            "http://127.0.0.1:1",
            "localhost:1/v1/",
            "[::1]:1",
            "https://localhost",
            "127.8.9.1",
        ] {
            assert_eq!(addressed(upstream, head), head, "{upstream}");
        }
    }

    #[test]
    fn elsewhere_only_host_and_prefix_are_replaced() {
        let cases = [
            ("https://h", "/v1/models", "/v1/models", "h"),
            ("https://h:443/v1", "/v1", "/v1", "h"),
            ("http://h:8080", "/v1/x?a=/v1", "/v1/x?a=/v1", "h:8080"),
            ("https://h/api/v1", "/v1/x", "/api/v1/x", "h"),
            ("https://h/api/v1", "/v1?x", "/api/v1?x", "h"),
            ("https://h/api/v1", "/v1beta", "/api/v1beta", "h"),
            ("https://h/api", "/props", "/api/props", "h"),
            (
                "https://h/v1beta/openai/chat/completions",
                "/v1/chat/completions",
                "/v1beta/openai/chat/completions",
                "h",
            ),
            ("http://127.0.0.1:9/api", "/v1/x", "/api/v1/x", "127.0.0.1:9"),
            ("https://h/api", "http://localhost/v1/x", "/api/v1/x", "h"),
            ("https://h/api", "http://localhost", "/api/", "h"),
            ("https://h/api", "*", "*", "h"),
        ];
        for (upstream, from, to, host) in cases {
            let head =
                |target, host| format!("OPTIONS {target} HTTP/1.1\r\na:  B\r\nHoSt: {host} \r\nx: localhost\r\n\r\n");
            assert_eq!(
                addressed(upstream, &head(from, "localhost")),
                head(to, host),
                "{upstream} {from}"
            );
        }
        assert_eq!(
            addressed("http://h", "GET /v1 HTTP/1.0\r\n\r\n"),
            "GET /v1 HTTP/1.0\r\n\r\n"
        );
    }
}
