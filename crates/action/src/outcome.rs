//! What became of an action.

use std::fmt;

/// What became of one action of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Performed; the note is something worth telling about it.
    Done(Option<String>),
    /// Could not be applied, with the reason.
    NotApplied(String),
    /// Understood and deliberately not performed, with the reason where it is not plain: a tool that is switched off, a
    /// surplus call.
    Ignored(Option<String>),
    /// Could not be read, with the reason.
    Malformed(String),
    /// Not allowed in the current mode.
    Blocked,
    /// Begun or waiting when acting was broken off.
    Interrupted,
}

impl Outcome {
    /// Performed, with nothing to tell.
    pub const DONE: Outcome = Outcome::Done(None);
    /// Not performed, for a reason that is plain.
    pub const IGNORED: Outcome = Outcome::Ignored(None);

    /// The name that records use.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Done(_) => "done",
            Outcome::NotApplied(_) => "not_applied",
            Outcome::Ignored(_) => "ignored",
            Outcome::Malformed(_) => "malformed",
            Outcome::Blocked => "blocked",
            Outcome::Interrupted => "interrupted",
        }
    }

    /// The reason or the note, where there is one.
    pub fn why(&self) -> Option<&str> {
        match self {
            Outcome::NotApplied(why) | Outcome::Malformed(why) => Some(why),
            Outcome::Done(note) | Outcome::Ignored(note) => note.as_deref(),
            Outcome::Blocked | Outcome::Interrupted => None,
        }
    }

    /// Whether the action was performed.
    pub fn is_done(&self) -> bool {
        matches!(self, Outcome::Done(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self.why() {
            Some(why) => write!(f, ": {why}"),
            None => Ok(()),
        }
    }
}
