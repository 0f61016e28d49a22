//! The python protocol, tested from the outside: what replies ask for, and the exact feedback on them.

mod feedback;
mod limits;
#[path = "../../../python/tests/python/recorded.rs"]
mod recorded;

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Limits, Plan, Protocol, PythonProtocol, ReplyText, Scene};

/// Returns the protocol with every tool.
fn protocol(limits: Limits) -> PythonProtocol {
    PythonProtocol::from(ReadingSettings {
        limits,
        ..ReadingSettings::new(ToolSet::all())
    })
}

/// Returns a reply with this block. Its fence is longer than any fence in a block.
fn reply(source: &str) -> String {
    format!("~~~~~~ python\n{source}\n~~~~~~\n")
}

/// Returns the feedback, without the list of tools, if everything was performed.
fn told(plan: &Plan) -> String {
    let feedback = plan.feedback(&plan.all_done(), &Scene::default());
    feedback
        .split("\n\nAvailable tools:")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Returns what a block asked for, and the feedback if all of it was performed. No case reaches the time limit.
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
