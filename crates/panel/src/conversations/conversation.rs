//! One conversation, described by what its next request must begin with.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ConversationRequest;
use super::messages::{Fingerprint, Messages};

/// The recorded end of an exchange lies a little after the real one.
const SLACK: Duration = Duration::from_millis(100);

/// A conversation as hashes instead of texts, so that many take little room.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownConversation {
    /// The run that it names.
    #[serde(default)]
    pub(crate) run: Option<String>,
    /// Fingerprint of the messages of its last request.
    #[serde(default)]
    pub(crate) end: Option<Fingerprint>,
    /// How many messages those are.
    #[serde(default)]
    pub(crate) count: usize,
    /// The last story received.
    #[serde(default)]
    pub(crate) reply: Option<Fingerprint>,
    /// Fingerprint of the last reply, with its calls.
    #[serde(default)]
    pub(crate) echo: Option<Fingerprint>,
    /// Whether its last request was answered.
    #[serde(default)]
    pub(crate) answered: bool,
    /// Whether it sends a story.
    #[serde(default)]
    pub(crate) is_story: bool,
    /// The story it began with.
    #[serde(default)]
    pub(crate) opening: Option<Fingerprint>,
    /// Fingerprint of the system message.
    #[serde(default)]
    pub(crate) system: Option<Fingerprint>,
    /// When it was last used, as a counter.
    #[serde(skip)]
    pub(crate) used: u64,
    /// The connection of its last request.
    #[serde(skip)]
    connection: Option<u64>,
    /// The id of its last request.
    #[serde(skip)]
    last: u64,
    /// When that request ended.
    #[serde(skip)]
    ended: Option<Timestamp>,
    /// Whether its first request is waiting for its response.
    #[serde(skip)]
    pub(super) is_opening: bool,
}

/// The reply of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConversationReply {
    /// Nothing that the agent could continue from.
    None,
    /// Something that could not be observed.
    Unseen,
    /// The story, if there is one, and a fingerprint of the reply with its calls.
    Whole {
        story: Option<Fingerprint>,
        echo: Fingerprint,
    },
}

impl KnownConversation {
    /// Creates the conversation that this request opens, before any reply.
    pub(super) fn opened_by(request: &ConversationRequest) -> KnownConversation {
        let story = request.messages.as_ref().and_then(|messages| messages.story);
        KnownConversation {
            run: request.run.clone(),
            opening: story.filter(|(_, empty)| !empty).map(|(story, _)| story),
            is_opening: true,
            ..KnownConversation::default()
        }
    }

    /// Records a request and its reply. A request reported after a later one changes nothing.
    pub(super) fn take(&mut self, request: &ConversationRequest, reply: ConversationReply, clock: u64) {
        if request.id < self.last {
            return;
        }
        self.used = clock;
        self.is_opening = false;
        self.connection = Some(request.connection);
        self.last = request.id;
        self.ended = request.ended;
        let Some(messages) = &request.messages else { return };
        self.end = messages.prefixes.last().copied();
        self.count = messages.count();
        self.is_story = messages.is_story;
        self.system = messages.system;
        match reply {
            ConversationReply::None => self.answered = false,
            ConversationReply::Unseen => (self.answered, self.echo) = (true, None),
            ConversationReply::Whole { story, echo } => {
                (self.answered, self.echo) = (true, Some(echo));
                self.reply = story.or(self.reply);
            }
        }
    }

    /// Returns the conversation as it is if this request is never answered.
    pub(crate) fn unanswered(&self, request: &ConversationRequest) -> KnownConversation {
        let mut unanswered = self.clone();
        unanswered.take(request, ConversationReply::None, self.used);
        unanswered
    }

    /// Checks whether these messages begin with those of its last request.
    pub(super) fn is_begun_by(&self, messages: &Messages) -> bool {
        let place = self.count.checked_sub(1);
        self.end.is_some() && place.and_then(|place| messages.prefixes.get(place)) == self.end.as_ref()
    }

    /// Checks whether sending the same messages again is a retry.
    pub(super) fn is_retried_by(&self, request: &ConversationRequest) -> bool {
        let over = self
            .ended
            .and_then(|ended| ended.checked_sub(SLACK).ok())
            .is_none_or(|ended| ended <= request.started);
        self.is_at(request) || (!self.answered && over)
    }

    /// Checks whether its last request came over the same connection.
    pub(super) fn is_at(&self, request: &ConversationRequest) -> bool {
        self.connection == Some(request.connection)
    }

    /// Returns whether it holds requests that cannot be read.
    pub(super) fn is_unreadable(&self) -> bool {
        self.run.is_none() && self.end.is_none()
    }
}
