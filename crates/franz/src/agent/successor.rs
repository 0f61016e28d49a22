//! A server's new model: what a server serves may change during a run, or before it is resumed. The run goes on with the
//! new one as a run that begins with it: in its family's words, with its calibration and what is remembered of it.

use franz_chat::{Candidate, Failed};
use franz_record::AnsweringModel;

use super::{Agent, ModelServers, Turn};
use crate::stop::Stop;

/// How often a run follows: what answers with one model after another chooses among several.
const MOST_SUCCESSIONS: u32 = 8;

/// How the server's model changes.
#[derive(Debug, Default)]
pub(super) struct Succession {
    /// The new model, which the next turn asks.
    next: Option<Successor>,
    /// How often the model changed.
    count: u32,
    /// Whether another model was looked for in place of one that is not there.
    is_sought: bool,
}

/// A model that has taken the place of another.
#[derive(Debug)]
struct Successor {
    /// The name of the one before, for people.
    before: String,
    /// The new one.
    model: Candidate,
}

impl ModelServers {
    /// Takes note of the model that a reply names. Returns the new one if the server's last reply named another, or if it
    /// was away and lists another single model now. Whatever the first reply names is no change: servers answer with
    /// aliases, paths and versions.
    fn heard(&mut self, said: Option<&str>, was_away: bool, stop: &Stop) -> Option<Successor> {
        let upstream = self.upstream_mut();
        let said = said.filter(|said| !said.is_empty()).map(str::to_owned);
        let heard = said.clone().and_then(|said| upstream.heard.replace(said));
        let renamed = heard.filter(|heard| said.as_ref() != Some(heard));
        let only = upstream.only();
        if renamed.is_none() && !(was_away && only.is_some()) {
            return None;
        }
        let listed = self.listed_again(stop).unwrap_or_default();
        let replaced = only
            .as_ref()
            .and_then(|only| single(&listed).filter(|now| now.id != *only));
        let model = match (&renamed, said) {
            (Some(_), Some(said)) => listed
                .iter()
                .find(|listed| listed.id == said)
                .or(replaced)
                .cloned()
                .unwrap_or_else(|| Candidate::named(&said)),
            _ => replaced?.clone(),
        };
        let before = renamed.or(only).unwrap_or_default();
        let upstream = self.upstream_mut();
        upstream.listed = Ok(listed);
        (model.id != upstream.known.id).then_some(Successor { before, model })
    }

    /// Makes this the model of the current server. Requests go on naming the model that the person named.
    fn adopt(&mut self, model: Candidate) {
        let is_named = self.is_model_named();
        let upstream = self.upstream_mut();
        if !is_named && upstream.lists(&model.id) {
            upstream.model.clone_from(&model.id);
            // What the server calls it may follow the request.
            upstream.heard = None;
        }
        upstream.known = model;
    }
}

impl Agent {
    /// Takes note of the model that answered, for the next turn and for a resumed run.
    pub(super) fn note_model(&mut self, said: Option<&str>, was_away: bool) {
        if let Some(successor) = self.server.heard(said, was_away, &self.stop) {
            self.trail.succession.count += 1;
            self.trail.succession.next = Some(successor);
        }
        self.trail.succession.is_sought = false;
        let upstream = self.server.upstream();
        self.state.answered_by = Some(AnsweringModel {
            server: upstream.home.to_string(),
            name: upstream.known.id.clone(),
            said: said.map(str::to_owned),
        });
    }

    /// Goes on with the server's new model, if it has one.
    pub(super) fn succeed(&mut self, turn: &mut Turn) {
        let Some(Successor { before, model }) = self.trail.succession.next.take() else {
            return;
        };
        let change = format!("the model server changed its model from '{before}' to '{}'", model.id);
        if self.trail.succession.count > MOST_SUCCESSIONS {
            if self.trail.succession.count == MOST_SUCCESSIONS + 1 {
                self.notice(&format!("{change}, and so often that no change is followed any more"));
            }
            return;
        }
        self.server.adopt(model);
        let said = self.adopt_model(turn);
        self.notice(&format!("{change}; {said}"));
    }

    /// Looks for another model after the server said that it does not have the one asked for. Returns whether the turn is
    /// asked again: if nobody named the model, and the server has exactly one.
    pub(super) fn seek_model(&mut self, turn: &mut Turn, failed: &Failed) -> bool {
        if !failed.failure.is_about_the_model() || std::mem::replace(&mut self.trail.succession.is_sought, true) {
            return false;
        }
        let Some(listed) = self.server.listed_again(&self.stop) else {
            return false;
        };
        let asked = self.server.upstream().model.clone();
        if listed.iter().any(|candidate| candidate.id == asked) {
            return false;
        }
        let Some(model) = single(&listed).filter(|_| !self.server.is_model_named()) else {
            let names: Vec<&str> = listed.iter().map(|candidate| candidate.id.as_str()).collect();
            let has = match &names[..] {
                [] => "the server lists no models: load it".to_owned(),
                names => format!("the server has: {}; choose one with --model", names.join(", ")),
            };
            self.notice(&format!("'{asked}' is not there; {has}"));
            return false;
        };
        let model = model.clone();
        let found = format!("'{asked}' is no longer there, and the server has only '{}'", model.id);
        self.server.upstream_mut().listed = Ok(listed);
        self.server.adopt(model);
        let said = self.adopt_model(turn);
        self.notice(&format!("{failed}; {found}, which is asked from now on; {said}"));
        true
    }
}

/// Returns the only model that writes text, if there is just one.
fn single(listed: &[Candidate]) -> Option<&Candidate> {
    let mut models = listed.iter().filter(|candidate| !candidate.embeds);
    models.next().filter(|_| models.next().is_none())
}
