//! The mode: whether a model works on its goal or only watches.

use std::fmt;
use std::str::FromStr;

/// What a model is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Working on its goal.
    #[default]
    Executing,
    /// Watching: nothing but looking is allowed.
    Monitoring,
}

impl Mode {
    /// The name, as models and records write it.
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

/// The word is none of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a mode is executing, monitoring or completed")]
pub struct NoMode;

impl FromStr for Mode {
    type Err = NoMode;

    /// Reads a mode in any case. Who has completed the goal watches from then on.
    fn from_str(word: &str) -> Result<Mode, NoMode> {
        match word.to_lowercase().as_str() {
            "executing" => Ok(Mode::Executing),
            "monitoring" | "completed" => Ok(Mode::Monitoring),
            _ => Err(NoMode),
        }
    }
}
