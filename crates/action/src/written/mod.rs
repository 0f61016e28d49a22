//! Calls written in text: which lines hold some, where each stands, and what it means or what is wrong with it.
//!
//! In reading order: `line` finds where a line begins in earnest, `name` what could be a call, `quote` where it ends,
//! `behind` what may stand there; `repair` mends syntax, and never meaning.

mod behind;
pub(crate) mod line;
mod name;
mod quote;
mod repair;

use std::ops::Range;

use crate::action::Action;
use crate::bind;
use crate::call::{self, CallError};
use crate::outcome::Outcome;
use crate::plan::{Span, Step, shortened};
use crate::tool::ToolSet;
use behind::Behind;
use name::Name;

/// Calls that are read of one reply; no honest reply has so many.
const MOST_CALLS: usize = 500;
/// Characters that are told of a name that no tool has.
const LONGEST_NAME: usize = 60;
/// Characters that are told of what is wrong; it may quote the call.
const LONGEST_REASON: usize = 200;

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    /// Where it stands in the text, in bytes. What cannot be told from the rest of its line has all of that.
    pub(crate) range: Range<usize>,
    /// What it means.
    pub(crate) read: Result<bind::Call, CallError>,
}

/// The calls of a text, in order; they do not overlap.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Calls {
    pub(crate) calls: Vec<Written>,
    /// Whether there were more than are read.
    pub(crate) more: bool,
}

impl Calls {
    /// Finds the calls in this part of a reply's text. `masked` is the text without thoughts, and the only one that is searched.
    pub(crate) fn find(text: &str, masked: &str, part: Range<usize>) -> Calls {
        let mut found = Calls::default();
        for (start, line) in line::lines(masked, part) {
            if found.line(start, line).is_none() {
                break;
            }
        }
        for written in &mut found.calls {
            // A masked text may still read as a call, which would then type blanks.
            if written.read.is_ok() && text.get(written.range.clone()) != masked.get(written.range.clone()) {
                written.read = Err(CallError::Thought);
            }
        }
        found
    }

    /// The sentence that tells of calls that were not read.
    pub(crate) fn notice(&self) -> Option<String> {
        self.more
            .then(|| format!("only the first {MOST_CALLS} calls of your output were read."))
    }

    /// Reads the calls of one line; `None`: there are too many.
    fn line(&mut self, start: usize, line: &str) -> Option<()> {
        let mut at = line::beginning(line);
        let mut first = true;
        while let Some(rest) = line.get(at..)
            && let Some(name) = Name::of(rest)
        {
            let (length, read) = reading(rest, &name);
            let behind = length.map_or(Behind::Text, |length| behind::of(rest, length));
            // Prose has brackets, too. Only what stands alone on its line was meant as a call of something.
            let alone = matches!(behind, Behind::Nothing | Behind::Call { listed: true, .. });
            if first && name.tool.is_none() && !alone {
                break;
            }
            let (end, read) = match (&behind, length) {
                (Behind::Text, _) | (_, None) => (rest.trim_end().len(), read.and(Err(CallError::Followed))),
                (_, Some(length)) => (length, read),
            };
            self.push(start + at..start + at + end, read)?;
            let Behind::Call { at: next, .. } = behind else {
                break;
            };
            at += next;
            first = false;
        }
        Some(())
    }

    fn push(&mut self, range: Range<usize>, read: Result<bind::Call, CallError>) -> Option<()> {
        if self.calls.len() == MOST_CALLS {
            self.more = true;
            return None;
        }
        self.calls.push(Written { range, read });
        Some(())
    }
}

/// How long the call is with which this text begins, and what it means. Without a length it has no end on its line.
fn reading(text: &str, name: &Name) -> (Option<usize>, Result<bind::Call, CallError>) {
    let length = quote::closed(text, name.bracket);
    let read = match length.and_then(|length| text.get(..length)) {
        None if is_misquoted(text) => Err(CallError::Quotes),
        None => Err(CallError::NotClosed),
        Some(_) if name.tool.is_none() => {
            let name = text.get(..name.bracket).unwrap_or_default();
            Err(CallError::Unknown(shortened(name, LONGEST_NAME)))
        }
        Some(call) => repaired(call),
    };
    if name.tool.is_some()
        && (length.is_none() || matches!(read, Err(CallError::Syntax(_))))
        && let Some((length, mended)) = repair::inner_quotes(text, name.bracket)
    {
        return (Some(length), call::read(&mended));
    }
    (length, read)
}

/// Whether a text without end ends on its line all the same, so that it has a quote too many.
fn is_misquoted(text: &str) -> bool {
    let text = text.trim_end();
    (text.ends_with("\")") || text.ends_with("')")) && text.matches('(').count() == 1
}

/// Reads a call as it stands, and only when it is no Python the mended one.
fn repaired(text: &str) -> Result<bind::Call, CallError> {
    match call::read(text) {
        Err(CallError::Syntax(flaw)) => match repair::marks(text) {
            Some(mended) => call::read(&mended),
            None => Err(CallError::Syntax(flaw)),
        },
        read => read,
    }
}

impl Written {
    /// The call as a step of a plan; `masked` is the text in which it was found.
    pub(crate) fn step(&self, masked: &str, tools: &ToolSet) -> Step {
        let span = Span::Text(self.range.clone());
        match &self.read {
            Err(error) => {
                let words = masked.get(self.range.clone()).unwrap_or_default();
                let reason = match error {
                    CallError::Unknown(_) => format!("{error}; there is {}", names(tools)),
                    _ => error.to_string(),
                };
                Step::leave(span, words, Outcome::Malformed(shortened(&reason, LONGEST_REASON)))
            }
            // That a fresh screenshot follows every reply is plain.
            Ok(call) if call.action == Action::Screenshot => {
                Step::leave(span, &call.action.to_string(), Outcome::IGNORED)
            }
            Ok(call) if !tools.contains(call.action.tool()) => {
                let why = format!("{} is switched off", call.action.tool().name);
                Step::leave(span, &call.action.to_string(), Outcome::Ignored(Some(why)))
            }
            Ok(call) => Step::perform(span, call.action.clone()),
        }
    }
}

/// The names of the tools that may be called.
fn names(tools: &ToolSet) -> String {
    let names: Vec<&str> = tools.sorted().iter().map(|tool| tool.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;
