//! Text to search for calls. Each notation searches it only once, no matter how many dialects ask.

use std::cell::OnceCell;

use super::line::LineCall;
use super::{RawCall, line, object, tag};
use crate::dialects;
use crate::json::Closers;

/// Where an object stands on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// At its beginning.
    Beginning,
    /// Behind words, but with nothing behind it.
    End,
    /// Inside a sentence.
    Inside,
}

/// Text without thoughts, and what has been found in it so far.
#[derive(Debug)]
pub(crate) struct Searched<'a> {
    pub(crate) text: &'a str,
    closers: Closers,
    tags: OnceCell<Vec<RawCall>>,
    objects: OnceCell<Vec<RawCall>>,
    stands: OnceCell<Vec<Stand>>,
    written: OnceCell<Vec<LineCall>>,
}

impl<'a> Searched<'a> {
    pub(crate) fn new(text: &'a str, closers: Closers) -> Searched<'a> {
        Searched {
            text,
            closers,
            tags: OnceCell::new(),
            objects: OnceCell::new(),
            stands: OnceCell::new(),
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

    /// Returns for each object where it stands on its line.
    pub(crate) fn stands(&self) -> &[Stand] {
        self.stands.get_or_init(|| {
            let mut last = None;
            let stand = |(object, ends): (&RawCall, bool)| {
                let gap = last.and_then(|end| self.text.get(end..object.span.start));
                let begins = gap.is_some_and(line::is_gap) || line::begins_line(self.text, object.span.start);
                last = begins.then_some(object.span.end);
                match (begins, ends) {
                    (true, _) => Stand::Beginning,
                    (false, true) => Stand::End,
                    (false, false) => Stand::Inside,
                }
            };
            self.objects().iter().zip(self.ends()).map(stand).collect()
        })
    }

    /// Returns for each object whether it, or the list that it is in, ends its line.
    fn ends(&self) -> Vec<bool> {
        let mut next: Option<(usize, bool)> = None;
        let listed = |gap: &str| line::is_gap(gap) && !gap.contains(['`', '"', '\'']);
        let ends = |(object, before): (&RawCall, usize)| {
            let gap = next.filter(|(_, ends)| *ends);
            let gap = gap.and_then(|(start, _)| self.text.get(object.span.end..start));
            let ends = gap.is_some_and(listed) || line::ends_line(self.text, before, &object.span);
            next = Some((object.span.start, ends));
            ends
        };
        let objects = self.objects().iter().rev();
        let before = objects.clone().skip(1).map(|object| object.span.end);
        let mut ends: Vec<bool> = objects.zip(before.chain([0])).map(ends).collect();
        ends.reverse();
        ends
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
