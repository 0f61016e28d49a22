//! Reassembles a streamed reply into the one that the server would have sent in one piece.

use bytes::Bytes;
use franz_json::{Raw, each_item, literal, members, splice, string};
use serde_json::value::RawValue;
use thiserror::Error;

use super::calls::{MOST_CALLS, StreamedCalls};

/// Why a stream is not a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum StreamError {
    /// The events are not text.
    #[error("its events are not valid UTF-8")]
    NotUtf8,
    /// An event that cannot be read.
    #[error("event {number} of its stream is not a chunk of a reply")]
    NotAChunk {
        /// Its number, from 1.
        number: usize,
    },
    /// More calls than any agent accepts.
    #[error("its stream contains more than {MOST_CALLS} tool calls")]
    TooManyCalls,
    /// It has neither a finish reason nor `[DONE]`.
    #[error("its stream stopped before the reply was finished")]
    Unfinished,
}

/// Builds the body of a chat completion equivalent to the events in `body`.
///
/// The text is made by joining the insides of the raw literals, so nothing is decoded: halves of a surrogate pair that
/// came in two events are adjacent again.
pub(crate) fn reassemble(body: &[u8]) -> Result<Bytes, StreamError> {
    let text = str::from_utf8(body).map_err(|_| StreamError::NotUtf8)?;
    let mut reply = Pieces::default();
    for (number, event) in (1..).zip(Events(text.trim_start_matches('\u{feff}'))) {
        if event.data.trim() == "[DONE]" {
            reply.finished = true;
            break;
        }
        if event.error {
            reply.error = Some(error(&event.data));
            break;
        }
        if !event.data.trim().is_empty() {
            reply.take(&event.data).ok_or(StreamError::NotAChunk { number })?;
            if reply.calls.are_too_many() {
                return Err(StreamError::TooManyCalls);
            }
        }
    }
    if reply.finished || reply.error.is_some() {
        Ok(reply.body())
    } else {
        Err(StreamError::Unfinished)
    }
}

/// Returns the data of an event named `error`: JSON unchanged, anything else as a text.
fn error(data: &str) -> String {
    Raw::parse(data).unwrap_or_else(|_| Raw::string(data)).get().to_owned()
}

/// A reply as received so far, in raw JSON.
#[derive(Default)]
struct Pieces {
    /// The text between the quotes; `None` if there was none yet.
    content: Option<String>,
    /// A content that is not a text.
    odd: Option<String>,
    /// The model's reasoning, between the quotes.
    reasoning: String,
    calls: StreamedCalls,
    /// A message in one piece, used only if there was nothing else.
    whole: Option<String>,
    finish: Option<String>,
    usage: Option<String>,
    model: Option<String>,
    error: Option<String>,
    finished: bool,
}

impl Pieces {
    /// Adds one chunk; `None` if it is not a JSON object.
    fn take(&mut self, chunk: &str) -> Option<()> {
        let [choices, usage, model, error] = members(chunk, ["choices", "usage", "model", "error"])?;
        keep(&mut self.usage, usage);
        keep(&mut self.model, model);
        keep(&mut self.error, error);
        if let Some(choices) = choices {
            each_item(choices.get(), |choice| self.take_choice(choice.get()));
        }
        Some(())
    }

    fn take_choice(&mut self, choice: &str) {
        let Some([index, delta, message, finish]) = members(choice, ["index", "delta", "message", "finish_reason"])
        else {
            return;
        };
        if index.is_some_and(|index| index.get() != "0") {
            return;
        }
        keep(&mut self.finish, finish);
        self.finished |= self.finish.is_some();
        keep(&mut self.whole, message);
        let named = ["content", "tool_calls", "reasoning_content", "reasoning"];
        let delta = delta.and_then(|delta| members(delta.get(), named));
        let Some([content, calls, thought, other_thought]) = delta else {
            return;
        };
        if let Some(calls) = calls {
            each_item(calls.get(), |call| self.calls.take(call.get()));
        }
        if let Some(thought) = thought.and_then(inside).or_else(|| other_thought.and_then(inside)) {
            self.reasoning.push_str(thought);
        }
        let Some(content) = content else { return };
        match inside(content) {
            Some(inside) => self.content.get_or_insert_default().push_str(inside),
            None => keep(&mut self.odd, Some(content)),
        }
    }

    fn body(self) -> Bytes {
        let content = self.content.map(|inside| format!("\"{inside}\""));
        let content = self.odd.or(content);
        let reasoning = (!self.reasoning.is_empty()).then(|| format!("\"{}\"", self.reasoning));
        let calls = self.calls.array();
        let is_empty = content.is_none() && reasoning.is_none() && calls.is_none();
        let message = self.whole.filter(|_| is_empty).unwrap_or_else(|| {
            object([
                ("content", content),
                ("reasoning_content", reasoning),
                ("tool_calls", calls),
            ])
        });
        let choice = object([("message", Some(message)), ("finish_reason", self.finish)]);
        let top = object([
            ("choices", Some(format!("[{choice}]"))),
            ("usage", self.usage),
            ("model", self.model),
            ("error", self.error),
        ]);
        top.into()
    }
}

/// Returns the text between the quotes of a string.
fn inside(value: &RawValue) -> Option<&str> {
    string(value).map(literal::unquoted)
}

/// Stores a value unless it is absent or null.
fn keep(place: &mut Option<String>, value: Option<&RawValue>) {
    if let Some(value) = value.filter(|value| value.get() != "null") {
        *place = Some(value.get().to_owned());
    }
}

/// Builds an object of the members that are present.
fn object<const N: usize>(members: [(&str, Option<String>); N]) -> String {
    splice(members.into_iter().filter_map(|(name, value)| Some((name, value?))))
}

/// One server-sent event.
struct Event {
    data: String,
    /// Whether it is named `error`.
    error: bool,
}

/// The events of a stream, including a last one that no empty line ends.
struct Events<'a>(&'a str);

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let mut event: Option<Event> = None;
        while !self.0.is_empty() {
            let line = self.line();
            if line.is_empty() && event.is_some() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            if !matches!(name, "data" | "event") {
                continue;
            }
            let event = event.get_or_insert(Event {
                data: String::new(),
                error: false,
            });
            if name == "event" {
                event.error = value == "error";
            } else {
                if !event.data.is_empty() {
                    event.data.push('\n');
                }
                event.data.push_str(value);
            }
        }
        event
    }
}

impl<'a> Events<'a> {
    /// Takes a line, ended by a carriage return, a line feed or both.
    fn line(&mut self) -> &'a str {
        let text = self.0;
        let end = text.find(['\n', '\r']).unwrap_or(text.len());
        let (line, rest) = text.split_at(end);
        let behind = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\n', '\r']));
        self.0 = behind.unwrap_or_default();
        line
    }
}

#[cfg(test)]
mod tests {
    use franz_chat::{Defect, Reply};

    use super::{StreamError, reassemble};

    fn read(stream: &str) -> Result<Reply, StreamError> {
        reassemble(stream.as_bytes()).map(|body| Reply::read(body).expect("an object"))
    }

    fn chunk(content: &str) -> String {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{content}}}}}]}}\n\n")
    }

    #[test]
    fn streamed_literals_are_joined() {
        let stream = [
            ": a comment\n\n",
            &chunk(r#""""#),
            &chunk(r#""a\ud83d""#),
            &chunk("null"),
            &chunk(r#""\ude00\/""#),
            "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\r\n\r\n",
            "data:{\"model\":\"m\",\r\ndata: \"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n",
            "data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\r\r",
            "data: [DONE]\n\n",
            "data: never read",
        ]
        .concat();
        let reply = read(&stream).unwrap();
        assert_eq!(reply.story().unwrap().raw(), r#""a\ud83d\ude00\/""#);
        assert_eq!(
            (reply.finish(), reply.model(), reply.usage().total),
            (Some("stop"), Some("m"), Some(3))
        );
    }

    #[test]
    fn an_incomplete_stream_is_not_a_reply() {
        let done = "data: [DONE]\n\n";
        let cases = [
            (chunk("\"a\""), StreamError::Unfinished),
            (String::new(), StreamError::Unfinished),
            (format!("data: {{\"cho\n\n{done}"), StreamError::NotAChunk { number: 1 }),
            (
                format!("{}data: []\n\n{done}", chunk("\"a\"")),
                StreamError::NotAChunk { number: 2 },
            ),
        ];
        for (stream, error) in cases {
            assert_eq!(read(&stream).unwrap_err(), error, "{stream}");
        }
        assert_eq!(reassemble(b"data: \xff"), Err(StreamError::NotUtf8));
        let defects = [
            (done.to_owned(), Defect::MissingContent),
            (
                format!("{}{done}", chunk("[1]")),
                Defect::ContentNotText { kind: "an array" },
            ),
            (
                format!("{}data: {{\"error\":{{\"message\":\"full\"}}}}\n\n", chunk("\"a\"")),
                Defect::ErrorInside {
                    words: "full".to_owned(),
                },
            ),
            (
                format!("{}event: error\ndata: too long\n\n", chunk("\"a\"")),
                Defect::ErrorInside {
                    words: "too long".to_owned(),
                },
            ),
        ];
        for (stream, defect) in defects {
            assert_eq!(read(&stream).unwrap().defect(), Some(&defect), "{stream}");
        }
    }

    #[test]
    fn calls_or_thoughts_without_text_are_complete_replies() {
        let delta = |delta: &str, finish: &str| {
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{{delta}}},\"finish_reason\":{finish}}}]}}\n\n")
        };
        let stream = [
            delta(r#""role":"assistant","content":null,"reasoning_content":"I ""#, "null"),
            delta(r#""reasoning_content":"think""#, "null"),
            delta(
                r#""tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"click","arguments":""}}]"#,
                "null",
            ),
            delta(
                r#""tool_calls":[{"index":0,"function":{"arguments":"{\"x\":"}}]"#,
                "null",
            ),
            delta(r#""tool_calls":[{"index":0,"function":{"arguments":"1}"}}]"#, "null"),
            delta("", r#""tool_calls""#),
        ]
        .concat();
        let reply = read(&stream).unwrap();
        assert_eq!(
            (reply.reasoning(), reply.finish()),
            (Some("I think"), Some("tool_calls"))
        );
        assert_eq!(
            reply.tool_calls().unwrap().get(),
            r#"[{"id":"a","type":"function","function":{"name":"click","arguments":"{\"x\":1}"}}]"#
        );
        assert_eq!(reply.defect(), Some(&Defect::ToolCallsOnly));

        let thought = [delta(r#""reasoning":"hm""#, "null"), delta("", r#""length""#)].concat();
        let reply = read(&thought).unwrap();
        assert_eq!(reply.reasoning(), Some("hm"));
        assert_eq!(reply.defect(), Some(&Defect::ThoughtCut));

        let whole = "data: {\"choices\":[{\"message\":{\"content\":\"all\"},\"finish_reason\":\"stop\"}]}\n\n";
        assert_eq!(read(whole).unwrap().story().unwrap().text(), "all");
        let both = format!("{}{whole}", chunk("\"part\""));
        assert_eq!(read(&both).unwrap().story().unwrap().text(), "part");
    }

    #[test]
    fn no_cut_stream_yields_a_different_story() {
        let stream = format!("{}{}data: [DONE]\n\n", chunk(r#""a\ud83d""#), chunk(r#""\ude00b""#));
        for end in 0..stream.len() {
            if let Ok(reply) = read(&stream[..end]) {
                assert!(end >= stream.len() - 2, "{end}");
                assert_eq!(reply.story().unwrap().raw(), r#""a\ud83d\ude00b""#);
            }
        }
    }
}
