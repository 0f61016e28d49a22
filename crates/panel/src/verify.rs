//! The verifier, which checks whether the story that was sent is the one that was received.
//!
//! A request must contain the story of the last successful reply of a lower turn (`X-Franz-Turn`) or, without that
//! header, of the last successful reply. If it does, the verdict is a match. If it contains the story of the previous
//! request, it is a retry. Anything else is a violation, unless the verifier knows that it has not seen everything.
//!
//! Agents are distinguished by `X-Franz-Run`. A run watched by its own panel also has a secret key. A request that
//! names a run or a turn without this key (`X-Franz-Key`) is treated as if it named neither, and gets a verdict without
//! a turn. Agents that do not name themselves are distinguished by their connections. Many agents open a new connection
//! for each request, so a new connection is taken to come from an agent that is already known, in this order of
//! preference:
//!
//! 1. the newest agent that last received the story in the request,
//! 2. otherwise the newest agent that last sent this story, unless the story is empty, as it is for every newcomer,
//! 3. otherwise, if the story is not empty, an agent with the same `User-Agent` whose last exchange was over when this
//!    one began. If there are several such agents, the one with the most similar story is chosen, and the newest if
//!    there is a tie.
//!
//! If there is no such agent, the connection belongs to a newcomer. Stories are compared by UTF-16 units, so it does
//! not matter how they are escaped.

mod agent;
mod agents;
mod difference;
mod kept;
pub(crate) mod reply;
pub(crate) mod request;

use std::sync::Arc;

use franz_home::{DiskError, Home};
use franz_json::Story;
use franz_record::digest::sha256_hex;
use franz_relay::{Ended, Exchange, Message, ModelApi};
use franz_secret::Secret;

use crate::person_replies::PersonReplies;
use crate::verdict::{Verdict, VerdictKind};
use agent::Judgement;
use agents::{Agents, Caller};
use reply::{ReceivedReply, ReplyStory};

/// The maximum length of an explanation, in characters. Some explanations quote the server.
const WHY: usize = 600;

/// Verifies stories by comparing them with what each agent last received.
#[derive(Debug, Default)]
pub struct Verifier {
    /// Where the verifier saves its memory; `None` if it does not save it.
    home: Option<Home>,
    agents: Agents,
    /// The key that our own agent sends with its requests; `None` if all agents are foreign and their names are
    /// trusted.
    key: Option<String>,
    /// The API keys. Our own agent rejects a reply that repeats one of them, and no file may contain one.
    secret: Secret,
    /// The only agent, if it is known that there is just one. Its requests are numbered in the order in which they
    /// arrive.
    only: Option<String>,
    /// Why nothing is known about earlier turns. `None` once a verdict has said so.
    damaged: Option<String>,
    /// The replies that a person wrote in place of our own agent's model.
    person_replies: Arc<PersonReplies>,
}

impl Verifier {
    /// The file in the run's directory with the data needed to verify the first turn after a restart.
    pub const FILE: &str = "verifier.json";

    /// Opens a verifier for the run in `home`. It continues with the saved memory of an earlier verifier.
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
            person_replies: Arc::default(),
            only: None,
            damaged,
        }
    }

    /// Treats a reply to our own agent that repeats one of these keys as no reply, just as the agent does. Keeps no
    /// story that contains a key.
    #[must_use]
    pub fn hiding(self, secret: Secret) -> Verifier {
        Verifier { secret, ..self }
    }

    /// Trusts the names of runs and turns only in requests with this key.
    #[must_use]
    pub fn with_key(self, key: Option<String>) -> Verifier {
        Verifier { key, ..self }
    }

    /// Also accepts these replies as our own agent's story.
    #[must_use]
    pub(crate) fn with_person_replies(self, person_replies: Arc<PersonReplies>) -> Verifier {
        Verifier { person_replies, ..self }
    }

    /// Treats all further requests as those of this agent.
    pub(crate) fn expect_only(&mut self, agent: String) {
        self.only = Some(agent);
    }

    /// Adds the reply of a turn that the agent of `run` recorded while no panel was watching. With `unwatched`, the
    /// turn is known to have been repeated without a panel; otherwise, the reply is ignored if a panel has seen the
    /// turn. If the agent is unknown, does nothing.
    pub fn catch_up(&mut self, run: &str, turn: u64, story: Story, unwatched: bool) {
        if let Some(agent) = self.agents.of_run(run) {
            agent.memory.catch_up(turn, story, unwatched);
        }
    }

    /// Judges one exchange; `None` if it is not a chat request.
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

    /// Returns the run that a request names, if it can be trusted.
    pub(crate) fn run_of(&self, exchange: &Exchange) -> Option<String> {
        Caller::of(exchange, self.key.as_deref()).run
    }

    /// Returns the turn of a request that is waiting for its response, if it is already known. If there is only one
    /// agent, its requests are numbered after they have been answered.
    pub(crate) fn turn_of(&self, request: &Message) -> Option<u64> {
        match self.only {
            Some(_) => None,
            None => agents::named_turn(request, self.key.as_deref()),
        }
    }

    /// Checks whether this is a request from our own agent to its grounder.
    pub(crate) fn is_grounding(&self, request: &Message) -> bool {
        let named = request.header("x-franz-asks") == Some("grounder");
        named && self.key.is_some() && agents::is_believed(request, self.key.as_deref())
    }

    /// Judges an exchange whose response has already been read.
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
        // If a stranger's request were counted, the number would be mistaken for a turn of our own agent.
        let counted = match caller.turn {
            _ if self.only.is_some() => Some(self.agents.count()),
            None if caller.is_believed => Some(self.agents.count()),
            named => named,
        };
        let agent = self.agents.find(&caller, sent.as_ref().ok());
        let mut finding = match &sent {
            Ok(story) => agent.memory.judge(caller.turn, story),
            Err(why) => Judgement {
                kind: VerdictKind::Unverifiable,
                why: Some(why.to_string()),
                difference: None,
            },
        };
        let is_known = matches!(finding.kind, VerdictKind::Match | VerdictKind::Retry);
        if self.key.is_some()
            && caller.is_believed
            && !is_known
            && sent.as_ref().is_ok_and(|story| self.person_replies.took_in(story))
        {
            finding = Judgement {
                kind: VerdictKind::ByPerson,
                why: None,
                difference: None,
            };
        }
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

    /// Saves the data that the first verdict after a restart needs. Write the verdict first. If neither is saved, the
    /// agent sends the request again; if only the verdict is saved, the exchange counts as seen.
    pub fn save(&self) -> Result<(), DiskError> {
        match &self.home {
            Some(home) => kept::write(home, Self::FILE, &self.agents, &self.secret),
            None => Ok(()),
        }
    }

    /// Numbers the requests of agents that name no turn, starting after `turn`.
    pub(crate) fn count_from(&mut self, turn: u64) {
        self.agents.count_from(turn);
    }

    /// Joins the reasons into one short explanation. If nothing is known because the saved memory was lost, the
    /// explanation says so.
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

/// Checks whether a request asks a model to continue a chat.
pub(crate) fn is_chat(request: &Message) -> bool {
    ModelApi::of(request.method(), request.target()) == Some(ModelApi::Chat)
}

fn hash(story: &Story) -> String {
    sha256_hex(story.raw().as_bytes())
}

/// Rounds to three decimals, as everywhere in the record.
fn millis(duration: std::time::Duration) -> f64 {
    franz_record::Millis::from(duration).get()
}
