//! Defines the scheme, host and port of a model server, to which a key is granted.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::endpoint::{Endpoint, EndpointError};

/// The origin of a server: scheme, host and port, such as `https://api.example.com` or `http://127.0.0.1:1234`.
///
/// Two origins are equal only if all three are equal. Upper and lower case in the host, and an explicit default port,
/// make no difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerOrigin(String);

/// Why text is not an origin.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ServerOriginError {
    /// The text is not an address.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The text has no scheme. FRANZ does not assume http, because a key for https must not be sent in the clear.
    #[error("\"{0}\" has no scheme; write the server as https://host or http://host:port")]
    NoScheme(String),
    /// The text has a path. A key applies to all paths of a server.
    #[error("\"{0}\" has a path; write only scheme, host and port, like https://host or http://host:port")]
    Path(String),
}

impl Endpoint {
    /// Returns the scheme, host and port, which identify the server.
    pub fn origin(&self) -> ServerOrigin {
        ServerOrigin(self.origin.clone())
    }
}

impl fmt::Display for ServerOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ServerOrigin {
    type Err = ServerOriginError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let endpoint: Endpoint = text.parse()?;
        let Some((_, rest)) = text.split_once("://") else {
            return Err(ServerOriginError::NoScheme(text.to_owned()));
        };
        if rest.trim_end_matches('/').contains('/') {
            return Err(ServerOriginError::Path(text.to_owned()));
        }
        Ok(endpoint.origin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ServerOrigin, ServerOriginError> {
        text.parse()
    }

    #[test]
    fn equivalent_addresses_share_an_origin() {
        for (one, other) in [
            ("https://h", "https://h:443"),
            ("https://h/", "HTTPS://H"),
            ("http://h:80", "http://h"),
            ("http://[::1]:1", "http://[0:0:0:0:0:0:0:1]:1"),
            ("http://127.1:1", "http://127.0.0.1:1"),
            ("http://2130706433", "http://127.0.0.1"),
            ("https://B\u{fc}cher.example", "https://xn--bcher-kva.example"),
        ] {
            assert_eq!(parse(one), parse(other), "{one} {other}");
            assert_eq!(parse(one).unwrap().to_string().parse(), parse(other));
        }
    }

    #[test]
    fn lookalike_addresses_have_different_origins() {
        let good = parse("https://good.example").unwrap();
        for other in [
            "http://good.example",
            "http://good.example:443",
            "https://good.example:8443",
            "https://good.example.",
            "https://good.example.evil",
            "https://evil-good.example",
            "https://www.good.example",
            "https://good.examp1e",
        ] {
            assert_ne!(parse(other).unwrap(), good, "{other}");
        }
    }

    #[test]
    fn invalid_origins_are_rejected() {
        for text in [
            "https://good.example@evil.example",
            "https://good.example:443@evil.example",
            "https://good.example\\@evil.example",
            "https://good.example#@evil.example",
            "https://good.example?@evil.example",
            "https://h/v1",
            "h:1",
            "ftp://h",
            "https://",
            "",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
