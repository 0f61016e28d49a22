//! `claude`: Anthropic's `computer` tool. Read only.
//!
//! Source: anthropics/claude-quickstarts@370e18d4a20f `computer-use-demo/computer_use_demo/tools/computer.py`.

use crate::dialect::{Dialect, Notation, Row, has, row};
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};

pub(super) static DIALECT: Dialect = Dialect {
    name: "claude",
    notations: &[Notation::Objects, Notation::Tags],
    tools: &["computer"],
    verb_keys: &["action"],
    batches: &["actions"],
    rows: &ROWS,
    boxes: false,
    clicks_at_pointer: true,
    signs,
    ..Dialect::PLAIN
};

static ROWS: [Row; 19] = [
    row(&["left_click"], Means::Click(ClickKind::Left)),
    row(&["right_click"], Means::Click(ClickKind::Right)),
    row(&["middle_click"], Means::Click(ClickKind::Middle)),
    row(&["double_click"], Means::Click(ClickKind::Double)),
    row(&["triple_click"], Means::Click(ClickKind::Triple)),
    row(&["mouse_move", "hover"], Means::Move),
    row(&["left_click_drag"], Means::Drag),
    row(&["scroll"], Means::Scroll(Wheel::Notches(5))),
    row(&["type"], Means::Type(Enter::OrHabit)),
    row(&["key"], Means::Chord),
    row(&["wait"], Means::Wait(10)),
    row(&["screenshot"], Means::Look),
    row(&["left_mouse_down"], Means::Down),
    row(&["left_mouse_up"], Means::Up),
    row(&["hold_key"], Means::Hold),
    row(
        &["zoom", "cursor_position"],
        Means::Told("there is only the picture of the whole screen; look at it"),
    ),
    row(
        &["scroll_to"],
        Means::Told("elements have no numbers here; use scroll with a place and a direction"),
    ),
    row(
        &["read_clipboard"],
        Means::Told("the clipboard cannot be read this way"),
    ),
    row(
        &["write_clipboard"],
        Means::Told("the clipboard cannot be written this way"),
    ),
];

fn signs(call: &RawCall) -> bool {
    let tool_use = call.args.get(&["type"]).and_then(serde_json::Value::as_str) == Some("tool_use");
    let named = call.wrap == Wrap::Object && ROWS.iter().any(|row| row.names.contains(&&*call.name));
    let keys = ["scroll_direction", "scroll_amount", "region"];
    let verb = call.args.get(&["action"]).and_then(serde_json::Value::as_str);
    let own = verb.is_some_and(|verb| {
        matches!(
            verb,
            "hold_key" | "zoom" | "left_mouse_down" | "left_mouse_up" | "cursor_position"
        )
    });
    tool_use
        || named && has(&call.args, "coordinate")
        || call.wrap == Wrap::Object && (own || keys.iter().any(|key| has(&call.args, key)))
}
