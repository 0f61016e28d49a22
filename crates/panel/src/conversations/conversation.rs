//! One conversation, by what its next request has to begin with.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ConversationRequest;
use super::messages::{Fingerprint, Messages};

/// The end of an exchange is told a little after it.
const SLACK: Duration = Duration::from_millis(100);

/// Hashes instead of texts, so that many cost little.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownConversation {
    /// The run that it names.
    #[serde(default)]
    pub(crate) run: Option<String>,
    /// Of the messages of its last request.
    #[serde(default)]
    pub(crate) end: Option<Fingerprint>,
    /// How many those are.
    #[serde(default)]
    pub(crate) count: usize,
    /// The last story that came back.
    #[serde(default)]
    pub(crate) reply: Option<Fingerprint>,
    /// What came back last, with its calls.
    #[serde(default)]
    pub(crate) echo: Option<Fingerprint>,
    /// Whether its last request was answered.
    #[serde(default)]
    pub(crate) answered: bool,
    /// Whether it sends a story.
    #[serde(default)]
    pub(crate) is_story: bool,
    /// The story that it began with.
    #[serde(default)]
    pub(crate) opening: Option<Fingerprint>,
    /// The system's message.
    #[serde(default)]
    pub(crate) system: Option<Fingerprint>,
    /// When it was used last, by a count.
    #[serde(skip)]
    pub(crate) used: u64,
    /// The connection of its last request.
    #[serde(skip)]
    connection: Option<u64>,
    /// Its last request.
    #[serde(skip)]
    last: u64,
    /// When that was over.
    #[serde(skip)]
    ended: Option<Timestamp>,
}

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConversationReply {
    /// Nothing that the agent could go on from.
    None,
    /// Something that could not be seen.
    Unseen,
    /// This story, where it has one, and this with its calls.
    Whole {
        story: Option<Fingerprint>,
        echo: Fingerprint,
    },
}

impl KnownConversation {
    /// One that this request opens, before anything came back.
    pub(super) fn opened_by(request: &ConversationRequest) -> KnownConversation {
        let story = request.messages.as_ref().and_then(|messages| messages.story);
        KnownConversation {
            run: request.run.clone(),
            opening: story.filter(|(_, empty)| !empty).map(|(story, _)| story),
            ..KnownConversation::default()
        }
    }

    /// Takes in a request and what came back. One that is told late, behind a later one, changes nothing.
    pub(super) fn take(&mut self, request: &ConversationRequest, reply: ConversationReply, clock: u64) {
        if request.id < self.last {
            return;
        }
        self.used = clock;
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

    /// Whether these messages begin with those of its last request.
    pub(super) fn is_begun_by(&self, messages: &Messages) -> bool {
        let place = self.count.checked_sub(1);
        self.end.is_some() && place.and_then(|place| messages.prefixes.get(place)) == self.end.as_ref()
    }

    /// Whether the same messages, sent once more, are a retry.
    pub(super) fn is_retried_by(&self, request: &ConversationRequest) -> bool {
        let over = self
            .ended
            .and_then(|ended| ended.checked_sub(SLACK).ok())
            .is_none_or(|ended| ended <= request.started);
        self.is_at(request) || (!self.answered && over)
    }

    /// Whether its last request came by the same connection.
    pub(super) fn is_at(&self, request: &ConversationRequest) -> bool {
        self.connection == Some(request.connection)
    }

    /// Whether it holds what cannot be read.
    pub(super) fn is_unreadable(&self) -> bool {
        self.run.is_none() && self.end.is_none()
    }
}
