//! The call at the start of some text: where it ends, and what it means.

use franz_action::text::shortened;
use franz_action::{Action, ToolSet};

use super::name::Name;
use super::{line, loose, quote, repair};
use crate::bound::{ParseBudget, window};
use crate::call::{self, CallError};
use crate::geometry::Geometry;
use crate::usual::{self, NotUsual, UsualCall};

/// How many characters of an unknown name to show.
const LONGEST_NAME: usize = 60;
/// The maximum number of lines in one call, and of bytes in its text.
const MOST_LINES: usize = 20;
const LONGEST_ACROSS: usize = 4 << 10;

/// The call at the start of some text.
pub(super) struct CallReading {
    /// The call's length; `None` if it does not end on its line.
    pub(super) length: Option<usize>,
    /// What the call means, or what is wrong with it.
    pub(super) read: Result<Action, CallError>,
    /// Whether its syntax had to be mended to read it.
    pub(super) mended: bool,
    /// Whether it was read the way other programs would read it.
    pub(super) usual: bool,
}

/// Everything needed to read calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallReader<'a> {
    /// The tools that are switched on.
    pub(crate) tools: &'a ToolSet,
    pub(crate) geometry: &'a Geometry,
    pub(crate) budget: &'a ParseBudget,
    /// Whether the text is announced as an action. If so, its first line can have words around a call, and a call can
    /// continue on the lines below.
    pub(crate) announced: bool,
}

impl CallReader<'_> {
    /// Reads the call at the start of the text.
    pub(super) fn call(&self, rest: &str, name: &Name) -> CallReading {
        // Search for the end of a call only within the maximum length, so that no call costs as much as its whole line.
        let text = window(rest);
        let length = quote::closed(text, name.bracket);
        let word = text.get(..name.bracket).unwrap_or_default().trim_end();
        let (read, mended) = match length.and_then(|length| text.get(..length)) {
            None if text.len() < rest.len() => (Err(CallError::TooLong), false),
            None if is_misquoted(text) => (Err(CallError::Quotes), false),
            None => (Err(CallError::NotClosed), false),
            Some(_) if name.tool.is_none() => (Err(CallError::Unknown(shortened(word, LONGEST_NAME))), false),
            Some(call) => self.repaired(call),
        };
        let Err(error) = read else {
            return CallReading {
                length,
                read,
                mended,
                usual: false,
            };
        };
        if name.tool.is_some()
            && (length.is_none() || matches!(error, CallError::Syntax(_)))
            && let Some((length, mended)) = repair::inner_quotes(text, name.bracket)
        {
            let read = self.parsed(&mended);
            if read.is_ok() || name.tool.is_none() || !text.contains('\n') {
                return CallReading {
                    length: Some(length),
                    read,
                    mended: true,
                    usual: false,
                };
            }
        }
        self.usual(text, name, word, length).map_or(
            CallReading {
                length,
                read: Err(error.clone()),
                mended,
                usual: false,
            },
            |(end, asked)| CallReading {
                length: Some(end),
                read: asked.map_err(|usual| {
                    if usual == CallError::Foreign || error.is_vague() {
                        usual
                    } else {
                        error
                    }
                }),
                mended: true,
                usual: true,
            },
        )
    }

    /// Reads a call that continues on the lines below. Returns `None` if one of these lines looks like a call of its
    /// own.
    pub(super) fn across(&self, below: &str, name: &Name) -> Option<CallReading> {
        if name.tool.is_none() || !self.announced {
            return None;
        }
        let text = below.get(..below.floor_char_boundary(LONGEST_ACROSS))?;
        let reading = self.call(text, name);
        let length = reading.length.filter(|_| reading.read.is_ok())?;
        let call = text.get(..length)?;
        let mut lines = call.lines().skip(1);
        let plain = call.lines().count() <= MOST_LINES
            && lines.all(|line| Name::of(line.get(line::beginning(line)..).unwrap_or_default()).is_none());
        plain.then_some(reading)
    }

    /// Reads a call the way other programs would. Returns `None` if its end is unclear, or if no program uses that
    /// name.
    fn usual(
        &self,
        text: &str,
        name: &Name,
        word: &str,
        length: Option<usize>,
    ) -> Option<(usize, Result<Action, CallError>)> {
        let row = usual::known(word)?;
        if !self.budget.take(length.unwrap_or(text.len())) {
            return None;
        }
        let mended = length.and_then(|length| repair::marks(text.get(..length)?));
        let whole = mended.as_deref().and_then(|mended| {
            let bracket = mended.find('(')?;
            let read = loose::arguments(mended, bracket, row.means)?;
            (read.end == mended.len()).then_some((length?, read.args))
        });
        let (end, args) = whole.or_else(|| {
            let read = loose::arguments(text, name.bracket, row.means)?;
            Some((read.end, read.args))
        })?;
        let asked = match usual::read(word, &args, self.tools, self.geometry) {
            Ok(UsualCall::Act(action)) => Ok(action),
            Ok(UsualCall::End(_)) => Err(CallError::End),
            Ok(UsualCall::Remark) => Err(CallError::Remark),
            Err(NotUsual::Foreign) => Err(CallError::Foreign),
            Err(NotUsual::Words(why)) => Err(CallError::Usual(why)),
        };
        Some((end, asked))
    }

    /// Reads a call unchanged or, only if it is not Python, mended. Also returns whether it was mended.
    fn repaired(&self, text: &str) -> (Result<Action, CallError>, bool) {
        match self.parsed(text) {
            Err(CallError::Syntax(flaw)) => match repair::marks(text) {
                Some(mended) => (self.parsed(&mended), true),
                None => (Err(CallError::Syntax(flaw)), false),
            },
            read => (read, false),
        }
    }

    /// Parses a call, unless the budget is used up.
    fn parsed(&self, text: &str) -> Result<Action, CallError> {
        if self.budget.take(text.len()) {
            call::read(text, self.tools, self.geometry)
        } else {
            Err(CallError::TooMuch)
        }
    }
}

/// Checks whether an unclosed call looks closed at the end of its line. It then has one quote too many.
fn is_misquoted(text: &str) -> bool {
    let text = text.trim_end();
    (text.ends_with("\")") || text.ends_with("')")) && text.matches('(').count() == 1
}
