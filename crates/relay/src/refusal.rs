//! Lists the requests that the relay refuses to pass on, and how it answers them instead.

use std::fmt::Write as _;

use franz_chat::client::{NO_TLS, RELAY, UNREACHABLE};
use serde_json::json;
use thiserror::Error;

/// Why the relay answered a request without passing it on.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RelayRefusal {
    /// The request is not HTTP, or is HTTP that two parsers could read differently.
    #[error("the request is malformed: {0}")]
    Malformed(&'static str),
    /// The request uses an HTTP version that is not passed on.
    #[error("only HTTP/1.1 and HTTP/1.0 are forwarded; make the client use HTTP/1.1")]
    Version,
    /// The request asks for a tunnel.
    #[error("CONNECT is refused: this is a relay to one model server, not a proxy")]
    Tunnel,
    /// The head is too long.
    #[error("the request's head is longer than 64 KB; send fewer or shorter headers")]
    HeadTooLong,
    /// The head did not arrive in time.
    #[error("the request's head did not arrive within 10 seconds; send it again")]
    HeadTooSlow,
    /// The request names a host other than this relay.
    #[error("{0:?} is not a name of this relay; use its loopback address, or add the name to panel.allow_hosts")]
    Host(String),
    /// A web page sent the request.
    #[error("requests from web pages are refused; send them from a program, without the {0} header")]
    WebPage(&'static str),
    /// The search for a model server found this relay.
    #[error("this is a FRANZ relay, not a model server; connect to the model server itself")]
    Probe,
    /// The client runs as another user.
    #[error("this relay serves only the user who started it; run the client as that user")]
    Stranger,
    /// The client is on another machine or runs as another user, and presents no key.
    #[error("this relay requires its key; send the key that it printed at startup as X-Franz-Relay-Key")]
    RelayKey,
    /// All connections are in use.
    #[error("the relay has too many connections; close some and try again")]
    TooMany,
    /// The model server cannot be reached.
    #[error("the model server at {upstream} cannot be reached ({why}); start it, or restart with another --upstream")]
    Unreachable {
        /// The server's address.
        upstream: String,
        /// The step that failed.
        why: String,
    },
    /// The model server accepts the connection, but https does not work with it.
    #[error("https does not work with the model server at {upstream} ({why}); correct its certificate or its address")]
    Tls {
        /// The server's address.
        upstream: String,
        /// The error of TLS.
        why: String,
    },
    /// The server wants to switch to another protocol.
    #[error(
        "the model server wants to switch protocols, which the relay does not forward; configure the client not to request an upgrade"
    )]
    Switching,
}

impl RelayRefusal {
    /// Returns the relay's answer: the status line, the headers and, unless the request was HEAD, the body.
    pub(crate) fn answer(&self, to_head: bool) -> Vec<u8> {
        let (code, reason) = self.status();
        let mut error = json!({"message": self.to_string()});
        let cause = self.cause();
        if let Some((_, why)) = cause {
            error["why"] = why.into();
        }
        let body = json!({ "error": error }).to_string();
        let length = body.len();
        let mut answer = format!(
            "HTTP/1.1 {code} {reason}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n"
        );
        if let Some((word, _)) = cause {
            let _ = write!(answer, "{RELAY}: {word}\r\n");
        }
        answer.push_str("\r\n");
        if !to_head {
            answer.push_str(&body);
        }
        answer.into_bytes()
    }

    /// Returns the header's value and the reason if there is no connection to the model server.
    fn cause(&self) -> Option<(&'static str, &str)> {
        match self {
            RelayRefusal::Unreachable { why, .. } => Some((UNREACHABLE, why.as_str())),
            RelayRefusal::Tls { why, .. } => Some((NO_TLS, why.as_str())),
            _ => None,
        }
    }

    /// Returns the status code and its reason phrase.
    pub fn status(&self) -> (u16, &'static str) {
        match self {
            RelayRefusal::Malformed(_) => (400, "Bad Request"),
            RelayRefusal::RelayKey => (401, "Unauthorized"),
            RelayRefusal::WebPage(_) | RelayRefusal::Stranger => (403, "Forbidden"),
            RelayRefusal::Tunnel => (405, "Method Not Allowed"),
            RelayRefusal::HeadTooSlow => (408, "Request Timeout"),
            RelayRefusal::Host(_) | RelayRefusal::Probe => (421, "Misdirected Request"),
            RelayRefusal::HeadTooLong => (431, "Request Header Fields Too Large"),
            RelayRefusal::Unreachable { .. } | RelayRefusal::Tls { .. } | RelayRefusal::Switching => {
                (502, "Bad Gateway")
            }
            RelayRefusal::TooMany => (503, "Service Unavailable"),
            RelayRefusal::Version => (505, "HTTP Version Not Supported"),
        }
    }
}
