//! The python protocol from outside: what replies ask for, and what is told of them to the letter.

mod feedback;
mod limits;
#[path = "../../../python/tests/python/recorded.rs"]
mod recorded;

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Limits, Plan, Protocol, PythonProtocol, ReplyText, Scene};

/// The protocol with every tool.
fn protocol(limits: Limits) -> PythonProtocol {
    PythonProtocol::from(ReadingSettings {
        limits,
        ..ReadingSettings::new(ToolSet::all())
    })
}

/// A reply with this block; the fence is longer than any in a block.
fn reply(source: &str) -> String {
    format!("~~~~~~ python\n{source}\n~~~~~~\n")
}

/// The feedback, without the list of tools, when everything was performed.
fn told(plan: &Plan) -> String {
    let feedback = plan.feedback(&plan.all_done(), &Scene::default());
    feedback
        .split("\n\nAvailable tools:")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// What a block asked for, and what is told when all of it was performed. No case meets the limit of time.
fn run(source: &str) -> (Vec<String>, String) {
    let limits = Limits {
        seconds: 60.0,
        ..Limits::default()
    };
    let recorded = ToolSet::of(["left_click", "right_click", "drag", "type", "observe"]);
    let protocol = PythonProtocol {
        tools: recorded,
        ..protocol(limits)
    };
    let plan = protocol.read(&ReplyText::of(&reply(source)));
    (plan.actions().map(ToString::to_string).collect(), told(&plan))
}
