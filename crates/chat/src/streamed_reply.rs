//! Assembles a reply that arrives as a stream of events into the reply that the server would have sent in one piece.

mod calls;
mod repeated_lines;
mod server_events;

use bytes::Bytes;
use franz_json::{each_item, members, splice};
use serde_json::value::RawValue;

use crate::content::{inside, inside_parts};
use crate::defect::Defect;
use crate::reasoning::REASONING;
use crate::reply::{REPEATS, says_something};
use crate::server_message;
use calls::{MOST_CALLS, StreamedCalls};
use repeated_lines::RepeatedLines;
use server_events::{ServerEvent, ServerEvents};

/// A streamed reply as received so far. Its bytes can be split anywhere.
///
/// Text is built by joining the insides of the raw literals without decoding them, so the halves of a surrogate pair
/// that arrive in two events are adjacent again.
///
/// ```
/// use franz_chat::{Reply, StreamedReply};
///
/// let mut reply = StreamedReply::default();
/// reply.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"a\\ud83d\"}}]}\n\ndata: {\"choices\":[{\"del");
/// reply.push(b"ta\":{\"content\":\"\\ude00\"}}]}\n\ndata: [DONE]\n\n");
/// let reply = Reply::read(reply.end()?)?;
/// assert_eq!(reply.story().map(|story| story.raw()), Some(r#""a\ud83d\ude00""#));
/// # Ok::<_, franz_chat::Defect>(())
/// ```
#[derive(Debug, Default)]
pub struct StreamedReply {
    events: ServerEvents,
    pieces: Pieces,
    repeats: RepeatedLines,
    /// The lines of the model's separate reasoning.
    repeated_thoughts: RepeatedLines,
    /// Whether `[DONE]` arrived or the reply was cut off.
    done: bool,
    failed: Option<Defect>,
}

/// The header in which an agent states how often a reply may repeat the same lines before the agent cuts it off.
pub const MAX_REPEATS_HEADER: &str = "x-franz-max-repeats";

/// The beginnings of lines in an event stream.
const EVENTS: [&[u8]; 6] = [b"data:", b"event:", b"id:", b"retry:", b"error:", b":"];

impl StreamedReply {
    /// Returns whether an answer is a stream of events, judged by its content type and the start of its body. Both are
    /// checked, because some servers mislabel one kind of answer as the other.
    pub fn is_in(content_type: Option<&str>, body: &[u8]) -> bool {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
        let is_named = content_type.is_some_and(is_event_stream);
        is_named && !body.starts_with(b"{") || EVENTS.iter().any(|field| body.starts_with(field))
    }

    /// Creates a reply that is cut off if the same few lines repeat more often than this; 0 means never.
    pub fn limited(most_repeats: u32) -> Self {
        Self {
            repeats: RepeatedLines::new(most_repeats),
            repeated_thoughts: RepeatedLines::new(most_repeats),
            ..Self::default()
        }
    }

    /// Reads everything received from a stream, with this limit on repeats.
    pub fn of(bytes: &[u8], most_repeats: u32) -> Self {
        let mut reply = Self::limited(most_repeats);
        reply.push(bytes);
        reply
    }

    /// Adds the next bytes, however many there are.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !self.is_over() {
            match self.events.next(&mut rest) {
                Ok(Some(event)) => self.take(&event),
                Ok(None) => return,
                Err(defect) => self.failed = Some(defect),
            }
        }
    }

    /// Returns whether anything that follows can be ignored: the stream sent `[DONE]`, was cut off, or failed.
    pub fn is_over(&self) -> bool {
        self.done || self.failed.is_some()
    }

    /// Returns whether the reply is complete even if nothing else follows: the stream sent `[DONE]`, or a finish reason
    /// that can be believed.
    pub fn is_finished(&self) -> bool {
        self.failed.is_none() && (self.done || self.pieces.end != ReplyEnd::Open)
    }

    /// Returns whether the finish reason came the way that only a last piece has it.
    pub(crate) fn is_surely_finished(&self) -> bool {
        self.is_finished() && (self.done || self.pieces.end == ReplyEnd::Certain)
    }

    /// Returns whether the stream sent `[DONE]` or was cut off.
    pub fn is_done(&self) -> bool {
        self.failed.is_none() && self.done
    }

    /// Returns the content so far: the inside of a valid JSON literal, which only grows.
    pub fn content(&self) -> &str {
        self.pieces.content.as_deref().unwrap_or_default()
    }

    /// Returns the body of an equivalent reply in one piece. Call this after the stream has ended.
    pub fn end(mut self) -> Result<Bytes, Defect> {
        if !self.is_over()
            && let Some(event) = self.events.last()
            && event.is_whole()
        {
            self.take(&event);
        }
        match self.failed {
            Some(defect) => Err(defect),
            // The stream itself has ended, so that any finish reason is as good as another.
            None if self.done || self.pieces.finish.is_some() => Ok(self.pieces.body()),
            None => Err(Defect::Unfinished),
        }
    }

    /// Returns the body with everything that has arrived so far, for a record. It is not a valid reply.
    pub fn so_far(self) -> Bytes {
        self.pieces.body()
    }

    fn take(&mut self, event: &ServerEvent) {
        let data = event.data.trim();
        if event.is_error {
            let words = server_message::of_body(data.as_bytes());
            let code = members(data, ["error"]).and_then(|[error]| server_message::code_of(error?));
            self.failed = Some(Defect::ErrorInside { code, words });
        } else if data == DONE {
            self.done = true;
        } else if !data.is_empty() {
            self.failed = self.pieces.take(data).err();
            self.cut_repeats();
        }
    }

    /// Cuts the reply off if its content or its separate reasoning repeats itself.
    fn cut_repeats(&mut self) {
        let content = self.pieces.content.as_mut();
        let reasoning = self.pieces.reasoning.as_mut().map(|(_, reasoning)| reasoning);
        let texts = [(content, &mut self.repeats), (reasoning, &mut self.repeated_thoughts)];
        for (text, repeats) in texts {
            if let Some(text) = text
                && let Some(end) = repeats.cut(text)
            {
                text.truncate(end);
                self.pieces.finish = Some(format!("\"{REPEATS}\""));
                self.done = true;
            }
        }
    }
}

/// Returns whether a content type names a stream of events.
pub(crate) fn is_event_stream(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("text/event-stream")
}

/// The last event's data.
const DONE: &str = "[DONE]";

impl ServerEvent {
    /// Returns whether an event is complete although no empty line has ended it.
    fn is_whole(&self) -> bool {
        let data = self.data.trim();
        self.is_error || data == DONE || members(data, []).is_some()
    }
}

/// A reply as received so far, in raw JSON.
#[derive(Debug, Default)]
struct Pieces {
    /// The content between the quotes; `None` if none has arrived yet.
    content: Option<String>,
    /// Content that is not a string.
    odd: Option<String>,
    /// The field name of the model's reasoning, and the reasoning between the quotes.
    reasoning: Option<(&'static str, String)>,
    calls: StreamedCalls,
    /// The number of fragments of calls.
    fragments: usize,
    /// A message that arrived in one piece.
    whole: Option<String>,
    finish: Option<String>,
    end: ReplyEnd,
    /// Whether more of the reply followed a finish reason. This server's reasons then say little.
    is_premature: bool,
    usage: Option<String>,
    timings: Option<String>,
    model: Option<String>,
}

/// Whether a finish reason ends the reply. Some gateways to other APIs send one with every piece.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ReplyEnd {
    /// It does not, or none has arrived.
    #[default]
    Open,
    /// It might, because it came with a part of the reply.
    Likely,
    /// It does, because it came alone.
    Certain,
}

/// How long a reply is so far.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ReplyLengths {
    /// The length of the content and the fragments of calls.
    said: usize,
    /// The length of the reasoning.
    thought: usize,
}

impl Pieces {
    /// Adds one chunk. Fails with the server's words if the chunk reports an error or is not a chunk.
    fn take(&mut self, chunk: &str) -> Result<(), Defect> {
        let names = ["choices", "usage", "timings", "model", "error"];
        let Some([choices, usage, timings, model, error]) = members(chunk, names) else {
            let words = server_message::one_line(chunk);
            return Err(Defect::ErrorInside { code: None, words });
        };
        if let Some(error) = error.filter(|error| says_something(error)) {
            return Err(Defect::of_error(error));
        }
        keep(&mut self.usage, usage);
        keep(&mut self.timings, timings);
        keep(&mut self.model, model);
        let mut failed = None;
        if let Some(choices) = choices {
            each_item(choices.get(), |choice| {
                let taken = self.take_choice(choice.get());
                failed = failed.take().or(taken.err());
            });
        }
        if let Some(defect) = failed {
            return Err(defect);
        }
        if self.calls.are_too_many() {
            return Err(Defect::TooManyCalls { limit: MOST_CALLS });
        }
        Ok(())
    }

    /// Adds the first choice, and ignores all others. Fails with the server's words if the choice reports an error.
    fn take_choice(&mut self, choice: &str) -> Result<(), Defect> {
        let names = ["index", "delta", "message", "finish_reason", "error"];
        let Some([index, delta, message, finish, error]) = members(choice, names) else {
            return Ok(());
        };
        if index.is_some_and(|index| !matches!(index.get(), "0" | "null")) {
            return Ok(());
        }
        if let Some(error) = error.filter(|error| says_something(error)) {
            return Err(Defect::of_error(error));
        }
        // Some servers send an empty reason with each piece.
        let finish = finish.filter(|reason| !matches!(reason.get(), "null" | "\"\""));
        let (was_finished, before) = (self.finish.is_some(), self.lengths());
        keep(&mut self.finish, finish);
        keep(&mut self.whole, message);
        if let Some(delta) = delta {
            self.take_delta(delta);
        }
        self.is_premature |= was_finished && self.lengths() != before;
        self.note_end(finish.is_some(), before);
        Ok(())
    }

    /// Notes what a piece says about the reply's end. Before the piece, the reply had grown this far.
    fn note_end(&mut self, has_reason: bool, before: ReplyLengths) {
        let now = self.lengths();
        let is_alone = now == before;
        if is_alone && !has_reason {
            return;
        }
        let is_begun = now.said + now.thought > 0;
        let adds_nothing_but_thought = now.said == before.said && !is_alone;
        self.end = if !has_reason || adds_nothing_but_thought || self.is_premature && !is_alone {
            ReplyEnd::Open
        } else if is_alone && is_begun && !self.is_premature {
            ReplyEnd::Certain
        } else {
            ReplyEnd::Likely
        };
    }

    fn lengths(&self) -> ReplyLengths {
        let content = self.content.as_deref().unwrap_or_default().len() + self.odd.as_deref().unwrap_or_default().len();
        let thought = self.reasoning.as_ref().map_or(0, |(_, reasoning)| reasoning.len());
        ReplyLengths {
            said: content + self.fragments,
            thought,
        }
    }

    fn take_delta(&mut self, delta: &RawValue) {
        if let Some([calls, content]) = members(delta.get(), ["tool_calls", "content"]) {
            if let Some(calls) = calls {
                each_item(calls.get(), |call| {
                    self.fragments += 1;
                    self.calls.take(call.get());
                });
            }
            if let Some(content) = content {
                self.take_content(content);
            }
        }
        let thoughts = REASONING
            .into_iter()
            .zip(members(delta.get(), REASONING).into_iter().flatten());
        let mut thoughts = thoughts.filter_map(|(name, text)| Some((name, text.and_then(inside)?)));
        if let Some((name, thought)) = thoughts.find(|(_, thought)| !thought.is_empty()) {
            let (_, reasoning) = self.reasoning.get_or_insert((name, String::new()));
            reasoning.push_str(thought);
        }
    }

    /// Adds content, which is a string or an array of parts. Only the parts' text is kept.
    fn take_content(&mut self, content: &RawValue) {
        if let Some(inside) = inside(content) {
            self.content.get_or_insert_default().push_str(inside);
            return;
        }
        match inside_parts(content) {
            Some(parts) => self.content.get_or_insert_default().push_str(&parts),
            None => keep(&mut self.odd, Some(content)),
        }
    }

    fn body(self) -> Bytes {
        let says_nothing = self.content.as_deref().unwrap_or_default().is_empty() && self.odd.is_none();
        let content = self.content.map(|inside| format!("\"{inside}\""));
        let content = self.odd.or(content);
        let (name, reasoning) = self.reasoning.unzip();
        let reasoning = reasoning.map(|inside| format!("\"{inside}\""));
        let calls = self.calls.array();
        let whole = self.whole.filter(|_| says_nothing && calls.is_none());
        let message = whole.unwrap_or_else(|| {
            object([
                ("content", content),
                (name.unwrap_or_default(), reasoning),
                ("tool_calls", calls),
            ])
        });
        let choice = object([("message", Some(message)), ("finish_reason", self.finish)]);
        let top = object([
            ("choices", Some(format!("[{choice}]"))),
            ("usage", self.usage),
            ("timings", self.timings),
            ("model", self.model),
        ]);
        top.into()
    }
}

/// Stores a value unless it is absent or null.
fn keep(place: &mut Option<String>, value: Option<&RawValue>) {
    if let Some(value) = value.filter(|value| value.get() != "null") {
        *place = Some(value.get().to_owned());
    }
}

/// Builds an object from the members that are present.
fn object<const N: usize>(members: [(&str, Option<String>); N]) -> String {
    splice(members.into_iter().filter_map(|(name, value)| Some((name, value?))))
}

#[cfg(test)]
mod tests;
