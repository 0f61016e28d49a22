//! Binding: if the server enforces a grammar or a schema, the model is bound to replies that FRANZ can read. If the
//! model thinks, or the server does not enforce the grammar, FRANZ stops binding the replies and remembers why.

use franz_chat::{Binding, BindingLanguage, Reply};

use super::{Agent, Turn};
use crate::calibrate::ServedModel;
use crate::config::settings::ConstrainChoice;
use crate::idiom::Bound;

/// Facts learned from the current server's replies.
#[derive(Default)]
pub(super) struct Heard {
    /// Whether the model has answered without thinking.
    is_plain: bool,
    /// Whether a bound reply has matched the grammar or schema.
    keeps: bool,
    /// Whether the server has been asked again what it reports about the model.
    are_facts_sought: bool,
}

impl Heard {
    /// Notes that the server is being asked again what it reports about the model. Returns whether this is the first
    /// time.
    pub(super) fn seek_facts(&mut self) -> bool {
        !std::mem::replace(&mut self.are_facts_sought, true)
    }

    /// Checks whether a bound reply has matched the grammar or schema.
    pub(super) fn keeps(&self) -> bool {
        self.keeps
    }
}

impl Agent {
    /// Returns the grammar or schema that binds the next reply. `None` if the reply cannot be bound, or if binding
    /// could keep the model from thinking.
    pub(super) fn binding(&self) -> Option<(Bound, Binding)> {
        let model = self.server.upstream().model.to_lowercase();
        let may_think = self.idiom.family.reasoning.is_some() || model.contains("think");
        if may_think && !self.trail.heard.is_plain {
            return None;
        }
        self.possible_binding()
    }

    fn possible_binding(&self) -> Option<(Bound, Binding)> {
        let settings = &self.live.settings;
        if settings.model.constrain == ConstrainChoice::Off || Binding::is_in(&settings.extra()) {
            return None;
        }
        let kind = self.server.upstream().known.kind?;
        let bound = self.idiom.bound(settings, BindingLanguage::of(kind)).ok()?;
        let binding = Binding::on(kind, bound.written()).ok()?;
        Some((bound, binding))
    }

    /// Learns from a reply whether the model thinks, and whether the server enforces the grammar or schema.
    pub(super) fn hear(&mut self, turn: &Turn, reply: &Reply) {
        if reply.thinks() {
            if self.possible_binding().is_some() {
                self.unbind("the model thinks before it answers, which a grammar would prevent");
            }
            return;
        }
        self.trail.heard.is_plain = true;
        let Some(bound) = turn
            .bound
            .as_ref()
            .filter(|_| !turn.line.cut && !self.trail.heard.keeps)
        else {
            return;
        };
        if reply.story().is_some_and(|story| bound.has(&story.text())) {
            self.trail.heard.keeps = true;
        } else {
            self.unbind("the server accepts the grammar but does not enforce it");
        }
    }

    fn unbind(&mut self, why: &str) {
        self.put("model.constrain", "off");
        let told = match ServedModel::from(self.server.upstream()).keep_settings(self.live.learned()) {
            Ok(()) => "is off for this model on this server from now on (franz models --forget clears it)".to_owned(),
            Err(error) => format!("is off in this run only, because it cannot be remembered: {error}"),
        };
        self.notice(&format!("{why}; model.constrain {told}"));
    }
}
