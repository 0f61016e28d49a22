//! `scalecua`: bare calls in `<action>`, as `ScaleCUA` writes.
//!
//! Source: OpenGVLab/ScaleCUA@5d92feea9f1e `evaluation/OSWorld/mm_agents/{prompts,scalecua_agent}.py`.

use super::Speakers;
use crate::dialect::{Dialect, Notation, Row};
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::{RawCall, Searched, Wrap, find};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "scalecua",
    fixed: None,
    notations: &[Notation::Own(enveloped), Notation::Lines],
    tools: &[],
    verb_keys: &[],
    batches: &[],
    qualifiers: &[],
    rows: &ROWS,
    boxes: true,
    // Only the names that no other dialect writes on a line.
    signs: |call| {
        call.wrap == Wrap::Tag
            || call.wrap == Wrap::Line
                && matches!(
                    &*call.name,
                    "response" | "doubleClick" | "rightClick" | "moveTo" | "dragTo" | "terminate"
                )
    },
    wording: Some(Wording {
        envelope: Envelope::Call {
            before: "<action>",
            qualifier: |_| "",
            after: "</action>",
        },
        form: PlaceForm::Pair,
        place: "x,y",
        label: None,
        drag: Drag::FromPointer,
        text: "message",
        keys: "keys",
        list_of_keys: true,
        between_keys: "+",
        seconds: Some("seconds"),
        scroll: ("", Some("clicks")),
        status: Some(["status", "success", "failure"]),
        answer: Some("info"),
        question: Some("question"),
        functions: Functions::None,
    }),
};

static ROWS: [Row; 17] = [
    Row {
        names: &["click"],
        means: Means::Click(Click::Left),
    },
    Row {
        names: &["doubleClick"],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["rightClick"],
        means: Means::Click(Click::Right),
    },
    Row {
        names: &["middleClick"],
        means: Means::Click(Click::Middle),
    },
    Row {
        names: &["tripleClick"],
        means: Means::Click(Click::Triple),
    },
    Row {
        names: &["scroll"],
        means: Means::Scroll(Wheel::UpNotches),
    },
    Row {
        names: &["moveTo"],
        means: Means::Move,
    },
    Row {
        names: &["dragTo", "swipe"],
        means: Means::Drag,
    },
    Row {
        names: &["hotkey"],
        means: Means::Chord,
    },
    Row {
        names: &["press"],
        means: Means::Keys,
    },
    Row {
        names: &["write"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["wait"],
        means: Means::Wait(30),
    },
    Row {
        names: &["call_user", "callUser"],
        means: Means::Ask,
    },
    Row {
        names: &["response"],
        means: Means::Finish(true),
    },
    Row {
        names: &["terminate"],
        means: Means::Finish(true),
    },
    Row {
        names: &["keyDown", "keyUp"],
        means: Means::Told("keys cannot be held; press the chord with hotkey"),
    },
    Row {
        names: &["long_press", "open_app", "navigate_home", "navigate_back"],
        means: Means::Told("there is no phone here; use the mouse and the keyboard"),
    },
];

/// Finds the calls in `<action>` behind an `<operation>`, which no other dialect writes.
fn enveloped(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let operation = find(text, 0, "<operation>");
    let Some(open) = operation.and_then(|operation| find(text, operation, "<action>")) else {
        return Vec::new();
    };
    let own = Speakers::only(&DIALECT);
    let calls = searched
        .written()
        .iter()
        .filter(|written| DIALECT.has_written(written, own));
    let calls = calls.map(|written| &written.call);
    let inside = calls.filter(|call| call.span.start >= open && call.wrap == Wrap::Line);
    inside
        .map(|call| RawCall {
            wrap: Wrap::Tag,
            ..call.clone()
        })
        .collect()
}
