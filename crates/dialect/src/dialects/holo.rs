//! `holo`: objects with a note, a thought and one or more calls, as Holo1 to Holo3 write them, and
//! `Click(1, 2)`, as Holo1 writes it.
//!
//! Sources: hcompai/hai-cookbook@2ba89619bdcf, hcompai/surfer-h-cli@b054d8ebc98c, hub.hcompany.ai,
//! aahladky/kvm-agent@7bda43152cc2. The tools of desktops are those of H's agent for `OSWorld`, `osworld_agent.py`.

use crate::dialect::{Dialect, Notation, Row, has, row};
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "holo",
    notations: &[Notation::Objects, Notation::Lines, Notation::Tags],
    verb_keys: &["tool_name", "action"],
    batches: &["tool_calls", "tool_call", "action"],
    rows: &ROWS,
    signs,
    wording: Some(Wording {
        envelope: Envelope::Noted,
        form: PlaceForm::Pair,
        place: "x,y",
        label: Some("element"),
        drag: Drag::FromPointer,
        text: "content",
        keys: "keys",
        list_of_keys: true,
        between_keys: "+",
        seconds: Some("seconds"),
        scroll: ("direction", Some("scroll_size")),
        status: None,
        answer: Some("content"),
        question: None,
        functions: Functions::Each,
    }),
    ..Dialect::PLAIN
};

static ROWS: [Row; 18] = [
    row(
        &["click", "click_desktop", "click_element", "click_absolute"],
        Means::Click(ClickKind::Left),
    ),
    row(
        &["double_click", "double_click_desktop"],
        Means::Click(ClickKind::Double),
    ),
    row(&["right_click", "right_click_desktop"], Means::Click(ClickKind::Right)),
    row(&["move_to", "move_to_desktop"], Means::Move),
    row(&["drag_to", "drag_to_desktop", "drag_and_drop", "drag"], Means::Drag),
    row(&["scroll"], Means::Scroll(Wheel::Notches(5))),
    row(&["scroll_desktop"], Means::Scroll(Wheel::Notches(10))),
    row(
        &["write", "write_desktop", "write_element", "write_at_desktop"],
        Means::Type(Enter::OrHabit),
    ),
    row(&["write_element_abs"], Means::Type(Enter::Always)),
    row(&["hotkey", "hotkey_desktop", "hold_and_tap_key_desktop"], Means::Chord),
    row(&["wait", "wait_desktop"], Means::Wait(20)),
    row(&["mouse_down_desktop"], Means::Down),
    row(&["mouse_up_desktop"], Means::Up),
    row(&["screenshot"], Means::Look),
    row(&["answer"], Means::Finish(true)),
    row(&["update_plan", "load_skill"], Means::Note),
    row(
        &["key_down_desktop", "key_up_desktop"],
        Means::Told("keys cannot be held; press the chord with hotkey"),
    ),
    row(
        &["go_back", "refresh", "goto", "restart"],
        Means::Told("there is no such browser command here; use the browser's address bar and buttons"),
    ),
];

fn signs(call: &RawCall) -> bool {
    let object = call.wrap == Wrap::Object && has(&call.args, "thought");
    object && (has(&call.args, "tool_call") || has(&call.args, "tool_calls") || has(&call.args, "action"))
}
