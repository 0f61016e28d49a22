//! Whole replies: calls in the frame of a protocol. Parts that the frame leaves to the model stay free, within limits.

use franz_action::ToolSet;

use super::Grammar;
use super::calls::CallGrammars;
use crate::family::Family;
use crate::geometry::Geometry;
use crate::own_form::OwnForm;
use crate::schema::Schema;
use crate::tools;
use crate::wording::Envelope;

/// The maximum length of a line of words, in characters.
const LONGEST_LINE: u16 = 400;
/// The maximum number of lines of words before a call.
const MOST_LINES: u16 = 4;
/// The maximum length of a story, in characters.
const LONGEST_STORY: u16 = 1200;
/// The maximum number of calls in a reply that can have several.
const MOST_CALLS: u16 = 10;

/// The text before the calls of some families, which is like the label of a section.
const LABEL: &str = "Action: ";

/// How the prompt asks for calls in the text.
#[derive(Clone, Copy, Debug)]
pub enum CallsIn<'a> {
    /// As FRANZ's own calls.
    Own,
    /// As FRANZ's own functions.
    Functions,
    /// In the dialect of a family.
    Family(&'a Family),
}

/// The parts of a reply.
#[derive(Clone, Copy, Debug)]
pub struct ReplyForm<'a> {
    /// The form of the protocol.
    pub form: OwnForm,
    /// How the prompt asks for calls.
    pub calls: CallsIn<'a>,
    /// The maximum number of calls in a reply, if calls are functions.
    pub most: usize,
    /// Whether replies declare a mode.
    pub modes: bool,
    /// The tools that the prompt lists.
    pub tools: &'a ToolSet,
    /// What the numbers in places mean.
    pub geometry: &'a Geometry,
}

impl ReplyForm<'_> {
    /// Returns the replies that FRANZ can read and perform, or `None` for blocks of Python or if the coordinate space
    /// is unknown.
    pub fn grammar(&self) -> Option<Grammar> {
        match self.form {
            OwnForm::Python => None,
            OwnForm::Lines => Some(lines(&self.calls()?.any())),
            OwnForm::Sections => Some(self.sections(&self.calls()?)),
            OwnForm::Tools => self.steps(),
        }
    }

    /// Returns the JSON values that a reply can be, or `None` if a reply is more than one value or if the coordinate
    /// space is unknown.
    pub fn schema(&self) -> Option<Schema> {
        match (self.form, self.calls) {
            (OwnForm::Tools, CallsIn::Family(family)) => Schema::of_calls(family, self.tools, self.geometry),
            // The reply has words next to the calls.
            _ => None,
        }
    }

    fn calls(&self) -> Option<CallGrammars> {
        let label = if self.form == OwnForm::Sections { LABEL } else { "" };
        match self.calls {
            CallsIn::Own | CallsIn::Functions => CallGrammars::own(self.tools, self.geometry),
            CallsIn::Family(family) => CallGrammars::family(family, self.tools, self.geometry, label),
        }
    }

    /// Returns one call after some words. For FRANZ's own functions, returns several calls, each on its own line.
    fn steps(&self) -> Option<Grammar> {
        let family = match self.calls {
            CallsIn::Own => return None,
            CallsIn::Functions => {
                let calls = tools::grammar(self.tools, self.geometry, self.most)?;
                return Some(Grammar::Sequence(vec![words(false, true).optional(), calls]));
            }
            CallsIn::Family(family) => family,
        };
        let call = self.calls()?.all();
        let Some(wording) = &family.dialect.wording else {
            return None;
        };
        // A thought ends at a mark, at a label or at an empty line.
        let (marked, inside) = match wording.envelope {
            Envelope::Call { before, .. } => (!before.is_empty(), false),
            Envelope::Noted => (true, true),
            Envelope::Tool(_) | Envelope::Elements | Envelope::Dictionary => (true, false),
        };
        if inside {
            return Some(call);
        }
        let words = words(!marked, marked);
        let needed = family.manner.words_answer;
        let words = if needed { words } else { words.optional() };
        Some(Grammar::Sequence(vec![words, call]))
    }

    /// Returns the four sections. If replies do not declare a mode, only the action is required.
    fn sections(&self, calls: &CallGrammars) -> Grammar {
        let part = |part: Vec<Grammar>| {
            let part = Grammar::Sequence(part);
            if self.modes { part } else { part.optional() }
        };
        let beginning = |mode: &str| {
            part(vec![
                Grammar::text(format!("STATUS: {mode}\nGOAL: ")),
                Grammar::line(LONGEST_LINE),
                Grammar::text("\n"),
            ])
        };
        // UI-TARS models were trained to write this label themselves.
        let labelled = matches!(self.calls, CallsIn::Family(family)
            if matches!(family.dialect.wording.map(|wording| wording.envelope), Some(Envelope::Call { before: LABEL, .. })));
        let own_label = if labelled {
            Grammar::text(LABEL).optional()
        } else {
            Grammar::text("")
        };
        let action = |call: Grammar| [Grammar::text("ACTION: "), own_label.clone(), call];
        let end = part(vec![Grammar::text("\nSTORY: "), Grammar::line(LONGEST_STORY)]);
        let whole = |mode: &str, call: Grammar| {
            let parts = [vec![beginning(mode)], action(call).to_vec(), vec![end.clone()]].concat();
            Grammar::Sequence(parts)
        };
        let executing = whole("executing", calls.any());
        if calls.looks.is_empty() {
            return executing;
        }
        // A monitoring model only looks.
        let monitoring = whole("monitoring", Grammar::Choice(calls.looks.clone()));
        Grammar::Choice(vec![executing, monitoring])
    }
}

/// Returns words, followed by calls or by nothing, because a model that has nothing left to do makes no call.
fn lines(call: &Grammar) -> Grammar {
    let next = Grammar::Sequence(vec![Grammar::text("\n"), call.clone()]);
    let calls = Grammar::Sequence(vec![call.clone(), next.up_to(MOST_CALLS - 1)]);
    let line = Grammar::line(LONGEST_LINE);
    let more = Grammar::Sequence(vec![Grammar::text("\n"), line.clone()]).up_to(MOST_LINES - 1);
    let before = Grammar::Choice(vec![Grammar::text("\nACTIONS:\n"), Grammar::text("\n\n")]);
    let behind = Grammar::Sequence(vec![before, calls.clone()]).optional();
    Grammar::Choice(vec![calls, Grammar::Sequence(vec![line, more, behind])])
}

/// Returns words before a call, including the break after them.
fn words(empty_line: bool, either: bool) -> Grammar {
    let line = Grammar::line(LONGEST_LINE);
    let more = Grammar::Sequence(vec![Grammar::text("\n"), line.clone()]).up_to(MOST_LINES - 1);
    let apart = Grammar::text("\n\n");
    let behind = match (empty_line, either) {
        (false, true) => Grammar::Choice(vec![Grammar::text("\n"), apart]),
        _ => apart,
    };
    Grammar::Sequence(vec![line, more, behind])
}
