//! The outcome of an action.

use std::fmt;

/// The largest number of characters that the model is shown when it reads text; about one page.
const LONGEST_READING: usize = 4_000;

/// The outcome of one action of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Performed, with an optional note for the model.
    Done(Option<String>),
    /// Performed, and read text, which is reported as data.
    Read {
        /// The part of the text that the model is shown.
        text: String,
        /// An optional note for the model.
        note: Option<String>,
    },
    /// Could not be applied, for this reason.
    NotApplied(String),
    /// Understood but deliberately not performed, for example because a tool is switched off or the reply contains too
    /// many calls. Holds the reason unless it is obvious.
    Ignored(Option<String>),
    /// Could not be read, for this reason.
    Malformed(String),
    /// Not allowed, either in the current mode or for this reason.
    Blocked(Option<String>),
    /// Not performed because the screen no longer looks the way the model saw it; holds a description of the change.
    Held(String),
    /// Not performed because the person said no, or nobody was there to ask; holds the answer.
    Refused(String),
    /// Not performed because the person changed the task; holds a description of the change.
    Withdrawn(String),
    /// In progress, or waiting to start, when FRANZ was interrupted.
    Interrupted,
}

impl Outcome {
    /// The names of all outcomes, as used by records, documents and the dashboard.
    pub const NAMES: [&str; 9] = [
        "done",
        "not_applied",
        "ignored",
        "malformed",
        "blocked",
        "held",
        "refused",
        "withdrawn",
        "interrupted",
    ];
    /// Performed, without a note.
    pub const DONE: Outcome = Outcome::Done(None);
    /// Not performed, for an obvious reason.
    pub const IGNORED: Outcome = Outcome::Ignored(None);
    /// Not allowed in the current mode.
    pub const BLOCKED: Outcome = Outcome::Blocked(None);

    /// Returns the outcome of reading this text. Long text is cut off, with a note that says so.
    pub fn read(text: &str) -> Outcome {
        let characters = text.chars().count();
        let is_cut = characters > LONGEST_READING;
        Outcome::Read {
            text: text.chars().take(LONGEST_READING).collect(),
            note: is_cut.then(|| format!("the first {LONGEST_READING} of {characters} characters")),
        }
    }

    /// Returns the name that records use.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Done(_) | Outcome::Read { .. } => "done",
            Outcome::NotApplied(_) => "not_applied",
            Outcome::Ignored(_) => "ignored",
            Outcome::Malformed(_) => "malformed",
            Outcome::Blocked(_) => "blocked",
            Outcome::Held(_) => "held",
            Outcome::Refused(_) => "refused",
            Outcome::Withdrawn(_) => "withdrawn",
            Outcome::Interrupted => "interrupted",
        }
    }

    /// Returns the name as people read it.
    pub fn words(&self) -> &'static str {
        words(self.name())
    }

    /// Returns the reason or the note, if there is one.
    pub fn why(&self) -> Option<&str> {
        match self {
            Outcome::NotApplied(why)
            | Outcome::Malformed(why)
            | Outcome::Held(why)
            | Outcome::Refused(why)
            | Outcome::Withdrawn(why) => Some(why.as_str()).filter(|why| !why.is_empty()),
            Outcome::Done(note) | Outcome::Read { note, .. } => note.as_deref(),
            Outcome::Ignored(why) | Outcome::Blocked(why) => why.as_deref(),
            Outcome::Interrupted => None,
        }
    }

    /// Returns the text that was read, if one was.
    pub fn text(&self) -> Option<&str> {
        match self {
            Outcome::Read { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the outcome with this name, reason and text; `None` if no outcome has this name.
    pub fn from_parts(name: &str, why: Option<String>, text: Option<String>) -> Option<Outcome> {
        let reason = |why: Option<String>| why.unwrap_or_default();
        Some(match (name, text) {
            ("done", Some(text)) => Outcome::Read { text, note: why },
            ("done", None) => Outcome::Done(why),
            ("not_applied", _) => Outcome::NotApplied(reason(why)),
            ("ignored", _) => Outcome::Ignored(why),
            ("malformed", _) => Outcome::Malformed(reason(why)),
            ("blocked", _) => Outcome::Blocked(why),
            ("held", _) => Outcome::Held(reason(why)),
            ("refused", _) => Outcome::Refused(reason(why)),
            ("withdrawn", _) => Outcome::Withdrawn(reason(why)),
            ("interrupted", _) => Outcome::Interrupted,
            _ => return None,
        })
    }

    /// Adds a note to an action that was performed, if it has none yet.
    #[must_use]
    pub fn noted(self, note: Option<String>) -> Outcome {
        match self {
            Outcome::Done(None) => Outcome::Done(note),
            outcome => outcome,
        }
    }

    /// Puts a note in front of what the model is told about an action that was performed, held or could not be done.
    #[must_use]
    pub fn below(self, note: &str) -> Outcome {
        let after = |told: Option<String>| match told {
            Some(told) => format!("{note}; {told}"),
            None => note.to_owned(),
        };
        match self {
            Outcome::Done(told) => Outcome::Done(Some(after(told))),
            Outcome::Read { text, note: told } => Outcome::Read {
                text,
                note: Some(after(told)),
            },
            Outcome::NotApplied(why) => Outcome::NotApplied(after(Some(why))),
            Outcome::Blocked(Some(why)) => Outcome::Blocked(Some(after(Some(why)))),
            Outcome::Held(why) => Outcome::Held(after(Some(why))),
            outcome => outcome,
        }
    }

    /// Checks whether the action was performed.
    pub fn is_done(&self) -> bool {
        matches!(self, Outcome::Done(_) | Outcome::Read { .. })
    }
}

/// Returns an outcome's name as people read it.
pub fn words(name: &'static str) -> &'static str {
    match name {
        "not_applied" => "not applied",
        name => name,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_told_whatever_became_of_the_action() {
        let text = |text: &str| text.to_owned();
        for (outcome, told) in [
            (Outcome::DONE, Outcome::Done(Some(text("edited")))),
            (
                Outcome::Done(Some(text("in front"))),
                Outcome::Done(Some(text("edited; in front"))),
            ),
            (
                Outcome::NotApplied(text("gone")),
                Outcome::NotApplied(text("edited; gone")),
            ),
            (Outcome::Held(text("moved")), Outcome::Held(text("edited; moved"))),
            (Outcome::Interrupted, Outcome::Interrupted),
        ] {
            assert_eq!(outcome.below("edited"), told);
        }
    }
}
