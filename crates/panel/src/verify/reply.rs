//! What a response means for the story: there is a new story, it stays the same, or only the agent knows.

use bytes::Bytes;
use franz_chat::{Defect, MAX_REPEATS_HEADER, Reply, StreamedReply, server_message};
use franz_json::Story;
use franz_relay::{Ended, Exchange, Message, Unreadable};
use franz_secret::Secret;

/// A response as interpreted by the verifier.
#[derive(Debug)]
pub(crate) struct ReceivedReply {
    /// The status of the response; `None` if there was none.
    pub(crate) status: Option<u16>,
    /// The reply, reassembled if it was streamed; `None` if there is no readable reply.
    pub(crate) reply: Option<Reply>,
    /// The story that the agent received from the response.
    pub(crate) story: ReplyStory,
}

/// What a response gave an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReplyStory {
    /// The story that its next request must contain.
    Story(Story),
    /// Nothing, for this reason. The agent must send its story again.
    Nothing(String),
    /// Possibly a story, which could not be observed for this reason.
    Unseen(String),
}

impl ReceivedReply {
    /// Reads a response. `is_ours` says whether the agent is our own.
    pub(crate) fn of(exchange: &Exchange, is_ours: bool) -> Self {
        let status = exchange.response.as_ref().and_then(Message::status);
        let (reply, story) = match body(exchange, status, is_ours) {
            Ok(body) => read(body),
            Err(story) => (None, story),
        };
        let story = if began_well(status) && !is_ours {
            doubted(story)
        } else {
            story
        };
        Self { status, reply, story }
    }
}

impl ReceivedReply {
    /// Returns why there is no reply; `None` if there is one. For agents that keep a conversation, a reply with nothing
    /// but calls or reasoning is complete, too.
    pub(crate) fn missing(&self) -> Option<&str> {
        let reply = self.reply.as_ref();
        match &self.story {
            ReplyStory::Nothing(why) | ReplyStory::Unseen(why) if !reply.is_some_and(is_complete) => Some(why),
            _ => None,
        }
    }

    /// Discards the reply if it repeats a key.
    pub(crate) fn unless_it_repeats(self, secret: &Secret) -> Self {
        match &self.reply {
            Some(reply) if secret.is_in(reply.raw()) => Self {
                reply: None,
                story: ReplyStory::Nothing("the response repeated the API key".to_owned()),
                ..self
            },
            _ => self,
        }
    }
}

/// Turns "nothing" into "unseen" for other agents. Our own agent accepts the same stories as the verifier, but other
/// agents might be more tolerant and might have read more.
fn doubted(story: ReplyStory) -> ReplyStory {
    match story {
        ReplyStory::Nothing(why) => ReplyStory::Unseen(why),
        other => other,
    }
}

fn is_complete(reply: &Reply) -> bool {
    reply.story().is_some()
        || matches!(
            reply.defect(),
            Some(Defect::ToolCallsOnly | Defect::ReasoningOnly | Defect::ThoughtCut | Defect::ThoughtRepeats)
        )
}

fn began_well(status: Option<u16>) -> bool {
    status.is_some_and(|status| (200..300).contains(&status))
}

/// Returns the body of a successful response, reassembled if it was streamed. If there is no such body, returns what
/// that means for the story.
fn body(exchange: &Exchange, status: Option<u16>, is_ours: bool) -> Result<Bytes, ReplyStory> {
    let nothing = |why: &str| Err(ReplyStory::Nothing(why.to_owned()));
    let Some(response) = &exchange.response else {
        return match &exchange.ended {
            Ended::Unreachable(why) => nothing(&format!("the model server could not be reached: {why}")),
            Ended::ServerGone(why) => nothing(&format!("the model server disconnected without a response: {why}")),
            Ended::ClientGone => nothing("the agent disconnected before the response"),
            Ended::Complete => nothing("there was no response"),
        };
    };
    let payload = response.payload();
    if !began_well(status) {
        let status = status.map_or("the response has no status".to_owned(), |status| {
            format!("status {status}")
        });
        return match payload {
            Ok(body) if !body.is_empty() => nothing(&format!("{status}: {}", server_message::of_body(&body))),
            _ => nothing(&status),
        };
    }
    // The framing around a stream may lack its end: the reply itself says whether it is complete.
    let events = match &payload {
        Err(Unreadable::Incomplete) => response.arrived(),
        payload => payload.clone().ok(),
    };
    let start = events.as_deref().unwrap_or_default();
    if !StreamedReply::is_in(response.header("content-type"), start) {
        return match &exchange.ended {
            Ended::Complete => payload.map_err(|why| ReplyStory::Unseen(format!("{UNDETERMINED}: {why}"))),
            Ended::ClientGone => nothing("the agent disconnected before the end of the reply"),
            Ended::ServerGone(why) | Ended::Unreachable(why) => nothing(&format!("{SERVER_GONE}: {why}")),
        };
    }
    let unseen = |why| ReplyStory::Unseen(format!("{UNDETERMINED}: {why}"));
    let body = events.map_or_else(|| payload.map_err(unseen), Ok)?;
    // FRANZ's own agent cuts a reply off if it repeats itself, and its request says after how many repeats.
    let most_repeats = exchange.request.header(MAX_REPEATS_HEADER).filter(|_| is_ours);
    let most_repeats = most_repeats
        .and_then(|most| most.trim().parse().ok())
        .unwrap_or_default();
    let reply = StreamedReply::of(&body, most_repeats);
    match &exchange.ended {
        // A client that reads a stream can disconnect as soon as it has read the final event.
        Ended::ClientGone if !reply.is_done() => Err(ReplyStory::Unseen(
            "the agent disconnected before the end of the stream".to_owned(),
        )),
        Ended::ServerGone(why) | Ended::Unreachable(why) if !reply.is_finished() => {
            nothing(&format!("{SERVER_GONE}: {why}"))
        }
        _ => reply.end().map_err(|defect| match defect {
            Defect::ErrorInside { .. } => ReplyStory::Nothing(format!("the reply is not a story: {defect}")),
            // The agent might have accepted the reply as complete.
            _ => ReplyStory::Unseen(format!("{UNDETERMINED}: {defect}")),
        }),
    }
}

const UNDETERMINED: &str = "the reply cannot be determined";

const SERVER_GONE: &str = "the model server disconnected before the end of the reply";

fn read(body: Bytes) -> (Option<Reply>, ReplyStory) {
    let nothing = |why: &dyn std::fmt::Display| ReplyStory::Nothing(format!("the reply is not a story: {why}"));
    match Reply::read(body) {
        Ok(reply) => {
            let story = match (reply.story(), reply.defect()) {
                (Some(story), _) => ReplyStory::Story(story.clone()),
                (None, Some(defect)) => nothing(defect),
                (None, None) => nothing(&"it is empty"),
            };
            (Some(reply), story)
        }
        Err(defect) => (None, nothing(&defect)),
    }
}
