//! Anthropic's messages, `/v1/messages`.

use serde_json::{Value, json};

use super::{Rewriting, assistant, call, chat, completion, sampling, usage};

pub(super) const REWRITING: Rewriting = Rewriting {
    request,
    response,
    whole,
};

fn request(body: &Value) -> Option<Value> {
    let mut messages = Vec::new();
    if let Some(system) = body.get("system").filter(|system| !system.is_null()) {
        messages.push(json!({ "role": "system", "content": text_of(system) }));
    }
    for message in body["messages"].as_array()? {
        of_message(&message["role"], &message["content"], &mut messages);
    }
    let settings = sampling(body, &[("stop_sequences", "stop")]);
    Some(chat(settings, messages))
}

/// Adds a message's parts. The results of tools become messages of their own.
fn of_message(role: &Value, content: &Value, messages: &mut Vec<Value>) {
    let Some(blocks) = content.as_array() else {
        messages.push(json!({ "role": role, "content": content }));
        return;
    };
    if role == "assistant" {
        messages.push(of_assistant(blocks));
        return;
    }
    if let [only] = &blocks[..]
        && only["type"] == "text"
    {
        // Some clients write the same message as a text later, so write it as one here, too.
        messages.push(json!({ "role": role, "content": only["text"] }));
        return;
    }
    let mut parts = Vec::new();
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => parts.push(json!({ "type": "text", "text": block["text"] })),
            Some("image") => parts.extend(picture(&block["source"])),
            Some("tool_result") => {
                let content = text_of(&block["content"]);
                messages.push(json!({ "role": "tool", "tool_call_id": block["tool_use_id"], "content": content }));
                let inside = block["content"].as_array().into_iter().flatten();
                parts.extend(inside.filter_map(|part| picture(&part["source"])));
            }
            _ => {}
        }
    }
    if !parts.is_empty() {
        messages.push(json!({ "role": role, "content": parts }));
    }
}

fn picture(source: &Value) -> Option<Value> {
    let url = match source["type"].as_str()? {
        "base64" => format!(
            "data:{};base64,{}",
            source["media_type"].as_str()?,
            source["data"].as_str()?
        ),
        "url" => source["url"].as_str()?.to_owned(),
        _ => return None,
    };
    Some(json!({ "type": "image_url", "image_url": { "url": url } }))
}

fn response(body: &Value) -> Option<Value> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Some(json!({ "error": error }));
    }
    let message = of_assistant(body["content"].as_array()?);
    let finish = match body["stop_reason"].as_str() {
        Some("end_turn" | "stop_sequence") => "stop".into(),
        Some("max_tokens") => "length".into(),
        Some("tool_use") => "tool_calls".into(),
        _ => body["stop_reason"].clone(),
    };
    Some(completion(&body["model"], &message, &finish, &usage(&body["usage"])))
}

fn of_assistant(blocks: &[Value]) -> Value {
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    let calls = calls.map(|block| call(&block["id"], &block["name"], &block["input"]));
    assistant(&joined(blocks, "text"), &joined(blocks, "thinking"), calls.collect())
}

/// Joins the text of all blocks of one kind. Their member has the name of the kind.
fn joined(blocks: &[Value], kind: &str) -> String {
    let blocks = blocks.iter().filter(|block| block["type"] == kind);
    blocks.filter_map(|block| block[kind].as_str()).collect()
}

/// Returns the text of a text, or of blocks.
fn text_of(content: &Value) -> String {
    let blocks = content.as_array().map(|blocks| joined(blocks, "text"));
    blocks.unwrap_or_else(|| content.as_str().unwrap_or_default().to_owned())
}

fn whole(events: &mut dyn Iterator<Item = Value>) -> Option<Value> {
    let (mut message, mut blocks) = (json!({}), Vec::new());
    for event in events {
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => message = event["message"].clone(),
            "content_block_start" => blocks.push(event["content_block"].clone()),
            "content_block_delta" => {
                if let Some(block) = blocks.last_mut() {
                    add(block, &event["delta"]);
                }
            }
            "message_delta" => {
                let message = message.as_object_mut()?;
                message.insert("stop_reason".to_owned(), event["delta"]["stop_reason"].clone());
                let usage = message.get_mut("usage").and_then(Value::as_object_mut);
                if let (Some(usage), Some(news)) = (usage, event["usage"].as_object()) {
                    let news = news.iter().filter(|(_, count)| count.is_number());
                    usage.extend(news.map(|(name, count)| (name.clone(), count.clone())));
                }
            }
            "message_stop" => {
                message.as_object_mut()?.insert("content".to_owned(), blocks.into());
                return Some(message);
            }
            "error" => return Some(event),
            _ => {}
        }
    }
    None
}

/// Adds a piece to a block. A call's input arrives as pieces of JSON.
fn add(block: &mut Value, delta: &Value) {
    for (name, piece) in [
        ("text", &delta["text"]),
        ("thinking", &delta["thinking"]),
        ("input", &delta["partial_json"]),
    ] {
        let (Some(piece), true) = (piece.as_str(), block.is_object()) else {
            continue;
        };
        let so_far = block[name].as_str().unwrap_or_default();
        block[name] = format!("{so_far}{piece}").into();
    }
}
