//! The tools protocol from outside: which calls are found, what is wrong with them, and what models are told.

mod faults;
mod feedback;
mod reported;
mod soup;
mod text;

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Plan, Protocol, ReplyText, Scene, ToolsProtocol};
use serde_json::{Value, json};

/// The protocol with every tool.
fn protocol() -> ToolsProtocol {
    ToolsProtocol::from(ReadingSettings::new(ToolSet::all()))
}

/// The plan of a reply for which the server reports these calls.
fn reported(tool_calls: &str) -> Plan {
    protocol().read(&ReplyText {
        tool_calls: Some(tool_calls),
        ..ReplyText::default()
    })
}

/// The plan of a reply that is text alone.
fn written(text: &str) -> Plan {
    protocol().read(&ReplyText::of(text))
}

/// An array of one call with these arguments, in a string, as most servers report it.
fn call(name: &str, arguments: &str) -> String {
    json!([{"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}]).to_string()
}

/// The canonical text of what is to be performed.
fn performed(plan: &Plan) -> Vec<String> {
    plan.actions().map(ToString::to_string).collect()
}

/// The results when every action is done.
fn results(plan: &Plan) -> Vec<Value> {
    let scene = Scene {
        picture: "turn_0001.png",
        screen: (1920, 1080),
    };
    let feedback = plan.feedback(&plan.all_done(), &scene);
    let results = feedback.lines().map(serde_json::from_str);
    results.collect::<Result<_, _>>().unwrap_or_default()
}

/// The types of the errors among the results, `ok` where there is none.
fn kinds(plan: &Plan) -> Vec<String> {
    let kind = |result: &Value| match result["error"]["type"].as_str() {
        Some(kind) => kind.to_owned(),
        None => "ok".to_owned(),
    };
    results(plan).iter().map(kind).collect()
}
