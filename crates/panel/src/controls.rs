//! Defines what a browser can ask a run to do.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A person's decision about an action that is waiting for approval, or their answer to a question from the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonDecision {
    /// Perform it.
    Approve,
    /// Perform it, and also the other actions in this reply that need approval.
    ApproveAll,
    /// Perform neither this action nor the rest of the reply. These words, which can be empty, are passed on to the
    /// model.
    Refuse(String),
    /// Perform this action instead, given as canonical text.
    Edit(String),
    /// The answer to a question from the model.
    Answer(String),
}

impl PersonDecision {
    /// Returns the decision's name in records.
    pub fn name(&self) -> &'static str {
        match self {
            PersonDecision::Approve | PersonDecision::ApproveAll => "approved",
            PersonDecision::Refuse(_) => "refused",
            PersonDecision::Edit(_) => "edited",
            PersonDecision::Answer(_) => "answered",
        }
    }
}

/// A person's input on a screen that they have taken over. A position is given as two fractions of the screen, from 0
/// to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum PersonInput {
    /// Moves the pointer.
    Move {
        /// The destination.
        at: (f64, f64),
    },
    /// Presses a button.
    Down {
        /// `left`, `middle` or `right`.
        button: String,
        /// The position.
        at: (f64, f64),
    },
    /// Releases a button.
    Up {
        /// The button.
        button: String,
        /// The position.
        at: (f64, f64),
    },
    /// Turns the wheel by a number of notches. Down and right are positive.
    Scroll {
        /// The notches up or down.
        dy: i32,
        /// The notches left or right.
        dx: i32,
        /// The position.
        at: (f64, f64),
    },
    /// Presses keys, such as `ctrl+a` or `Enter`.
    Press {
        /// The keys, named as in the `press` action.
        keys: String,
    },
    /// Types text.
    Type {
        /// The text.
        text: String,
    },
    /// Releases everything that is held down.
    LetGo,
}

/// A command to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentCommand {
    /// Wait before acting or sending the next request.
    Pause,
    /// Continue, even if the agent is waiting to try the model server again.
    Resume,
    /// Run one turn, then wait.
    Step,
    /// End the run cleanly.
    Stop,
}

/// Why a browser's request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    /// There is nothing to control, because this is a recorded run or there is no agent.
    #[error("{0}")]
    NothingThere(String),
    /// The question has already been decided; the text says how.
    #[error("{0}")]
    Decided(String),
    /// The settings have changed since they were read.
    #[error("config.toml has changed in the meantime; check the new values and try again")]
    Changed,
    /// The change would let the agent do more than it is allowed to.
    #[error("{0}")]
    Forbidden(String),
    /// The key or the value is wrong.
    #[error("{0}")]
    Wrong(String),
    /// The file cannot be read or written.
    #[error("{0}")]
    Failed(String),
}

/// The settings of a run as shown in a browser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SettingsPage {
    /// SHA-256 of `config.toml`, for `If-Match`.
    pub hash: String,
    /// Every key of the file.
    pub keys: Vec<ShownSetting>,
}

/// One key and its value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ShownSetting {
    /// The key, such as `loop.executing_delay_s`.
    pub key: String,
    /// The value as TOML; `None` if it is not set. A string is quoted.
    pub value: Option<String>,
    /// The effective value as a person would type it: a string without its quotes, anything else as TOML.
    pub text: String,
    /// Whether `text` can span several lines.
    pub long: bool,
    /// Whether the value can be changed now.
    pub editable: bool,
    /// What the key means.
    pub about: String,
    /// The values that are allowed, in words.
    pub kind: String,
    /// Whether the setting is a switch that is either on or off.
    pub flag: bool,
    /// Where the value comes from.
    pub source: String,
}

/// Carries out what browsers ask for. Each call can block for as long as it takes to read or write a small file.
pub trait Controls: Send + Sync {
    /// Returns whether there is anything to control, now or later. False for a recorded run.
    fn live(&self) -> bool {
        true
    }

    /// Returns whether there are settings to view.
    fn has_settings(&self) -> bool {
        self.live()
    }

    /// Notes that a page has started or stopped listening.
    fn page(&self, listens: bool) {
        let _ = listens;
    }

    /// Sends a command to the agent.
    fn command(&self, command: AgentCommand) -> Result<(), Refused>;

    /// Decides the question with this nonce. Only the first decision has an effect.
    fn decide(&self, nonce: &str, decision: PersonDecision) -> Result<(), Refused> {
        let _ = (nonce, decision);
        Err(Refused::NothingThere(
            "nothing is waiting for a decision here".to_owned(),
        ))
    }

    /// Replies in place of the model.
    fn reply(&self, text: &str) -> Result<(), Refused> {
        let _ = text;
        Err(Refused::NothingThere("there is no model to reply for here".to_owned()))
    }

    /// Takes over the screen for the page with this key. If the page already has the screen, notes that it is still
    /// there.
    fn take_over(&self, key: &str) -> Result<(), Refused> {
        let _ = key;
        Err(Refused::NothingThere("there is no screen to take over here".to_owned()))
    }

    /// Gives the screen back to the agent.
    fn give_back(&self) -> Result<(), Refused> {
        Err(Refused::NothingThere("nobody has taken over this screen".to_owned()))
    }

    /// Passes on the person's input from the page that has taken over the screen.
    fn input(&self, key: &str, inputs: Vec<PersonInput>) -> Result<(), Refused> {
        let _ = (key, inputs);
        Err(Refused::NothingThere("nobody has taken over this screen".to_owned()))
    }

    /// Notes that the page with this key has started or stopped waiting for a live picture.
    fn sees(&self, key: &str, waits: bool) {
        let _ = (key, waits);
    }

    /// Sends a message to the model. With `keep`, also adds the message to the goal.
    fn say(&self, text: &str, keep: bool) -> Result<(), Refused> {
        let _ = (text, keep);
        Err(Refused::NothingThere("there is no model to talk to here".to_owned()))
    }

    /// Sets the mode in which the model continues.
    fn set_mode(&self, mode: &str) -> Result<(), Refused> {
        let _ = mode;
        Err(Refused::NothingThere("there is no mode to set here".to_owned()))
    }

    /// Returns the settings; `None` if there are none.
    fn settings(&self) -> Result<Option<SettingsPage>, Refused>;

    /// Changes one key in `config.toml` if the file still has this hash, and returns the new hash. `text` is the value
    /// as a person would type it.
    fn set(&self, key: &str, text: &str, hash: &str) -> Result<String, Refused>;
}

/// A run that can only be viewed.
#[derive(Debug, Clone, Copy, Default)]
pub struct LookOnly;

impl Controls for LookOnly {
    fn live(&self) -> bool {
        false
    }

    fn command(&self, _: AgentCommand) -> Result<(), Refused> {
        Err(Refused::NothingThere(
            "a recorded run has no agent to control".to_owned(),
        ))
    }

    fn settings(&self) -> Result<Option<SettingsPage>, Refused> {
        Ok(None)
    }

    fn set(&self, _: &str, _: &str, _: &str) -> Result<String, Refused> {
        Err(Refused::NothingThere(
            "the settings of a recorded run cannot be changed".to_owned(),
        ))
    }
}
