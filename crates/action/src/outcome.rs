//! What became of an action.

use std::fmt;

/// Characters that a model is told of a text that it reads: about as much as a page.
pub const LONGEST_READING: usize = 4_000;

/// What became of one action of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Performed; the note is something worth telling about it.
    Done(Option<String>),
    /// Performed, and it gave a text, which is data and told as such.
    Read {
        /// What was read, as far as it is told.
        text: String,
        /// Something worth telling about it.
        note: Option<String>,
    },
    /// Could not be applied, with the reason.
    NotApplied(String),
    /// Understood and deliberately not performed, with the reason where it is not plain: a tool that is switched off, a
    /// surplus call.
    Ignored(Option<String>),
    /// Could not be read, with the reason.
    Malformed(String),
    /// Not allowed in the current mode.
    Blocked,
    /// Not performed because the screen is not as the model saw it, with what has changed.
    Held(String),
    /// Not performed because the person said no, or nobody was there to ask; with the answer.
    Refused(String),
    /// Not performed because the person changed the task; holds what changed.
    Withdrawn(String),
    /// Begun or waiting when acting was broken off.
    Interrupted,
}

impl Outcome {
    /// The name of every outcome, as records, documents and the dashboard have it.
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
    /// Performed, with nothing to tell.
    pub const DONE: Outcome = Outcome::Done(None);
    /// Not performed, for a reason that is plain.
    pub const IGNORED: Outcome = Outcome::Ignored(None);

    /// Performed, and this was read; of a long text the model is told the beginning, and that it is one.
    pub fn read(text: &str) -> Outcome {
        let characters = text.chars().count();
        let is_cut = characters > LONGEST_READING;
        Outcome::Read {
            text: text.chars().take(LONGEST_READING).collect(),
            note: is_cut.then(|| format!("the first {LONGEST_READING} of {characters} characters")),
        }
    }

    /// The name that records use.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Done(_) | Outcome::Read { .. } => "done",
            Outcome::NotApplied(_) => "not_applied",
            Outcome::Ignored(_) => "ignored",
            Outcome::Malformed(_) => "malformed",
            Outcome::Blocked => "blocked",
            Outcome::Held(_) => "held",
            Outcome::Refused(_) => "refused",
            Outcome::Withdrawn(_) => "withdrawn",
            Outcome::Interrupted => "interrupted",
        }
    }

    /// The reason or the note, where there is one.
    pub fn why(&self) -> Option<&str> {
        match self {
            Outcome::NotApplied(why)
            | Outcome::Malformed(why)
            | Outcome::Held(why)
            | Outcome::Refused(why)
            | Outcome::Withdrawn(why) => Some(why),
            Outcome::Done(note) | Outcome::Read { note, .. } | Outcome::Ignored(note) => note.as_deref(),
            Outcome::Blocked | Outcome::Interrupted => None,
        }
    }

    /// Whether the action was performed.
    pub fn is_done(&self) -> bool {
        matches!(self, Outcome::Done(_) | Outcome::Read { .. })
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
