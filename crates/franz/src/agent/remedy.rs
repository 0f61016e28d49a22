//! Remedies: if a server refuses a request, FRANZ changes the request and sends it again immediately. It remembers
//! which change helped for this model on this server.

use std::collections::BTreeSet;

use franz_chat::{ContextSizes, Failed, Request, RequestFailure, ServerKind, ServerRefusal, Streaming, most_pictures};
use toml::Value;

use super::binding::Heard;
use super::{Agent, Turn};
use crate::calibrate::ServedModel;
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::config::settings::{LIMIT_FIELD, MemoryKind, MemoryShape, NEWER_LIMIT_FIELD, StreamChoice};
use crate::shortcomings;

/// The text that replaces an empty message.
pub(crate) const NOTHING: &str = "(nothing yet)";
/// The lowest value to which FRANZ reduces the limit on a reply's tokens when making room.
const LEAST_REPLY: u32 = 512;
/// The smallest width to which FRANZ shrinks the picture when making room.
const NARROWEST: u32 = 320;

/// The parts that a request gives up to fit into a short context, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Concession {
    Beside,
    Reply,
    Picture,
}

impl Agent {
    /// Makes a refused request in another way, and tells the person. Returns `None` if no other way is left.
    pub(super) fn remedied(&mut self, turn: &mut Turn, failed: &Failed, refused: &Request) -> Option<Request> {
        if let RequestFailure::Refused {
            refusal: ServerRefusal::Context,
            words,
            ..
        } = &failed.failure
        {
            let (request, told) = self.shorter(turn, words, refused)?;
            self.notice(&format!("{}; {told}", failed.failure.without_advice()));
            return Some(request);
        }
        let told = self.remedy(turn, &failed.failure)?;
        self.notice(&format!("{}; {told}", failed.failure.without_advice()));
        Some(self.request(turn))
    }

    /// Finds another form for a refused request: changes the settings in force, and returns a message for the person.
    /// Returns `None` if no other form is left to try.
    fn remedy(&mut self, turn: &mut Turn, failure: &RequestFailure) -> Option<String> {
        if self.crashed(turn, failure) {
            return Some(self.learn("model.constrain", "off"));
        }
        let RequestFailure::Refused { refusal, words, .. } = failure else {
            return None;
        };
        let settings = &self.live.settings;
        let memory = &settings.memory;
        let is_story = memory.kind == MemoryKind::Story;
        match refusal {
            ServerRefusal::Binding if turn.bound.is_some() => Some(self.learn("model.constrain", "off")),
            ServerRefusal::Shape if is_story && memory.shape == MemoryShape::Seeds => {
                Some(self.learn("memory.shape", "merged"))
            }
            // A server can build its own grammar from the tools.
            ServerRefusal::Shape | ServerRefusal::Tools | ServerRefusal::Binding
                if !is_story && !settings.calls_in_text() =>
            {
                Some(self.learn("model.calls", "text"))
            }
            ServerRefusal::EmptyStory if memory.empty_story.is_none() => {
                Some(self.learn("memory.empty_story", NOTHING))
            }
            ServerRefusal::StreamUsage if settings.streaming() == Streaming::WithUsage => {
                Some(self.learn("model.stream_usage", false))
            }
            ServerRefusal::ReplyLimit if settings.model.limit_field == LIMIT_FIELD => {
                Some(self.learn("model.limit_field", NEWER_LIMIT_FIELD))
            }
            ServerRefusal::Sampling if settings.model.send_sampling => Some(self.learn("model.send_sampling", false)),
            ServerRefusal::Streaming if settings.model.stream == StreamChoice::Auto => {
                Some(self.learn("model.stream", "off"))
            }
            ServerRefusal::Pictures => {
                let most = most_pictures(words);
                let known = memory.keep().most_screenshots;
                let is_beside = turn.view.as_ref().is_some_and(|view| !view.beside.is_empty());
                if most >= known || is_story && !is_beside {
                    return None;
                }
                let told = self.learn("memory.most_screenshots", most as i64);
                turn.drop_beside();
                Some(told)
            }
            _ => None,
        }
    }

    /// Checks whether the first bound reply crashed the model. Some models crash in LM Studio if they get a schema
    /// together with a picture (lmstudio-ai/lmstudio-js#412).
    fn crashed(&self, turn: &Turn, failure: &RequestFailure) -> bool {
        let untried = turn.bound.is_some() && !self.trail.heard.keeps();
        untried && failure.words().is_some_and(|words| words.contains("model has crashed"))
    }

    /// Shortens a request that the server refused as too long. Returns the new one with a message for the person, or
    /// `None` if it cannot be shortened further.
    fn shorter(&mut self, turn: &mut Turn, words: &str, refused: &Request) -> Option<(Request, String)> {
        let ContextSizes { context, request } = ContextSizes::of(words);
        match request {
            Some(tokens) => _ = self.memory.counted(Some(tokens)),
            None => _ = self.memory.underestimated(),
        }
        let needed = self.memory.needed();
        let known = self.server.upstream().known.context;
        let context = context.or(known).unwrap_or(needed / 10 * 9);
        self.server.found_context(context);
        loop {
            let (request, conceded) = self.fitted(turn);
            if request.body() != refused.body() {
                let conceded = conceded.map(|conceded| format!(": {conceded}")).unwrap_or_default();
                let told = format!("its context has {context} tokens; asking again with a shorter one{conceded}");
                return Some((request, told));
            }
            if !self.memory.underestimated() {
                return None;
            }
        }
    }

    /// Asks again what the server reports about the model, once the server has answered: some servers report the context
    /// length only after they have loaded the model for the first request, and others could not list their models when
    /// the run began. Tells the person if the model turns out to be blind.
    pub(super) fn seek_facts(&mut self) {
        let upstream = self.server.upstream();
        let known = &upstream.known;
        let loads_late = known.context.is_none() && known.kind.is_some_and(ServerKind::loads_on_request);
        let (is_unlisted, was_unknown) = (upstream.list().is_empty(), known.sees.is_none());
        if !((loads_late || is_unlisted) && self.trail.heard.seek_facts()) {
            return;
        }
        self.server.seek_facts(&self.stop);
        let told = shortcomings::blind(&self.server.upstream().known);
        if let Some(told) = told.filter(|_| was_unknown) {
            self.notice(&told);
        }
    }

    /// Builds the request, and makes it fit into the server's context if the context's length is known. Returns the
    /// request, and in words for the person the parts that it had to give up.
    pub(super) fn fitted(&mut self, turn: &mut Turn) -> (Request, Option<String>) {
        let mut request = self.build_request(turn);
        let mut conceded = BTreeSet::new();
        while let Some(concession) = self.concede(turn) {
            conceded.insert(concession);
            request = self.build_request(turn);
        }
        if conceded.contains(&Concession::Picture) {
            self.adopt_picture();
            if turn.view.is_some() {
                self.capture_again(turn);
            }
            if let Some(view) = turn.view.as_mut().filter(|_| conceded.contains(&Concession::Beside)) {
                view.beside.clear();
            }
            request = self.build_request(turn);
        }
        let told = (!conceded.is_empty()).then(|| self.concession_words(&conceded));
        (request, told)
    }

    /// Gives up one part if the request and the reply do not both fit into the server's context: the extra pictures
    /// first, then a long reply, then a part of the picture's size. Returns `None` if they fit or nothing is left to
    /// give up.
    fn concede(&mut self, turn: &mut Turn) -> Option<Concession> {
        let context = self.server.upstream().known.context?;
        let reply = self.live.settings.model.max_tokens;
        let room = u64::from(reply.unwrap_or(LEAST_REPLY));
        if self.memory.needed().saturating_add(room) <= context {
            return None;
        }
        if turn.drop_beside() {
            return Some(Concession::Beside);
        }
        if reply.is_some_and(|reply| reply > LEAST_REPLY) {
            self.put("model.max_tokens", i64::from(LEAST_REPLY));
            return Some(Concession::Reply);
        }
        let (width, height) = self.idiom.picture(&self.live.settings);
        let (width, height) = (width / 4 * 3, height / 4 * 3);
        if width < NARROWEST {
            return None;
        }
        self.put("image.width", i64::from(width));
        self.put("image.height", i64::from(height));
        Some(Concession::Picture)
    }

    fn concession_words(&self, conceded: &BTreeSet<Concession>) -> String {
        let (width, height) = self.idiom.picture(&self.live.settings);
        let words = conceded.iter().map(|concession| match concession {
            Concession::Beside => "the model gets only the picture of the whole screen".to_owned(),
            Concession::Reply => format!("a reply gets at most {LEAST_REPLY} tokens"),
            Concession::Picture => format!("the picture is {width}x{height} now"),
        });
        let longer = self.server.upstream().known.kind;
        let longer = longer.map(|kind| format!(" ({})", kind.longer_context()));
        format!(
            "{}; start the server with a longer context{}",
            words.collect::<Vec<_>>().join(", "),
            longer.unwrap_or_default()
        )
    }

    /// Changes a setting to the value that the model needs on this server, until the run ends or switches to another
    /// server.
    pub(super) fn put(&mut self, name: &str, value: impl Into<Value>) {
        let mut learned = self.live.learned().clone();
        learned.insert(name, value.into(), Origin::Learned);
        self.live.learn(learned);
    }

    /// Does the same as `put`, and returns a sentence for the person.
    fn learn(&mut self, name: &str, value: impl Into<Value>) -> String {
        let value = value.into();
        self.put(name, value.clone());
        self.trail.is_learning = true;
        trying(name, &value)
    }

    /// Remembers the settings that helped, once the model has answered.
    pub(super) fn remember(&mut self) {
        if !std::mem::take(&mut self.trail.is_learning) {
            return;
        }
        let told = kept(&ServedModel::from(self.server.upstream()), self.live.learned());
        self.notice(&told);
    }

    /// Applies the settings that are remembered for the current model.
    pub(super) fn recall(&mut self) {
        self.trail.heard = Heard::default();
        self.trail.is_learning = false;
        let remembered = ServedModel::from(self.server.upstream())
            .settings()
            .unwrap_or_else(|error| {
                self.notice(&error.to_string());
                Layer::default()
            });
        self.live.learn(remembered);
    }
}

/// Tells the person which setting FRANZ tries after a refusal.
pub(super) fn trying(name: &str, value: &Value) -> String {
    format!("the server refuses this form of request; trying {name} = {value}")
}

/// Remembers the settings that helped, and tells the person.
pub(super) fn kept(model: &ServedModel, helped: &Layer) -> String {
    match model.keep_settings(helped) {
        Ok(()) => {
            "that worked; FRANZ remembers it for this model on this server (franz models --forget clears it)".to_owned()
        }
        Err(error) => format!("that worked, but FRANZ cannot remember it: {error}"),
    }
}
