//! Calls written in text: on which lines they are, where each one is, and what it means or what is wrong with it.
//!
//! In reading order: `line` finds where the content of a line begins, `name` finds what could be a call, `quote` where
//! it ends, `reader` what it means, and `trailing` what can follow it; `repair` mends syntax, but never meaning.

mod around;
pub(crate) mod line;
mod loose;
mod name;
mod quote;
mod reader;
mod repair;
mod trailing;

use std::ops::Range;

use franz_action::text::shortened;
use franz_action::{Action, Outcome, ToolSet};

use crate::call::CallError;
use crate::geometry::Geometry;
use crate::plan::{PlanStep, ReplySpan};
use name::Name;
pub(crate) use reader::CallReader;
use reader::CallReading;
use trailing::Trailing;

/// How many calls in one reply to read. No honest reply has that many.
pub(crate) const MOST_CALLS: usize = 500;
/// How many characters of an error to show, because an error can quote the call.
const LONGEST_REASON: usize = 200;

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WrittenCall {
    /// The call's range in the text, in bytes. If its end is unclear, the range extends to the end of the line.
    pub(crate) range: Range<usize>,
    /// What the call means, or what is wrong with it.
    pub(crate) read: Result<Action, CallError>,
    /// Whether its syntax was mended.
    mended: bool,
    /// Whether it was read the way other programs would read it.
    usual: bool,
}

/// The calls in a reply's text, in order and without overlap.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Calls {
    pub(crate) calls: Vec<WrittenCall>,
    /// Whether there were more calls than are read from one reply.
    pub(crate) more: bool,
}

impl Calls {
    /// Finds the calls in this part of a reply's text. `masked` is the text without thoughts; only this is searched.
    ///
    /// If the reply was `cut`, a mended call at its very end counts as not closed, because part of it might be missing.
    pub(crate) fn find(text: &str, masked: &str, part: Range<usize>, cut: bool, reader: &CallReader<'_>) -> Calls {
        let mut found = Calls::default();
        let (mut read, mut announced) = (part.start, reader.announced);
        for (start, line) in line::lines(masked, part.clone()) {
            if start < read {
                continue;
            }
            let below = masked.get(start..part.end).unwrap_or_default();
            match found.line(start, line, below, announced, reader) {
                Some(end) => read = end,
                None => break,
            }
            announced &= line.trim().is_empty();
        }
        found.refuse_beside_foreign();
        for written in &mut found.calls {
            // If a part of the call was masked, it might still look like a call, which would then type spaces.
            if written.read.is_ok() && text.get(written.range.clone()) != masked.get(written.range.clone()) {
                written.read = Err(CallError::Thought);
            }
        }
        if cut
            && let Some(last) = found.calls.last_mut()
            && last.mended
            && last.read.is_ok()
            && is_last(masked, last.range.end)
        {
            last.read = Err(CallError::NotClosed);
        }
        found
    }

    /// If one call's numbers might be in other coordinates, also refuses the reply's other calls that are read the way
    /// another program would, because a reply has only one form.
    fn refuse_beside_foreign(&mut self) {
        if self.calls.iter().any(|call| call.read == Err(CallError::Foreign)) {
            let usual = self.calls.iter_mut().filter(|call| call.usual);
            usual.for_each(|call| call.read = Err(CallError::Foreign));
        }
    }

    /// Returns a sentence about calls that were not read.
    pub(crate) fn notice(&self) -> Option<String> {
        self.more
            .then(|| format!("only the first {MOST_CALLS} calls of your output were read."))
    }

    /// Reads the calls on one line, at the beginning of `below`. Returns where to continue reading, or `None` if there
    /// are too many calls. If the line is `announced` as the action, words can surround its call.
    fn line(
        &mut self,
        start: usize,
        line: &str,
        below: &str,
        announced: bool,
        reader: &CallReader<'_>,
    ) -> Option<usize> {
        let (mut at, closers) = beginning(line, below, announced);
        let mut first = true;
        let mut end_of_line = line.len();
        while let Some(rest) = below.get(at..end_of_line)
            && let Some(name) = Name::of(rest).or_else(|| split_name(below.get(at..)?, rest, announced))
        {
            let mut reading = reader.call(rest, &name);
            if reading.length.is_none()
                && let Some(across) = reader.across(below.get(at..).unwrap_or_default(), &name)
            {
                let behind = at + across.length.unwrap_or_default();
                end_of_line = behind + line_end(below.get(behind..).unwrap_or_default());
                reading = across;
            }
            let rest = below.get(at..end_of_line).unwrap_or_default();
            let CallReading {
                length,
                read,
                mended,
                usual,
            } = reading;
            let behind = length.map_or(Trailing::Text, |length| behind(rest, length, &closers, announced));
            // Prose has brackets too. If the name is unknown, only text that is alone on its line was meant as a call.
            let alone = matches!(behind, Trailing::Nothing | Trailing::Call { listed: true, .. });
            if first && name.tool.is_none() && !alone {
                break;
            }
            let (end, read) = match (&behind, length) {
                (Trailing::Text, _) | (_, None) => (rest.trim_end().len(), read.and(Err(CallError::Followed))),
                (_, Some(length)) => (length, read),
            };
            self.push(WrittenCall {
                range: start + at..start + at + end,
                read,
                mended,
                usual,
            })?;
            let Trailing::Call { at: next, .. } = behind else {
                break;
            };
            at += next;
            first = false;
        }
        Some(start + end_of_line)
    }

    fn push(&mut self, call: WrittenCall) -> Option<()> {
        if self.calls.len() == MOST_CALLS {
            self.more = true;
            return None;
        }
        self.calls.push(call);
        Some(())
    }
}

/// Returns where the first call on a line can begin, and the marks that close what surrounds it.
fn beginning(line: &str, below: &str, announced: bool) -> (usize, Vec<char>) {
    let at = line::beginning(line);
    let rest = line.get(at..).unwrap_or_default();
    let (marks, closers) = around::opened(rest);
    let wrapped = rest.get(marks..).unwrap_or_default();
    if !closers.is_empty() && Name::of(wrapped).is_some_and(|name| name.tool.is_some()) {
        return (at + marks, closers);
    }
    if announced
        && Name::of(rest).is_none()
        && split_name(below.get(at..).unwrap_or_default(), rest, announced).is_none()
        && let Some(inside) = around::in_words(rest)
    {
        return (at + inside, Vec::new());
    }
    (at, Vec::new())
}

/// Reads the name of a tool that is alone on its line, with the bracket on the next line.
fn split_name(below: &str, rest: &str, announced: bool) -> Option<Name> {
    let alone = announced && franz_action::Tool::named(rest.trim_end()).is_some();
    Name::of(below).filter(|_| alone)
}

/// Classifies what follows a call and the marks around it.
fn behind(rest: &str, length: usize, closers: &[char], announced: bool) -> Trailing {
    let text = rest.get(length..).unwrap_or_default();
    let Some(marks) = around::closed(text, closers) else {
        return Trailing::Text;
    };
    let found = trailing::of(rest, length + marks);
    let words = rest.get(length + marks..).unwrap_or_default();
    if found == Trailing::Text && announced && words.starts_with([' ', ',', '|']) && around::is_plain(words) {
        return Trailing::Comment;
    }
    found
}

/// Returns the length of the line at the beginning of this text.
fn line_end(text: &str) -> usize {
    text.find(['\n', '\r']).unwrap_or(text.len())
}

/// Checks whether nothing but marks follows this position up to the end of the text.
fn is_last(masked: &str, end: usize) -> bool {
    let behind = masked.get(end..).unwrap_or_default();
    let (line, below) = behind.split_once(['\n', '\r']).unwrap_or((behind, ""));
    below.trim().is_empty() && trailing::of(line, 0) == Trailing::Nothing
}

impl WrittenCall {
    /// Returns the call as a step of a plan; `masked` is the text in which it was found.
    pub(crate) fn step(&self, masked: &str, tools: &ToolSet, geometry: &Geometry) -> PlanStep {
        let span = ReplySpan::Text(self.range.clone());
        match &self.read {
            Err(error @ (CallError::End | CallError::Remark)) => {
                let words = masked.get(self.range.clone()).unwrap_or_default();
                PlanStep::leave(span, words, Outcome::Ignored(Some(error.to_string())))
            }
            Err(error) => {
                let words = masked.get(self.range.clone()).unwrap_or_default();
                let reason = match error {
                    CallError::Unknown(_) => format!("{error}; use {}", names(tools)),
                    _ => error.to_string(),
                };
                PlanStep::leave(span, words, Outcome::Malformed(shortened(&reason, LONGEST_REASON)))
            }
            // A new screenshot follows every reply anyway.
            Ok(Action::Screenshot) => PlanStep::leave(span, &Action::Screenshot.to_string(), Outcome::IGNORED),
            Ok(action) => match tools.lacks(action) {
                Some(tool) => {
                    let why = format!("{} is switched off", tool.name);
                    PlanStep::leave(span, &geometry.spoken(action), Outcome::Ignored(Some(why)))
                }
                None => PlanStep::perform(span, action.clone()).spoken(geometry),
            },
        }
    }
}

/// Returns code with punctuation from other scripts replaced by Python's, or `None` if there is nothing to replace.
pub(crate) fn in_ascii(code: &str) -> Option<String> {
    let lines = code.split_inclusive('\n');
    let mended = lines.map(|line| repair::marks(line).unwrap_or_else(|| line.to_owned()));
    Some(mended.collect::<String>()).filter(|mended| mended != code)
}

/// Returns the names of the tools that may be called.
fn names(tools: &ToolSet) -> String {
    let names: Vec<&str> = tools.sorted().iter().map(|tool| tool.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;
