//! Checks whether a request is allowed. It needs the right host and the token, and must not come from a foreign page.

use franz_relay::loopback::is_loopback;
use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::{Method, StatusCode};
use subtle::ConstantTimeEq as _;

use super::answer::{HttpResponse, refusal, text};
use super::codes::Codes;
use super::ends::Ends;
use super::run_path::named_run;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Checks requests against the token and the allowed hosts.
pub(super) struct AccessGuard {
    port: u16,
    token: String,
    codes: Codes,
    /// The allowed hosts in lowercase.
    allow_hosts: Vec<String>,
}

impl AccessGuard {
    pub(super) fn new(port: u16, token: String, codes: Codes, allow_hosts: &[String]) -> AccessGuard {
        AccessGuard {
            port,
            token,
            codes,
            allow_hosts: allow_hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
        }
    }

    /// Returns our own port.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Refuses requests that use a foreign host name or come from a foreign page, even if they contain the token.
    pub(super) fn admit(&self, request: &Parts) -> Result<(), Box<HttpResponse>> {
        let host = self.host(request)?;
        let headers = &request.headers;
        for origin in headers.get_all(ORIGIN) {
            let ours = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
            if !ours.is_some_and(|origin| origin.eq_ignore_ascii_case(host)) {
                return refuse(
                    StatusCode::FORBIDDEN,
                    "the request came from another page; only the dashboard's own page may send it",
                );
            }
        }
        let from_elsewhere = headers
            .get_all(FETCH_SITE)
            .iter()
            .any(|site| site != "same-origin" && site != "none");
        if from_elsewhere && !self.is_followed_link(request) {
            return refuse(
                StatusCode::FORBIDDEN,
                "the request came from another page; open the link shown in the terminal, or open the address in a new tab",
            );
        }
        Ok(())
    }

    /// Checks whether the request contains the token: in a header, in our cookie, or in the page's address.
    pub(super) fn knows(&self, request: &Parts) -> bool {
        let mut cookies = self.cookies(&request.headers);
        self.is_bearer(request) || cookies.any(|token| self.is_token(token)) || self.is_linked(request)
    }

    /// Checks whether the request contains the token in a header, which no page can send.
    pub(super) fn is_bearer(&self, request: &Parts) -> bool {
        let bearer = request.headers.get_all(AUTHORIZATION).iter();
        let mut bearer = bearer.filter_map(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        bearer.any(|token| self.is_token(token))
    }

    /// Returns the one-time codes.
    pub(super) fn codes(&self) -> &Codes {
        &self.codes
    }

    /// Checks whether the request is for the page and has the right token in its address.
    pub(super) fn is_linked(&self, request: &Parts) -> bool {
        shown(request, "token=").any(|token| self.is_token(token))
    }

    /// Uses up the one-time code in a request for the page. The code was in a command line, so other users of this
    /// machine might know it. A request from another user is not admitted and does not use up the code.
    pub(super) fn redeems(&self, request: &Parts) -> bool {
        let ends = request.extensions.get().copied().unwrap_or(Ends(None));
        request.method == Method::GET
            && shown(request, "code=").next().is_some()
            && ends.may_be_own()
            && shown(request, "code=").any(|code| self.codes.redeem(code))
    }

    /// Returns the cookie that the browser must send from now on. Cookies do not distinguish ports, so the cookie's
    /// name contains our port.
    pub(super) fn cookie(&self) -> String {
        format!("franz_{}={}; HttpOnly; SameSite=Strict; Path=/", self.port, self.token)
    }

    /// Builds the response that says where to find the token.
    pub(super) fn stranger(request: &Parts) -> HttpResponse {
        let sentence =
            "open it with: franz open (or franz replay, if the run has ended); the link is also in the terminal";
        if shown(request, "code=").next().is_some() {
            return text(
                StatusCode::UNAUTHORIZED,
                format!(
                    "The code in this address works once, and only for a minute. To see this FRANZ dashboard, {sentence}.\n"
                ),
            );
        }
        if request.uri.path() == "/" {
            text(
                StatusCode::UNAUTHORIZED,
                format!("This is a FRANZ dashboard. To see it, {sentence}.\n"),
            )
        } else {
            refusal(
                StatusCode::UNAUTHORIZED,
                &format!("the token is missing or wrong; {sentence}"),
            )
        }
    }

    /// Returns the `Host` header unchanged, if there is exactly one.
    fn host<'a>(&self, request: &'a Parts) -> Result<&'a str, Box<HttpResponse>> {
        let mut hosts = request.headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) else {
            return refuse(StatusCode::BAD_REQUEST, "a request must have exactly one Host header");
        };
        let target = request.uri.authority().map(Authority::as_str);
        if target.is_some_and(|target| !target.eq_ignore_ascii_case(host)) {
            return refuse(
                StatusCode::BAD_REQUEST,
                "the request target names another host; send only the path",
            );
        }
        if self.is_ours(&host.to_ascii_lowercase()) {
            Ok(host)
        } else {
            refuse(
                StatusCode::MISDIRECTED_REQUEST,
                "the dashboard does not answer to this name; use 127.0.0.1 and the port, or add the name to panel.allow_hosts",
            )
        }
    }

    fn is_ours(&self, host: &str) -> bool {
        let port = format!(":{}", self.port);
        let name = host.strip_suffix(&port).unwrap_or(host);
        let allowed = |host: &str| self.allow_hosts.iter().any(|allowed| allowed == host);
        is_loopback(name) || allowed(name) || allowed(host)
    }

    /// Checks whether a person followed a link to the page that contains the token, no matter where they found it.
    fn is_followed_link(&self, request: &Parts) -> bool {
        let says = |name: &HeaderName, value: &str| request.headers.get(name).is_some_and(|said| said == value);
        request.method == Method::GET
            && says(&FETCH_MODE, "navigate")
            && says(&FETCH_DEST, "document")
            && self.is_linked(request)
    }

    fn cookies<'a>(&self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let name = format!("franz_{}=", self.port);
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';'));
        pairs.filter_map(move |pair| pair.trim().strip_prefix(&name))
    }

    /// Compares in constant time, so that an almost correct token takes no longer to check than any other.
    fn is_token(&self, shown: &str) -> bool {
        !self.token.is_empty() && bool::from(shown.as_bytes().ct_eq(self.token.as_bytes()))
    }
}

/// Returns the values of a parameter in the page's address.
fn shown<'a>(request: &'a Parts, parameter: &'static str) -> impl Iterator<Item = &'a str> {
    let path = request.uri.path();
    let is_page = path == "/" || named_run(path).is_some_and(|(_, rest)| rest == "/");
    let query = request.uri.query().filter(|_| is_page);
    let pairs = query.unwrap_or_default().split('&');
    pairs.filter_map(move |pair| pair.strip_prefix(parameter))
}

fn refuse<T>(status: StatusCode, sentence: &str) -> Result<T, Box<HttpResponse>> {
    Err(Box::new(refusal(status, sentence)))
}
