//! The grounder: a second model that finds the targets named by the first, in the picture that the first model saw.

use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_action::Point;
use franz_action::text::shortened;
use franz_chat::{Answer, Bytes, Failed, Picture, Reply, Request, RequestFailure, ServerRefusal};
use franz_dialect::Space;
use franz_frame::png::encode;
use franz_frame::{Frame, Scaler};
use franz_json::Story;
use franz_record::digest::sha256_hex;
use toml::Value;

use super::successor::MOST_SUCCESSIONS;
use super::{ModelServers, NoPlace, TargetQuestion, remedy};
use crate::calibrate::ServedModel;
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::config::settings::{DAY_S, LIMIT_FIELD, MemoryKind, NEWER_LIMIT_FIELD, Settings};
use crate::idiom::{self, Idiom};
use crate::shortcomings::{self, EarlyTurn};
use crate::stop::Stop;

/// The maximum number of tokens in an answer, which is enough for some thinking and a pair of coordinates.
const MOST_TOKENS: u32 = 512;
/// Seconds to wait for an answer if the first model has no limit of its own, such as the host of `franz mcp`.
const USUAL_WAIT_S: f64 = 600.0;
/// How many characters of an answer in words to show to the first model.
const LONGEST_WORDS: usize = 160;

/// The settings that a grounder's requests take from what is learned about its model.
const RENAMED: &str = "model.limit_field";
const SAMPLED: &str = "model.send_sampling";

/// The grounder of a run.
pub(crate) struct Grounder {
    settings: Settings,
    servers: ModelServers,
    idiom: Idiom,
    scaler: Scaler,
    /// The picture that the first model saw.
    seen: Option<Frame>,
    /// The same picture, encoded for all targets of one reply.
    shown: Option<Picture>,
    /// Whether the server has been down since its last answer.
    was_away: bool,
    /// How many times the server has changed its model.
    changes: u32,
    /// What the model has turned out to need on this server.
    learned: Layer,
    /// Whether some of that has not been remembered, because no answer has come since.
    is_learning: bool,
}

impl Settings {
    /// Returns the settings for asking the grounder; `None` if there is no grounder.
    pub(crate) fn of_grounder(&self) -> Option<Settings> {
        let mut settings = self.clone();
        let grounder = self.grounder.clone();
        settings.grounder.upstream = None;
        let model = &mut settings.model;
        model.upstream = grounder.upstream?;
        model.name = grounder.name;
        model.family = grounder.family;
        model.fallback = Vec::new();
        (model.temperature, model.top_p, model.extra) = (Some(0.0), None, None);
        model.max_tokens = Some(MOST_TOKENS);
        (model.limit_field, model.send_sampling) = (LIMIT_FIELD.to_owned(), true);
        if model.timeout_s >= DAY_S {
            model.timeout_s = USUAL_WAIT_S;
        }
        settings.image.width = grounder.width.unwrap_or(settings.image.width);
        settings.image.height = grounder.height.unwrap_or(settings.image.height);
        settings.prompt.system = String::new();
        // In this protocol, coordinates can also arrive as a tool call that the server has parsed.
        settings.memory.kind = MemoryKind::Conversation;
        Some(settings)
    }

    /// Gives a grounder's requests the fields that its model has turned out to need.
    pub(crate) fn suit_grounder(&mut self, learned: &Layer) {
        let field = learned.get(RENAMED).and_then(Value::as_str).unwrap_or(LIMIT_FIELD);
        field.clone_into(&mut self.model.limit_field);
        self.model.send_sampling = learned.get(SAMPLED).and_then(Value::as_bool).unwrap_or(true);
    }
}

impl Grounder {
    /// Creates the grounder that asks these servers about a screen of this size, and a message about it for the person.
    pub(crate) fn new(
        mut settings: Settings,
        servers: ModelServers,
        screen: (u32, u32),
    ) -> Result<(Grounder, Vec<String>)> {
        let (idiom, mut said) = choose(&settings, &servers, screen)?;
        let learned = remembered(&servers, &mut said);
        settings.suit_grounder(&learned);
        let (width, height) = idiom.picture(&settings);
        let upstream = servers.upstream();
        let mut told = vec![format!(
            "targets are found by {} at {}, in pictures of {width}x{height}",
            upstream.model, upstream.shown
        )];
        told.extend(said.into_iter().map(|said| format!("grounder: {said}")));
        let grounder = Grounder {
            settings,
            servers,
            idiom,
            scaler: Scaler::default(),
            seen: None,
            shown: None,
            was_away: false,
            changes: 0,
            learned,
            is_learning: false,
        };
        Ok((grounder, told))
    }

    /// Notes which model answered. If the server has changed its model, switches to the new one's idiom and returns a
    /// message to the person. The answer must not be read then, because it does not follow the request's instructions.
    pub(super) fn answered(&mut self, reply: &Reply, stop: &Stop) -> Option<String> {
        let was_away = std::mem::take(&mut self.was_away);
        if self.changes == MOST_SUCCESSIONS {
            return None;
        }
        let change = self.servers.heard_at_once(reply.model(), was_away, stop)?;
        Some(self.adopt_model(&change))
    }

    /// Notes that a request failed. If the server no longer has the model, switches to the only one that it has.
    /// Returns a message to the person about the switch.
    pub(super) fn failed(&mut self, failure: &RequestFailure, stop: &Stop) -> Option<String> {
        self.was_away |= failure.is_down();
        if !failure.is_about_the_model() || self.changes == MOST_SUCCESSIONS {
            return None;
        }
        match self.servers.seek(stop)? {
            Ok(found) => Some(self.adopt_model(&found)),
            Err(told) => Some(told),
        }
    }

    /// Changes the form of the next requests if the server refuses the current one. Returns a message to the person, or
    /// `None` if no other form is left to try.
    pub(super) fn remedied(&mut self, failure: &RequestFailure) -> Option<String> {
        let RequestFailure::Refused { refusal, .. } = failure else {
            return None;
        };
        let model = &self.settings.model;
        let (name, value) = match refusal {
            ServerRefusal::ReplyLimit if model.limit_field == LIMIT_FIELD => (RENAMED, Value::from(NEWER_LIMIT_FIELD)),
            ServerRefusal::Sampling if model.send_sampling => (SAMPLED, Value::from(false)),
            _ => return None,
        };
        let told = remedy::trying(name, &value);
        self.learned.insert(name, value, Origin::Learned);
        self.settings.suit_grounder(&self.learned);
        self.is_learning = true;
        Some(told)
    }

    /// Remembers the form that helped, once the model has answered. Returns a message to the person.
    pub(super) fn remember(&mut self) -> Option<String> {
        let is_new = std::mem::take(&mut self.is_learning);
        is_new.then(|| remedy::kept(&ServedModel::from(self.servers.upstream()), &self.learned))
    }

    /// Switches to the idiom of the server's new model. Returns a message to the person.
    fn adopt_model(&mut self, change: &str) -> String {
        self.changes += 1;
        let mut said = match choose(&self.settings, &self.servers, self.idiom.screen) {
            Ok((idiom, said)) => {
                self.idiom = idiom;
                said
            }
            Err(error) => vec![format!("{error:#}")],
        };
        self.learned = remembered(&self.servers, &mut said);
        self.is_learning = false;
        self.settings.suit_grounder(&self.learned);
        if let Some(seen) = self.seen.take() {
            self.see(&seen);
        }
        std::iter::once(change.to_owned())
            .chain(said)
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Keeps the picture that the first model sees, because FRANZ looks for targets in it.
    pub(super) fn see(&mut self, frame: &Frame) {
        let (width, height) = self.idiom.picture(&self.settings);
        self.seen = Some(self.scaler.scale(frame, width, height));
        self.shown = None;
    }

    /// Forgets the picture.
    pub(super) fn forget(&mut self) {
        (self.seen, self.shown) = (None, None);
    }

    /// Checks whether the grounder has the picture that the first model saw.
    pub(super) fn has_seen(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns the request that asks where a target is.
    pub(super) fn request(&mut self, target: &str) -> Result<Request> {
        let picture = if let Some(picture) = self.shown.take() {
            picture
        } else {
            let seen = self.seen.as_ref().context("the screen has not been captured")?;
            let png = Bytes::from(encode(seen)?);
            let sha256 = sha256_hex(&png);
            Picture { png, sha256 }
        };
        let request = self.question().request(&picture, target);
        self.shown = Some(picture);
        Ok(request)
    }

    /// Sends a request, without retries, and measures how long the answer takes. `None` if the run is about to stop.
    pub(super) fn ask(
        &self,
        request: &Request,
        headers: &[(&str, &str)],
        stop: &Stop,
    ) -> (Option<Result<Answer, Failed>>, Duration) {
        self.servers.ask(request, headers, stop, || false)
    }

    /// Returns the point that a reply gives, or the reason why it gives none, worded for the first model.
    pub(super) fn place(&self, reply: &Reply) -> Result<Point, String> {
        self.question().place(reply).map_err(|why| match why {
            NoPlace::NotNamed(text) => {
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let words = serde_json::Value::from(shortened(&words, LONGEST_WORDS));
                format!("the grounder did not point but answered {words}")
            }
            NoPlace::NotInPicture(why) => format!("the grounder's answer is not a position in the picture: {why}"),
        })
    }

    fn question(&self) -> TargetQuestion<'_> {
        TargetQuestion {
            settings: &self.settings,
            idiom: &self.idiom,
            model: self.model(),
        }
    }

    /// Returns the model's name.
    pub(super) fn model(&self) -> &str {
        &self.servers.upstream().model
    }
}

/// Chooses the idiom of the grounder's model for a screen of this size. Returns it with a message to the person.
fn choose(settings: &Settings, servers: &ModelServers, screen: (u32, u32)) -> Result<(Idiom, Vec<String>)> {
    let upstream = servers.upstream();
    let (idiom, mut told) = idiom::choose(settings, upstream, screen)?;
    let shortcomings = shortcomings::of(settings, &idiom, &upstream.known, EarlyTurn::First);
    told.extend(shortcomings.into_iter().map(|(_, said)| said));
    if idiom.geometry(settings).space == Space::Unknown {
        let model = &upstream.known.id;
        told.push(format!(
            "the unit of the coordinates of '{model}' is unknown, so it cannot find targets: run franz calibrate for it"
        ));
    }
    Ok((idiom, told))
}

/// Returns what is remembered about the needs of the grounder's model. If that cannot be read, tells the person.
fn remembered(servers: &ModelServers, told: &mut Vec<String>) -> Layer {
    let remembered = ServedModel::from(servers.upstream()).settings();
    remembered.unwrap_or_else(|error| {
        told.push(error.to_string());
        Layer::default()
    })
}

/// Returns the words of an answer.
pub(crate) fn said(reply: &Reply) -> String {
    let text = reply.story().map(Story::text).unwrap_or_default();
    match reply.tool_calls() {
        Some(calls) if text.trim().is_empty() => calls.get().to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::flags::set_flags;
    use crate::config::profile;

    #[test]
    fn the_grounder_does_not_get_the_time_of_a_host() {
        for (more, seconds) in [
            (None, USUAL_WAIT_S),
            (Some("model.timeout_s=60"), 60.0),
            (Some("model.timeout_s=3600"), 3600.0),
        ] {
            let given = ["grounder.upstream=http://a:1"].into_iter().chain(more);
            let given: Vec<String> = given.map(str::to_owned).collect();
            let layer = Layer::defaults()
                .over(profile::HOST.layer())
                .over(set_flags(&given).unwrap());
            let settings = Settings::resolve(&layer).of_grounder().unwrap();
            assert!((settings.model.timeout_s - seconds).abs() < f64::EPSILON, "{more:?}");
        }
    }
}
