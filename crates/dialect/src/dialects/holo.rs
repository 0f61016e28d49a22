//! `holo`: objects with a note, a thought and one call or several, as Holo1 to Holo3 write; `Click(1, 2)` of Holo1.
//!
//! Sources: hcompai/hai-cookbook@2ba89619bdcf, hcompai/surfer-h-cli@b054d8ebc98c, hub.hcompany.ai, aahladky/kvm-agent@7bda43152cc2.

use crate::dialect::{Dialect, Notation, Row, has};
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "holo",
    fixed: None,
    notations: &[Notation::Objects, Notation::Lines, Notation::Tags],
    tools: &[],
    verb_keys: &["tool_name", "action"],
    batches: &["tool_calls", "tool_call", "action"],
    qualifiers: &[],
    rows: &ROWS,
    boxes: true,
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
};

static ROWS: [Row; 15] = [
    Row {
        names: &["click", "click_desktop", "click_element", "click_absolute"],
        means: Means::Click(Click::Left),
    },
    Row {
        names: &["double_click", "double_click_desktop"],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["right_click", "right_click_desktop"],
        means: Means::Click(Click::Right),
    },
    Row {
        names: &["move_to", "move_to_desktop"],
        means: Means::Move,
    },
    Row {
        names: &["drag_to", "drag_to_desktop", "drag_and_drop", "drag"],
        means: Means::Drag,
    },
    Row {
        names: &["scroll", "scroll_desktop"],
        means: Means::Scroll(Wheel::Notches(5)),
    },
    Row {
        names: &["write", "write_desktop", "write_element"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["write_element_abs"],
        means: Means::Type(Enter::Always),
    },
    Row {
        names: &["hotkey", "hotkey_desktop", "hold_and_tap_key_desktop"],
        means: Means::Chord,
    },
    Row {
        names: &["wait"],
        means: Means::Wait(20),
    },
    Row {
        names: &["screenshot"],
        means: Means::Look,
    },
    Row {
        names: &["answer"],
        means: Means::Finish(true),
    },
    Row {
        names: &["update_plan", "load_skill"],
        means: Means::Note,
    },
    Row {
        names: &["key_down_desktop", "key_up_desktop"],
        means: Means::Told("keys cannot be held; press the chord with hotkey"),
    },
    Row {
        names: &["go_back", "refresh", "goto", "restart"],
        means: Means::Told("there is no such command of a browser; use its address bar and buttons"),
    },
];

fn signs(call: &RawCall) -> bool {
    let object = call.wrap == Wrap::Object && has(&call.args, "thought");
    object && (has(&call.args, "tool_call") || has(&call.args, "tool_calls") || has(&call.args, "action"))
}
