//! Exchanges in APIs other than chat completions, rewritten as chat completions, so that nothing else needs to know
//! those APIs. Only copies are rewritten; the exchange log keeps what was on the wire.
//!
//! Each API has its own file with three functions: `request` and `response` rewrite a body, and `whole` assembles a
//! response from the events of a stream. All of them return `None` for anything that they do not understand; the copy
//! then stays as it is, and the turn says that it could not be read.

mod completions;
mod messages;
mod responses;

use bytes::Bytes;
use franz_chat::{Defect, StreamedReply};
use franz_relay::{Copy, Ended, Exchange, Message, ModelApi};
use serde_json::{Value, json};

/// The path of chat completions.
const CHAT: &str = "/v1/chat/completions";

/// How one of the APIs is rewritten.
struct Rewriting {
    request: fn(&Value) -> Option<Value>,
    response: fn(&Value) -> Option<Value>,
    whole: fn(&mut dyn Iterator<Item = Value>) -> Option<Value>,
}

impl Rewriting {
    fn of(message: &Message) -> Option<Rewriting> {
        Self::at(message.method(), message.target())
    }

    fn at(method: &str, target: &str) -> Option<Rewriting> {
        match ModelApi::of(method, target)? {
            ModelApi::Chat => None,
            ModelApi::Completions => Some(completions::REWRITING),
            ModelApi::Responses => Some(responses::REWRITING),
            ModelApi::Messages => Some(messages::REWRITING),
        }
    }
}

/// Returns the same request as a chat request; `None` if it is one already, or does not ask a model.
pub(crate) fn request_as_chat(request: &Message) -> Option<Message> {
    let rewriting = Rewriting::of(request)?;
    let rewritten = json_of(request).and_then(|body| (rewriting.request)(&body));
    let start = format!("POST {CHAT} HTTP/1.1");
    Some(match rewritten {
        Some(body) => with_body(request, &start, &body),
        None => with_start(request, &start),
    })
}

/// Returns the same exchange as a chat exchange; `None` if it is one already, or does not ask a model.
pub(crate) fn as_chat(exchange: &Exchange) -> Option<Exchange> {
    let rewriting = Rewriting::of(&exchange.request)?;
    let mut chat = exchange.clone();
    chat.request = request_as_chat(&exchange.request)?;
    let rewritten = |response| (rewriting.response)(&whole(response, &rewriting)?);
    if let Some(response) = &exchange.response
        && let Some(body) = rewritten(response)
    {
        let start = response.head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        chat.response = Some(with_body(response, &String::from_utf8_lossy(start), &body));
        // The response has an end, so it does not matter who left first.
        chat.ended = Ended::Complete;
    }
    Some(chat)
}

/// Returns the ID of a stored response that a request continues.
pub(crate) fn continued(request: &Message) -> Option<String> {
    is_responses(request).then_some(())?;
    let body = json_of(request)?;
    body["previous_response_id"].as_str().map(str::to_owned)
}

/// Returns the ID under which later requests can continue the response of an exchange.
pub(crate) fn response_id(exchange: &Exchange) -> Option<String> {
    is_responses(&exchange.request).then_some(())?;
    let whole = whole(exchange.response.as_ref()?, &responses::REWRITING)?;
    whole["id"].as_str().map(str::to_owned)
}

/// Joins a streamed response into the chat completion that it means, and says why it broke off if it did. Returns `None`
/// for a response that was not streamed. `target` is where the request went, if that is known.
pub(crate) fn joined(target: Option<&str>, body: &[u8]) -> Option<(Bytes, Option<Defect>)> {
    if !StreamedReply::is_in(None, body) {
        return None;
    }
    let rewriting = target.and_then(|target| Rewriting::at("POST", target));
    if let Some(rewriting) = rewriting {
        let whole = (rewriting.whole)(&mut events(body))?;
        return Some(((rewriting.response)(&whole)?.to_string().into(), None));
    }
    Some(match StreamedReply::of(body, 0).end() {
        Ok(whole) => (whole, None),
        Err(defect) => (StreamedReply::of(body, 0).so_far(), Some(defect)),
    })
}

fn is_responses(request: &Message) -> bool {
    ModelApi::of(request.method(), request.target()) == Some(ModelApi::Responses)
}

/// Returns the body of a response, assembled if it was streamed.
fn whole(response: &Message, rewriting: &Rewriting) -> Option<Value> {
    response.status().filter(|status| (200..300).contains(status))?;
    let body = response.payload().ok()?;
    let streamed = response
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("text/event-stream"));
    if streamed {
        (rewriting.whole)(&mut events(&body))
    } else {
        serde_json::from_slice(&body).ok()
    }
}

/// Returns the data of each event of a stream. The servers of these APIs write it in one line.
fn events(body: &[u8]) -> impl Iterator<Item = Value> {
    let lines = body.split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.filter_map(|line| serde_json::from_slice(line.strip_prefix(b"data:")?).ok())
}

fn json_of(message: &Message) -> Option<Value> {
    serde_json::from_slice(&message.payload().ok()?).ok()
}

/// Returns the message with another first line.
fn with_start(message: &Message, start: &str) -> Message {
    let rest = message.head.iter().position(|byte| *byte == b'\r').unwrap_or_default();
    let head = [start.as_bytes(), message.head.get(rest..).unwrap_or_default()].concat();
    Message {
        head: head.into(),
        ..message.clone()
    }
}

/// Returns the message with another first line and another body. It keeps the headers that do not describe the body.
fn with_body(message: &Message, start: &str, body: &Value) -> Message {
    let body = Bytes::from(body.to_string());
    let head = String::from_utf8_lossy(&message.head);
    let kept = head.lines().skip(1).filter(|line| {
        let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
        !(name.is_empty() || name.starts_with("content-") || name == "transfer-encoding")
    });
    let described = [
        "Content-Type: application/json".to_owned(),
        format!("Content-Length: {}", body.len()),
    ];
    let lines = [start]
        .into_iter()
        .chain(kept)
        .chain(described.iter().map(String::as_str));
    let head = lines.chain(["", ""]).collect::<Vec<_>>().join("\r\n");
    Message {
        head: head.into(),
        body: Copy::Whole(body),
        bytes: message.bytes,
    }
}

/// Returns a chat completion with this message.
fn completion(model: &Value, message: &Value, finish: &Value, usage: &Value) -> Value {
    json!({
        "model": model,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": usage,
    })
}

/// Returns an assistant's message. Empty parts are left out.
fn assistant(text: &str, reasoning: &str, calls: Vec<Value>) -> Value {
    let mut message = json!({ "role": "assistant", "content": text });
    if !reasoning.is_empty() {
        message["reasoning_content"] = reasoning.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

/// Returns a call of a function.
fn call(id: &Value, name: &Value, arguments: &Value) -> Value {
    let arguments = match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

/// Returns the token counts under the names of chat completions. Anthropic counts what comes from its cache, and what
/// goes there, apart.
fn usage(usage: &Value) -> Value {
    let count = |name: &str| usage[name].as_u64().unwrap_or_default();
    if usage["input_tokens"].is_null() && usage["output_tokens"].is_null() {
        return Value::Null;
    }
    let from_cache = count("cache_read_input_tokens");
    let read = count("input_tokens") + from_cache + count("cache_creation_input_tokens");
    let inside = usage["input_tokens_details"]["cached_tokens"].as_u64();
    let mut counts = json!({ "prompt_tokens": read, "completion_tokens": count("output_tokens") });
    if let Some(cached) = inside.or((from_cache > 0).then_some(from_cache)) {
        counts["prompt_tokens_details"] = json!({ "cached_tokens": cached });
    }
    counts
}

/// Returns the members that both APIs have under the same name, and others under the name of chat completions.
fn sampling(body: &Value, renamed: &[(&str, &'static str)]) -> serde_json::Map<String, Value> {
    const SAME: [&str; 8] = [
        "model",
        "temperature",
        "top_p",
        "top_k",
        "max_tokens",
        "seed",
        "stop",
        "stream",
    ];
    let same = SAME.iter().map(|name| (*name, *name));
    let members = same.chain(renamed.iter().map(|(theirs, ours)| (*theirs, *ours)));
    members
        .filter_map(|(theirs, ours)| Some((ours.to_owned(), body.get(theirs)?.clone())))
        .collect()
}

/// Returns a chat request with these messages.
fn chat(mut members: serde_json::Map<String, Value>, messages: Vec<Value>) -> Value {
    members.insert("messages".to_owned(), messages.into());
    Value::Object(members)
}

#[cfg(test)]
mod tests;
