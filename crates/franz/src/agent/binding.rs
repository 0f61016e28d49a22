//! Binding: where the server enforces a grammar, the model is held to replies that can be read. It is switched off for a
//! model that thinks and for a server that does not keep to it; that is remembered.

use franz_chat::{Binding, Reply};
use franz_dialect::Grammar;

use super::{Agent, Turn};
use crate::calibrate::ServedModel;

/// What is known of the current server's replies.
#[derive(Default)]
pub(super) struct Heard {
    /// Whether the model answered without a thought.
    is_plain: bool,
    /// Whether a reply kept to its grammar.
    keeps: bool,
}

impl Agent {
    /// Returns what the next reply is held to; `None` if that cannot be, or may cost a thought.
    pub(super) fn binding(&self) -> Option<(Grammar, Binding)> {
        let model = self.server.upstream().model.to_lowercase();
        let may_think = self.idiom.family.reasoning.is_some() || model.contains("think");
        if may_think && !self.trail.heard.is_plain {
            return None;
        }
        self.possible_binding()
    }

    fn possible_binding(&self) -> Option<(Grammar, Binding)> {
        let settings = &self.live.settings;
        if settings.model.constrain == "off" || Binding::is_in(&settings.extra()) {
            return None;
        }
        let kind = self.server.upstream().known.kind?;
        let grammar = self.idiom.bound(settings).ok()?;
        let binding = Binding::on(kind, || grammar.gbnf())?;
        Some((grammar, binding))
    }

    /// Takes note of a reply: whether the model thinks, and whether the server kept to the grammar.
    pub(super) fn hear(&mut self, turn: &Turn, reply: &Reply) {
        if reply.thinks() {
            if self.possible_binding().is_some() {
                self.unbind("the model thinks before it answers, which a grammar would prevent");
            }
            return;
        }
        self.trail.heard.is_plain = true;
        let Some(grammar) = turn
            .bound
            .as_ref()
            .filter(|_| !turn.line.cut && !self.trail.heard.keeps)
        else {
            return;
        };
        if reply.story().is_some_and(|story| grammar.has(&story.text())) {
            self.trail.heard.keeps = true;
        } else {
            self.unbind("the server does not keep to the grammar that it accepts");
        }
    }

    fn unbind(&mut self, why: &str) {
        self.put("model.constrain", "off");
        let told = match ServedModel::from(self.server.upstream()).keep_settings(self.live.learned()) {
            Ok(()) => "is off for this model on this server from now on (franz models --forget)".to_owned(),
            Err(error) => format!("is off in this run, and that cannot be remembered: {error}"),
        };
        self.notice(&format!("{why}; model.constrain {told}"));
    }
}
