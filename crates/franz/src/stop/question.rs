//! The question that waits for the person, their decision, and their reply in place of the model's.

use std::sync::PoisonError;
use std::time::Duration;

use franz_panel::controls::PersonDecision;
use franz_record::PersonQuestion;

use super::{STILL_MOVING, State, Stop};
use crate::gate;

impl Stop {
    /// Opens a question. Until it is closed, a person who takes the mouse decides the question and does not pause the
    /// run.
    pub(crate) fn open_question(&self, question: PersonQuestion) {
        let mut state = self.lock();
        (state.question, state.decision) = (Some(question), None);
    }

    /// Closes the question.
    pub(crate) fn close_question(&self) {
        let mut state = self.lock();
        (state.question, state.decision) = (None, None);
        state.grant(STILL_MOVING);
    }

    /// Returns the open question.
    pub(crate) fn question(&self) -> Option<PersonQuestion> {
        self.lock().question.clone()
    }

    /// Decides the open question if it has this nonce, nobody has decided it yet, and the decision fits it.
    pub(crate) fn decide(&self, nonce: &str, by: &str, decision: PersonDecision) {
        let mut state = self.lock();
        let is_wanted = |open: &PersonQuestion| open.nonce == nonce && gate::check(&decision, open).is_ok();
        if state.question.as_ref().is_some_and(is_wanted) && state.decision.is_none() {
            state.decision = Some((by.to_owned(), decision));
            self.shared.changed.notify_all();
        }
    }

    /// Replies in place of the model. Actions in the model's last reply that have not been performed yet are dropped.
    pub(crate) fn put_reply(&self, text: String) {
        self.lock().reply = Some(text);
        self.shared.changed.notify_all();
    }

    /// Returns whether the person has replied in place of the model.
    pub(crate) fn has_reply(&self) -> bool {
        self.lock().reply.is_some()
    }

    /// Takes the person's reply, if there is one. Later calls return `None`.
    pub(crate) fn take_reply(&self) -> Option<String> {
        self.lock().reply.take()
    }

    /// Waits up to this long for a decision or a stop.
    pub(crate) fn wait_for_decision(&self, time: Duration) -> Option<(String, PersonDecision)> {
        let guard = self.lock();
        let is_open = |state: &mut State| state.ending.is_none() && state.decision.is_none();
        let waited = self.shared.changed.wait_timeout_while(guard, time, is_open);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.decision.take()
    }
}
