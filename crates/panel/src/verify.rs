//! The verifier: is the story that is sent the one that was received?
//!
//! What a request has to carry is the story of the last successful reply of a lower turn (`X-Franz-Turn`; without it, of the
//! last successful reply). That is a match; the story of the request before is a retry; anything else is a violation,
//! unless it is known that something was not seen.
//!
//! Agents are told apart by `X-Franz-Run`. A run that is watched by its own panel has a key, too, which nobody else knows: whoever
//! names a run or a turn without it (`X-Franz-Key`) is taken for one who names neither, and gets verdicts of no turn.
//! Those that do not name themselves are told apart by their connection. A
//! connection that is new takes the place of another one, since many agents open one for each request:
//!
//! 1. of the newest agent that last received the story it carries,
//! 2. else of the newest that last sent it, unless it is empty, which every newcomer's is,
//! 3. else, for a story that is not empty, of an agent with the same `User-Agent` whose last exchange was over when this one
//!    began. Are there several, it is the one whose story is most alike, the newest first.
//!
//! Else it is a newcomer. Stories are compared by UTF-16 unit, however they are escaped.

mod agent;
mod agents;
mod calls;
mod difference;
mod kept;
pub(crate) mod reply;
pub(crate) mod request;
mod stream;

use franz_home::{DiskError, Home};
use franz_json::Story;
use franz_record::digest::sha256_hex;
use franz_relay::{Ended, Exchange, Message};
use franz_secret::Secret;

use crate::verdict::{Verdict, VerdictKind};
use agent::Judgement;
use agents::{Agents, Caller};
use reply::{ReceivedReply, ReplyStory};

/// The longest explanation, in characters: some quote the server.
const WHY: usize = 600;

/// What agents were last told, each by itself.
#[derive(Debug, Default)]
pub struct Verifier {
    /// Where it keeps what it needs; `None` for one that keeps nothing.
    home: Option<Home>,
    agents: Agents,
    /// What our own agent sends with its requests; `None` where all agents are of others, and are believed.
    key: Option<String>,
    /// What our own agent takes for no reply when it repeats it, and what is kept in no file.
    secret: Secret,
    /// The only agent there is, where that is known. Its requests are numbered as they come.
    only: Option<String>,
    /// Why nothing is known of earlier turns, until the first verdict has said so.
    damaged: Option<String>,
}

impl Verifier {
    /// The file in the run's directory that holds what is needed to verify the first turn after a restart.
    pub const FILE: &str = "verifier.json";

    /// A verifier that goes on from what an earlier one kept in the run in `home`.
    pub fn open(home: &Home) -> Verifier {
        let (agents, damaged) = match kept::read(home, Self::FILE) {
            Ok(agents) => (agents, None),
            Err(why) => (Agents::default(), Some(why)),
        };
        Verifier {
            home: Some(home.clone()),
            agents,
            key: None,
            secret: Secret::default(),
            only: None,
            damaged,
        }
    }

    /// Takes a reply to our own agent that repeats these keys for none, as the agent does, and keeps no story that holds one.
    #[must_use]
    pub fn hiding(self, secret: Secret) -> Verifier {
        Verifier { secret, ..self }
    }

    /// Believes only agents that know this key when they name their run.
    #[must_use]
    pub fn with_key(self, key: Option<String>) -> Verifier {
        Verifier { key, ..self }
    }

    /// From now on all requests are of this agent.
    pub(crate) fn expect_only(&mut self, agent: String) {
        self.only = Some(agent);
    }

    /// Takes in the reply of a turn that the agent of `run` has recorded, where no panel was there to see it: where none has seen
    /// that turn, or it is known to have been done again `unwatched`. An agent that was never heard of stays unknown.
    pub fn catch_up(&mut self, run: &str, turn: u64, story: Story, unwatched: bool) {
        if let Some(agent) = self.agents.of_run(run) {
            agent.memory.catch_up(turn, story, unwatched);
        }
    }

    /// Judges one exchange; `None` where it is no chat request.
    pub fn judge(&mut self, exchange: &Exchange) -> Option<Verdict> {
        is_chat(&exchange.request).then(|| self.verdict(exchange, &self.received(exchange)))
    }

    /// Reads the response of an exchange.
    pub(crate) fn received(&self, exchange: &Exchange) -> ReceivedReply {
        let is_ours = self.run_of(exchange).is_some();
        let received = ReceivedReply::of(exchange, is_ours);
        if is_ours {
            received.unless_it_repeats(&self.secret)
        } else {
            received
        }
    }

    /// The run that a request names, where it is to be believed.
    pub(crate) fn run_of(&self, exchange: &Exchange) -> Option<String> {
        Caller::of(exchange, self.key.as_deref()).run
    }

    /// Judges one exchange whose response was read before.
    pub(crate) fn verdict(&mut self, exchange: &Exchange, received: &ReceivedReply) -> Verdict {
        let body = exchange.request.payload();
        let sent = body
            .map_err(|_| request::NoStory::NotCopied)
            .and_then(|body| request::story(&body));
        let unreachable = matches!(exchange.ended, Ended::Unreachable(_));
        let sent = sent.map_err(|why| if unreachable { request::NoStory::NotSent } else { why });
        let mut caller = Caller::of(exchange, self.key.as_deref());
        if self.only.is_some() {
            caller.run.clone_from(&self.only);
        }
        // A count of strangers would be taken for a turn of our own agent.
        let counted = match caller.turn {
            _ if self.only.is_some() => Some(self.agents.count()),
            None if caller.is_believed => Some(self.agents.count()),
            named => named,
        };
        let agent = self.agents.find(&caller, sent.as_ref().ok());
        let finding = match &sent {
            Ok(story) => agent.memory.judge(caller.turn, story),
            Err(why) => Judgement {
                kind: VerdictKind::Unverifiable,
                why: Some(why.to_string()),
                difference: None,
            },
        };
        if !agent.is_past(&caller) {
            agent.memory.ask(caller.turn, sent.as_ref().ok().cloned());
            agent.memory.receive(caller.turn, &received.story);
            agent.seen(&caller);
        }
        let name = agent.name();
        self.agents.forget_oldest(self.key.is_some());
        let why = self.explain(finding.kind, finding.why);
        let adopted = match &received.story {
            ReplyStory::Story(story) => Some(story),
            ReplyStory::Nothing(_) | ReplyStory::Unseen(_) => None,
        };
        Verdict {
            v: Verdict::VERSION,
            started: exchange.started.to_string(),
            agent: name,
            turn: counted,
            verdict: finding.kind,
            why,
            difference: finding.difference,
            status: received.status,
            adopted: adopted.is_some(),
            sent: sent.as_ref().ok().map(hash),
            received: adopted.map(hash),
            request_bytes: exchange.request.bytes,
            response_bytes: exchange.response.as_ref().map_or(0, |response| response.bytes),
            sent_ms: millis(exchange.sent),
            first_byte_ms: exchange.first_byte.map(millis),
            whole_ms: millis(exchange.whole),
        }
    }

    /// Keeps what the first verdict after a restart needs. The verdict itself is to be written before: an exchange of which
    /// neither is kept is asked again, and one of which only the verdict is kept was seen.
    pub fn save(&self) -> Result<(), DiskError> {
        match &self.home {
            Some(home) => kept::write(home, Self::FILE, &self.agents, &self.secret),
            None => Ok(()),
        }
    }

    /// Counts the requests of agents that name no turn from behind `turn`.
    pub fn count_from(&mut self, turn: u64) {
        self.agents.count_from(turn);
    }

    /// The reasons as one short text. Among them is that what was kept is lost, where that is why nothing is known.
    fn explain(&mut self, kind: VerdictKind, why: Option<String>) -> Option<String> {
        let damaged = if kind == VerdictKind::First {
            self.damaged.take()
        } else {
            None
        };
        let told: Vec<String> = damaged.into_iter().chain(why).collect();
        (!told.is_empty()).then(|| told.join("; ").chars().take(WHY).collect())
    }
}

/// Whether a request asks a model to go on in a chat.
pub(crate) fn is_chat(request: &Message) -> bool {
    let path = request.target().split(['?', '#']).next().unwrap_or_default();
    request.method() == "POST" && path.ends_with("/chat/completions")
}

fn hash(story: &Story) -> String {
    sha256_hex(story.raw().as_bytes())
}

/// With three decimals, as everywhere in the record.
fn millis(duration: std::time::Duration) -> f64 {
    franz_record::Millis::from(duration).get()
}
