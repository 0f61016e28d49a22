//! Decides which conversation a request continues.
//!
//! A request that names its run (`X-Franz-Run`) belongs to that run. Any other request continues a conversation that
//! meets one of these conditions, in this order of preference:
//!
//! 1. Its messages are the beginning of the request's messages. The longest match wins. If the conversation contains
//!    exactly the request's messages, the request counts as a retry if those messages were not answered or came over
//!    the same connection.
//! 2. Its last reply is the request's last message from the model, and both have the same system prompt or connection. In
//!    that case, earlier messages were dropped or changed.
//! 3. Its last reply is the request's first user message.
//! 4. It is on the same connection, and both send a story under the same system prompt. In that case, the story was
//!    changed on the way.
//!
//! If several conversations fit, the one whose reply the request repeats is preferred, or the one that asks in the same
//! shape under the same system prompt, then the one on the same connection, then the newest. If none fits, the request
//! begins a new conversation. A run that starts over, such as a second run with the same name, is also a new
//! conversation.

mod conversation;
mod messages;

use std::collections::HashMap;

use jiff::Timestamp;

pub(crate) use conversation::{ConversationReply, KnownConversation};
pub(crate) use messages::{Fingerprint, Messages};

/// The maximum length of a run's name, in characters.
const NAME: usize = 200;

/// The parts of a request that identify its conversation.
#[derive(Debug, Clone)]
pub(crate) struct ConversationRequest {
    pub(crate) id: u64,
    /// The run that the request names.
    pub(crate) run: Option<String>,
    /// The turn that the request names.
    pub(crate) turn: Option<u64>,
    pub(crate) connection: u64,
    pub(crate) started: Timestamp,
    /// When the request's exchange ended. `None` if the client broke it off, because the client might have moved on
    /// before that was noticed.
    pub(crate) ended: Option<Timestamp>,
    /// The request's messages; `None` if they cannot be read.
    pub(crate) messages: Option<Messages>,
}

/// All conversations, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct Conversations {
    known: Vec<KnownConversation>,
    by_end: HashMap<Fingerprint, Vec<usize>>,
    by_echo: HashMap<Fingerprint, Vec<usize>>,
    by_reply: HashMap<Fingerprint, Vec<usize>>,
    by_run: HashMap<String, Vec<usize>>,
    /// The conversation for unreadable requests on connections that no conversation has used.
    unreadable: Option<usize>,
    /// How many requests have been recorded. Shows which conversation was used last.
    clock: u64,
}

impl Conversations {
    /// Returns a run's name, truncated to the characters that are compared.
    pub(crate) fn run_name(given: Option<&str>) -> Option<String> {
        let name: String = given?.chars().take(NAME).collect();
        (!name.is_empty()).then_some(name)
    }

    /// Adds a conversation stored by an earlier panel, and returns its index.
    pub(crate) fn take_up(&mut self, kept: KnownConversation) -> usize {
        let place = self.known.len();
        if kept.is_unreadable() {
            self.unreadable = Some(place);
        }
        self.add(kept)
    }

    fn add(&mut self, kept: KnownConversation) -> usize {
        let place = self.known.len();
        if let Some(run) = &kept.run {
            self.by_run.entry(run.clone()).or_default().push(place);
        }
        self.known.push(kept);
        self.enter(place);
        place
    }

    /// Returns the number of conversations.
    pub(crate) fn count(&self) -> usize {
        self.known.len()
    }

    pub(crate) fn get(&self, place: usize) -> Option<&KnownConversation> {
        self.known.get(place)
    }

    /// Returns the conversation that the request continues; `None` if it begins a new one.
    pub(crate) fn find(&self, request: &ConversationRequest) -> Option<usize> {
        let Some(messages) = &request.messages else {
            let named = request.run.as_ref().and_then(|run| self.newest(self.by_run.get(run)?));
            return named.or_else(|| self.connected(request)).or(self.unreadable);
        };
        if let Some(run) = &request.run {
            let begun = |place: &&usize| self.known.get(**place).is_some_and(|run| !run.is_opening);
            let places: Vec<usize> = self.by_run.get(run)?.iter().filter(begun).copied().collect();
            return (!places.is_empty()).then(|| self.of_run(&places, request, messages))?;
        }
        let extended = self.extended(request, messages);
        extended
            .or_else(|| self.echoed(request, messages))
            .or_else(|| self.told(request, messages))
            .or_else(|| self.changed(request, messages))
    }

    /// Opens a conversation for the request and returns its index.
    pub(crate) fn open(&mut self, request: &ConversationRequest) -> usize {
        let place = self.add(KnownConversation::opened_by(request));
        if request.messages.is_none() && request.run.is_none() {
            self.unreadable = Some(place);
        }
        place
    }

    /// Records the result of a request in the conversation at `place`.
    pub(crate) fn record(&mut self, place: usize, request: &ConversationRequest, reply: ConversationReply) {
        self.clock += 1;
        let clock = self.clock;
        self.leave(place);
        if let Some(conversation) = self.known.get_mut(place) {
            conversation.take(request, reply, clock);
        }
        self.enter(place);
    }

    /// Returns the conversation that the request continues, among those of the run that it names.
    fn of_run(&self, places: &[usize], request: &ConversationRequest, messages: &Messages) -> Option<usize> {
        let known = || {
            places
                .iter()
                .filter_map(|place| Some((*place, self.known.get(*place)?)))
        };
        let story = messages.story.filter(|(_, empty)| !empty).map(|(story, _)| story);
        let fits = known().filter(|(_, run)| {
            let told = story.is_some() && run.reply == story;
            told || run.is_begun_by(messages) && (run.count < messages.count() || run.is_retried_by(request))
        });
        let fitting: Vec<usize> = fits.map(|(place, _)| place).collect();
        if let Some(place) = self.best(&fitting, request, |_| false) {
            return Some(place);
        }
        let mine: Vec<usize> = known()
            .filter(|(_, run)| run.is_at(request))
            .map(|(place, _)| place)
            .collect();
        // A run that is back at its first turn is a new run.
        let again = request.turn == Some(1) && known().all(|(_, run)| run.answered);
        if again && mine.is_empty() {
            return None;
        }
        self.newest(if mine.is_empty() { places } else { &mine })
    }

    /// Returns the conversation whose messages the request begins with, preferring the one with the most messages.
    fn extended(&self, request: &ConversationRequest, messages: &Messages) -> Option<usize> {
        for (before, end) in messages.prefixes.iter().enumerate().rev() {
            let count = before + 1;
            let fits = |place: &usize| {
                self.foreign(*place).is_some_and(|known| {
                    known.count == count && (count < messages.count() || known.is_retried_by(request))
                })
            };
            let places: Vec<usize> = self
                .by_end
                .get(end)
                .into_iter()
                .flatten()
                .copied()
                .filter(fits)
                .collect();
            let echo = messages.echoes.get(count).copied().flatten();
            let repeats = |known: &KnownConversation| echo.is_some() && known.echo == echo;
            if let Some(place) = self.best(&places, request, repeats) {
                return Some(place);
            }
        }
        None
    }

    /// Returns the conversation whose last reply is the request's last message from the model. Many programs drop old
    /// pictures or shorten old messages, so the messages before it might have changed.
    fn echoed(&self, request: &ConversationRequest, messages: &Messages) -> Option<usize> {
        let echo = messages.last_echo?;
        let alike = |known: &KnownConversation| known.system == messages.system;
        // Other programs can have received the same short reply.
        let fits = |place: &usize| {
            self.foreign(*place)
                .is_some_and(|known| alike(known) || known.is_at(request))
        };
        let places: Vec<usize> = self.by_echo.get(&echo)?.iter().copied().filter(fits).collect();
        self.best(&places, request, alike)
    }

    /// Returns the conversation whose last reply the request sends as its first user message.
    fn told(&self, request: &ConversationRequest, messages: &Messages) -> Option<usize> {
        let (story, _) = messages.story.filter(|(_, empty)| !empty)?;
        let places = self.by_reply.get(&story)?;
        let places: Vec<usize> = places
            .iter()
            .copied()
            .filter(|place| self.foreign(*place).is_some())
            .collect();
        // Conversations with the same reply can be told apart by the shape of their requests.
        let alike = |known: &KnownConversation| known.is_story == messages.is_story && known.system == messages.system;
        self.best(&places, request, alike)
    }

    /// Returns the conversation on the same connection whose story was changed on the way.
    fn changed(&self, request: &ConversationRequest, messages: &Messages) -> Option<usize> {
        let (story, empty) = messages.story.filter(|_| messages.is_story)?;
        let here = self.known.iter().enumerate().filter(|(place, known)| {
            self.foreign(*place).is_some() && known.is_at(request) && known.is_story && known.system == messages.system
        });
        let (place, known) = here.max_by_key(|(_, known)| known.used)?;
        // A request with the same beginning as another conversation starts a new one.
        let begins = known.answered && (empty || known.opening == Some(story));
        (!begins).then_some(place)
    }

    /// Returns the conversation last used on this connection.
    fn connected(&self, request: &ConversationRequest) -> Option<usize> {
        let here = self.known.iter().enumerate().filter(|(_, known)| known.is_at(request));
        here.max_by_key(|(_, known)| known.used).map(|(place, _)| place)
    }

    fn foreign(&self, place: usize) -> Option<&KnownConversation> {
        self.known.get(place).filter(|known| known.run.is_none())
    }

    /// Returns a conversation that is `nearer` or, if there is none, one on the same connection or, failing that, the
    /// newest.
    fn best(
        &self,
        places: &[usize],
        request: &ConversationRequest,
        nearer: impl Fn(&KnownConversation) -> bool,
    ) -> Option<usize> {
        let known = places
            .iter()
            .filter_map(|place| Some((*place, self.known.get(*place)?)));
        known
            .max_by_key(|(place, known)| (nearer(known), known.is_at(request), known.used, *place))
            .map(|(place, _)| place)
    }

    fn newest(&self, places: &[usize]) -> Option<usize> {
        let used = |place: &&usize| self.known.get(**place).map(|known| (known.used, **place));
        places.iter().max_by_key(used).copied()
    }

    /// Adds a conversation to the indexes used to look up requests.
    fn enter(&mut self, place: usize) {
        let Some(known) = self.known.get(place) else { return };
        if let Some(end) = known.end {
            self.by_end.entry(end).or_default().push(place);
        }
        if let Some(echo) = known.echo {
            self.by_echo.entry(echo).or_default().push(place);
        }
        if let Some(reply) = known.reply {
            self.by_reply.entry(reply).or_default().push(place);
        }
    }

    fn leave(&mut self, place: usize) {
        let Some(known) = self.known.get(place) else { return };
        let keys = [
            (&mut self.by_end, known.end),
            (&mut self.by_echo, known.echo),
            (&mut self.by_reply, known.reply),
        ];
        for (index, key) in keys {
            let Some(key) = key else { continue };
            if let Some(places) = index.get_mut(&key) {
                places.retain(|other| *other != place);
                if places.is_empty() {
                    index.remove(&key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
