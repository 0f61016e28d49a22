//! Responses that the server may store, `/v1/responses`.

use serde_json::{Value, json};

use super::{Rewriting, assistant, call, chat, completion, sampling, usage};

pub(super) const REWRITING: Rewriting = Rewriting {
    request,
    response,
    whole,
};

fn request(body: &Value) -> Option<Value> {
    let mut messages = Vec::new();
    if let Some(instructions) = body["instructions"].as_str() {
        messages.push(json!({ "role": "system", "content": instructions }));
    }
    if !body["previous_response_id"].is_null() {
        // The server knows the messages before these, so they are not all of the conversation.
        messages.push(assistant("", "", Vec::new()));
    }
    match body.get("input")? {
        Value::String(text) => messages.push(json!({ "role": "user", "content": text })),
        Value::Array(items) => messages.extend(items.iter().filter_map(message)),
        _ => return None,
    }
    Some(chat(sampling(body, &[("max_output_tokens", "max_tokens")]), messages))
}

/// Rewrites an item of a request; `None` for reasoning and other items that chat completions do not have.
fn message(item: &Value) -> Option<Value> {
    match item["type"].as_str().unwrap_or("message") {
        "message" => Some(json!({ "role": item["role"], "content": content(&item["content"]) })),
        // The picture of a screen, after an action of a tool that uses a computer.
        "computer_call_output" => Some(json!({ "role": "user", "content": [picture(&item["output"]["image_url"])] })),
        kind if kind.ends_with("_call_output") => Some(json!({
            "role": "tool",
            "tool_call_id": item["call_id"],
            "content": content(&item["output"]),
        })),
        _ => Some(assistant("", "", vec![tool_call(item)?])),
    }
}

/// Rewrites a call of any tool; `None` if this is not a call.
fn tool_call(item: &Value) -> Option<Value> {
    let kind = item["type"].as_str().filter(|kind| kind.ends_with("_call"))?;
    let name = item.get("name").cloned().unwrap_or_else(|| kind.into());
    let arguments = ["arguments", "input", "action"];
    let arguments = arguments.iter().find_map(|name| item.get(name));
    Some(call(&item["call_id"], &name, arguments.unwrap_or(&Value::Null)))
}

/// Rewrites a text, or a list of parts.
fn content(content: &Value) -> Value {
    let Some(parts) = content.as_array() else {
        return content.clone();
    };
    let parts = parts.iter().filter_map(|part| match part["type"].as_str()? {
        "input_text" | "output_text" => Some(json!({ "type": "text", "text": part["text"] })),
        "input_image" => Some(picture(&part["image_url"])),
        _ => None,
    });
    Value::Array(parts.collect())
}

fn picture(url: &Value) -> Value {
    json!({ "type": "image_url", "image_url": { "url": url } })
}

fn response(body: &Value) -> Option<Value> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Some(json!({ "error": error }));
    }
    if matches!(body["status"].as_str(), Some("queued" | "in_progress")) {
        return None;
    }
    let items = body["output"].as_array()?;
    let of = |kind: &'static str| items.iter().filter(move |item| item["type"] == kind);
    let texts = |item: &Value, name: &str| -> String {
        let parts = item[name].as_array().into_iter().flatten();
        parts
            .filter_map(|part| part["text"].as_str().or_else(|| part["refusal"].as_str()))
            .collect()
    };
    let text: String = of("message").map(|item| texts(item, "content")).collect();
    let thoughts: String = of("reasoning")
        .map(|item| texts(item, "content") + &texts(item, "summary"))
        .collect();
    let calls: Vec<Value> = items.iter().filter_map(tool_call).collect();
    let finish = match body["incomplete_details"]["reason"].as_str() {
        Some("max_output_tokens") => "length",
        Some(other) => other,
        None if calls.is_empty() => "stop",
        None => "tool_calls",
    };
    let message = assistant(&text, &thoughts, calls);
    Some(completion(
        &body["model"],
        &message,
        &finish.into(),
        &usage(&body["usage"]),
    ))
}

/// The last event repeats the whole response.
fn whole(events: &mut dyn Iterator<Item = Value>) -> Option<Value> {
    for event in events {
        match event["type"].as_str().unwrap_or_default() {
            "response.completed" | "response.incomplete" | "response.failed" => return Some(event["response"].clone()),
            "error" => return Some(json!({ "error": event })),
            _ => {}
        }
    }
    None
}
