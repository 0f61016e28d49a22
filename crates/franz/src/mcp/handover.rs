//! Matches the agent's requests with the host's calls, one call at a time. The request after a call contains its
//! result.

use hyper::body::Bytes;
use tokio::sync::{Mutex, oneshot, watch};

use super::asked::{Asked, AskedError, LastCall};
use super::tool::{Call, Tool};

/// The meeting point of requests and calls.
pub(super) struct Handover {
    /// Locked from a call until its result arrives.
    calling: Mutex<()>,
    state: watch::Sender<State>,
}

#[derive(Default)]
struct State {
    /// The request that is waiting for a call.
    held: Option<Held>,
    /// The number of requests that have been held so far.
    count: u64,
    /// The last request that was answered, and the answer.
    answered: Option<(Bytes, Bytes)>,
    /// The tools that the agent offers.
    tools: Vec<Tool>,
    /// A description of what the run is waiting for, if not for the host.
    waits: Option<String>,
    /// The reason why no further calls are performed.
    ended: Option<String>,
}

struct Held {
    number: u64,
    body: Bytes,
    asked: Asked,
    answer: oneshot::Sender<Bytes>,
}

/// The result of a call.
#[derive(Debug)]
pub(super) enum Told {
    /// The agent's message about the call, with the new picture.
    Done(Asked),
    /// The host withdrew the call before it began.
    Withdrawn,
    /// The run had ended before the call, for this reason.
    Ended(String),
    /// The agent's next request knows nothing of the call: the agent was interrupted or killed as it received it.
    Dropped,
    /// The run ended during the call, for this reason.
    Cut(String),
}

/// The reason why a request gets no answer.
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
    /// is repeated because its answer was lost gets the same reply, so no call is performed twice.
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

    /// Waits until earlier calls have finished, hands a call to the agent, and returns its result.
    pub(super) async fn call(&self, call: &Call, is_withdrawn: impl Fn() -> bool) -> Told {
        let _calling = self.calling.lock().await;
        let (number, last_call) = loop {
            if let Err(why) = self.next_request(0).await {
                return Told::Ended(why);
            }
            if is_withdrawn() {
                return Told::Withdrawn;
            }
            if let Some(answered) = self.answer(call) {
                break answered;
            }
        };
        match self.next_request(number).await {
            Ok(asked) if !is_performed(call, asked.last_call.as_ref(), last_call.as_ref()) => Told::Dropped,
            Ok(asked) => Told::Done(asked),
            Err(why) => Told::Cut(why),
        }
    }

    /// Answers the held request with a call. Returns the request's number and the last call before this one, or `None`
    /// if the agent no longer waits for the answer.
    fn answer(&self, call: &Call) -> Option<(u64, Option<LastCall>)> {
        let mut answered = None;
        self.state.send_modify(|state| {
            let Some(held) = state.held.take() else { return };
            let reply = Bytes::from(call.reply(held.number));
            if held.answer.send(reply.clone()).is_ok() {
                state.answered = Some((held.body, reply));
                answered = Some((held.number, held.asked.last_call));
            }
        });
        answered
    }

    /// Waits for a newer request than the one with this number. If the run has ended instead, the error says why.
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

    /// Returns the tools that the agent offers, once it has made its first request. If it never will, the error says
    /// why.
    pub(super) async fn tools(&self) -> Result<Vec<Tool>, String> {
        let mut states = self.state.subscribe();
        let state = states.wait_for(|state| state.ended.is_some() || state.count > 0).await;
        let state = state.expect("the sender lives as long as this");
        match &state.ended {
            Some(why) if state.count == 0 => Err(why.clone()),
            _ => Ok(state.tools.clone()),
        }
    }

    /// Waits until the agent offers tools that differ from the known ones.
    pub(super) async fn other_tools(&self, known: &[Tool]) -> Vec<Tool> {
        let mut states = self.state.subscribe();
        let state = states.wait_for(|state| state.count > 0 && state.tools != known).await;
        state.expect("the sender lives as long as this").tools.clone()
    }

    /// Notes what the run is waiting for, if not for the host.
    pub(super) fn wait_for(&self, what: Option<String>) {
        self.state.send_modify(|state| state.waits = what);
    }

    /// Returns what the run is waiting for, if not for the host.
    pub(super) fn waits_for(&self) -> Option<String> {
        self.state.borrow().waits.clone()
    }

    /// Ends all calls, both waiting and future ones. If called again, keeps the first reason.
    pub(super) fn end(&self, why: &str) {
        self.state.send_modify(|state| {
            state.ended.get_or_insert_with(|| why.to_owned());
        });
    }
}

/// Returns whether the last call of the agent's new request is this one. Otherwise, it is still the last call of the
/// request before, or the person's, or there is none.
fn is_performed(call: &Call, last: Option<&LastCall>, before: Option<&LastCall>) -> bool {
    last.is_some_and(|last| last.name == call.name && before.is_none_or(|before| before.id != last.id))
}

/// Withdraws a request when dropped, because the agent then no longer waits for its answer.
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
