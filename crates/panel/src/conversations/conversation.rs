//! One conversation, described by what its next request must begin with.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ConversationRequest;
use super::messages::{Fingerprint, Messages};

/// The maximum delay between an exchange's real end and its recorded end.
const SLACK: Duration = Duration::from_millis(100);

/// A conversation, stored as hashes instead of text, so that even many conversations need little memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownConversation {
    /// The run that its requests name.
    #[serde(default)]
    pub(crate) run: Option<String>,
    /// The fingerprint of the messages in its last request.
    #[serde(default)]
    pub(crate) end: Option<Fingerprint>,
    /// The number of these messages.
    #[serde(default)]
    pub(crate) count: usize,
    /// The last story that it received.
    #[serde(default)]
    pub(crate) reply: Option<Fingerprint>,
    /// The fingerprint of the last reply, including its calls.
    #[serde(default)]
    pub(crate) echo: Option<Fingerprint>,
    /// Whether its last request was answered.
    #[serde(default)]
    pub(crate) answered: bool,
    /// Whether its requests contain a story.
    #[serde(default)]
    pub(crate) is_story: bool,
    /// The story with which it began.
    #[serde(default)]
    pub(crate) opening: Option<Fingerprint>,
    /// The fingerprint of the system message.
    #[serde(default)]
    pub(crate) system: Option<Fingerprint>,
    /// When it was last used, as a value of the counter.
    #[serde(skip)]
    pub(crate) used: u64,
    /// The connection of its last request.
    #[serde(skip)]
    connection: Option<u64>,
    /// The ID of its last request.
    #[serde(skip)]
    last: u64,
    /// When that request ended.
    #[serde(skip)]
    ended: Option<Timestamp>,
    /// Whether its first request is still waiting for a response.
    #[serde(skip)]
    pub(super) is_opening: bool,
}

/// What the agent got back in an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConversationReply {
    /// The agent got nothing that it could continue with.
    None,
    /// The reply could not be observed.
    Unseen,
    /// The whole reply: the story, if it has one, and its fingerprint including its calls.
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

    /// Records a request and its reply. Ignores a request that is reported after a later one.
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

    /// Returns the conversation as it would be if this request were never answered.
    pub(crate) fn unanswered(&self, request: &ConversationRequest) -> KnownConversation {
        let mut unanswered = self.clone();
        unanswered.take(request, ConversationReply::None, self.used);
        unanswered
    }

    /// Checks whether these messages begin with the messages in the conversation's last request.
    pub(super) fn is_begun_by(&self, messages: &Messages) -> bool {
        let place = self.count.checked_sub(1);
        self.end.is_some() && place.and_then(|place| messages.prefixes.get(place)) == self.end.as_ref()
    }

    /// Checks whether this request, which sends the same messages again, is a retry.
    pub(super) fn is_retried_by(&self, request: &ConversationRequest) -> bool {
        let over = self
            .ended
            .and_then(|ended| ended.checked_sub(SLACK).ok())
            .is_none_or(|ended| ended <= request.started);
        self.is_at(request) || (!self.answered && over)
    }

    /// Checks whether the conversation's last request came over the same connection.
    pub(super) fn is_at(&self, request: &ConversationRequest) -> bool {
        self.connection == Some(request.connection)
    }

    /// Returns whether the conversation consists of requests that cannot be read.
    pub(super) fn is_unreadable(&self) -> bool {
        self.run.is_none() && self.end.is_none()
    }
}
