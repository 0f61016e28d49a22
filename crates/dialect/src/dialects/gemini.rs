//! `gemini`: Gemini's computer-use functions. Read only.
//!
//! Sources: google-gemini/computer-use-preview@c93bb2d88b3d `agent.py`,
//! <https://ai.google.dev/gemini-api/docs/computer-use> for Gemini 3.5.

use crate::dialect::{Dialect, Notation, Row, has, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::RawCall;

pub(super) static DIALECT: Dialect = Dialect {
    name: "gemini",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Objects, Notation::Tags, Notation::Lines],
    rows: &ROWS,
    boxes: false,
    signs,
    ..Dialect::PLAIN
};

static ROWS: [Row; 20] = [
    row(&["click_at", "click"], Means::Click(ClickKind::Left)),
    row(&["double_click"], Means::Click(ClickKind::Double)),
    row(&["triple_click"], Means::Click(ClickKind::Triple)),
    row(&["middle_click"], Means::Click(ClickKind::Middle)),
    row(&["right_click"], Means::Click(ClickKind::Right)),
    row(&["hover_at", "move"], Means::Move),
    row(&["type"], Means::Type(Enter::OrHabit)),
    row(
        &["type_text_at"],
        Means::Told("it might or might not clear the field and press enter; click the field, press ctrl+a, then type"),
    ),
    row(&["scroll_at"], Means::Scroll(Wheel::Grid(5))),
    row(&["scroll"], Means::Scroll(Wheel::Grid(3))),
    row(
        &["scroll_document"],
        Means::Told("say where to scroll, and how far in wheel notches"),
    ),
    row(&["wait"], Means::Wait(10)),
    row(&["wait_5_seconds"], Means::Wait(50)),
    row(&["key_combination", "press_key", "hotkey"], Means::Chord),
    row(&["drag_and_drop"], Means::Drag),
    row(&["take_screenshot"], Means::Look),
    row(&["mouse_down"], Means::Down),
    row(&["mouse_up"], Means::Up),
    row(
        &["key_down", "key_up"],
        Means::Told("a key cannot be held on its own; press the whole chord in one call"),
    ),
    row(
        &["open_web_browser", "go_back", "go_forward", "search", "navigate"],
        Means::Told("there is no such browser command here; use the browser's address bar and buttons"),
    ),
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
