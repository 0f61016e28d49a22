//! The older completions of a prompt, `/v1/completions`.

use serde_json::{Value, json};

use super::{Rewriting, assistant, chat, completion, sampling};

pub(super) const REWRITING: Rewriting = Rewriting {
    request,
    response,
    whole,
};

/// The prompt becomes the user's only message. Several prompts become its parts.
fn request(body: &Value) -> Option<Value> {
    let content = match body.get("prompt")? {
        Value::Array(prompts) => {
            let prompts = prompts.iter().filter(|prompt| prompt.is_string());
            prompts
                .map(|prompt| json!({ "type": "text", "text": prompt }))
                .collect()
        }
        prompt => prompt.clone(),
    };
    let message = json!({ "role": "user", "content": content });
    Some(chat(sampling(body, &[]), vec![message]))
}

fn response(body: &Value) -> Option<Value> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Some(json!({ "error": error }));
    }
    let choice = body["choices"].get(0)?;
    let message = assistant(choice["text"].as_str()?, "", Vec::new());
    Some(completion(
        &body["model"],
        &message,
        &choice["finish_reason"],
        &body["usage"],
    ))
}

fn whole(events: &mut dyn Iterator<Item = Value>) -> Option<Value> {
    let (mut text, mut whole) = (String::new(), json!({}));
    for event in events {
        if event.get("error").is_some_and(|error| !error.is_null()) {
            return Some(event);
        }
        for name in ["model", "usage"] {
            if event.get(name).is_some_and(|value| !value.is_null()) {
                whole[name] = event[name].clone();
            }
        }
        let choice = event["choices"].as_array().into_iter().flatten();
        for choice in choice.filter(|choice| choice["index"].as_u64().unwrap_or_default() == 0) {
            text.push_str(choice["text"].as_str().unwrap_or_default());
            if choice["finish_reason"].is_string() {
                whole["finish"] = choice["finish_reason"].clone();
            }
        }
    }
    let finish = whole.as_object_mut()?.remove("finish")?;
    whole["choices"] = json!([{ "text": text, "finish_reason": finish }]);
    Some(whole)
}
