//! Everything that a page fetches: turns, pictures, search results, runs and settings.

use hyper::StatusCode;
use hyper::header::HeaderMap;
use serde::Serialize;

use super::answer::{HttpResponse, json, not_found, refusal, unreadable};
use super::control::refused;
use super::route::DashboardService;
use super::timeline::png;
use crate::history::{Sibling, Summary};
use crate::runs::About;

const TURNS: usize = 100;
const MOST_TURNS: usize = 1000;

const HITS: usize = 100;
const MOST_HITS: usize = 500;

/// The maximum length of a query, in characters.
const LONGEST_QUERY: usize = 500;

#[derive(Serialize)]
struct Page {
    turns: Vec<Summary>,
    first: u64,
    last: u64,
    count: u64,
}

#[derive(Serialize)]
struct Runs {
    /// The other runs in the same directory.
    runs: Vec<Sibling>,
    /// The runs below the panel, newest first.
    below: Vec<About>,
}

impl DashboardService {
    pub(super) fn turns(&self, query: Option<&str>) -> HttpResponse {
        let (Ok(before), Ok(limit)) = (number(query, "before"), number(query, "limit")) else {
            return refusal(StatusCode::BAD_REQUEST, "before and limit must be whole numbers");
        };
        let limit = limit.map_or(TURNS, |limit| usize::try_from(limit).unwrap_or(MOST_TURNS));
        match self.history.page(before, limit.min(MOST_TURNS)) {
            Ok(turns) => {
                let extent = self.history.extent();
                let page = Page {
                    turns,
                    first: extent.first,
                    last: extent.last,
                    count: extent.count,
                };
                json(&page, &self.secret)
            }
            Err(error) => unreadable(&error, &self.secret),
        }
    }

    /// Responds with what another run is compared with.
    pub(super) fn trace(&self, query: Option<&str>) -> HttpResponse {
        let (Ok(after), Ok(limit)) = (number(query, "after"), number(query, "limit")) else {
            return refusal(StatusCode::BAD_REQUEST, "after and limit must be whole numbers");
        };
        let limit = limit.map_or(MOST_TURNS, |limit| usize::try_from(limit).unwrap_or(MOST_TURNS));
        match self.history.trace(after.unwrap_or(0), limit.min(MOST_TURNS)) {
            Ok(trace) => json(&trace, &self.secret),
            Err(error) => unreadable(&error, &self.secret),
        }
    }

    pub(super) fn turn(&self, turn: &str) -> HttpResponse {
        let none = || not_found("there is no such turn; /api/turns lists them");
        let Some(turn) = whole(turn) else { return none() };
        // Read this first. If the turn ends in the meantime, it will have been recorded by the time the record is read.
        let pending = self.hub.pending().filter(|pending| pending.turn >= turn);
        let recorded = self.history.turn(turn);
        let found = match (recorded, pending) {
            (Ok(None), Some(pending)) if pending.turn == turn => self.history.pending(&pending).map(Some),
            (Ok(Some(mut detail)), Some(pending)) if pending.turn > turn => {
                detail.next = detail.next.or(Some(pending.turn));
                Ok(Some(detail))
            }
            (recorded, _) => recorded,
        };
        match found {
            Ok(Some(detail)) => json(&detail, &self.secret),
            Ok(None) => none(),
            Err(error) => unreadable(&error, &self.secret),
        }
    }

    pub(super) fn picture(&self, hash: &str, headers: &HeaderMap) -> HttpResponse {
        match self.picture_bytes(hash) {
            Some(picture) => png(hash, headers, picture),
            None => not_found("there is no such picture; it might have been dropped to make room"),
        }
    }

    pub(super) fn picture_bytes(&self, hash: &str) -> Option<Vec<u8>> {
        let pending = self.hub.pending();
        let under_way = || self.history.pending_picture(pending.as_deref()?, hash);
        self.history.picture(hash).or_else(under_way)
    }

    pub(super) fn search(&self, query: Option<&str>) -> HttpResponse {
        let text = parameter(query, "q").unwrap_or_default();
        let Ok(limit) = number(query, "limit") else {
            return refusal(StatusCode::BAD_REQUEST, "limit must be a whole number");
        };
        if text.chars().count() > LONGEST_QUERY {
            let sentence = format!("search for at most {LONGEST_QUERY} characters");
            return refusal(StatusCode::BAD_REQUEST, &sentence);
        }
        let limit = limit.map_or(HITS, |limit| usize::try_from(limit).unwrap_or(MOST_HITS));
        match self.history.search(&text, limit.min(MOST_HITS), &self.secret) {
            Ok(found) => json(&found, &self.secret),
            Err(error) => unreadable(&error, &self.secret),
        }
    }

    pub(super) fn runs(&self) -> HttpResponse {
        let runs = self.history.runs();
        let below = self.runs.list();
        json(&Runs { runs, below }, &self.secret)
    }

    pub(super) fn settings(&self) -> HttpResponse {
        match self.controls.settings() {
            Ok(Some(page)) => json(&page, &self.secret),
            Ok(None) => not_found("this run has no settings"),
            Err(error) => refused(&error, &self.secret),
        }
    }
}

/// Returns the value of a query parameter, with percent escapes decoded.
pub(super) fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    let mut pairs = query?.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let (_, value) = pairs.find(|&(given, _)| given == name)?;
    Some(decoded(value))
}

/// Parses a parameter that, if present, must be a whole number.
pub(super) fn number(query: Option<&str>, name: &str) -> Result<Option<u64>, ()> {
    match parameter(query, name) {
        Some(text) => whole(&text).map(Some).ok_or(()),
        None => Ok(None),
    }
}

/// Parses a number that consists of digits only. `parse` alone would also accept a sign.
pub(super) fn whole(text: &str) -> Option<u64> {
    let only_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    only_digits.then(|| text.parse().ok()).flatten()
}

/// Decodes text in a query: `+` is a space, `%41` is `A`, and invalid UTF-8 becomes U+FFFD.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let escaped = behind.split_at_checked(2).filter(|_| byte == b'%');
        let escaped = escaped.and_then(|(digits, behind)| Some((hexadecimal(digits)?, behind)));
        let (byte, behind) = escaped.unwrap_or((if byte == b'+' { b' ' } else { byte }, behind));
        bytes.push(byte);
        rest = behind;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok()?;
    let only_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    only_digits.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read() {
        let cases = [
            ("q=a", Some("a")),
            ("x=1&q=a+b%20c", Some("a b c")),
            ("q=%C3%a4%F0%9F%98%80", Some("ä😀")),
            ("q=%", Some("%")),
            ("q=%4", Some("%4")),
            ("q=%+4%zz", Some("% 4%zz")),
            ("q=%ff", Some("\u{fffd}")),
            ("q", Some("")),
            ("q=1&q=2", Some("1")),
            ("qq=1", None),
            ("", None),
        ];
        for (query, value) in cases {
            assert_eq!(parameter(Some(query), "q").as_deref(), value, "{query}");
        }
        assert_eq!(parameter(None, "q"), None);
    }

    #[test]
    fn numbers_are_digits() {
        let cases = [
            ("n=12", Ok(Some(12))),
            ("", Ok(None)),
            ("n=", Err(())),
            ("n=-1", Err(())),
            ("n=+1", Err(())),
            ("n=1.5", Err(())),
            ("n=18446744073709551616", Err(())),
        ];
        for (query, value) in cases {
            assert_eq!(number(Some(query), "n"), value, "{query}");
        }
    }
}
