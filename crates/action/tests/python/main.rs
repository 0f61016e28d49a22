//! The python protocol from outside: what blocks do, what they are told, and that nothing they do breaks anything.

mod charges;
mod feedback;
mod limits;
mod recorded;
mod soup;

use franz_action::{Limits, Plan, Protocol, Python, Reply, Scene, ToolSet};

/// The protocol with every tool.
fn protocol(limits: Limits) -> Python {
    Python {
        tools: ToolSet::all(),
        strict: false,
        limits,
    }
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

/// What a block did: its actions, and what is told when all of them were performed. However busy the machine is, no case
/// meets the limit of time before the limit it is about.
fn run(source: &str) -> (Vec<String>, String) {
    let limits = Limits {
        seconds: 60.0,
        ..Limits::default()
    };
    run_within(limits, source)
}

fn run_within(limits: Limits, source: &str) -> (Vec<String>, String) {
    let protocol = protocol(limits);
    let plan = protocol.read(&Reply::of(&reply(source)));
    let told = told(&plan);
    (plan.actions().map(ToString::to_string).collect(), told)
}
