//! Text to search for calls. Each notation searches it only once, no matter how many dialects ask.

use std::cell::OnceCell;

use super::line::LineCall;
use super::{RawCall, line, object, tag};
use crate::dialects;
use crate::json::Closers;

/// Text without thoughts, and what has been found in it so far.
#[derive(Debug)]
pub(crate) struct Searched<'a> {
    pub(crate) text: &'a str,
    closers: Closers,
    tags: OnceCell<Vec<RawCall>>,
    objects: OnceCell<Vec<RawCall>>,
    written: OnceCell<Vec<LineCall>>,
}

impl<'a> Searched<'a> {
    pub(crate) fn new(text: &'a str, closers: Closers) -> Searched<'a> {
        Searched {
            text,
            closers,
            tags: OnceCell::new(),
            objects: OnceCell::new(),
            written: OnceCell::new(),
        }
    }

    /// Returns the calls in tags and tokens.
    pub(crate) fn tags(&self) -> &[RawCall] {
        self.tags.get_or_init(|| tag::calls(self.text, self.closers))
    }

    /// Returns the objects.
    pub(crate) fn objects(&self) -> &[RawCall] {
        self.objects.get_or_init(|| object::calls(self.text, self.closers))
    }

    /// Returns the written calls of any dialect.
    pub(crate) fn written(&self) -> &[LineCall] {
        let verb = |name: &str| {
            let speakers = dialects::speakers(name);
            (speakers.any() || name == "do" || name.contains('.')).then_some(speakers)
        };
        self.written.get_or_init(|| line::calls(self.text, verb))
    }
}
