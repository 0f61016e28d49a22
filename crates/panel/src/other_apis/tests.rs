use std::time::Duration;

use franz_chat::Reply;
use jiff::Timestamp;
use proptest::prelude::*;

use super::*;

fn message(start: &str, headers: &str, body: &str) -> Message {
    let head = format!(
        "{start}\r\nUser-Agent: u\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    Message {
        head: head.into(),
        body: Copy::Whole(body.to_owned().into()),
        bytes: body.len() as u64,
    }
}

fn exchange(path: &str, request: &Value, kind: &str, response: &str) -> Exchange {
    Exchange {
        id: 1,
        connection: 1,
        started: Timestamp::UNIX_EPOCH,
        request: message(&format!("POST {path} HTTP/1.1"), "", &request.to_string()),
        response: Some(message(
            "HTTP/1.1 200 OK",
            &format!("Content-Type: {kind}\r\n"),
            response,
        )),
        ended: Ended::Complete,
        sent: Duration::ZERO,
        first_byte: None,
        whole: Duration::ZERO,
    }
}

/// Rewrites an exchange, and returns the request's body and the reply.
fn rewritten(path: &str, request: &Value, kind: &str, response: &str) -> (Value, Reply) {
    let chat = as_chat(&exchange(path, request, kind, response)).unwrap();
    assert_eq!(chat.request.target(), CHAT);
    assert_eq!(chat.request.header("user-agent"), Some("u"));
    let reply = Reply::read(chat.response.unwrap().payload().unwrap()).unwrap();
    (json_of(&chat.request).unwrap(), reply)
}

fn stream(events: &[Value]) -> String {
    let events = events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"]));
    events.collect::<String>() + "data: [DONE]\n\n"
}

fn text(reply: &Reply) -> String {
    reply.story().map(franz_json::Story::text).unwrap_or_default()
}

#[test]
fn prompts_are_rewritten() {
    let request = json!({ "model": "m", "prompt": "Once", "max_tokens": 5, "stop": ["."] });
    let expected = json!({
        "model": "m", "max_tokens": 5, "stop": ["."], "messages": [{ "role": "user", "content": "Once" }],
    });
    let whole = json!({ "model": "m", "choices": [{ "text": " upon", "finish_reason": "length" }] });
    let pieces = [" u", "pon"].map(|text| json!({ "choices": [{ "index": 0, "text": text, "finish_reason": null }] }));
    let end = json!({ "choices": [{ "text": "", "finish_reason": "length" }] });
    let streamed = stream(&[pieces[0].clone(), pieces[1].clone(), end]);
    for (kind, response) in [("application/json", whole.to_string()), ("text/event-stream", streamed)] {
        let (body, reply) = rewritten("/v1/completions", &request, kind, &response);
        assert_eq!(body, expected);
        assert_eq!((text(&reply).as_str(), reply.finish()), (" upon", Some("length")));
    }
    let two = json!({ "prompt": ["a", "b"] });
    let (body, _) = rewritten("/v1/completions", &two, "application/json", &whole.to_string());
    assert_eq!(body["messages"][0]["content"][1]["text"], "b");
}

#[test]
fn responses_are_rewritten() {
    let request = json!({
        "model": "m", "instructions": "s", "max_output_tokens": 9, "input": [
            { "role": "user", "content": [
                { "type": "input_text", "text": "look" },
                { "type": "input_image", "image_url": "data:image/png;base64,eA==" },
            ] },
            { "type": "reasoning", "summary": [] },
            { "type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"x\":1}" },
            { "type": "function_call_output", "call_id": "c", "output": "done" },
        ],
    });
    let response = json!({
        "id": "resp_2", "model": "m", "status": "completed", "usage": { "input_tokens": 7, "output_tokens": 2 },
        "output": [
            { "type": "reasoning", "summary": [{ "type": "summary_text", "text": "hm" }] },
            { "type": "message", "content": [{ "type": "output_text", "text": "a \u{1f408}" }] },
            { "type": "function_call", "call_id": "d", "name": "g", "arguments": "{}" },
            { "type": "computer_call", "call_id": "e", "action": { "type": "click", "x": 1 } },
        ],
    });
    let delta = json!({ "type": "response.output_text.delta", "delta": "a" });
    let streamed = stream(&[delta, json!({ "type": "response.completed", "response": response })]);
    for (kind, response) in [
        ("application/json", response.to_string()),
        ("text/event-stream; charset=utf-8", streamed),
    ] {
        let (body, reply) = rewritten("/v1/responses", &request, kind, &response);
        assert_eq!(body["max_tokens"], 9);
        let messages = body["messages"].as_array().unwrap();
        let roles: Vec<_> = messages
            .iter()
            .map(|message| message["role"].as_str().unwrap())
            .collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool"]);
        let picture = &messages[1]["content"][1]["image_url"]["url"];
        assert_eq!(picture, "data:image/png;base64,eA==");
        assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], "{\"x\":1}");
        assert_eq!(text(&reply), "a \u{1f408}");
        assert_eq!(reply.reasoning().unwrap().text(), "hm");
        let calls: Value = serde_json::from_str(reply.tool_calls().unwrap().get()).unwrap();
        assert_eq!(calls[0]["function"]["name"], "g");
        assert_eq!(calls[1]["function"]["name"], "computer_call");
        assert_eq!(calls[1]["function"]["arguments"], r#"{"type":"click","x":1}"#);
        assert_eq!(reply.finish(), Some("tool_calls"));
    }
    let simple = json!({ "input": "hello", "previous_response_id": "resp_1" });
    let asked = exchange("/v1/responses", &simple, "application/json", &response.to_string());
    assert_eq!(continued(&asked.request).as_deref(), Some("resp_1"));
    let first = &json_of(&as_chat(&asked).unwrap().request).unwrap()["messages"][0];
    assert_eq!(first["role"], "assistant", "there are earlier messages");
    assert_eq!(response_id(&asked).as_deref(), Some("resp_2"));
}

#[test]
fn messages_are_rewritten() {
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "eA==" });
    let request = json!({
        "model": "m", "max_tokens": 9, "system": [{ "type": "text", "text": "s" }], "stop_sequences": ["x"],
        "messages": [
            { "role": "user", "content": "look" },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "f", "input": { "x": 1 } }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": [
                { "type": "text", "text": "done" }, { "type": "image", "source": source },
            ] }] },
        ],
    });
    let whole = json!({
        "model": "m", "stop_reason": "tool_use", "usage": { "input_tokens": 7, "cache_read_input_tokens": 90, "output_tokens": 2 }, "content": [
            { "type": "thinking", "thinking": "hm" },
            { "type": "text", "text": "a b" },
            { "type": "tool_use", "id": "d", "name": "g", "input": { "y": 2 } },
        ],
    });
    let start = |block| json!({ "type": "content_block_start", "content_block": block });
    let delta = |delta| json!({ "type": "content_block_delta", "delta": delta });
    let streamed = stream(&[
        json!({ "type": "message_start", "message": { "model": "m", "content": [], "usage": { "input_tokens": 7, "cache_read_input_tokens": 90 } } }),
        start(json!({ "type": "thinking", "thinking": "" })),
        delta(json!({ "type": "thinking_delta", "thinking": "hm" })),
        start(json!({ "type": "text", "text": "" })),
        delta(json!({ "type": "text_delta", "text": "a " })),
        delta(json!({ "type": "text_delta", "text": "b" })),
        start(json!({ "type": "tool_use", "id": "d", "name": "g", "input": {} })),
        delta(json!({ "type": "input_json_delta", "partial_json": "{\"y\":" })),
        delta(json!({ "type": "input_json_delta", "partial_json": "2}" })),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 2 } }),
        json!({ "type": "message_stop" }),
    ]);
    for (kind, response) in [("application/json", whole.to_string()), ("text/event-stream", streamed)] {
        let (body, reply) = rewritten("/v1/messages", &request, kind, &response);
        assert_eq!(body["stop"], json!(["x"]));
        let messages = body["messages"].as_array().unwrap();
        let roles: Vec<_> = messages
            .iter()
            .map(|message| message["role"].as_str().unwrap())
            .collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool", "user"]);
        assert_eq!(messages[3]["content"], "done");
        assert_eq!(
            messages[4]["content"][0]["image_url"]["url"],
            "data:image/png;base64,eA=="
        );
        assert_eq!(text(&reply), "a b");
        assert_eq!(reply.reasoning().unwrap().text(), "hm");
        let calls: Value = serde_json::from_str(reply.tool_calls().unwrap().get()).unwrap();
        assert_eq!(calls[0]["function"]["arguments"], "{\"y\":2}");
        let usage: Value = serde_json::from_slice(reply.raw()).unwrap();
        let expected = json!({
            "prompt_tokens": 97, "completion_tokens": 2, "prompt_tokens_details": { "cached_tokens": 90 },
        });
        assert_eq!(usage["usage"], expected);
    }
}

#[test]
fn nothing_is_made_up_for_what_cannot_be_read() {
    let request = json!({ "prompt": "a", "input": "a", "messages": [] });
    for path in ["/v1/completions", "/v1/responses", "/v1/messages"] {
        for (kind, response) in [
            ("application/json", "{"),
            ("application/json", "[]"),
            ("application/json", r#"{"status":"queued","output":[]}"#),
            ("application/json", r#"{"choices":7,"output":"x","content":null}"#),
            (
                "text/event-stream",
                "data: {\"type\":\"message_start\",\"message\":7}\n\ndata: {\"type\":\"message_delta\"}\n\n",
            ),
            (
                "text/event-stream",
                "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"x\"}}\n\n",
            ),
            (
                "text/event-stream",
                "data: {\"type\":\"content_block_start\",\"content_block\":7}\n\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"x\"}}\n\n",
            ),
            (
                "text/event-stream",
                "data: {\"choices\":[{\"text\":\"cut\",\"index\":0}]}\n\n",
            ),
        ] {
            let chat = as_chat(&exchange(path, &request, kind, response)).unwrap();
            let untouched = chat.response.unwrap().payload().unwrap();
            assert_eq!(untouched, response.as_bytes(), "{path}");
        }
        for body in [json!(7), json!({}), json!({ "prompt": 7, "input": 7, "messages": 7 })] {
            let chat = as_chat(&exchange(path, &body, "application/json", "{}")).unwrap();
            assert_eq!(chat.request.target(), CHAT, "{path}");
        }
        let error = r#"{"error":{"message":"too long"}}"#;
        let chat = as_chat(&exchange(path, &request, "application/json", error)).unwrap();
        let refused = Reply::read(chat.response.unwrap().payload().unwrap());
        let said = refused.map(|reply| reply.defect().map(ToString::to_string));
        assert!(format!("{said:?}").contains("too long"), "{said:?}");
    }
    let fine = r#"{"error":null,"choices":[{"text":"a","finish_reason":"stop"}],"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}"#;
    for path in ["/v1/completions", "/v1/messages"] {
        let (_, reply) = rewritten(path, &request, "application/json", fine);
        assert_eq!(text(&reply), "a", "{path}");
    }
    let chat = exchange("/v1/chat/completions", &request, "application/json", "{}");
    assert!(as_chat(&chat).is_none());
    assert!(as_chat(&exchange("/v1/embeddings", &request, "application/json", "{}")).is_none());
}

/// Returns JSON of any shape, with the names and words that matter here.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "message",
        "text",
        "tool_use",
        "tool_result",
        "image",
        "base64",
        "function_call",
        "computer_call_output",
        "message_start",
        "content_block_start",
        "content_block_delta",
        "message_delta",
        "message_stop",
        "response.completed",
        "error",
        "user",
        "assistant",
    ]);
    let name = prop::sample::select(vec![
        "type",
        "role",
        "content",
        "messages",
        "input",
        "output",
        "prompt",
        "choices",
        "text",
        "usage",
        "message",
        "content_block",
        "delta",
        "response",
        "source",
        "partial_json",
        "status",
        "input_tokens",
        "finish_reason",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<u64>().prop_map(Value::from),
        word.prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let members = prop::collection::btree_map(name.clone(), inner.clone(), 0..6);
        let object = members.prop_map(|members| {
            members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()
        });
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::Array),
            object.prop_map(Value::Object)
        ]
    })
}

proptest! {
    #[test]
    fn no_json_panics(request in any_json(), events in prop::collection::vec(any_json(), 1..6)) {
        for path in ["/v1/completions", "/v1/responses", "/v1/messages"] {
            for (kind, response) in [("application/json", events[0].to_string()), ("text/event-stream", stream(&events))] {
                let asked = exchange(path, &request, kind, &response);
                prop_assert!(as_chat(&asked).is_some());
                let _ = (continued(&asked.request), response_id(&asked));
            }
        }
    }
}
