//! Repeating: in a replay, the agent does again what the record says about the person, the desktop and the model. In any
//! other run, all of this does nothing.

use franz_action::{Mode, Outcome};
use franz_record::{Acted, MessageContent};
use franz_screen::{ActionId, Screen as _};

use super::{Agent, Turn, notices};
use crate::config::layer::Layer;
use crate::config::settings::NEWER_LIMIT_FIELD;
use crate::offline::Repeated;
use crate::stop::Ending;

/// The setting that limits the tokens of a reply.
const MAX_TOKENS: &str = "model.max_tokens";

impl Agent {
    /// Returns the recorded outcome of an action, after the screen has done what it can do again; `None` if the action
    /// is to be performed. `done` gets the recorded position and decision.
    pub(super) fn repeated(&mut self, step: ActionId, done: &mut Acted) -> Result<Option<Outcome>, Ending> {
        let Repeated::AsRecorded(acted, performed) = self.facts.repeated(step, &done.action) else {
            return Ok(None);
        };
        if let Some(action) = performed {
            let interrupt = self.interrupt();
            let performed = self.screen.perform(step, &action, &interrupt);
            self.recorder.demand(performed)?;
        }
        *done = *acted;
        Ok(Some(done.outcome.clone()))
    }

    /// Adds the recorded words about a desktop to the feedback. Returns whether the record has such words, in
    /// which case nothing needs to be worked out again.
    pub(super) fn tells_as_recorded(&mut self, turn: &mut Turn) -> bool {
        if let Some(did) = self.facts.taken_over() {
            self.state.taken_over = true;
            self.trail.handed = Some(did);
        }
        let Some(words) = self.facts.words() else { return false };
        turn.line.change = words.change;
        turn.line.feedback = notices::below(&turn.line.feedback, &words.notices);
        true
    }

    /// Tells the model that the record was lost if the recorded turn did. The feedback of a failed turn, which is
    /// repeated, may say so already.
    pub(super) fn tell_of_recorded_loss(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        if !self.facts.was_lost() || turn.line.feedback.contains(notices::UNRECORDED) {
            return Ok(());
        }
        self.tell_model(turn, notices::UNRECORDED);
        self.keep_told()
    }

    /// Puts the recorded list of a desktop's elements at the end of the feedback.
    pub(super) fn tell_of_recorded_elements(&mut self, turn: &mut Turn) {
        let Some(recorded) = self.facts.elements() else { return };
        turn.line.feedback = notices::below(&turn.line.feedback, recorded.notice.as_slice());
        turn.line.tell_elements(&recorded.list);
        turn.line.elements = recorded.elements;
    }

    /// Sends the messages that the person sent at this point.
    pub(super) fn repeat_messages(&self) {
        let has_modes = self.has_modes();
        self.facts
            .send_messages(self.recorder.run().home(), |content| match content {
                MessageContent::Text(text) => Some(notices::message(text)),
                MessageContent::Mode(name) => {
                    let mode = name.parse::<Mode>().ok().filter(|_| has_modes);
                    mode.map(notices::mode_set)
                }
            });
    }

    /// Continues as the recorded turn did: with its model, its sampling and its size of the picture, whatever a person
    /// or a server had changed; and lets the person reply in the model's place if they did.
    pub(super) fn follow_record(&mut self) {
        let Some(turn) = self.facts.turn() else { return };
        if let Some(model) = turn.model.filter(|model| *model != self.server.upstream().model) {
            let upstream = self.server.upstream_mut();
            upstream.known.id.clone_from(&model);
            upstream.model = model;
            // What was learned about the other model does not apply to this one.
            self.live.learn(Layer::default());
            let learned = self.facts.learned(&self.live.settings);
            self.live.learn(learned.unwrap_or_default());
        }
        let is_sampled = turn.sampling.iter().any(|(key, _)| *key != MAX_TOKENS);
        if is_sampled && !self.live.settings.model.send_sampling {
            // An earlier request had no numbers to send.
            self.put("model.send_sampling", true);
        }
        for (key, value) in turn.sampling {
            self.put(key, value);
        }
        let has_newer_limit = self.live.settings.model.limit_field == NEWER_LIMIT_FIELD;
        if let Some(limit) = turn.newer_limit.filter(|_| has_newer_limit) {
            self.put(MAX_TOKENS, limit);
        }
        if let Some((width, height)) = turn.picture
            && self.idiom.picture(&self.live.settings) != (width, height)
        {
            self.put("image.width", i64::from(width));
            self.put("image.height", i64::from(height));
        }
        if turn.is_answered {
            self.idiom = self.facts.idiom(self.idiom.clone());
        }
        if let Some(reply) = turn.persons_reply {
            self.stop.put_reply(reply);
        }
    }
}
