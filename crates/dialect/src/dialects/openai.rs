//! `openai`: the actions of `OpenAI`'s computer tool. Read only.
//!
//! Sources: openai/openai-python@1806456f7bbd `types/responses/computer_action.py`,
//! openai/openai-cua-sample-app@eb2d58ba77ff.

use crate::dialect::{Dialect, Notation, Row, has, row};
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};

pub(super) static DIALECT: Dialect = Dialect {
    name: "openai",
    notations: &[Notation::Objects, Notation::Tags],
    tools: &["computer", "computer_use_preview"],
    verb_keys: &["type", "action"],
    batches: &["actions", "action"],
    rows: &ROWS,
    boxes: false,
    signs,
    ..Dialect::PLAIN
};

static ROWS: [Row; 9] = [
    row(&["click"], Means::Click(ClickKind::Left)),
    row(&["double_click"], Means::Click(ClickKind::Double)),
    row(&["move"], Means::Move),
    row(&["drag"], Means::Drag),
    row(&["scroll"], Means::Scroll(Wheel::Pixels)),
    row(&["keypress"], Means::Chord),
    row(&["type"], Means::Type(Enter::OrHabit)),
    row(&["wait"], Means::Wait(20)),
    row(&["screenshot"], Means::Look),
];

fn signs(call: &RawCall) -> bool {
    let kind = call
        .args
        .get(&["type"])
        .and_then(serde_json::Value::as_str)
        .unwrap_or_default();
    let keys = ["scroll_x", "scroll_y", "path"].iter().any(|key| has(&call.args, key));
    let verb = ROWS.iter().any(|row| row.names.contains(&kind));
    call.wrap == Wrap::Object
        && call.name.is_empty()
        && (kind == "computer_call" || verb && (keys || has(&call.args, "button")))
}
