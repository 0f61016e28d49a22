//! The tools protocol, tested from the outside: which calls are found, what is wrong with them, and what models are
//! told.

mod faults;
mod feedback;
mod reported;
mod soup;
mod text;

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Plan, Protocol, ReplyText, Scene, ToolsProtocol};
use serde_json::{Value, json};

/// Returns the protocol with every tool.
fn protocol() -> ToolsProtocol {
    ToolsProtocol::from(ReadingSettings::new(ToolSet::all()))
}

/// Returns the plan for a reply for which the server reports these calls.
fn reported(tool_calls: &str) -> Plan {
    protocol().read(&ReplyText {
        tool_calls: Some(tool_calls),
        ..ReplyText::default()
    })
}

/// Returns the plan for a reply that consists only of text.
fn written(text: &str) -> Plan {
    protocol().read(&ReplyText::of(text))
}

/// Returns an array with one call, whose arguments are in a string, as most servers report them.
fn call(name: &str, arguments: &str) -> String {
    json!([{"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}]).to_string()
}

/// Returns the actions to perform, as canonical text.
fn performed(plan: &Plan) -> Vec<String> {
    plan.actions().map(ToString::to_string).collect()
}

/// Returns the results if every action is performed.
fn results(plan: &Plan) -> Vec<Value> {
    let scene = Scene {
        picture: "turn_0001.png",
        screen: (1920, 1080),
    };
    let feedback = plan.feedback(&plan.all_done(), &scene);
    let results = feedback.lines().map(serde_json::from_str);
    results.collect::<Result<_, _>>().unwrap_or_default()
}

/// Returns the error type of each result, or `ok` if there is no error.
fn kinds(plan: &Plan) -> Vec<String> {
    let kind = |result: &Value| match result["error"]["type"].as_str() {
        Some(kind) => kind.to_owned(),
        None => "ok".to_owned(),
    };
    results(plan).iter().map(kind).collect()
}
