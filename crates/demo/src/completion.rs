//! Writes the JSON of answers: completions in one piece or streamed, the list of models, and error objects.

use std::time::SystemTime;

use franz_json::{each_item, literal, members};
use hyper::body::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::request::ChatRequest;
use crate::throttled_body::Payload;

/// The name that this model answers to.
pub(crate) const MODEL: &str = "franz-demo";

/// The approximate number of characters per token in English text.
const CHARACTERS_A_TOKEN: u64 = 4;
/// The cost in tokens of a picture of the usual size.
const TOKENS_A_PICTURE: u64 = 256;
/// The length in characters of each piece of a streamed answer.
const PIECE: usize = 24;

/// One answer of a model, with its JSON values preserved byte for byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completion<'a> {
    /// The message's content, usually a string literal.
    pub(crate) content: &'a RawValue,
    /// The message's tool calls, as an array.
    pub(crate) tool_calls: Option<&'a RawValue>,
    /// Why the reply ended, such as `stop`.
    pub(crate) finish: &'a str,
    /// The model's name.
    pub(crate) model: &'a str,
    /// The answer's number, which makes its IDs unique.
    pub(crate) number: u64,
}

impl Completion<'_> {
    /// Returns the answer in the form requested: in one piece or streamed.
    pub(crate) fn payload(&self, request: &ChatRequest) -> Payload {
        if request.stream {
            Payload::Events(self.streamed(request))
        } else {
            Payload::Json(self.whole(request))
        }
    }

    /// Returns the body of an answer in one piece.
    fn whole(&self, request: &ChatRequest) -> Bytes {
        let message = Message {
            role: Some("assistant"),
            content: Some(self.content),
            tool_calls: self.tool_calls,
        };
        let choice = Choice {
            message: Some(message),
            finish_reason: Some(self.finish),
            ..Choice::default()
        };
        self.body("chat.completion", vec![choice], Some(self.usage(request)))
    }

    /// Returns the server-sent events of a streamed answer, including the blank line after each event.
    fn streamed(&self, request: &ChatRequest) -> Vec<Bytes> {
        let mut deltas = vec![Message {
            role: Some("assistant"),
            ..Message::default()
        }];
        let pieces = pieces(self.content);
        deltas.extend(pieces.iter().map(|piece| Message {
            content: Some(piece),
            ..Message::default()
        }));
        let calls = self.tool_calls.map(numbered);
        deltas.extend(calls.as_deref().map(|calls| Message {
            tool_calls: Some(calls),
            ..Message::default()
        }));
        let mut events: Vec<Bytes> = deltas.into_iter().map(|delta| self.chunk(delta, None)).collect();
        events.push(self.chunk(Message::default(), Some(self.finish)));
        if request.stream_usage {
            events.push(event(&self.body(
                "chat.completion.chunk",
                Vec::new(),
                Some(self.usage(request)),
            )));
        }
        events.push(event(b"[DONE]"));
        events
    }

    fn chunk(&self, delta: Message<'_>, finish: Option<&str>) -> Bytes {
        let choice = Choice {
            delta: Some(delta),
            finish_reason: finish,
            ..Choice::default()
        };
        event(&self.body("chat.completion.chunk", vec![choice], None))
    }

    fn body(&self, object: &str, choices: Vec<Choice<'_>>, usage: Option<Usage>) -> Bytes {
        json(&Body {
            id: format!("chatcmpl-demo-{}", self.number),
            object,
            created: now(),
            model: self.model,
            choices,
            usage,
        })
    }

    /// Returns plausible token counts. A reply that was not cut off stays below the token limit.
    fn usage(&self, request: &ChatRequest) -> Usage {
        let (characters, pictures) = (request.characters as u64, request.pictures as u64);
        let prompt_tokens = characters / CHARACTERS_A_TOKEN + pictures * TOKENS_A_PICTURE + 1;
        let written = [Some(self.content), self.tool_calls];
        let written = written.into_iter().flatten().map(|json| json.get().chars().count());
        let wanted = written.sum::<usize>() as u64 / CHARACTERS_A_TOKEN + 1;
        let completion_tokens = match (request.max_tokens, self.finish) {
            (Some(most), "length") => most,
            (Some(most), _) => wanted.min(most.saturating_sub(1)),
            (None, _) => wanted,
        };
        Usage {
            prompt_tokens,
            completion_tokens,
            total_tokens: prompt_tokens.saturating_add(completion_tokens),
        }
    }
}

/// Returns the answer to `GET /v1/models`.
pub(crate) fn models(id: &str) -> Bytes {
    json(&serde_json::json!({
        "object": "list",
        "data": [{ "id": id, "object": "model", "created": now(), "owned_by": "franz" }],
    }))
}

/// Returns an error object in the form that model servers use.
pub(crate) fn error(message: &str, kind: &str) -> Bytes {
    json(&serde_json::json!({ "error": { "message": message, "type": kind, "param": null, "code": null } }))
}

#[derive(Serialize)]
struct Body<'a> {
    id: String,
    object: &'a str,
    created: u64,
    model: &'a str,
    choices: Vec<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
}

#[derive(Serialize, Default)]
struct Choice<'a> {
    index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<Message<'a>>,
    finish_reason: Option<&'a str>,
}

#[derive(Serialize, Default)]
struct Message<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<&'a RawValue>,
}

#[expect(clippy::struct_field_names, reason = "the interface's own names")]
#[derive(Serialize)]
struct Usage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

/// Splits a string literal into several, never within an escape; any other value stays in one piece.
fn pieces(content: &RawValue) -> Vec<Box<RawValue>> {
    if !content.get().starts_with('"') {
        return vec![content.to_owned()];
    }
    let mut rest = literal::unquoted(content.get());
    let mut pieces = Vec::new();
    loop {
        let end = rest.char_indices().nth(PIECE).map_or(rest.len(), |(end, _)| end);
        let (piece, after) = rest.split_at(literal::whole_escapes(&rest[..end]));
        pieces.push(RawValue::from_string(format!("\"{piece}\"")).expect("a part of a literal is one"));
        rest = after;
        if rest.is_empty() {
            return pieces;
        }
    }
}

/// Adds an index to each call of a streamed answer, which identifies the call, unless the script has added one.
fn numbered(calls: &RawValue) -> Box<RawValue> {
    let mut numbered = Vec::new();
    let is_array = each_item(calls.get(), |call| {
        let without_index = members(call.get(), ["index"]).is_some_and(|[index]| index.is_none());
        let number = format!("{{\"index\":{},", numbered.len());
        let call = call.get().trim();
        numbered.push(match call.strip_prefix('{').filter(|_| without_index) {
            Some("}") | None => call.to_owned(),
            Some(rest) => number + rest,
        });
    });
    let numbered = is_array.then(|| RawValue::from_string(format!("[{}]", numbered.join(","))).ok());
    numbered.flatten().unwrap_or_else(|| calls.to_owned())
}

fn event(data: &[u8]) -> Bytes {
    [b"data: ", data, b"\n\n"].concat().into()
}

fn json(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).expect("answers have text keys only").into()
}

/// Returns the number of seconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::value::to_raw_value;

    use super::*;

    fn raw(literal: &str) -> Box<RawValue> {
        RawValue::from_string(literal.to_owned()).unwrap()
    }

    fn completion(content: &RawValue) -> Completion<'_> {
        Completion {
            content,
            tool_calls: None,
            finish: "stop",
            model: MODEL,
            number: 1,
        }
    }

    #[test]
    fn contents_are_spliced_to_the_byte() {
        for literal in [r#""\ud800 \u0041\/ \"x\"""#, "null", "[ 1,  2 ]", r#""\u0000""#] {
            let content = raw(literal);
            for body in [
                vec![completion(&content).whole(&ChatRequest::default())],
                completion(&content).streamed(&ChatRequest::default()),
            ] {
                let body = String::from_utf8(body.concat()).unwrap();
                let spliced = format!("\"content\":{literal}");
                assert!(body.contains(&spliced), "{body}");
            }
        }
    }

    #[test]
    fn streamed_pieces_join_to_the_full_text() {
        let text = "Ein Kater, größer als 24 Zeichen, 😀 und noch mehr.\n".repeat(3);
        let content = to_raw_value(&text).unwrap();
        let request = ChatRequest {
            stream_usage: true,
            ..ChatRequest::default()
        };
        let events = completion(&content).streamed(&request);
        let mut joined = String::new();
        for event in &events[..events.len() - 1] {
            let json = event.strip_prefix(b"data: ").unwrap();
            let value: Value = serde_json::from_slice(json).unwrap();
            joined.push_str(value["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
        }
        assert_eq!(joined, text);
        assert_eq!(events.last().unwrap().as_ref(), b"data: [DONE]\n\n");
    }

    #[test]
    fn only_a_cut_reply_reaches_the_token_limit() {
        let content = to_raw_value(&"word ".repeat(1000)).unwrap();
        let request = ChatRequest {
            max_tokens: Some(900),
            ..ChatRequest::default()
        };
        for (finish, tokens) in [("stop", 899), ("length", 900)] {
            let completion = Completion {
                finish,
                ..completion(&content)
            };
            let body: Value = serde_json::from_slice(&completion.whole(&request)).unwrap();
            assert_eq!(body["usage"]["completion_tokens"], tokens);
            assert_eq!(body["choices"][0]["finish_reason"], finish);
        }
    }
}
