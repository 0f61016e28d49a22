//! Tests the tools protocol with an agent that stores a conversation.

use super::*;
use crate::agent::TestAgent;

/// The number of strokes, plus a click for the word, the mistake, the answer, and a few to spare.
const MOST_TURNS: usize = 110;

/// One exchange: the reply, its result, and the picture after it.
type Exchange = [Value; 3];

/// A test agent that offers functions and stores a few exchanges.
struct Session {
    agent: TestAgent,
    tools: Value,
    first: Value,
    past: Vec<Exchange>,
    /// The number of exchanges to send again.
    keep: usize,
}

fn function(name: &str, parameters: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        parameters.iter().map(|name| (name.to_string(), json!({}))).collect();
    let parameters = json!({ "type": "object", "properties": properties, "required": parameters });
    json!({ "type": "function", "function": { "name": name, "parameters": parameters } })
}

fn usual_tools() -> Value {
    json!([
        function("observe_screen", &[]),
        function("click_element", &["label", "box"]),
        function("type_text", &["text"]),
        function("drag", &["x1", "y1", "x2", "y2"]),
    ])
}

fn failure(kind: &str, message: &str) -> Value {
    json!({ "ok": false, "error": { "type": kind, "message": message } })
}

impl Session {
    fn new() -> Session {
        let agent = TestAgent::new((512, 288));
        Session {
            first: json!({ "role": "user", "content": [{ "type": "text", "text": "Draw a cat." }, agent.picture()] }),
            agent,
            tools: usual_tools(),
            past: Vec::new(),
            keep: 3,
        }
    }

    /// Asks the model and performs its call; returns the choice and the call's result.
    fn turn(&mut self) -> (Value, Option<Value>) {
        let mut messages = vec![
            json!({ "role": "system", "content": "You operate a computer." }),
            self.first.clone(),
        ];
        let start = self.past.len().saturating_sub(self.keep);
        messages.extend(self.past[start..].iter().flatten().cloned());
        let request = json!({ "max_tokens": 2048, "messages": messages, "tools": self.tools, "tool_choice": "auto" });
        let choice = self.agent.ask(&request);
        let message = &choice["message"];
        let Some(call) = message["tool_calls"].get(0) else {
            return (choice, None);
        };
        assert_eq!(
            (&choice["finish_reason"], &call["type"]),
            (&json!("tool_calls"), &json!("function"))
        );
        assert_eq!(message["tool_calls"].as_array().unwrap().len(), 1);
        assert!(call["id"].as_str().unwrap().starts_with("call_"));
        let result = self.perform(&call["function"]);
        let shown = json!({ "role": "user", "content": [{ "type": "text", "text": "" }, self.agent.picture()] });
        let answered = json!({ "role": "tool", "tool_call_id": call["id"], "content": result.to_string() });
        self.past.push([message.clone(), answered, shown]);
        (choice, Some(result))
    }

    fn perform(&mut self, function: &Value) -> Value {
        let arguments: Value = serde_json::from_str(function["arguments"].as_str().unwrap()).unwrap();
        let number = |name: &str| arguments[name].as_i64();
        let point = |x: Option<i64>, y: Option<i64>| Some(Point::clamped(x?, y?));
        let action = match function["name"].as_str().unwrap() {
            "drag" => point(number("x1"), number("y1"))
                .zip(point(number("x2"), number("y2")))
                .map(|(from, to)| Action::drag(from, to)),
            "click_element" => {
                assert!(arguments["label"].is_string());
                point(arguments["box"][0].as_i64(), arguments["box"][1].as_i64()).map(Action::left_click)
            }
            "left_click" => point(number("x"), number("y")).map(Action::left_click),
            "type_text" => arguments["text"].as_str().map(|text| Action::typing(text.to_owned())),
            "observe_screen" => return json!({ "ok": true, "file": "turn_0001.png" }),
            name => panic!("{name} is not offered"),
        };
        match action {
            None => failure("invalid_args", "missing argument 'y2'"),
            Some(action) if self.agent.sandbox.perform(&action) => json!({ "ok": true }),
            Some(_) => failure("not_applied", "type_text needs a click first"),
        }
    }

    /// Performs turns until the final answer; returns the numbers of the turns with a mistake, and the answer.
    fn draw(&mut self) -> (Vec<usize>, String) {
        let mut mistakes = Vec::new();
        for turn in 1..MOST_TURNS {
            match self.turn() {
                (_, Some(result)) if result["ok"] == true => {}
                (_, Some(result)) => {
                    assert_eq!(result["error"]["type"], "invalid_args");
                    mistakes.push(turn);
                }
                (choice, None) => {
                    assert_eq!(choice["finish_reason"], "stop");
                    return (mistakes, choice["message"]["content"].as_str().unwrap().to_owned());
                }
            }
        }
        panic!("no answer after {MOST_TURNS} turns");
    }
}

#[test]
fn the_whole_cat_is_drawn_with_one_mistake() {
    let mut session = Session::new();
    session.agent.size = (1536, 864);
    let (mistakes, answer) = session.draw();
    assert_eq!(mistakes, [3]);
    assert_eq!(answer, "The cat is complete.");
    assert!(session.agent.shows_the_cat());
    let corrected = session.past[3][0]["content"].as_str().unwrap();
    assert!(corrected.contains(&Rule::FourNumbers.to_string()), "{corrected}");
    let ids: std::collections::BTreeSet<String> = session
        .past
        .iter()
        .map(|past| past[1]["tool_call_id"].to_string())
        .collect();
    assert_eq!(ids.len(), session.past.len());
}

#[test]
fn learned_rules_survive_after_their_exchange_is_dropped() {
    let mut session = Session::new();
    session.keep = 1;
    for _ in 0..8 {
        session.turn();
    }
    session.agent.sandbox.fill([0; 3]);
    session.turn();
    assert_eq!(session.draw(), (Vec::new(), "The cat is complete.".to_owned()));
}

#[test]
fn calls_use_the_offered_function_names() {
    let mut session = Session::new();
    session.tools = json!([
        function("left_click", &["x", "y"]),
        function("type_text", &[]),
        function("drag", &["x1", "y1", "x2", "y2"]),
    ]);
    assert_eq!(session.draw().1, "The cat is complete.");
    assert!(session.agent.shows_the_cat());
}

#[test]
fn missing_tools_are_avoided_and_mentioned() {
    for (missing, calls) in [("type_text", true), ("click_element", true), ("", false)] {
        let mut session = Session::new();
        let tools = session.tools.as_array_mut().unwrap();
        tools.retain(|tool| calls && tool["function"]["name"] != missing);
        tools.push(json!("nonsense"));
        let (_, answer) = session.draw();
        assert!(
            answer.contains("I drew what I could.") && answer.contains("() is not available here."),
            "{answer}"
        );
        assert_eq!(!session.past.is_empty(), calls);
    }
}

#[test]
fn a_screen_without_the_canvas_is_left_alone() {
    let mut session = Session::new();
    session.agent.sandbox.fill([236; 3]);
    session.first = json!({ "role": "user", "content": [session.agent.picture()] });
    let (choice, result) = session.turn();
    let content = choice["message"]["content"].as_str().unwrap();
    assert!(result.is_none() && content.contains("not my black canvas"), "{content}");
}

#[test]
fn without_a_picture_it_looks_once_more() {
    let mut session = Session::new();
    session.first = json!({ "role": "user", "content": "Draw a cat." });
    let (choice, _) = session.turn();
    assert_eq!(choice["message"]["tool_calls"][0]["function"]["name"], "observe_screen");
    session.past[0][2] = json!({ "role": "user", "content": [{ "type": "text", "text": "(no picture)" }] });
    let (choice, result) = session.turn();
    assert!(result.is_none() && choice["finish_reason"] == "stop", "{choice}");
}

#[test]
fn results_are_understood() {
    let failed = |words: &str| Feedback::Failed(words.to_owned());
    let cases = [
        ("drag", String::new(), Feedback::Nothing),
        ("drag", "nonsense".to_owned(), Feedback::Nothing),
        ("drag", "[1]".to_owned(), Feedback::Nothing),
        ("drag", json!({ "ok": true, "error": 3 }).to_string(), Feedback::Fine),
        (
            "drag",
            failure("invalid_args", "y2 is missing").to_string(),
            Feedback::TooFewNumbers,
        ),
        (
            "click_element",
            failure("invalid_box", "box is odd").to_string(),
            failed("box is odd"),
        ),
        (
            "type_text",
            failure("not_applied", "click first").to_string(),
            Feedback::NoEffect,
        ),
        (
            "type_text",
            failure("unknown_tool", "no").to_string(),
            Feedback::NoTool("type"),
        ),
        (
            "paint",
            failure("unknown_tool", "no paint").to_string(),
            failed("no paint"),
        ),
        ("drag", json!({ "ok": false }).to_string(), failed("no reason given")),
    ];
    for (name, result, heard) in cases {
        let called = LastCall {
            name: name.to_owned(),
            arguments: Value::Null,
            result: result.clone(),
        };
        assert_eq!(hear(Some(&called)), heard, "{name}: {result}");
    }
    assert_eq!(hear(None), Feedback::Nothing);
}

#[test]
fn only_a_successful_click_is_remembered() {
    let at = Some(Point::clamped(3, 4));
    let cases = [
        ("click_element", json!({ "label": "a", "box": [3, 4] }), true, at),
        ("left_click", json!({ "x": 3, "y": 4 }), true, at),
        ("click_element", json!({ "label": "a", "box": [3, 4] }), false, None),
        ("click_element", json!({ "box": "here" }), true, None),
        ("click_element", Value::Null, true, None),
        ("drag", json!({ "x": 3, "y": 4 }), true, None),
    ];
    for (name, arguments, ok, clicked) in cases {
        let called = LastCall {
            name: name.to_owned(),
            result: json!({ "ok": ok }).to_string(),
            arguments: arguments.clone(),
        };
        assert_eq!(hand(Some(&called)), Hand::one(clicked), "{name} {arguments}");
    }
}
