//! The agents that have been seen so far. Finds out which of them sent a request.

use std::time::Duration;

use franz_json::Story;
use franz_relay::{Ended, Exchange, Message};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use super::agent::AgentMemory;
use super::hash;
use crate::verdict::LAST_TURN;

/// The maximum number of agents to remember. Real runs have one or two, but a client could make up names.
const MOST: usize = 64;

/// The maximum size of all agents' remembered stories in bytes. The newest agent's stories are always kept.
const MOST_BYTES: usize = 16 << 20;

/// The maximum length of a run's name, in characters.
const NAME: usize = 200;

/// The tolerance for comparing times. Clocks can jump a little, and an exchange is recorded as ended slightly after its
/// real end.
const SLACK: Duration = Duration::from_millis(100);

/// The agents, with the most recently active one last.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agents {
    /// How many requests have come from agents that do not name turns.
    #[serde(default)]
    requests: u64,
    /// How many agents do not name a run.
    #[serde(default)]
    unnamed: u64,
    #[serde(default)]
    known: Vec<KnownAgent>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownAgent {
    name: Name,
    /// Its `User-Agent`.
    #[serde(default)]
    program: Option<String>,
    #[serde(default)]
    pub(crate) memory: AgentMemory,
    /// SHA-256 of the story with which it began, unless that story was empty.
    #[serde(default)]
    opening: Option<String>,
    /// Its last connection, which is meaningless after a restart.
    #[serde(skip)]
    connection: Option<u64>,
    /// Its last exchange, which is meaningless after a restart.
    #[serde(skip)]
    last: Option<Last>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Name {
    /// The run that its requests name.
    Run(String),
    /// A number, from 1.
    Unnamed(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Last {
    id: u64,
    started: Timestamp,
    /// When it ended. `None` if the agent broke it off, because the agent might have moved on before that was noticed.
    end: Option<Timestamp>,
}

/// The sender of a request, as it identifies itself.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) turn: Option<u64>,
    pub(crate) run: Option<String>,
    /// Whether the sender has proved its identity, or does not have to.
    pub(crate) is_believed: bool,
    program: Option<String>,
    connection: u64,
    last: Last,
}

impl Caller {
    /// Returns the sender of an exchange. If there is a `key`, ignores the run and turn in a request without this key.
    pub(crate) fn of(exchange: &Exchange, key: Option<&str>) -> Self {
        let is_believed = is_believed(&exchange.request, key);
        let short = |name| {
            let value: String = exchange.request.header(name)?.chars().take(NAME).collect();
            Some(value)
        };
        let end = exchange.started.checked_add(exchange.whole).ok();
        Self {
            turn: named_turn(&exchange.request, key),
            run: short("x-franz-run").filter(|_| is_believed),
            is_believed,
            program: short("user-agent"),
            connection: exchange.connection,
            last: Last {
                id: exchange.id,
                started: exchange.started,
                end: end.filter(|_| exchange.ended != Ended::ClientGone),
            },
        }
    }
}

/// Returns the turn that a request names, if it can be trusted.
pub(crate) fn named_turn(request: &Message, key: Option<&str>) -> Option<u64> {
    let turn = request.header("x-franz-turn")?.parse().ok()?;
    (is_believed(request, key) && turn <= LAST_TURN).then_some(turn)
}

/// Checks whether a request's sender may name runs and turns.
pub(crate) fn is_believed(request: &Message, key: Option<&str>) -> bool {
    key.is_none_or(|key| {
        let given = request.header("x-franz-key").unwrap_or_default();
        given.as_bytes().ct_eq(key.as_bytes()).into()
    })
}

impl Agents {
    /// Returns a number for the next request from agents that do not name turns.
    pub(crate) fn count(&mut self) -> u64 {
        self.requests = self.requests.saturating_add(1);
        self.requests
    }

    /// Starts counting after `turn`.
    pub(crate) fn count_from(&mut self, turn: u64) {
        self.requests = self.requests.max(turn);
    }

    /// Returns the agent that sent a request with this story, and makes it the most recently active one.
    pub(crate) fn find(&mut self, caller: &Caller, story: Option<&Story>) -> &mut KnownAgent {
        let agent = match self.place(caller, story) {
            Some(place) => self.known.remove(place),
            None => self.newcomer(caller, story),
        };
        self.known.push(agent);
        self.known.last_mut().expect("it was pushed just now")
    }

    /// Returns the agent of this run, if it is known.
    pub(crate) fn of_run(&mut self, run: &str) -> Option<&mut KnownAgent> {
        let named = |agent: &&mut KnownAgent| matches!(&agent.name, Name::Run(name) if name == run);
        self.known.iter_mut().rev().find(named)
    }

    /// Forgets the oldest agents until the rest are within the limits. With `keep_named`, agents that name a run are
    /// kept, because they are ours.
    pub(crate) fn forget_oldest(&mut self, keep_named: bool) {
        let stays = |agent: &KnownAgent| keep_named && !agent.is_unnamed();
        let mut room = MOST_BYTES;
        let fitting = self
            .known
            .iter()
            .rev()
            .filter(|agent| !stays(agent))
            .take(MOST)
            .take_while(|agent| {
                let bytes = agent.memory.bytes();
                let fits = bytes <= room;
                room = room.saturating_sub(bytes);
                fits
            });
        let kept = fitting.count().max(1);
        let others = self.known.iter().filter(|agent| !stays(agent)).count();
        let mut left = others.saturating_sub(kept);
        self.known.retain(|agent| {
            let forgotten = left > 0 && !stays(agent);
            left -= usize::from(forgotten);
            !forgotten
        });
    }

    fn place(&self, caller: &Caller, story: Option<&Story>) -> Option<usize> {
        if let Some(run) = &caller.run {
            return self.newest(|agent| matches!(&agent.name, Name::Run(name) if name == run));
        }
        let connected = self.newest_unnamed(|agent| agent.connection == Some(caller.connection));
        connected.or_else(|| self.left_for(caller, story))
    }

    /// Returns the agent that might have opened this new connection.
    fn left_for(&self, caller: &Caller, story: Option<&Story>) -> Option<usize> {
        let idle = |agent: &KnownAgent| agent.was_idle(caller);
        let alike = |agent: &KnownAgent| idle(agent) && agent.program == caller.program;
        let Some(story) = story else {
            return self.newest_unnamed(alike);
        };
        let received = self.newest_unnamed(|agent| agent.memory.received(story));
        // If a request begins like an agent that has already been answered, it comes from a different agent, or from
        // the same program after a restart.
        let begins = |agent: &KnownAgent| agent.memory.was_answered() && agent.opening.as_ref() == Some(&hash(story));
        if received.is_none() && self.newest_unnamed(begins).is_some() {
            return None;
        }
        let sent = || self.newest_unnamed(|agent| idle(agent) && agent.memory.sent(story));
        let most_alike = || {
            let places = self.known.iter().enumerate();
            let candidates = places.filter(|(_, agent)| agent.is_unnamed() && alike(agent));
            candidates
                .max_by_key(|(_, agent)| agent.memory.likeness(story))
                .map(|(place, _)| place)
        };
        received
            .or_else(sent)
            .or_else(|| if story.is_empty() { None } else { most_alike() })
    }

    fn newest_unnamed(&self, fits: impl Fn(&KnownAgent) -> bool) -> Option<usize> {
        self.newest(|agent| agent.is_unnamed() && fits(agent))
    }

    fn newest(&self, fits: impl Fn(&KnownAgent) -> bool) -> Option<usize> {
        self.known.iter().rposition(fits)
    }

    fn newcomer(&mut self, caller: &Caller, story: Option<&Story>) -> KnownAgent {
        let name = caller.run.clone().map_or_else(
            || {
                self.unnamed = self.unnamed.saturating_add(1);
                Name::Unnamed(self.unnamed)
            },
            Name::Run,
        );
        KnownAgent {
            name,
            program: caller.program.clone(),
            memory: AgentMemory::default(),
            opening: story.filter(|story| !story.is_empty()).map(hash),
            connection: None,
            last: None,
        }
    }
}

impl KnownAgent {
    /// Returns the run that the agent names or, if it names none, a name made up for the agent.
    pub(crate) fn name(&self) -> String {
        match &self.name {
            Name::Run(name) => name.clone(),
            Name::Unnamed(number) => format!("agent {number}"),
        }
    }

    /// Records that an exchange is over.
    pub(crate) fn seen(&mut self, caller: &Caller) {
        self.connection = Some(caller.connection);
        self.program.clone_from(&caller.program);
        self.last = Some(caller.last);
    }

    /// Checks whether the agent has already moved on from this exchange. If the agent broke the exchange off, that
    /// might not be noticed until after its next exchange.
    pub(crate) fn is_past(&self, caller: &Caller) -> bool {
        // Both must agree, because each relay has its own numbering and a clock can be set back.
        self.last
            .is_some_and(|last| caller.last.id < last.id && caller.last.started < last.started)
    }

    fn is_unnamed(&self) -> bool {
        matches!(self.name, Name::Unnamed(_))
    }

    /// Checks whether the agent's last exchange was, or might have been, over when this request began.
    fn was_idle(&self, caller: &Caller) -> bool {
        let Some(last) = self.last else { return true };
        let broken_off = caller.last.end.is_none();
        let end = last.end.and_then(|end| end.checked_sub(SLACK).ok());
        broken_off || (!self.is_past(caller) && end.is_none_or(|end| end <= caller.last.started))
    }
}
