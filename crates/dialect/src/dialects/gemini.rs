//! `gemini`: the functions of Gemini's computer use. Read only.
//!
//! Source: google-gemini/computer-use-preview@c93bb2d88b3d `agent.py`.

use crate::dialect::{Dialect, Notation, Row, has};
use crate::geometry::Space;
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::RawCall;

pub(super) static DIALECT: Dialect = Dialect {
    name: "gemini",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Objects, Notation::Tags, Notation::Lines],
    tools: &[],
    verb_keys: &[],
    batches: &[],
    qualifiers: &[],
    rows: &ROWS,
    boxes: false,
    signs,
    wording: None,
};

static ROWS: [Row; 17] = [
    Row {
        names: &["click_at", "click"],
        means: Means::Click(Click::Left),
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
        names: &["middle_click"],
        means: Means::Click(Click::Middle),
    },
    Row {
        names: &["right_click"],
        means: Means::Click(Click::Right),
    },
    Row {
        names: &["hover_at", "move"],
        means: Means::Move,
    },
    Row {
        names: &["type"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["type_text_at"],
        means: Means::Told("typing clears nothing here; click the field, press ctrl+a, then type"),
    },
    Row {
        names: &["scroll_at", "scroll"],
        means: Means::Scroll(Wheel::Grid),
    },
    Row {
        names: &["scroll_document"],
        means: Means::Told("say where to scroll and how far, in notches of the wheel"),
    },
    Row {
        names: &["wait"],
        means: Means::Wait(10),
    },
    Row {
        names: &["wait_5_seconds"],
        means: Means::Wait(50),
    },
    Row {
        names: &["key_combination", "press_key", "hotkey"],
        means: Means::Chord,
    },
    Row {
        names: &["drag_and_drop"],
        means: Means::Drag,
    },
    Row {
        names: &["take_screenshot"],
        means: Means::Look,
    },
    Row {
        names: &["mouse_down", "mouse_up", "key_down", "key_up"],
        means: Means::Told("keys and buttons cannot be held; press the chord, or drag, in one call"),
    },
    Row {
        names: &["open_web_browser", "go_back", "go_forward", "search", "navigate"],
        means: Means::Told("there is no such command of a browser; use its address bar and buttons"),
    },
];

fn signs(call: &RawCall) -> bool {
    let own = [
        "click_at",
        "hover_at",
        "type_text_at",
        "scroll_at",
        "scroll_document",
        "wait_5_seconds",
        "key_combination",
    ];
    let dropped = call.name == "drag_and_drop" && has(&call.args, "destination_x");
    own.contains(&&*call.name) || dropped || has(&call.args, "intent") && DIALECT.row(&call.name).is_some()
}
