//! `openai`: the actions of `OpenAI`'s computer tool. Read only.
//!
//! Sources: openai/openai-python@1806456f7bbd `types/responses/computer_action.py`, openai/openai-cua-sample-app@eb2d58ba77ff.

use crate::dialect::{Dialect, Notation, Row, has};
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};

pub(super) static DIALECT: Dialect = Dialect {
    name: "openai",
    fixed: None,
    notations: &[Notation::Objects, Notation::Tags],
    tools: &["computer", "computer_use_preview"],
    verb_keys: &["type", "action"],
    batches: &["actions", "action"],
    qualifiers: &[],
    rows: &ROWS,
    boxes: false,
    signs,
    wording: None,
};

static ROWS: [Row; 9] = [
    Row {
        names: &["click"],
        means: Means::Click(Click::Left),
    },
    Row {
        names: &["double_click"],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["move"],
        means: Means::Move,
    },
    Row {
        names: &["drag"],
        means: Means::Drag,
    },
    Row {
        names: &["scroll"],
        means: Means::Scroll(Wheel::Pixels),
    },
    Row {
        names: &["keypress"],
        means: Means::Chord,
    },
    Row {
        names: &["type"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["wait"],
        means: Means::Wait(20),
    },
    Row {
        names: &["screenshot"],
        means: Means::Look,
    },
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
