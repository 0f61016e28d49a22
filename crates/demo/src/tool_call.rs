//! Reads a function call in a conversation, along with its result.

use serde_json::Value;

use crate::content::texts;

/// One call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LastCall {
    /// The function's name.
    pub(crate) name: String,
    /// The arguments as an object, or null if they are not an object.
    pub(crate) arguments: Value,
    /// The text of the result; empty if there is none.
    pub(crate) result: String,
}

impl LastCall {
    /// Returns the first call of the last reply that calls a function, along with the first result after it. The model
    /// calls only one function at a time.
    pub(crate) fn last(messages: &[Value]) -> Option<LastCall> {
        let at = messages
            .iter()
            .rposition(|message| message["role"] == "assistant" && message["tool_calls"][0].is_object())?;
        let behind = messages.iter().skip(at + 1);
        let result = behind.take_while(|message| message["role"] == "tool").next();
        let function = messages
            .get(at)
            .map(|message| &message["tool_calls"][0]["function"])
            .unwrap_or_default();
        Some(LastCall {
            name: function["name"].as_str().unwrap_or_default().to_owned(),
            arguments: arguments(&function["arguments"]),
            result: result
                .map(|message| texts(&message["content"]).concat())
                .unwrap_or_default(),
        })
    }

    /// Returns the call, written as an object, at the end of the last reply that ends with one, along with the result
    /// after it. With a server that does not support functions, both are text.
    pub(crate) fn written(messages: &[Value]) -> Option<LastCall> {
        let called = |message: &Value| {
            let text = (message["role"] == "assistant").then(|| texts(&message["content"]).concat())?;
            let call: Value = serde_json::from_str(text.lines().next_back()?).ok()?;
            Some((call["name"].as_str()?.to_owned(), arguments(&call["parameters"])))
        };
        let (at, (name, arguments)) = messages
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, message)| Some((at, called(message)?)))?;
        let feedback = messages[at + 1..].iter().find(|message| message["role"] == "user");
        let feedback = feedback.map(|message| texts(&message["content"]).concat());
        Some(LastCall {
            name,
            arguments,
            result: feedback
                .and_then(|text| text.lines().next().map(str::to_owned))
                .unwrap_or_default(),
        })
    }
}

/// Parses the arguments. They are usually a JSON string, but some agents store the object itself.
fn arguments(written: &Value) -> Value {
    let object = match written {
        Value::String(json) => serde_json::from_str(json).unwrap_or_default(),
        value => value.clone(),
    };
    if object.is_object() { object } else { Value::Null }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn last(messages: &Value) -> Option<LastCall> {
        LastCall::last(messages.as_array().unwrap())
    }

    #[test]
    fn a_written_call_is_found_with_its_result() {
        let call = "I wait.\n{\"name\": \"wait\", \"parameters\": {\"seconds\": 2}}";
        let messages = json!([
            { "role": "assistant", "content": call },
            { "role": "user", "content": [{ "type": "text", "text": "{\"ok\":true}\nNOTICE: b" }] },
            { "role": "assistant", "content": "only words" },
            { "role": "user", "content": "more" },
        ]);
        let called = LastCall::written(messages.as_array().unwrap()).unwrap();
        assert_eq!(
            (called.name.as_str(), called.result.as_str()),
            ("wait", "{\"ok\":true}")
        );
        assert_eq!(called.arguments, json!({ "seconds": 2 }));
        assert_eq!(LastCall::written(&messages.as_array().unwrap()[2..]), None);
    }

    #[test]
    fn the_last_call_is_found_with_its_result() {
        let call = |name: &str, arguments: Value| json!([{ "function": { "name": name, "arguments": arguments } }]);
        let called = last(&json!([
            { "role": "assistant", "content": "a", "tool_calls": call("drag", json!("{}")) },
            { "role": "tool", "content": "old" },
            { "role": "user", "content": "look" },
            { "role": "assistant", "content": null, "tool_calls": call("type_text", json!("{\"text\": \"a\"}")) },
            { "role": "tool", "content": [{ "type": "text", "text": "first" }] },
            { "role": "tool", "content": "second" },
            { "role": "user", "content": "look" },
            { "role": "assistant", "content": "nothing to call", "tool_calls": [] },
            { "role": "user", "content": "look" },
        ]));
        let wanted = LastCall {
            name: "type_text".to_owned(),
            arguments: json!({ "text": "a" }),
            result: "first".to_owned(),
        };
        assert_eq!(called, Some(wanted));
    }

    #[test]
    fn arguments_are_read_in_every_form() {
        let cases = [
            (json!("{\"a\": 1}"), json!({ "a": 1 })),
            (json!({ "a": 1 }), json!({ "a": 1 })),
            (json!("{\"a\": "), Value::Null),
            (json!("[1]"), Value::Null),
            (json!(7), Value::Null),
            (Value::Null, Value::Null),
        ];
        for (written, object) in cases {
            assert_eq!(arguments(&written), object, "{written}");
        }
    }

    #[test]
    fn malformed_messages_contain_no_call() {
        for messages in [
            json!([]),
            json!([3, null]),
            json!([{ "role": "assistant", "tool_calls": "drag" }]),
        ] {
            assert_eq!(last(&messages), None, "{messages}");
        }
        let nameless = last(&json!([{ "role": "assistant", "tool_calls": [{}] }, { "role": "user" }]));
        assert_eq!(nameless, Some(LastCall::default()));
    }
}
