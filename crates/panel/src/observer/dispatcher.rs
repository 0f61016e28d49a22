//! Handles several agents at the same time. Each exchange is passed to the observer of its own run or conversation.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use franz_home::Home;
use franz_home::claim::ClaimError;
use franz_relay::{Ended, Exchange, Message, ModelApi, SentRequest};

use jiff::Timestamp;

use super::{Judged, Observer, ObserverOptions, ObserverStep, reachability};
use crate::conversations::{ConversationReply, ConversationRequest, Conversations, Fingerprint, Messages};
use crate::hub::Hub;
use crate::other_apis;
use crate::runs::{About, MOST, Runs};
use crate::turn_news::TurnNews;
use crate::verify::is_chat;
use crate::verify::reply::{ReceivedReply, ReplyStory};

/// The maximum number of open observers. If there are more, the least recently used one is closed until it is needed
/// again.
const OPEN: usize = 32;

/// The maximum number of conversations whose first request can be waiting for its response.
const OPENED: usize = 1024;

/// The maximum number of stored responses that a later request can name.
const RESPONSES: usize = 4096;

pub(super) struct Dispatcher {
    hub: Hub,
    runs: Arc<Runs>,
    options: ObserverOptions,
    conversations: Conversations,
    /// What a list shows about each conversation, by the conversation's index.
    about: Vec<About>,
    /// The indexes of conversations whose first exchange is not over yet, by the number of that exchange.
    opened: BTreeMap<u64, usize>,
    /// The newest responses that the server stored: their IDs, and the indexes of their conversations.
    responses: VecDeque<(String, usize)>,
    /// The open observers with the indexes of their conversations, the most recently used last.
    open: Vec<(usize, Home, Observer)>,
    telling: ObserverStep,
    rewriting: ObserverStep,
    finding: ObserverStep,
    opening: ObserverStep,
    keeping: ObserverStep,
}

impl Dispatcher {
    pub(super) fn new(options: ObserverOptions, runs: Arc<Runs>) -> Dispatcher {
        let mut conversations = Conversations::default();
        let mut about = Vec::new();
        for (known, conversation) in runs.kept() {
            conversations.take_up(conversation);
            about.push(known);
        }
        Dispatcher {
            hub: options.hub.clone(),
            runs,
            options,
            conversations,
            about,
            opened: BTreeMap::new(),
            responses: VecDeque::new(),
            open: Vec::new(),
            telling: ObserverStep::new("updating the dashboard"),
            rewriting: ObserverStep::new("rewriting a request as a chat"),
            finding: ObserverStep::new("finding the conversation of a request"),
            opening: ObserverStep::new("opening the directory of a conversation"),
            keeping: ObserverStep::new("saving what identifies a conversation"),
        }
    }

    pub(super) fn observe(&mut self, exchange: &Exchange) {
        self.record(exchange);
        let request = &exchange.request;
        if ModelApi::of(request.method(), request.target()).is_some() {
            self.runs.answered(exchange.connection, exchange.id);
        }
    }

    fn record(&mut self, exchange: &Exchange) {
        self.telling.run(|| {
            reachability::tell(&self.hub, exchange);
            Ok::<_, String>(())
        });
        let rewritten = self
            .rewriting
            .run(|| Ok::<_, String>(other_apis::as_chat(exchange)))
            .flatten();
        let (wire, exchange) = (exchange, rewritten.as_ref().unwrap_or(exchange));
        if !is_chat(&exchange.request) {
            return;
        }
        let mut request = request(exchange.id, exchange.connection, exchange.started, &exchange.request);
        let end = exchange.started.checked_add(exchange.whole).ok();
        request.ended = end.filter(|_| exchange.ended != Ended::ClientGone);
        let opened = self.opened.remove(&exchange.id);
        let place = opened.or_else(|| self.continued(&wire.request));
        let Some(place) = place.or_else(|| self.find(&request)) else {
            return;
        };
        if let Some(id) = self
            .rewriting
            .run(|| Ok::<_, String>(other_apis::response_id(wire)))
            .flatten()
        {
            if self.responses.len() >= RESPONSES {
                self.responses.pop_front();
            }
            self.responses.push_back((id, place));
        }
        let Some(observer) = self.observer(place) else { return };
        let judged = observer.observe(exchange, wire);
        let reply = judged
            .as_ref()
            .map_or(ConversationReply::Unseen, |judged| reply(&judged.received));
        self.conversations.record(place, &request, reply);
        if let (Some(Judged { received, verdict, .. }), Some(about)) = (judged, self.about.get(place)) {
            let error = received.missing().map(|why| self.options.secret.text(why));
            self.runs.queue(TurnNews::new(&about.name, &verdict, error.as_deref()));
        }
        self.keep(place, exchange);
    }

    /// Logs a request that is waiting for its response in the conversation that it seems to continue. The final
    /// decision is made when the exchange is over, unless the request begins a new conversation.
    pub(super) fn sent(&mut self, sent: &SentRequest) {
        let rewritten = self
            .rewriting
            .run(|| Ok::<_, String>(other_apis::request_as_chat(&sent.message)));
        let rewritten = rewritten.flatten();
        let message = rewritten.as_ref().unwrap_or(&sent.message);
        if !is_chat(message) {
            return;
        }
        let request = request(sent.id, sent.connection, sent.started, message);
        let known = self.conversations.count();
        let place = self.continued(&sent.message);
        let Some(place) = place.or_else(|| self.find(&request)) else {
            return;
        };
        if self.conversations.count() > known {
            self.opened.insert(sent.id, place);
            if self.opened.len() > OPENED {
                self.opened.pop_first();
            }
        }
        let Some(observer) = self.observer(place) else { return };
        observer.sent(sent);
        if self.opened.contains_key(&sent.id) {
            self.keep_opened(place, &request);
        }
    }

    /// Returns the index of the conversation whose stored response the request names.
    fn continued(&mut self, request: &Message) -> Option<usize> {
        let id = self
            .rewriting
            .run(|| Ok::<_, String>(other_apis::continued(request)))
            .flatten()?;
        let found = self.responses.iter().rfind(|(known, _)| *known == id);
        found.map(|(_, place)| *place)
    }

    /// Returns the index of a request's conversation. If the conversation is new, creates a directory for it.
    fn find(&mut self, request: &ConversationRequest) -> Option<usize> {
        let mut finding = std::mem::replace(&mut self.finding, ObserverStep::new(""));
        let found = finding.run(|| self.place(request));
        self.finding = finding;
        found
    }

    fn place(&mut self, request: &ConversationRequest) -> Result<usize, ClaimError> {
        if let Some(place) = self.conversations.find(request) {
            return Ok(place);
        }
        if self.conversations.count() >= MOST {
            return Ok(MOST - 1);
        }
        // Create the directory first, because a conversation without a directory must stay unknown.
        let name = self.runs.make(&self.options.home, request.run.as_deref())?;
        let place = self.conversations.open(request);
        let title = request.messages.as_ref().map(|messages| messages.title.clone());
        self.about.push(About {
            name,
            run: request.run.clone(),
            title: title.unwrap_or_default(),
            started: request.started.to_string(),
            ..About::default()
        });
        Ok(place)
    }

    /// Returns the observer of the conversation with this index.
    fn observer(&mut self, place: usize) -> Option<&mut Observer> {
        if let Some(index) = self.open.iter().position(|(open, ..)| *open == place) {
            let used = self.open.remove(index);
            self.open.push(used);
        } else {
            let name = &self.about.get(place)?.name;
            let (runs, panel) = (&self.runs, &self.options.home);
            let home = self.opening.run(|| runs.open(panel, name))?;
            super::foreign::begin(&home);
            let view = self.runs.view(name)?;
            let options = ObserverOptions {
                home: home.clone(),
                hub: view.hub,
                history: view.history,
                runs: None,
                secret: self.options.secret.clone(),
                key: None,
                exchange_log: self.options.exchange_log,
                record_turns: self.options.record_turns,
            };
            if self.open.len() >= OPEN {
                self.open.remove(0);
            }
            let name = self.about.get(place)?.run.clone();
            let name = name.unwrap_or_else(|| "agent".to_owned());
            self.open.push((place, home, Observer::of_one(options, name)));
        }
        self.open.last_mut().map(|(.., observer)| observer)
    }

    /// Saves a conversation as if its first request had failed, so that a restarted panel will recognise it.
    fn keep_opened(&mut self, place: usize, request: &ConversationRequest) {
        let (Some(about), Some(conversation)) = (self.about.get(place), self.conversations.get(place)) else {
            return;
        };
        let (runs, open) = (&self.runs, self.open.last());
        if let Some((_, home, _)) = open.filter(|(open, ..)| *open == place) {
            self.keeping
                .run(|| runs.keep(home, about, &conversation.unanswered(request)));
        }
    }

    fn keep(&mut self, place: usize, exchange: &Exchange) {
        let (Some(about), Some(conversation)) = (self.about.get_mut(place), self.conversations.get(place)) else {
            return;
        };
        about.turns += 1;
        about.last = exchange.started.to_string();
        let (runs, open) = (&self.runs, self.open.last());
        if let Some((_, home, _)) = open.filter(|(open, ..)| *open == place) {
            self.keeping.run(|| runs.keep(home, about, conversation));
        }
        runs.recorded(&about.name, exchange.connection);
    }
}

fn request(id: u64, connection: u64, started: Timestamp, request: &Message) -> ConversationRequest {
    let header = |name| request.header(name);
    let body = request.payload().ok();
    ConversationRequest {
        id,
        run: Conversations::run_name(header("x-franz-run")),
        turn: header("x-franz-turn").and_then(|turn| turn.parse().ok()),
        connection,
        started,
        ended: None,
        messages: body.and_then(|body| Messages::read(&body)),
    }
}

fn reply(received: &ReceivedReply) -> ConversationReply {
    let echo = || {
        let reply = received.reply.as_ref()?;
        let content = reply.story().map(franz_json::Story::raw);
        let calls = reply.tool_calls().map(franz_json::Raw::get);
        (content.is_some() || calls.is_some()).then(|| Fingerprint::of_reply(content, calls))
    };
    match (&received.story, echo()) {
        (ReplyStory::Story(story), echo) => ConversationReply::Whole {
            story: Some(Fingerprint::of_literal(story.raw())),
            echo: echo.unwrap_or_else(|| Fingerprint::of_reply(Some(story.raw()), None)),
        },
        (_, Some(echo)) => ConversationReply::Whole { story: None, echo },
        (ReplyStory::Unseen(_), None) => ConversationReply::Unseen,
        (ReplyStory::Nothing(_), None) => ConversationReply::None,
    }
}
