//! `claude`: the `computer` tool of Anthropic. Read only.
//!
//! Source: anthropics/claude-quickstarts@370e18d4a20f `computer-use-demo/computer_use_demo/tools/computer.py`.

use crate::dialect::{Dialect, Notation, Row, has};
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};

pub(super) static DIALECT: Dialect = Dialect {
    name: "claude",
    fixed: None,
    notations: &[Notation::Objects, Notation::Tags],
    tools: &["computer"],
    verb_keys: &["action"],
    batches: &["actions"],
    qualifiers: &[],
    rows: &ROWS,
    boxes: false,
    signs,
    wording: None,
};

static ROWS: [Row; 16] = [
    Row {
        names: &["left_click"],
        means: Means::Click(Click::Left),
    },
    Row {
        names: &["right_click"],
        means: Means::Click(Click::Right),
    },
    Row {
        names: &["middle_click"],
        means: Means::Click(Click::Middle),
    },
    Row {
        names: &["double_click"],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["triple_click"],
        means: Means::Click(Click::Triple),
    },
    Row {
        names: &["mouse_move"],
        means: Means::Move,
    },
    Row {
        names: &["left_click_drag"],
        means: Means::Drag,
    },
    Row {
        names: &["scroll"],
        means: Means::Scroll(Wheel::Notches(5)),
    },
    Row {
        names: &["type"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["key"],
        means: Means::Chord,
    },
    Row {
        names: &["wait"],
        means: Means::Wait(10),
    },
    Row {
        names: &["screenshot"],
        means: Means::Look,
    },
    Row {
        names: &["left_mouse_down", "left_mouse_up", "hold_key"],
        means: Means::Told("keys and buttons cannot be held; press the chord, or drag, in one call"),
    },
    Row {
        names: &["zoom", "cursor_position"],
        means: Means::Told("the picture of the whole screen is all there is; look at it"),
    },
    Row {
        names: &["read_clipboard"],
        means: Means::Told("the clipboard is not read this way"),
    },
    Row {
        names: &["write_clipboard"],
        means: Means::Told("the clipboard is not written this way"),
    },
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
