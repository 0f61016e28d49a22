//! Parses a model server's address in any of the forms that people use.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;
use thiserror::Error;

/// The path of the call, which is the same for every chat-completions server.
const CHAT: &str = "/chat/completions";

/// The paths of other calls of the same API, which people copy from a browser or from another program.
const OTHERS: [&str; 4] = ["/models", "/completions", "/responses", "/embeddings"];

/// The address of a model server.
///
/// A base (`http://host:port`), the API's prefix (`.../v1`) and the full URL of the call (`.../v1/chat/completions`)
/// all mean the same; the scheme can be omitted, and a port alone means this machine. A prefix can also have another
/// version, as in `.../v3` and `.../v1beta/openai`.
///
/// ```
/// use franz_chat::Endpoint;
///
/// let endpoint: Endpoint = "127.0.0.1:1234".parse()?;
/// assert_eq!(endpoint.chat(), "http://127.0.0.1:1234/v1/chat/completions");
/// # Ok::<(), franz_chat::EndpointError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Scheme, host and port, without a path.
    pub(crate) origin: String,
    /// The path before `/chat/completions` and `/models`, such as `/v1`.
    api: String,
    host: String,
    port: u16,
    secure: bool,
}

/// Why text is not the address of a model server.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EndpointError {
    /// The text contains only white space.
    #[error("the model server's address is empty; write it like http://127.0.0.1:1234")]
    Empty,
    /// The text is not a valid address.
    #[error("\"{text}\" is not a valid address ({why}); write it like http://127.0.0.1:1234")]
    Malformed {
        /// The text that was given.
        text: String,
        /// The fault in the text.
        why: String,
    },
    /// The scheme is neither http nor https.
    #[error("\"{text}\" has the scheme {scheme}; use http or https")]
    Scheme {
        /// The text that was given.
        text: String,
        /// The scheme.
        scheme: String,
    },
    /// The address contains an `@`, so it might contain a user name or a password, which would end up in logs. The error
    /// does not repeat the text for the same reason.
    #[error(
        "the model server's address contains a user name or password (an @); remove it and set FRANZ_API_KEY, or write %40 in a path"
    )]
    Credentials,
    /// Something follows the path.
    #[error("\"{text}\" has a query or fragment; remove everything from the ? or # on")]
    Query {
        /// The text that was given.
        text: String,
    },
}

impl Endpoint {
    /// Returns the URL of the chat-completions call.
    pub fn chat(&self) -> String {
        format!("{}{}{CHAT}", self.origin, self.api)
    }

    /// Returns the URL of the list of models.
    pub fn models(&self) -> String {
        format!("{}{}/models", self.origin, self.api)
    }

    /// Returns the URL of a path outside the API's `/v1`, for a server's own extensions.
    pub fn beside(&self, path: &str) -> String {
        let base = self.api.strip_suffix("/v1").unwrap_or(&self.api);
        format!("{}{base}{path}", self.origin)
    }

    /// Returns the host; an IPv6 address is in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the host as resolvers and TLS take it: an IPv6 address without brackets.
    pub fn bare_host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    /// Returns the port, even if the address does not name one.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the host and port as they appear in the `Host` header: the port only if it is not the scheme's default.
    pub fn authority(&self) -> &str {
        self.origin.split_once("://").map_or("", |(_, authority)| authority)
    }

    /// Returns the path before `/chat/completions` and `/models`: `/v1`, or something longer.
    pub fn api(&self) -> &str {
        &self.api
    }

    /// Returns whether the host is a loopback name or address of this machine.
    pub fn is_loopback(&self) -> bool {
        let address = self.bare_host().parse();
        self.host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback())
    }

    /// Returns whether the address uses https.
    pub fn is_secure(&self) -> bool {
        self.secure
    }
}

impl fmt::Display for Endpoint {
    /// Writes the shortest address that refers to this server.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bases = [self.api.strip_suffix("/v1"), Some(&self.api)];
        match bases.into_iter().flatten().find(|base| api(base) == self.api) {
            Some(base) => write!(formatter, "{}{base}", self.origin),
            None => formatter.write_str(&self.chat()),
        }
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let url = url(text.trim())?;
        Ok(Self {
            origin: url.origin().ascii_serialization(),
            api: api(url.path()),
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port_or_known_default().unwrap_or_default(),
            secure: url.scheme() == "https",
        })
    }
}

fn url(text: &str) -> Result<Url, EndpointError> {
    let malformed = |why: &str| EndpointError::Malformed {
        text: text.to_owned(),
        why: why.to_owned(),
    };
    if text.is_empty() {
        return Err(EndpointError::Empty);
    }
    // Check this before anything else can repeat the text.
    if text.contains('@') {
        return Err(EndpointError::Credentials);
    }
    if text.contains(|odd: char| odd.is_whitespace() || odd.is_control() || odd == '\\') {
        return Err(malformed("it contains a space or a backslash"));
    }
    if lacks_slashes(text) {
        return Err(malformed("two slashes must follow http: or https:"));
    }
    let port = lone_port(text);
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Err(malformed("ports end at 65535"));
    }
    let full = if text.contains("://") {
        text.to_owned()
    } else if port.is_some() {
        format!("http://127.0.0.1:{}", text.trim_start_matches(':'))
    } else {
        format!("http://{text}")
    };
    if full.split_once("://").is_some_and(|(_, rest)| rest.starts_with('/')) {
        return Err(malformed("it has no host"));
    }
    let url = Url::parse(&full).map_err(|error| malformed(&error.to_string()))?;
    let scheme = url.scheme();
    if scheme != "http" && scheme != "https" {
        return Err(EndpointError::Scheme {
            text: text.to_owned(),
            scheme: scheme.to_owned(),
        });
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(EndpointError::Query { text: text.to_owned() });
    }
    Ok(url)
}

/// Returns whether the scheme is not followed by two slashes. It would otherwise be read as a host.
fn lacks_slashes(text: &str) -> bool {
    let is_scheme = |scheme: &str| ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    text.split_once(':')
        .is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.starts_with("//"))
}

/// Returns the number if an address consists only of a port, with or without a path. The URL standard would read the
/// number as an IPv4 address.
fn lone_port(text: &str) -> Option<&str> {
    let (host, _) = text.split_once('/').unwrap_or((text, ""));
    let port = host.strip_prefix(':').unwrap_or(host);
    let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(port)
}

/// Returns the path before `/chat/completions`, or adds `/v1` if the address ends with neither a call nor a version.
fn api(path: &str) -> String {
    let path = path.trim_end_matches('/');
    if let Some(api) = path.strip_suffix(CHAT) {
        return api.to_owned();
    }
    let other = OTHERS.iter().find_map(|call| path.strip_suffix(call));
    match other.filter(|api| ends_with_version(api)) {
        Some(api) => api.to_owned(),
        None if ends_with_version(path) => path.to_owned(),
        None => format!("{path}/v1"),
    }
}

/// Checks whether a path ends with the version of an API, or with `openai` below one.
fn ends_with_version(path: &str) -> bool {
    let base = path.strip_suffix("/openai").unwrap_or(path);
    base.rsplit('/').next().is_some_and(is_version)
}

/// Checks whether part of a path is the version of an API, such as `v1` or `v1beta`.
fn is_version(part: &str) -> bool {
    let Some(number) = part.strip_prefix('v') else {
        return false;
    };
    number.starts_with(|first: char| first.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, EndpointError};

    fn parse(text: &str) -> Result<Endpoint, EndpointError> {
        text.parse()
    }

    #[test]
    fn addresses_are_accepted_in_every_common_spelling() {
        let cases = [
            ("http://h:1", "http://h:1/v1/chat/completions"),
            ("http://h:1/", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1//", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1/chat/completions", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1/chat/completions/", "http://h:1/v1/chat/completions"),
            ("  127.0.0.1:1234\n", "http://127.0.0.1:1234/v1/chat/completions"),
            ("localhost:8080/v1", "http://localhost:8080/v1/chat/completions"),
            ("[::1]:8080", "http://[::1]:8080/v1/chat/completions"),
            ("8080", "http://127.0.0.1:8080/v1/chat/completions"),
            (":8080", "http://127.0.0.1:8080/v1/chat/completions"),
            ("8080/v3/", "http://127.0.0.1:8080/v3/chat/completions"),
            ("http://h:1/v1/models", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1/completions", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1/responses/", "http://h:1/v1/chat/completions"),
            (
                "https://h/v1beta/openai/models",
                "https://h/v1beta/openai/chat/completions",
            ),
            ("https://h/models", "https://h/models/v1/chat/completions"),
            ("HTTPS://API.Example.com", "https://api.example.com/v1/chat/completions"),
            ("https://h/api", "https://h/api/v1/chat/completions"),
            ("http://h:1/v3", "http://h:1/v3/chat/completions"),
            ("https://h/api/paas/v4/", "https://h/api/paas/v4/chat/completions"),
            ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
            ("https://h/v1beta", "https://h/v1beta/chat/completions"),
            ("https://h/openai", "https://h/openai/v1/chat/completions"),
            ("https://h/v", "https://h/v/v1/chat/completions"),
            ("https://h/vision", "https://h/vision/v1/chat/completions"),
            ("https://h/v1-a", "https://h/v1-a/v1/chat/completions"),
            (
                "https://h/v1beta/openai/chat/completions",
                "https://h/v1beta/openai/chat/completions",
            ),
        ];
        for (text, chat) in cases {
            assert_eq!(parse(text).unwrap().chat(), chat, "{text}");
        }
    }

    #[test]
    fn other_endpoints_share_the_base_address() {
        let endpoint = parse("https://h/api/v1/chat/completions").unwrap();
        assert_eq!(endpoint.models(), "https://h/api/v1/models");
        assert_eq!(endpoint.beside("/props"), "https://h/api/props");
        assert_eq!(endpoint.to_string(), "https://h/api");
        assert_eq!(
            (endpoint.host(), endpoint.port(), endpoint.is_secure()),
            ("h", 443, true)
        );
    }

    #[test]
    fn host_and_path_for_a_relay_come_from_the_address() {
        let cases = [
            ("http://127.0.0.1:80", "127.0.0.1", "/v1", true),
            ("https://H:443/api", "h", "/api/v1", false),
            (
                "http://h:443/v1beta/openai/chat/completions",
                "h:443",
                "/v1beta/openai",
                false,
            ),
            ("LOCALHOST:1", "localhost:1", "/v1", true),
            ("[::1]:1", "[::1]:1", "/v1", true),
            ("127.1:1", "127.0.0.1:1", "/v1", true),
            ("localhost.example:1", "localhost.example:1", "/v1", false),
        ];
        for (text, authority, api, loopback) in cases {
            let endpoint = parse(text).unwrap();
            let parts = (endpoint.authority(), endpoint.api(), endpoint.is_loopback());
            assert_eq!(parts, (authority, api, loopback), "{text}");
        }
        for (text, host) in [("[::1]:1", "::1"), ("h:1", "h"), ("127.0.0.1:1", "127.0.0.1")] {
            assert_eq!(parse(text).unwrap().bare_host(), host);
        }
    }

    #[test]
    fn a_displayed_endpoint_parses_back_to_itself() {
        for text in [
            "h:1",
            "https://h/api",
            "http://h:1/v1/chat/completions",
            "http://h/v1beta/openai/chat/completions",
            "http://h/v1/chat/completions/v1/chat/completions",
            "http://h/x/v1/v1",
            "http://h/v3",
            "http://h/v3/v1",
            "http://h/v1/openai",
            "8080",
            "http://h/v1/models",
            "http://h/v1/models/chat/completions",
            "http://h/v1/completions/chat/completions",
            "http://h/chat/completions",
            "http://h//chat/completions",
            "http://h/p:///y",
            "h/p:/x/..///y",
        ] {
            let endpoint = parse(text).unwrap();
            assert_eq!(parse(&endpoint.to_string()), Ok(endpoint), "{text}");
        }
        for short in ["http://h", "https://h/api", "http://h/v3", "http://h/v1beta/openai"] {
            let full = parse(short).unwrap().chat();
            assert_eq!(parse(&full).unwrap().to_string(), short);
        }
    }

    #[test]
    fn invalid_addresses_are_rejected_with_a_reason() {
        use EndpointError::{Credentials, Empty, Malformed, Query, Scheme};
        assert_eq!(parse("  "), Err(Empty));
        for text in [
            "http://",
            "http:///v1",
            "http://h h:1",
            "http://h:99999",
            "65536",
            ":80800/v1",
            "mailto:me",
            "h:port",
            "http:\\\\h",
            "http:/127.0.0.1:1234",
            "HTTPS:h",
            "http:8080",
        ] {
            assert!(
                matches!(parse(text), Err(Malformed { .. })),
                "{text}: {:?}",
                parse(text)
            );
        }
        assert!(matches!(parse("ftp://h"), Err(Scheme { .. })));
        assert!(matches!(parse("file://h/x"), Err(Scheme { .. })));
        for text in [
            "http://me:secret@h",
            "me@h:1",
            "https://me:sec#ret@h",
            "http://me:sec ret@h",
            "http://me:secret@",
            "ftp://me:secret@h",
        ] {
            assert_eq!(parse(text), Err(Credentials), "{text}");
        }
        assert!(!parse("http://me:secret@h").unwrap_err().to_string().contains("secret"));
        assert!(matches!(parse("http://h?x=1"), Err(Query { .. })));
        assert!(matches!(parse("http://h/v1#x"), Err(Query { .. })));
    }
}
