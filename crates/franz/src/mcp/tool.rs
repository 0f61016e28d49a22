//! Turns the agent's functions into the host's tools, and a tool call into a model's reply.

use std::sync::Arc;

use rmcp::model::{JsonObject, ToolAnnotations};
use serde_json::{Value, json};

/// The argument that every tool has in addition to its own.
const PICTURE: &str = "picture";

/// Functions that only the run's own loop needs. The host must not call them, because it ends runs and asks its user in
/// its own way.
const NOT_FOR_HOSTS: [&str; 2] = ["finish", "ask"];

/// Functions that only look.
const READ_ONLY: [&str; 4] = ["observe_screen", "watch", "zoom", "windows"];

/// A tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tool {
    name: String,
    description: Option<String>,
    parameters: JsonObject,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    arguments: JsonObject,
    /// Whether the result includes a picture.
    pub(super) shows: bool,
}

/// The reason why a call cannot be made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HostCallError {
    #[error("there is no tool {name}; call one of {known}")]
    Unknown { name: String, known: String },
    #[error("picture must be true or false; with false, the result has no picture")]
    Picture,
}

impl Tool {
    /// Parses a function that a request offers. `None` if it is not for hosts.
    pub(super) fn read(offered: &Value) -> Option<Tool> {
        let function = offered.get("function")?;
        let name = function["name"].as_str()?;
        (!NOT_FOR_HOSTS.contains(&name)).then(|| Tool {
            name: name.to_owned(),
            description: function["description"].as_str().map(str::to_owned),
            parameters: function["parameters"].as_object().cloned().unwrap_or_default(),
        })
    }

    /// Returns the tool in the form that MCP uses.
    pub(super) fn described(&self) -> rmcp::model::Tool {
        let mut schema = self.parameters.clone();
        schema.entry("type").or_insert_with(|| json!("object"));
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            let picture = json!({"type": "boolean", "description": "false: answer without a picture"});
            properties.insert(PICTURE.to_owned(), picture);
        }
        let description = self.description.clone().unwrap_or_else(|| self.name.replace('_', " "));
        let is_read_only = READ_ONLY.contains(&self.name.as_str());
        rmcp::model::Tool::new(self.name.clone(), description, Arc::new(schema))
            .with_annotations(ToolAnnotations::new().read_only(is_read_only).open_world(false))
    }
}

impl Call {
    /// Parses a call by the host.
    pub(super) fn read(name: &str, arguments: Option<JsonObject>, tools: &[Tool]) -> Result<Call, HostCallError> {
        if !tools.iter().any(|tool| tool.name == name) {
            let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            return Err(HostCallError::Unknown {
                name: name.chars().take(100).collect(),
                known: known.join(", "),
            });
        }
        let mut arguments = arguments.unwrap_or_default();
        let shows = match arguments.remove(PICTURE) {
            None | Some(Value::Null | Value::Bool(true)) => true,
            Some(Value::Bool(false)) => false,
            Some(_) => return Err(HostCallError::Picture),
        };
        Ok(Call {
            name: name.to_owned(),
            arguments,
            shows,
        })
    }

    /// Returns the body of a response in which a model makes this call, as the answer to the request with this number.
    pub(super) fn reply(&self, number: u64) -> Vec<u8> {
        let arguments = Value::Object(self.arguments.clone()).to_string();
        let call = json!({
            "id": format!("call_{number}"),
            "type": "function",
            "function": {"name": self.name, "arguments": arguments},
        });
        let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
        let reply = json!({
            "id": format!("chatcmpl-{number}"),
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        });
        reply.to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str) -> Value {
        let parameters = json!({"type": "object", "properties": {"box": {"type": "array"}}, "required": ["box"]});
        json!({"type": "function", "function": {"name": name, "parameters": parameters}})
    }

    fn object(value: Value) -> JsonObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn every_tool_can_leave_out_the_picture() {
        let tool = Tool::read(&function("click_element")).unwrap().described();
        let schema = Value::Object((*tool.input_schema).clone());
        assert_eq!(schema["properties"]["picture"]["type"], "boolean");
        assert_eq!(schema["properties"]["box"]["type"], "array");
        assert_eq!(schema["required"], json!(["box"]));
        assert_eq!(tool.annotations.unwrap().read_only_hint, Some(false));
        assert_eq!(tool.description.unwrap(), "click element");

        let bare = Tool::read(&json!({"function": {"name": "zoom"}})).unwrap().described();
        assert_eq!(bare.input_schema["type"], "object");
        assert_eq!(bare.annotations.unwrap().read_only_hint, Some(true));
    }

    #[test]
    fn hosts_get_no_tool_that_ends_the_run() {
        for name in NOT_FOR_HOSTS {
            assert_eq!(Tool::read(&function(name)), None);
        }
        for broken in [
            json!(1),
            json!({}),
            json!({"function": {}}),
            json!({"function": {"name": 1}}),
        ] {
            assert_eq!(Tool::read(&broken), None);
        }
    }

    #[test]
    fn a_call_keeps_its_arguments_but_for_the_picture() {
        let tools = [Tool::read(&function("click_element")).unwrap()];
        let arguments = object(json!({"box": [1, 2], "picture": false}));
        let call = Call::read("click_element", Some(arguments), &tools).unwrap();
        assert!(!call.shows);
        let reply: Value = serde_json::from_slice(&call.reply(7)).unwrap();
        let made = &reply["choices"][0]["message"]["tool_calls"][0];
        assert_eq!(made["function"]["name"], "click_element");
        assert_eq!(made["function"]["arguments"], "{\"box\":[1,2]}");

        assert!(Call::read("click_element", None, &tools).unwrap().shows);
        let odd = object(json!({"picture": "no"}));
        assert_eq!(
            Call::read("click_element", Some(odd), &tools),
            Err(HostCallError::Picture)
        );
        let unknown = Call::read("finish", None, &tools).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "there is no tool finish; call one of click_element"
        );
    }
}
