//! What browsers are told, one event each of at most [`Update::BYTES`]. Anything longer is fetched.

use franz_record::{Image, Status, Timings, Tokens};
use jiff::Timestamp;
use serde::Serialize;

use crate::verdict::{Verdict, VerdictKind};

/// One thing that happened. As JSON it is an object whose `type` names the variant in snake case.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Update {
    /// The agent began or continued a run.
    Run(RunFacts),
    /// The agent's state.
    Agent(AgentState),
    /// A turn performs its actions.
    Acting {
        /// The turn.
        turn: u64,
        /// How many actions the reply holds.
        actions: usize,
    },
    /// The model was asked and has not answered yet.
    Asking {
        /// The turn, if known.
        turn: Option<u64>,
        /// The attempt, from 1.
        attempt: u32,
        /// Milliseconds since 1970.
        since: i64,
    },
    /// The turn under way can be fetched, as far as it is known. Sent by [`crate::Hub::show`].
    Shown(Box<Summary>),
    /// An attempt failed and another one follows.
    Retry {
        /// The turn.
        turn: u64,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// Why, shortened.
        error: String,
        /// When the waiting for the server began, in milliseconds since 1970.
        since: i64,
        /// When the next attempt is made, in milliseconds since 1970.
        until: i64,
    },
    /// A turn has ended and can be fetched.
    Turn(Box<Summary>),
    /// A request was judged.
    Verdict(Box<VerdictSummary>),
    /// Something that a person should know, shortened.
    Notice {
        /// One sentence.
        text: String,
    },
    /// The model gave its final answer, shortened.
    Answered {
        /// The turn that asked for it.
        turn: u64,
        /// The answer.
        text: String,
    },
    /// `config.toml` changed.
    Settings {
        /// SHA-256 of the file.
        hash: String,
    },
    /// Whether the model server can be reached.
    Upstream {
        /// Whether it can be reached.
        up: bool,
        /// Why not, shortened.
        detail: String,
    },
    /// A further turn of one of several runs was recorded.
    Runs {
        /// How many runs there are.
        count: u64,
        /// The name of the run of that turn.
        newest: String,
    },
    /// The client missed events and has to fetch the state again.
    Resync,
}

impl Update {
    /// The longest event.
    pub const BYTES: usize = 2048;

    /// Creates the update of the agent's state from now on.
    pub fn agent(state: Doing, detail: impl Into<String>) -> Update {
        Update::Agent(AgentState {
            state,
            detail: detail.into(),
            since: Timestamp::now().as_millisecond(),
        })
    }
}

/// Facts about a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunFacts {
    /// The run's name, which is its directory's.
    pub name: String,
    /// The profile's name.
    pub profile: String,
    /// The address of the model server, and why this one.
    pub upstream: String,
    /// The requested model.
    pub model: String,
    /// What is captured and acted on, in words.
    pub screen: String,
}

/// The agent's state.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AgentState {
    /// What it does.
    pub state: Doing,
    /// More in words; empty if there is no more to say.
    pub detail: String,
    /// Milliseconds since 1970.
    pub since: i64,
}

/// What the agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// There is no agent: a recorded run, or a panel waiting for one.
    #[default]
    None,
    /// Its process was started.
    Starting,
    /// It is running.
    Running,
    /// It waits for a person. Also an agent whose request is held.
    Paused,
    /// It died and will be started again.
    Restarting,
    /// It ended.
    Stopped,
}

/// The summary of a turn that lists show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The turn.
    pub turn: u64,
    /// When it began, RFC 3339.
    pub started: String,
    /// Whether a story came back.
    pub status: Status,
    /// The mode that was sent.
    pub mode: Option<String>,
    /// How long each step took.
    pub ms: Timings,
    /// Actions that were performed, and all that were asked for.
    pub actions: [usize; 2],
    /// The picture that the model saw.
    pub image: Option<Image>,
    /// Bytes of the reply's literal.
    pub reply_bytes: usize,
    /// Why the server ended the reply.
    pub finish: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// Tokens of this turn.
    pub tokens: Tokens,
    /// How many errors occurred.
    pub errors: usize,
    /// The verdict on its last request; `None` until there is one.
    pub verdict: Option<VerdictKind>,
}

/// A verdict and the turn it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerdictSummary {
    /// The turn, if the agent names it.
    pub turn: Option<u64>,
    /// The agent.
    pub agent: String,
    /// What was found.
    pub verdict: VerdictKind,
    /// Why, shortened.
    pub why: Option<String>,
    /// The first UTF-16 unit that differs.
    pub position: Option<u64>,
}

impl From<&Verdict> for VerdictSummary {
    fn from(verdict: &Verdict) -> Self {
        VerdictSummary {
            turn: verdict.turn,
            agent: verdict.agent.clone(),
            verdict: verdict.verdict,
            why: verdict.why.clone(),
            position: verdict.difference.as_ref().map(|difference| difference.position),
        }
    }
}
