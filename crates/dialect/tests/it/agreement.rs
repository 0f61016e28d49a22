//! A prompt, a schema, a grammar and what is performed agree about each call, whatever tools are switched on.

use franz_action::tool::TOOLS;
use franz_action::{Action, ToolSet};
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{
    CallsIn, Family, Geometry, Grammar, Intent, OwnForm, Plan, Protocol, ReplyForm, ReplyText, ToolsProtocol, bind,
    protocols,
};
use proptest::prelude::*;

/// Calls with more than the plain parameters: each as an action, the parameter that the prompt lists for it, and the
/// same call as a function with that function's parameter.
const CALLS: [(&str, &str, &str, &str); 7] = [
    (
        "drag(points=[[100, 200], [300, 400], [500, 600]])",
        "points",
        "via",
        r#"{"name": "drag", "parameters": {"from": [100, 200], "to": [500, 600], "via": [[300, 400]]}}"#,
    ),
    (
        "left_click(100, 200, count=4)",
        "count",
        "count",
        r#"{"name": "click_element", "parameters": {"label": "a", "box": [100, 200], "count": 4}}"#,
    ),
    (
        "left_click(100, 200, modifiers=\"ctrl\")",
        "modifiers",
        "modifiers",
        r#"{"name": "click_element", "parameters": {"label": "a", "box": [100, 200], "modifiers": "ctrl"}}"#,
    ),
    (
        "type(\"a\", 100, 200)",
        "x",
        "box",
        r#"{"name": "type_text", "parameters": {"text": "a", "box": [100, 200]}}"#,
    ),
    (
        "type(\"a\", 100, 200, replace=True)",
        "replace",
        "replace",
        r#"{"name": "type_text", "parameters": {"text": "a", "box": [100, 200], "replace": true}}"#,
    ),
    (
        "press(\"a\", count=3)",
        "count",
        "count",
        r#"{"name": "press_key", "parameters": {"key": "a", "count": 3}}"#,
    ),
    (
        "hold(\"a\", 2.0)",
        "what",
        "what",
        r#"{"name": "hold", "parameters": {"what": "a", "seconds": 2}}"#,
    ),
];

fn geometry() -> Geometry {
    Family::franz().geometry(Some((1000, 1000)), Some((1000, 1000)))
}

fn grammar(form: OwnForm, calls: CallsIn<'_>, tools: &ToolSet) -> Grammar {
    let reply = ReplyForm {
        form,
        calls,
        most: 1,
        modes: false,
        tools,
        geometry: &geometry(),
    };
    reply.grammar().unwrap()
}

/// Returns whether a reply's only call is to be performed, as this action.
fn performs(plan: &Plan, action: &Action) -> bool {
    matches!(&plan.steps[..], [step] if step.intent == Intent::Perform(action.clone()))
}

/// Returns the parameters in a prompt's line, `name(a, b=None) -- ...`.
fn listed(line: &str) -> Vec<&str> {
    let inside = line.split_once('(').and_then(|(_, rest)| rest.split_once(") -- "));
    let params = inside.map_or("", |(params, _)| params).split(", ");
    params.map(|param| param.split('=').next().unwrap()).collect()
}

fn agree(tools: &ToolSet) {
    let settings = || ReadingSettings::new(tools.clone());
    let lines = protocols::kind("lines").unwrap();
    let prompt = bind::listed(tools, geometry().axes);
    let schema: serde_json::Value = serde_json::from_str(&ToolsProtocol::from(settings()).schema().unwrap()).unwrap();
    let own = grammar(OwnForm::Lines, CallsIn::Own, tools);
    let functions = grammar(OwnForm::Tools, CallsIn::Functions, tools);
    for (written, param, property, function) in CALLS {
        let action: Action = written.parse().unwrap();
        let name = action.tool().name;
        let is_offered = tools.offers(&action);
        let told = prompt
            .iter()
            .any(|line| line.starts_with(&format!("{name}(")) && listed(line).contains(&param));
        assert_eq!(
            told && tools.lacks(&action).is_none(),
            is_offered,
            "the prompt: {written}"
        );
        assert_eq!(own.has(&format!("{action}")), is_offered, "the grammar: {written}");

        let wanted = serde_json::from_str::<serde_json::Value>(function).unwrap();
        let entry = schema
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["function"]["name"] == wanted["name"]);
        let told = entry.is_some_and(|entry| entry["function"]["parameters"]["properties"].get(property).is_some());
        assert_eq!(
            told && tools.lacks(&action).is_none(),
            is_offered,
            "the functions: {written}"
        );
        assert_eq!(
            functions.has(function) && tools.lacks(&action).is_none(),
            is_offered,
            "the functions' grammar: {written}"
        );

        // Everything that is switched on is performed. The agent refuses the rest, if the protocol has not done so.
        let read = (lines.new)(settings()).read(&ReplyText::of(&action.to_string()));
        assert!(
            performs(&read, &action) || !tools.permits(&action),
            "{written}: {read:?}"
        );
        let called = ToolsProtocol::from(settings()).read(&ReplyText::of(function));
        assert!(
            performs(&called, &action) || !tools.permits(&action),
            "{function}: {called:?}"
        );
        assert!(!is_offered || tools.permits(&action), "{written}");
    }
}

fn without(name: &str) -> ToolSet {
    ToolSet::of(TOOLS.iter().map(|tool| tool.name).filter(|tool| *tool != name))
}

#[test]
fn a_path_is_offered_with_hold_in_every_place() {
    agree(&ToolSet::all());
    let path: Action = CALLS[0].0.parse().unwrap();
    for tool in &TOOLS {
        let tools = without(tool.name);
        agree(&tools);
        assert_eq!(
            tools.offers(&path),
            !matches!(tool.name, "drag" | "hold"),
            "{}",
            tool.name
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_set_of_tools_is_offered_as_it_is_performed(on in prop::collection::vec(any::<bool>(), TOOLS.len())) {
        let names = TOOLS.iter().zip(on).filter(|(_, on)| *on).map(|(tool, _)| tool.name);
        agree(&ToolSet::of(names));
    }
}
