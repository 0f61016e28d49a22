//! Checks that replies in the documents are read by the protocol they are written in, and answered as the documents
//! say.

use franz_action::ToolSet;
use franz_dialect::protocols::KINDS;
use franz_dialect::{ReplyText, Scene, protocol};

/// Returns the feedback on a reply if every possible action is performed.
pub(crate) fn feedback(protocol: &str, reply: &str) -> Result<String, String> {
    let kind = KINDS.iter().find(|kind| kind.name == protocol);
    let kind = kind.ok_or_else(|| format!("there is no protocol {protocol}"))?;
    let switched_on = if kind.has_calls { SWITCHED_ON.len() } else { DEFAULT };
    let tools = ToolSet::of(SWITCHED_ON.into_iter().take(switched_on));
    let protocol = (kind.new)(protocol::ReadingSettings::new(tools));
    let plan = protocol.read(&ReplyText::of(reply.trim_end()));
    let scene = Scene {
        picture: "turn_0002.png",
        screen: (1920, 1080),
    };
    let told = plan.feedback(&plan.all_done(), &scene);
    let notices: Vec<String> = plan.notices.iter().map(|notice| format!("NOTICE: {notice}")).collect();
    Ok(match notices.as_slice() {
        [] => told,
        notices => format!("{told}\n\n{}", notices.join("\n")),
    })
}

/// The tools that are on if functions are called. Otherwise, only the first few are on.
const SWITCHED_ON: [&str; 11] = [
    "left_click",
    "right_click",
    "drag",
    "type",
    "screenshot",
    "double_left_click",
    "move",
    "scroll",
    "press",
    "wait",
    "observe",
];

/// The number of tools that are on by default.
const DEFAULT: usize = 5;
