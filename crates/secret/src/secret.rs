//! Keys that must not appear in anything that is shown or stored.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use regex_automata::hybrid::dfa::DFA;
use regex_automata::hybrid::regex::{Builder, Cache, Regex};
use regex_automata::nfa::thompson;
use regex_automata::util::pool::Pool;
use regex_automata::util::syntax;

use crate::form;
use crate::scanner::Scanner;

/// The minimum length of a secret key, in bytes. Shorter ones, such as `EMPTY` or `ollama` for servers that accept any
/// key, appear by chance in too many places.
pub const SHORTEST: usize = 12;

/// API keys to look for, in every form.
#[derive(Clone, Default)]
pub struct Secret(Option<Arc<Matcher>>);

struct Matcher {
    regex: Arc<Regex>,
    forward: Arc<DFA>,
    caches: Pool<Cache, NewCache>,
}

type NewCache = Box<dyn Fn() -> Cache + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>;

impl Secret {
    /// Creates a set of these keys. Keys shorter than [`SHORTEST`] are ignored.
    pub fn new<T: AsRef<str>>(keys: impl IntoIterator<Item = T>) -> Secret {
        let keys: Vec<T> = keys.into_iter().collect();
        let keys = keys.iter().map(|key| key.as_ref().trim());
        let secrets: Vec<&str> = keys.filter(|key| key.len() >= SHORTEST).collect();
        Secret(form::expression(&secrets).map(|expression| Arc::new(Matcher::new(&expression))))
    }

    /// Returns whether these bytes contain a key.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.scanner().push(bytes)
    }

    /// Returns a scanner for text that arrives in pieces.
    pub fn scanner(&self) -> Scanner {
        Scanner::new(self.0.as_ref().map(|matcher| Arc::clone(&matcher.forward)))
    }

    /// Returns whether this set contains no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the automaton that recognises keys from their first byte on; `None` if there are no keys.
    pub(crate) fn automaton(&self) -> Option<&DFA> {
        self.0.as_ref().map(|matcher| &*matcher.forward)
    }

    /// Returns the text with each form of a key replaced by `[the API key, N bytes]`, where N is the length of that
    /// form.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            // All forms of a key are ASCII, so no character is split.
            Cow::Owned(hidden) => Cow::Owned(String::from_utf8_lossy(&hidden).into_owned()),
        }
    }

    /// Returns the bytes with each form of a key replaced the same way. JSON stays valid JSON.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let found = self
            .0
            .as_ref()
            .map(|matcher| matcher.find_all(bytes))
            .unwrap_or_default();
        if found.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut hidden = Vec::with_capacity(bytes.len());
        let mut end = 0;
        for Range { start, end: behind } in found {
            let start = whole_escape(bytes, start).max(end);
            hidden.extend_from_slice(bytes.get(end..start).unwrap_or_default());
            hidden.extend_from_slice(format!("[the API key, {} bytes]", behind - start).as_bytes());
            end = behind;
        }
        hidden.extend_from_slice(bytes.get(end..).unwrap_or_default());
        Cow::Owned(hidden)
    }
}

impl Matcher {
    fn new(expression: &str) -> Matcher {
        let built = Builder::new()
            .syntax(syntax::Config::new().unicode(false).utf8(false))
            .thompson(thompson::Config::new().utf8(false))
            .dfa(DFA::config().skip_cache_capacity_check(true))
            .build(expression);
        let regex = Arc::new(built.expect("forms are made of plain parts"));
        let of_pool = Arc::clone(&regex);
        Matcher {
            forward: Arc::new(regex.forward().clone()),
            caches: Pool::new(Box::new(move || of_pool.create_cache())),
            regex,
        }
    }

    fn find_all(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut cache = self.caches.get();
        self.regex
            .find_iter(&mut cache, bytes)
            .map(|found| found.range())
            .collect()
    }
}

/// Returns the start of the JSON escape that a match at `start` would split: `\u0073` must keep its digits, and a
/// backslash must keep the character it escapes.
fn whole_escape(bytes: &[u8], start: usize) -> usize {
    let before = bytes.get(..start).unwrap_or_default();
    let digits = before
        .iter()
        .rev()
        .take(3)
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    let unit = (0..=digits).find_map(|digits| before.get(..start - digits)?.strip_suffix(br"\u"));
    let before = unit.unwrap_or(before);
    let slashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
    before.len() - slashes
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests;
