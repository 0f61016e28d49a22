//! The protocols that read calls from text, tested from the outside: what models write, and that nothing they write
//! breaks anything.

mod dialects;
mod replies;

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{LinesProtocol, Plan, Protocol, ReplyText, Scene, SectionsProtocol};

/// Returns both protocols, with every tool.
fn protocols() -> [Box<dyn Protocol>; 2] {
    let tools = ToolSet::all();
    [
        Box::new(LinesProtocol::from(ReadingSettings::new(tools.clone()))),
        Box::new(SectionsProtocol::from(ReadingSettings::new(tools))),
    ]
}

/// Returns the actions of a reply in each protocol, as canonical text.
fn actions(text: &str) -> [Vec<String>; 2] {
    protocols().map(|protocol| {
        let plan = protocol.read(&ReplyText::of(text));
        plan.actions().map(ToString::to_string).collect()
    })
}

/// Returns the feedback if every action is performed.
fn feedback(plan: &Plan) -> String {
    plan.feedback(&plan.all_done(), &Scene::default())
}
