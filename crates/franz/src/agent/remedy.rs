//! Remedies: if a server refuses a request, FRANZ changes the request and sends it again immediately. It remembers
//! which change helped for this model on this server.

use franz_chat::{ContextSizes, RequestFailure, ServerKind, ServerRefusal, Streaming, most_pictures};
use toml::Value;

use super::binding::Heard;
use super::{Agent, Turn};
use crate::calibrate::ServedModel;
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::config::settings::{MemoryKind, MemoryShape};

/// The text that replaces an empty message.
const NOTHING: &str = "(nothing yet)";
/// The lowest value to which FRANZ reduces the limit on a reply's tokens when making room.
const LEAST_REPLY: u32 = 512;
/// The smallest width to which FRANZ shrinks the picture when making room.
const NARROWEST: u32 = 320;
/// How many times a turn makes room before it gives up.
const MOST_SHORTENINGS: u32 = 12;

impl Agent {
    /// Finds another way to make a refused request: changes the settings in force, and returns a message for the
    /// person. Returns `None` if nothing is left to try.
    pub(super) fn remedy(&mut self, turn: &mut Turn, failure: &RequestFailure) -> Option<String> {
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
            ServerRefusal::Streaming if settings.model.stream == "auto" => Some(self.learn("model.stream", "off")),
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
            ServerRefusal::Context => Some(self.note_context(words)),
            _ => None,
        }
    }

    /// Checks whether the first bound reply crashed the model. Some models crash in LM Studio if they get a schema
    /// together with a picture (lmstudio-ai/lmstudio-js#412).
    fn crashed(&self, turn: &Turn, failure: &RequestFailure) -> bool {
        let untried = turn.bound.is_some() && !self.trail.heard.keeps();
        untried && failure.words().is_some_and(|words| words.contains("model has crashed"))
    }

    /// Notes the sizes that a refusal reports, so that the next request is made to fit.
    fn note_context(&mut self, words: &str) -> String {
        let ContextSizes { context, request } = ContextSizes::of(words);
        match request {
            Some(tokens) => _ = self.memory.counted(Some(tokens)),
            None => self.memory.underestimated(),
        }
        let needed = self.memory.needed();
        let known = self.server.upstream().known.context;
        let context = context.or(known).unwrap_or(needed / 10 * 9);
        self.server.found_context(context);
        format!("the request is too long for the server's context of {context} tokens; asking again with a shorter one")
    }

    /// Asks for the context length again, once the server has loaded the model for the first request.
    pub(super) fn seek_context(&mut self) {
        let known = &self.server.upstream().known;
        let is_late = known.context.is_none() && known.kind.is_some_and(ServerKind::loads_on_request);
        if is_late && self.trail.heard.seek_context() {
            self.server.seek_context(&self.stop);
        }
    }

    /// Makes room if the request and the reply do not both fit into the server's context. Drops the extra pictures
    /// first, then limits the reply's length, then shrinks the picture, one step per call. Returns a message for the
    /// person, or `None` if the request fits or nothing more can be done.
    pub(super) fn make_room(&mut self, turn: &mut Turn) -> Option<String> {
        let upstream = self.server.upstream();
        let context = upstream.known.context?;
        let longer = upstream.known.kind.map(|kind| format!(" ({})", kind.longer_context()));
        let longer = longer.unwrap_or_default();
        let reply = self.live.settings.model.max_tokens;
        if self
            .memory
            .needed()
            .saturating_add(u64::from(reply.unwrap_or(LEAST_REPLY)))
            <= context
            || turn.shortened == MOST_SHORTENINGS
        {
            return None;
        }
        turn.shortened += 1;
        if turn.drop_beside() {
            return Some(
                "the server's context is short: the model gets only the picture of the whole screen".to_owned(),
            );
        }
        if reply.is_some_and(|reply| reply > LEAST_REPLY) {
            self.put("model.max_tokens", i64::from(LEAST_REPLY));
            return Some(format!(
                "the server's context of {context} tokens is short: a reply gets at most {LEAST_REPLY} tokens; start the server with a longer one{longer}"
            ));
        }
        let (width, height) = self.idiom.picture(&self.live.settings);
        let (width, height) = (width / 4 * 3, height / 4 * 3);
        if width < NARROWEST {
            return None;
        }
        self.put("image.width", i64::from(width));
        self.put("image.height", i64::from(height));
        self.adopt_picture();
        if turn.view.is_some() {
            self.capture_again(turn);
        }
        let (width, height) = self.idiom.picture(&self.live.settings);
        Some(format!(
            "the server's context of {context} tokens is short: the picture is now {width}x{height}; start the server with a longer one{longer}"
        ))
    }

    /// Changes a setting to what the model needs on this server, until the run ends or switches to another server.
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
        format!("the server refuses this form of request; trying {name} = {value}")
    }

    /// Remembers the settings that helped, once the model has answered.
    pub(super) fn remember(&mut self) {
        if !std::mem::take(&mut self.trail.is_learning) {
            return;
        }
        let told = match ServedModel::from(self.server.upstream()).keep_settings(self.live.learned()) {
            Ok(()) => "that worked; FRANZ remembers it for this model on this server (franz models --forget clears it)"
                .to_owned(),
            Err(error) => format!("that worked, but FRANZ cannot remember it: {error}"),
        };
        self.notice(&told);
    }

    /// Applies what is remembered about the current model.
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
