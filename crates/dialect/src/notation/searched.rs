//! A text in which calls are sought: what each notation finds is found once, however many dialects ask.

use std::cell::OnceCell;

use super::line::Bracket;
use super::{RawCall, line, object, tag};
use crate::json::Closers;

/// A text without thoughts, with what was found in it so far.
#[derive(Debug)]
pub(crate) struct Searched<'a> {
    pub(crate) text: &'a str,
    closers: Closers,
    tags: OnceCell<Vec<RawCall>>,
    objects: OnceCell<Vec<RawCall>>,
    brackets: OnceCell<Vec<Bracket>>,
}

impl<'a> Searched<'a> {
    pub(crate) fn new(text: &'a str, closers: Closers) -> Searched<'a> {
        Searched {
            text,
            closers,
            tags: OnceCell::new(),
            objects: OnceCell::new(),
            brackets: OnceCell::new(),
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

    /// Returns the written calls whose name is wanted, and those that follow a label such as `Action:`.
    pub(crate) fn lines(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<RawCall> {
        let brackets = self.brackets.get_or_init(|| line::brackets(self.text));
        line::calls(self.text, brackets, wanted)
    }
}
