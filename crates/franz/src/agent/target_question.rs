//! The question to a grounder: where in this picture is a target?

use franz_action::Point;
use franz_chat::{Picture, Question, Reply, Request};
use franz_dialect::family::CallChannel;
use franz_dialect::{PlaceError, ReplyText};
use franz_json::{Raw, Story};

use crate::calibrate::words;
use crate::config::settings::Settings;
use crate::idiom::Idiom;

/// A model that is asked for targets, without a memory.
pub(crate) struct TargetQuestion<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) idiom: &'a Idiom,
    /// The model's name on its server.
    pub(crate) model: &'a str,
}

/// Why a reply gives no point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// It names no place; with its words.
    NotNamed(String),
    /// The place that it names is none in the picture.
    NotInPicture(PlaceError),
}

impl TargetQuestion<'_> {
    /// Returns the request that asks where a target is.
    pub(crate) fn request(&self, picture: &Picture, target: &str) -> Request {
        let (family, size) = (&self.idiom.family, self.idiom.picture(self.settings));
        let (system, tools) = match family.calls {
            CallChannel::Native => (words::natively(family, size), words::tools(family, size)),
            CallChannel::Text | CallChannel::Auto => (words::in_text(family, size), String::new()),
        };
        let question = Question {
            system: &system,
            picture: picture.into(),
            words: &words::named(target),
            tools: &tools,
        };
        Request::question(&question, &self.settings.sampling(self.idiom, Some(self.model)))
    }

    /// Returns the point that a reply gives.
    pub(crate) fn place(&self, reply: &Reply) -> Result<Point, NoPlace> {
        let text = reply.story().map(Story::text).unwrap_or_default();
        let read = ReplyText {
            text: &text,
            tool_calls: reply.tool_calls().map(Raw::get),
            cut: reply.cut(self.settings.model.max_tokens),
        };
        let pointed = self.idiom.family.dialect.pointed(&read);
        let pointed = pointed.ok_or_else(|| NoPlace::NotNamed(text.clone()))?;
        let point = self.idiom.geometry(self.settings).point(&pointed.spot);
        point.map_err(NoPlace::NotInPicture)
    }
}
