//! The parts of a snapshot.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};

use crate::verdict::VerdictKind;

/// How many notices to keep.
pub(super) const NOTICES: usize = 200;

/// Facts about a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunFacts {
    /// The run's name, which is also its directory's name.
    pub name: String,
    /// The profile's name.
    pub profile: String,
    /// The address of the model server, and the reason for choosing it.
    pub upstream: String,
    /// The requested model.
    pub model: String,
    /// A description of the screen that the agent captures and acts on.
    pub screen: String,
    /// Whether a person can take over the screen.
    pub private: bool,
    /// The address at which other programs can ask the model; empty if none are expected.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub relay: String,
}

/// The agent's state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AgentState {
    /// What the agent is doing.
    pub state: Doing,
    /// More details in words; empty if there are none.
    pub detail: String,
    /// Milliseconds since 1970.
    pub since: i64,
}

/// What the agent can be doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// There is no agent, because this is a recorded run or the panel is waiting for an agent.
    #[default]
    None,
    /// Its process has been started.
    Starting,
    /// It is running.
    Running,
    /// It is waiting for a person, or its next request is being held back.
    Paused,
    /// It died and will be restarted.
    Restarting,
    /// It ended.
    Stopped,
}

/// A request that the model has not answered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The turn, if it is known.
    pub turn: Option<u64>,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Milliseconds since 1970.
    pub since: i64,
    /// When FRANZ will try the server again, if it has been waiting for the server since `since`; `None` while a
    /// request is in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

/// A turn whose actions are being performed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Acting {
    /// The turn.
    pub turn: u64,
    /// How many actions the reply has.
    pub actions: usize,
}

/// The turn that changed last. Pages that have already fetched this turn must fetch it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FreshTurn {
    /// The turn.
    pub turn: u64,
    /// How many times turns have changed, so that two changes of the same turn differ.
    pub change: u64,
}

/// The model's final answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FinalAnswer {
    /// The turn whose reply is the answer.
    pub turn: u64,
    /// The answer.
    pub text: String,
    /// Whether the model says that it has completed its task.
    pub success: bool,
}

/// Whether the model server can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerState {
    /// Whether the server can be reached.
    pub up: bool,
    /// The reason if it cannot.
    pub detail: String,
}

impl Default for ServerState {
    /// Assumes that the server is up until something shows otherwise.
    fn default() -> Self {
        Self {
            up: true,
            detail: String::new(),
        }
    }
}

/// The run below the panel that most recently recorded a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NewestRun {
    /// The run's name.
    pub name: String,
    /// How many turns all runs have recorded since the panel started.
    pub turns: u64,
}

/// How many runs of other FRANZ processes are registered with this panel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct OtherRuns {
    /// How many are registered now.
    pub live: u64,
    /// How many of them wait for the person.
    pub waiting: u64,
    /// How often the list has changed. Pages that have fetched it must fetch it again.
    pub change: u64,
}

/// The number of verdicts of each kind, in the order of [`VerdictKind::place`]. In JSON, each number has the name of
/// its kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VerdictCounts(pub [u64; VerdictKind::ALL.len()]);

impl VerdictCounts {
    /// Counts one more verdict.
    pub(crate) fn count(&mut self, kind: VerdictKind) {
        if let Some(count) = self.0.get_mut(kind.place()) {
            *count += 1;
        }
    }

    /// Returns each count with the name of its kind.
    pub fn named(self) -> impl Iterator<Item = (&'static str, u64)> {
        VerdictKind::ALL.into_iter().map(|(_, name)| name).zip(self.0)
    }
}

impl Serialize for VerdictCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.named())
    }
}

/// Something that the person should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// One sentence.
    pub text: String,
    /// Milliseconds since 1970.
    pub at: i64,
}

/// The newest notices. In JSON, they are an object whose keys are the notices' numbers, from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notices {
    newest: VecDeque<Arc<Notice>>,
    count: u64,
}

impl Notices {
    pub(super) fn push(&mut self, text: String) {
        if self.newest.len() == NOTICES {
            self.newest.pop_front();
        }
        self.newest.push_back(Arc::new(Notice { text, at: now() }));
        self.count += 1;
    }

    /// Returns how many notices there have been.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the newest notice's text, so that it can be shortened.
    pub(super) fn newest_text(&mut self) -> Option<&mut String> {
        Some(&mut Arc::make_mut(self.newest.back_mut()?).text)
    }

    /// Returns the notices with their numbers, oldest first.
    pub fn numbered(&self) -> impl Iterator<Item = (u64, &Notice)> {
        let first = self.count - self.newest.len() as u64 + 1;
        (first..).zip(self.newest.iter().map(Arc::as_ref))
    }
}

impl Serialize for Notices {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.numbered())
    }
}

pub(super) fn now() -> i64 {
    Timestamp::now().as_millisecond()
}
