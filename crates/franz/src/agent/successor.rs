//! A server's new model: a server can change its model during a run, or before the run is resumed. The run continues as
//! if it had started with the new model: with its family's words, its calibration and whatever FRANZ remembers about
//! it.

use std::collections::BTreeSet;

use franz_chat::{Candidate, Failed};
use franz_record::AnsweringModel;

use super::{Agent, ModelServers, Turn};
use crate::families;
use crate::stop::Stop;
use crate::upstream::{of_name, single};

/// How many model changes a run follows. A server that changes its model more often is choosing between several.
pub(super) const MOST_SUCCESSIONS: u32 = 8;

/// The changes of the server's model.
#[derive(Debug, Default)]
pub(super) struct Succession {
    /// The new model, which will get the next turn's request.
    next: Option<Successor>,
    /// How many times the model has changed.
    count: u32,
    /// Whether this turn has already looked for another model on this server because the requested one is not there.
    pub(super) is_sought: bool,
    /// The last message to the person about a missing model.
    told: String,
}

/// A model that has replaced another.
#[derive(Debug)]
struct Successor {
    /// The name of the replaced model, for people.
    before: String,
    /// The new model.
    model: Candidate,
}

impl Successor {
    /// Returns the message to the person.
    fn told(&self) -> String {
        let Successor { before, model } = self;
        format!("the model server changed its model from '{before}' to '{}'", model.id)
    }
}

impl ModelServers {
    /// Continues with the model that gave a run's last reply. Returns a message for the person if the server now has
    /// another one. A restarted agent asks the server for its list of models, because the panel's list might be older
    /// than that reply.
    pub(crate) fn follows(&mut self, last: &AnsweringModel, is_restarted: bool, stop: &Stop) -> Option<String> {
        if last.server != self.upstream().home.to_string() {
            return None;
        }
        let is_named = self.is_model_named();
        if is_restarted {
            let listed = self.listed_again(stop);
            self.upstream_mut().refresh(listed, last, is_named);
        }
        self.upstream_mut().follows(last, is_named)
    }

    /// Notes the model that a reply names. Returns the new model if the previous reply from this server named another
    /// one, or if the server was unreachable and now lists exactly one model, a different one. The name in the first
    /// reply never counts as a change, because servers answer with aliases, paths and versions.
    fn heard(&mut self, said: Option<&str>, was_away: bool, stop: &Stop) -> Option<Successor> {
        let upstream = self.upstream_mut();
        let said = said.filter(|said| !said.is_empty()).map(str::to_owned);
        let heard = said.clone().and_then(|said| upstream.heard.replace(said));
        let renamed = heard.filter(|heard| said.as_ref() != Some(heard));
        let only = single(upstream.list()).map(|only| only.id.clone());
        if renamed.is_none() && !(was_away && only.is_some()) {
            return None;
        }
        let listed = self.listed_again(stop);
        let upstream = self.upstream_mut();
        let is_changed = listed.as_deref().is_some_and(|listed| differ(upstream.list(), listed));
        if let Some(listed) = listed {
            upstream.listed = Ok(listed);
        }
        let now = single(upstream.list());
        let replaced = now.filter(|now| only.as_ref().is_some_and(|only| now.id != *only));
        // An alias matches no family.
        let said = said.filter(|said| renamed.is_some() && (is_changed || fits_family(said)));
        let model = match said {
            Some(said) => {
                let listed = upstream.list().iter().find(|listed| listed.id == said);
                listed.or(replaced).cloned().unwrap_or_else(|| {
                    let known = &upstream.known;
                    if is_changed || now.is_none() {
                        return known.beside(&said);
                    }
                    Candidate {
                        id: said,
                        ..known.clone()
                    }
                })
            }
            None => replaced?.clone(),
        };
        let before = renamed.or(only).unwrap_or_default();
        (model.id != upstream.known.id).then_some(Successor { before, model })
    }

    /// Notes the model that a reply names, and adopts it immediately if it is a new one, in which case it returns a
    /// message to the person.
    pub(super) fn heard_at_once(&mut self, said: Option<&str>, was_away: bool, stop: &Stop) -> Option<String> {
        let successor = self.heard(said, was_away, stop)?;
        let told = successor.told();
        self.adopt(successor.model);
        Some(told)
    }

    /// Looks for another model after the server said that it does not have the requested one. Adopts it if nobody named
    /// the model and the server has exactly one. Returns a message to the person, as an error if there is no other
    /// model, or `None` if the server does list the requested one.
    pub(super) fn seek(&mut self, stop: &Stop) -> Option<Result<String, String>> {
        let listed = self.listed_again(stop)?;
        let asked = self.upstream().model.clone();
        if of_name(&asked, &listed).is_some() {
            return None;
        }
        let Some(model) = single(&listed).filter(|_| !self.is_model_named()).cloned() else {
            let names: Vec<&str> = listed.iter().map(|candidate| candidate.id.as_str()).collect();
            let has = match &names[..] {
                [] => "the server lists no models: load one".to_owned(),
                names => format!("the server has: {}; choose one with --model", names.join(", ")),
            };
            return Some(Err(format!("'{asked}' is not on the server; {has}")));
        };
        let told = format!(
            "'{asked}' is no longer on the server, which has only '{}'; using that from now on",
            model.id
        );
        self.upstream_mut().listed = Ok(listed);
        self.adopt(model);
        Some(Ok(told))
    }

    /// Makes this the current server's model. If the person named a model, requests keep naming that one.
    fn adopt(&mut self, model: Candidate) {
        let is_named = self.is_model_named();
        let upstream = self.upstream_mut();
        if !is_named && upstream.lists(&model.id) {
            upstream.model.clone_from(&model.id);
            // The server might now use the name in the request for the model, which is not another change.
            upstream.heard = None;
        }
        upstream.known = model;
    }
}

impl Agent {
    /// Notes which model answered, for the next turn and for a resumed run.
    pub(super) fn note_model(&mut self, said: Option<&str>, was_away: bool) {
        let succession = &mut self.trail.succession;
        if succession.count <= MOST_SUCCESSIONS
            && let Some(successor) = self.server.heard(said, was_away, &self.stop)
        {
            succession.count += 1;
            succession.next = Some(successor);
        }
        succession.told.clear();
        let upstream = self.server.upstream();
        let next = succession
            .next
            .as_ref()
            .filter(|_| succession.count <= MOST_SUCCESSIONS);
        let name = next.map_or(&upstream.known.id, |next| &next.model.id);
        self.state.answered_by = Some(AnsweringModel {
            server: upstream.home.to_string(),
            asked: upstream.model.clone(),
            name: name.clone(),
            said: said.map(str::to_owned),
            context: upstream.known.context,
            program: upstream.known.kind.map(|kind| kind.to_string()),
        });
    }

    /// Switches to the server's new model, if it has one.
    pub(super) fn succeed(&mut self, turn: &mut Turn) {
        self.trail.succession.is_sought = false;
        if self.facts.are_there() {
            return;
        }
        let Some(successor) = self.trail.succession.next.take() else {
            return;
        };
        let change = successor.told();
        if self.trail.succession.count > MOST_SUCCESSIONS {
            if self.trail.succession.count == MOST_SUCCESSIONS + 1 {
                self.notice(&format!(
                    "{change}; it changes too often, so further changes are ignored"
                ));
            }
            return;
        }
        self.server.adopt(successor.model);
        let said = self.adopt_model(turn);
        self.notice(&format!("{change}; {said}"));
    }

    /// Looks for another model after the server said that it does not have the requested one. Returns whether to send
    /// the turn's request again, which requires that nobody named the model and that the server has exactly one model.
    pub(super) fn seek_model(&mut self, turn: &mut Turn, failed: &Failed) -> bool {
        if !failed.failure.is_about_the_model() || std::mem::replace(&mut self.trail.succession.is_sought, true) {
            return false;
        }
        match self.server.seek(&self.stop) {
            None => false,
            Some(Err(told)) => {
                if self.trail.succession.told != told {
                    self.notice(&told);
                    self.trail.succession.told = told;
                }
                false
            }
            Some(Ok(found)) => {
                let said = self.adopt_model(turn);
                self.notice(&format!("{failed}; {found}; {said}"));
                true
            }
        }
    }
}

/// Returns whether a list names different models than the previous list, if there was one.
fn differ(before: &[Candidate], now: &[Candidate]) -> bool {
    let names = |listed: &[Candidate]| listed.iter().map(|model| model.id.clone()).collect::<BTreeSet<_>>();
    !before.is_empty() && names(before) != names(now)
}

/// Returns whether a family fits this name.
fn fits_family(name: &str) -> bool {
    families::fitting(name).is_ok_and(|family| family.is_some())
}
