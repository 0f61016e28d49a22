//! The agents that were seen, and which of them a request comes from.

use std::time::Duration;

use franz_json::Story;
use franz_relay::{Ended, Exchange};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use super::agent::AgentMemory;
use super::hash;
use crate::verdict::LAST_TURN;

/// Agents that are remembered. Real runs have one or two; this bounds what a client that invents names can use up.
const MOST: usize = 64;

/// Bytes of stories that are remembered of all agents together; those of the newest always are.
const MOST_BYTES: usize = 16 << 20;

/// The longest name of a run, in characters.
const NAME: usize = 200;

/// Clocks may step a little, and the end of an exchange is told a little after it.
const SLACK: Duration = Duration::from_millis(100);

/// The agents, the one that was heard of last at the end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agents {
    /// Requests of agents that name no turn, all together.
    #[serde(default)]
    requests: u64,
    /// Agents that name no run, all together.
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
    /// SHA-256 of the story that it began with, where that was not empty.
    #[serde(default)]
    opening: Option<String>,
    /// Its last connection, which means nothing after a restart.
    #[serde(skip)]
    connection: Option<u64>,
    /// Its last exchange, which means nothing after a restart.
    #[serde(skip)]
    last: Option<Last>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Name {
    /// The run that it names.
    Run(String),
    /// Numbered from 1.
    Unnamed(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Last {
    id: u64,
    started: Timestamp,
    /// When it ended; `None` when the agent itself broke it off and may have gone on before that was noticed.
    end: Option<Timestamp>,
}

/// Who sends a request, as far as it says.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) turn: Option<u64>,
    pub(crate) run: Option<String>,
    /// Whether it is who it says it is, or says nothing that could be false.
    pub(crate) is_believed: bool,
    program: Option<String>,
    connection: u64,
    last: Last,
}

impl Caller {
    /// The sender of an exchange. Where a run of ours has a `key`, what is said of run and turn without it counts for nothing.
    pub(crate) fn of(exchange: &Exchange, key: Option<&str>) -> Self {
        let is_believed = key.is_none_or(|key| {
            let given = exchange.request.header("x-franz-key").unwrap_or_default();
            given.as_bytes().ct_eq(key.as_bytes()).into()
        });
        let short = |name| {
            let value: String = exchange.request.header(name)?.chars().take(NAME).collect();
            Some(value)
        };
        let end = exchange.started.checked_add(exchange.whole).ok();
        Self {
            turn: exchange
                .request
                .header("x-franz-turn")
                .and_then(|turn| turn.parse().ok())
                .filter(|turn| is_believed && *turn <= LAST_TURN),
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

impl Agents {
    /// The number of the next request of an agent that names no turn.
    pub(crate) fn count(&mut self) -> u64 {
        self.requests = self.requests.saturating_add(1);
        self.requests
    }

    /// Counts from behind `turn`.
    pub(crate) fn count_from(&mut self, turn: u64) {
        self.requests = self.requests.max(turn);
    }

    /// The agent that sends a request with this story, which is the newest from now on.
    pub(crate) fn find(&mut self, caller: &Caller, story: Option<&Story>) -> &mut KnownAgent {
        let agent = match self.place(caller, story) {
            Some(place) => self.known.remove(place),
            None => self.newcomer(caller, story),
        };
        self.known.push(agent);
        self.known.last_mut().expect("it was pushed just now")
    }

    /// The agent of that run, where it was heard of.
    pub(crate) fn of_run(&mut self, run: &str) -> Option<&mut KnownAgent> {
        let named = |agent: &&mut KnownAgent| matches!(&agent.name, Name::Run(name) if name == run);
        self.known.iter_mut().rev().find(named)
    }

    /// Forgets the oldest agents until the others fit; where those that name a run are known to be ours, they stay.
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

    /// The agent whose new connection this may be.
    fn left_for(&self, caller: &Caller, story: Option<&Story>) -> Option<usize> {
        let idle = |agent: &KnownAgent| agent.was_idle(caller);
        let alike = |agent: &KnownAgent| idle(agent) && agent.program == caller.program;
        let Some(story) = story else {
            return self.newest_unnamed(alike);
        };
        let received = self.newest_unnamed(|agent| agent.memory.received(story));
        // Whoever begins as another one began, and was answered, is another one, or the same program started anew.
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
    /// The run that it names, or a name made for it.
    pub(crate) fn name(&self) -> String {
        match &self.name {
            Name::Run(name) => name.clone(),
            Name::Unnamed(number) => format!("agent {number}"),
        }
    }

    /// Takes note that an exchange is over.
    pub(crate) fn seen(&mut self, caller: &Caller) {
        self.connection = Some(caller.connection);
        self.program.clone_from(&caller.program);
        self.last = Some(caller.last);
    }

    /// Whether the agent has gone on since: an exchange that it broke off may be noticed later than the one after it.
    pub(crate) fn is_past(&self, caller: &Caller) -> bool {
        // Both must say so: each of several relays numbers for itself, and a clock may be set back.
        self.last
            .is_some_and(|last| caller.last.id < last.id && caller.last.started < last.started)
    }

    fn is_unnamed(&self) -> bool {
        matches!(self.name, Name::Unnamed(_))
    }

    /// Whether its last exchange was over when this request began, or may have been.
    fn was_idle(&self, caller: &Caller) -> bool {
        let Some(last) = self.last else { return true };
        let broken_off = caller.last.end.is_none();
        let end = last.end.and_then(|end| end.checked_sub(SLACK).ok());
        broken_off || (!self.is_past(caller) && end.is_none_or(|end| end <= caller.last.started))
    }
}
