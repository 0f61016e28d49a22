//! Implements the tools protocol: reads the results of calls, and writes a thought as a sentence and one function call.

use std::fmt::Display;

use franz_action::{Action, Point};
use serde_json::{Value, json};

use crate::aim::Aim;
use crate::artist::{Hand, NextStep, Sight, Thought};
use crate::feedback::{Feedback, quote};
use crate::request::ChatRequest;
use crate::rules::{Rule, Rules};
use crate::speech::{Speech, SpokenCall};
use crate::tool_call::LastCall;
use crate::tool_spec::ToolSpec;
use crate::words;

const DRAG: [&str; 1] = ["drag"];
const CLICK: [&str; 3] = ["click_element", "left_click", "click"];
const TYPE: [&str; 2] = ["type_text", "type"];
const FINISH: [&str; 1] = ["finish"];
const LOOK: [&str; 2] = ["observe_screen", "observe"];

/// Reads the last call's result.
pub(crate) fn hear(called: Option<&LastCall>) -> Feedback {
    let Some(called) = called else { return Feedback::Nothing };
    let result: Value = serde_json::from_str(&called.result).unwrap_or_default();
    let (error, name) = (&result["error"], called.name.as_str());
    let message = error["message"].as_str().unwrap_or("no reason given");
    match (result["ok"].as_bool(), error["type"].as_str().unwrap_or_default()) {
        (None, _) => Feedback::Nothing,
        (Some(true), _) => Feedback::Fine,
        (_, kind) if DRAG.contains(&name) && lacks_an_argument(kind) => Feedback::TooFewNumbers,
        (_, "not_applied") if TYPE.contains(&name) => Feedback::NoEffect,
        (_, "unknown_tool") => tool(name).map_or_else(|| Feedback::Failed(quote(message)), Feedback::NoTool),
        _ => Feedback::Failed(quote(message)),
    }
}

/// Returns whether an error means that an argument is missing. All numbers that the model writes are valid, so a
/// refused drag must lack one.
fn lacks_an_argument(kind: &str) -> bool {
    kind == "invalid_args" || kind.starts_with("missing_")
}

/// Returns the drawing tool that a function corresponds to.
fn tool(function: &str) -> Option<&'static str> {
    let tools = [("drag", &DRAG[..]), ("left_click", &CLICK), ("type", &TYPE)];
    let mut known = tools.into_iter().filter(|(_, names)| names.contains(&function));
    known.next().map(|(tool, _)| tool)
}

/// Returns the rules remembered from the model's own sentences, plus a rule for each tool missing from the offers.
pub(crate) fn rules(story: &str, offers: &[ToolSpec]) -> Rules {
    let mut rules = Rules::mentioned(story);
    for tool in ["drag", "left_click", "type"] {
        let is_offered = |offer: &ToolSpec| self::tool(&offer.name) == Some(tool);
        if !offers.iter().any(is_offered) {
            rules.learn(Rule::NoTool(tool));
        }
    }
    rules
}

/// Returns how much the model can do now. The position of a successful click is known from its arguments.
pub(crate) fn hand(called: Option<&LastCall>) -> Hand {
    let well = called.filter(|called| hear(Some(called)) == Feedback::Fine);
    let place = well.and_then(clicked).map(|[x, y]| Point::nearest(x, y));
    Hand::one(place)
}

/// Returns the two numbers of a call that clicks.
pub(crate) fn clicked(called: &LastCall) -> Option<[f64; 2]> {
    let (arguments, corner) = (&called.arguments, &called.arguments["box"]);
    let number = |name: &str, index: usize| arguments[name].as_f64().or_else(|| corner[index].as_f64());
    let clicks = CLICK.contains(&called.name.as_str());
    clicks.then(|| Some([number("x", 0)?, number("y", 1)?])).flatten()
}

/// Returns the reply: a call, or the end of the task if there is nothing left to do.
pub(crate) fn reply(thought: &Thought, request: &ChatRequest, aim: &Aim) -> Speech {
    let (offers, called) = (request.offers.as_deref().unwrap_or_default(), request.called.as_ref());
    let spoken = speak(thought, offers, called, aim);
    if request.lists_offers { spoken.in_text() } else { spoken }
}

fn speak(thought: &Thought, offers: &[ToolSpec], called: Option<&LastCall>, aim: &Aim) -> Speech {
    let call = match (thought.actions.first(), &thought.sight) {
        (Some(action), _) => call(thought, action, offers, aim),
        // If there was no picture, looking a second time might help, but a third look would not.
        (None, Sight::Nothing(_)) if !called.is_some_and(|called| LOOK.contains(&called.name.as_str())) => {
            ToolSpec::find(offers, &LOOK).map(|look| SpokenCall {
                name: look.name.clone(),
                arguments: "{}".to_owned(),
            })
        }
        (None, _) => None,
    };
    let content = match (&call, &thought.step) {
        (None, NextStep::Rest) if words::is_complete(&thought.sight) => "The cat is complete.".to_owned(),
        (None, NextStep::Rest) => told(thought, "I drew what I could.".to_owned()),
        (None, _) => told(thought, format!("{} I leave it alone.", words::seen(thought))),
        (Some(_), NextStep::Wait) => words::seen(thought),
        (Some(_), _) => told(thought, words::plan(thought)),
    };
    match call {
        Some(call) => Speech {
            content,
            call: Some(call),
        },
        None => finish(thought, content, offers),
    }
}

/// Ends the task with this answer, using a call if there is a function for it.
fn finish(thought: &Thought, answer: String, offers: &[ToolSpec]) -> Speech {
    let Some(finish) = ToolSpec::find(offers, &FINISH) else {
        return Speech {
            content: answer,
            call: None,
        };
    };
    let arguments = [
        ("answer", json!(answer)),
        ("success", json!(words::is_complete(&thought.sight))),
    ];
    Speech {
        content: words::seen(thought),
        call: Some(SpokenCall {
            name: finish.name.clone(),
            arguments: object(&arguments),
        }),
    }
}

/// Appends the learned rules to the sentences, which is how the model remembers them.
fn told(thought: &Thought, sentences: String) -> String {
    thought.rules.learned().fold(sentences, |told, rule| told + " " + rule)
}

/// Expresses an action as a call of an offered function; the mistake omits the last argument.
fn call(thought: &Thought, action: &Action, offers: &[ToolSpec], aim: &Aim) -> Option<SpokenCall> {
    let label = thought.step.parts().first().map_or("cat", |part| part.name);
    let numbers = |at: Point| aim.numbers(at).map(|number| json_number(aim, number));
    let (names, arguments): (&[&str], Vec<(&str, Value)>) = match action {
        Action::Drag(path) => {
            let (from, to) = (numbers(path.from()), numbers(path.to()));
            let places = [("from", json!(from)), ("to", json!(to))];
            let names = ["x1", "y1", "x2", "y2"];
            let numbers = names.into_iter().zip(from.into_iter().chain(to));
            (&DRAG, places.into_iter().chain(numbers).collect())
        }
        Action::Click(click) => {
            let [x, y] = numbers(click.at);
            let place = json!([x, y]);
            (
                &CLICK,
                vec![("label", json!(label)), ("box", place), ("x", x), ("y", y)],
            )
        }
        Action::Type(typing) => (&TYPE, vec![("text", json!(typing.text))]),
        _ => return None,
    };
    let offer = ToolSpec::find(offers, names)?;
    let mut arguments: Vec<(&str, Value)> = arguments.into_iter().filter(|(name, _)| takes(offer, name)).collect();
    if matches!(thought.step, NextStep::DrawWrongly(_)) {
        arguments.pop();
    }
    Some(SpokenCall {
        name: offer.name.clone(),
        arguments: object(&arguments),
    })
}

/// Returns a number, without decimals if it is whole.
fn json_number(aim: &Aim, number: f64) -> Value {
    aim.written(number).parse().unwrap_or_default()
}

/// Returns whether a function has a parameter. A function that lists no parameters is assumed to have the usual ones.
fn takes(offer: &ToolSpec, name: &str) -> bool {
    if offer.parameters.is_empty() {
        return !["x", "y", "from", "to"].contains(&name);
    }
    offer.parameters.iter().any(|parameter| parameter == name)
}

/// Returns an object as JSON text, with its keys in the order given.
fn object(arguments: &[(&str, impl Display)]) -> String {
    let pairs: Vec<String> = arguments
        .iter()
        .map(|(name, value)| format!("{}:{value}", json!(name)))
        .collect();
    format!("{{{}}}", pairs.join(","))
}

#[cfg(test)]
mod tests;
