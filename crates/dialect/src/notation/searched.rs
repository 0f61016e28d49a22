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
    quoted: OnceCell<Vec<bool>>,
    written: OnceCell<Vec<LineCall>>,
}

impl<'a> Searched<'a> {
    pub(crate) fn new(text: &'a str, closers: Closers) -> Searched<'a> {
        Searched {
            text,
            closers,
            tags: OnceCell::new(),
            objects: OnceCell::new(),
            quoted: OnceCell::new(),
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

    /// Returns for each object whether it is within a sentence.
    pub(crate) fn quoted(&self) -> &[bool] {
        self.quoted.get_or_init(|| {
            let mut last = None;
            let is_quoted = |object: &RawCall| {
                let gap = last.and_then(|end| self.text.get(end..object.span.start));
                let begins = gap.is_some_and(line::is_gap) || line::begins_line(self.text, object.span.start);
                last = begins.then_some(object.span.end);
                !begins
            };
            self.objects().iter().map(is_quoted).collect()
        })
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
