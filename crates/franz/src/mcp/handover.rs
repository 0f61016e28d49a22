//! Where the agent's requests meet the host's calls: one call at a time, each answered by the request that follows it.

use hyper::body::Bytes;
use tokio::sync::{Mutex, oneshot, watch};

use super::asked::{Asked, AskedError};
use super::tool::{Call, Tool};

/// The place where they meet.
pub(super) struct Handover {
    /// Held from a call to its result.
    calling: Mutex<()>,
    state: watch::Sender<State>,
}

#[derive(Default)]
struct State {
    /// The request that waits for a call.
    held: Option<Held>,
    /// How many requests have been held so far.
    count: u64,
    /// The last request that was answered, and its answer.
    answered: Option<(Bytes, Bytes)>,
    /// What the agent offers.
    tools: Vec<Tool>,
    /// What the run waits for, if not for the host.
    waits: Option<String>,
    /// Why no further call is performed.
    ended: Option<String>,
}

struct Held {
    number: u64,
    body: Bytes,
    asked: Asked,
    answer: oneshot::Sender<Bytes>,
}

/// What came of a call.
#[derive(Debug)]
pub(super) enum Told {
    /// What the agent says about it, with the new picture.
    Done(Asked),
    /// The host took it back before it began.
    Withdrawn,
    /// The run is over, and why.
    Ended(String),
}

/// Why a request gets no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unanswered {
    #[error(transparent)]
    Unreadable(#[from] AskedError),
    #[error("a newer request took its place")]
    Replaced,
}

impl Default for Handover {
    fn default() -> Self {
        Handover {
            calling: Mutex::default(),
            state: watch::Sender::new(State::default()),
        }
    }
}

impl Handover {
    /// Holds a request of the agent until the host calls a tool, and returns the reply with that call. A request that
    /// is sent again because its answer was lost gets the same reply: no call is performed twice.
    pub(super) async fn ask(&self, body: Bytes) -> Result<Bytes, Unanswered> {
        let asked = Asked::read(&body)?;
        let (answer, answered) = oneshot::channel();
        let mut number = 0;
        let mut again = None;
        self.state.send_modify(|state| {
            again = state
                .answered
                .as_ref()
                .filter(|(request, _)| *request == body)
                .map(|(_, reply)| reply.clone());
            if again.is_some() {
                return;
            }
            state.count += 1;
            number = state.count;
            state.tools.clone_from(&asked.tools);
            state.held = Some(Held {
                number,
                body,
                asked,
                answer,
            });
        });
        if let Some(reply) = again {
            return Ok(reply);
        }
        let _left = Left { handover: self, number };
        answered.await.map_err(|_| Unanswered::Replaced)
    }

    /// Hands a call to the agent and returns what came of it. Waits its turn: calls are performed one after another.
    pub(super) async fn call(&self, call: &Call, is_withdrawn: impl Fn() -> bool) -> Told {
        let _calling = self.calling.lock().await;
        let number = loop {
            if let Err(why) = self.next_request(0).await {
                return Told::Ended(why);
            }
            if is_withdrawn() {
                return Told::Withdrawn;
            }
            if let Some(number) = self.answer(call) {
                break number;
            }
        };
        match self.next_request(number).await {
            Ok(asked) => Told::Done(asked),
            Err(why) => Told::Ended(why),
        }
    }

    /// Answers the held request with a call. Returns its number, or `None` if the agent no longer waits for it.
    fn answer(&self, call: &Call) -> Option<u64> {
        let mut number = None;
        self.state.send_modify(|state| {
            let Some(held) = state.held.take() else { return };
            let reply = Bytes::from(call.reply(held.number));
            if held.answer.send(reply.clone()).is_ok() {
                state.answered = Some((held.body, reply));
                number = Some(held.number);
            }
        });
        number
    }

    /// Waits for a request newer than this one; the error says why the run has ended instead.
    async fn next_request(&self, than: u64) -> Result<Asked, String> {
        let mut states = self.state.subscribe();
        let newer = |state: &State| state.held.as_ref().is_some_and(|held| held.number > than);
        let state = states.wait_for(|state| state.ended.is_some() || newer(state)).await;
        let state = state.expect("the sender lives as long as this");
        match (&state.ended, &state.held) {
            (None, Some(held)) => Ok(held.asked.clone()),
            (ended, _) => Err(ended.clone().unwrap_or_default()),
        }
    }

    /// Returns the tools that the agent offers, once it has asked for the first time, or why it never will.
    pub(super) async fn tools(&self) -> Result<Vec<Tool>, String> {
        let mut states = self.state.subscribe();
        let state = states.wait_for(|state| state.ended.is_some() || state.count > 0).await;
        let state = state.expect("the sender lives as long as this");
        match &state.ended {
            Some(why) if state.count == 0 => Err(why.clone()),
            _ => Ok(state.tools.clone()),
        }
    }

    /// Waits until the agent offers different tools.
    pub(super) async fn other_tools(&self, known: &[Tool]) -> Vec<Tool> {
        let mut states = self.state.subscribe();
        let state = states.wait_for(|state| state.count > 0 && state.tools != known).await;
        state.expect("the sender lives as long as this").tools.clone()
    }

    /// Notes what the run waits for, if not for the host.
    pub(super) fn wait_for(&self, what: Option<String>) {
        self.state.send_modify(|state| state.waits = what);
    }

    /// Returns what the run waits for, if not for the host.
    pub(super) fn waits_for(&self) -> Option<String> {
        self.state.borrow().waits.clone()
    }

    /// Ends all calls, waiting and future ones. The first reason counts.
    pub(super) fn end(&self, why: &str) {
        self.state.send_modify(|state| {
            state.ended.get_or_insert_with(|| why.to_owned());
        });
    }
}

/// Withdraws a request when the agent no longer waits for its answer.
struct Left<'a> {
    handover: &'a Handover,
    number: u64,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        let is_mine = |held: &Held| held.number == self.number;
        self.handover.state.send_if_modified(|state| {
            let left = state.held.as_ref().is_some_and(is_mine);
            if left {
                state.held = None;
            }
            left
        });
    }
}

#[cfg(test)]
mod tests;
