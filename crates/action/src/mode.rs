//! The mode: whether a model works on its goal or only watches, and how a reply declares it.

use std::fmt;
use std::str::FromStr;

/// A model's current mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Working on its goal.
    #[default]
    Executing,
    /// Watching: only looking is allowed.
    Monitoring,
}

impl Mode {
    /// Returns the name that models and records use.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Executing => "executing",
            Mode::Monitoring => "monitoring",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A reply's declaration about the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeclaredMode {
    /// No declaration, or one that names no mode: the mode stays the same.
    #[default]
    Absent,
    /// The model watches from now on.
    Monitoring,
    /// The model works from now on. To declare this, the reply must contain `executing` exactly once, without other
    /// words and before any action.
    Executing,
    /// The model wants to work, but the declaration is too loose to end monitoring.
    Loose(Looseness),
    /// The meaning is unclear: the mode stays the same, and no action of the reply is performed.
    Unclear(Unclear),
}

/// Why a reply that says `executing` does not end monitoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looseness {
    /// The word comes after the action.
    Late,
    /// The word appears more than once.
    Repeated,
    /// Other words appear next to it.
    Wordy,
}

/// Why a declaration is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// Two declarations differ, or one names both modes.
    Contradictory,
    /// The declaration negates a mode: `not executing`.
    Denied,
    /// The declaration appears only in text that the reply quotes.
    Quoted,
}

impl DeclaredMode {
    /// Returns the mode after a reply, given the mode before it.
    pub fn after(self, before: Mode) -> Mode {
        match self {
            DeclaredMode::Executing => Mode::Executing,
            DeclaredMode::Monitoring => Mode::Monitoring,
            DeclaredMode::Absent | DeclaredMode::Loose(_) | DeclaredMode::Unclear(_) => before,
        }
    }

    /// Checks whether a reply with this declaration may act; `mode` is the mode after the reply.
    pub fn lets_act(self, mode: Mode) -> bool {
        mode == Mode::Executing && !matches!(self, DeclaredMode::Unclear(_))
    }
}

/// The error for a word that does not name a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a mode; use executing, monitoring or completed")]
pub struct NoMode;

impl FromStr for Mode {
    type Err = NoMode;

    /// Reads a mode, ignoring case. `completed` is read as monitoring: a model that has completed its goal watches from
    /// then on.
    fn from_str(word: &str) -> Result<Mode, NoMode> {
        match word.to_lowercase().as_str() {
            "executing" => Ok(Mode::Executing),
            "monitoring" | "completed" => Ok(Mode::Monitoring),
            _ => Err(NoMode),
        }
    }
}
