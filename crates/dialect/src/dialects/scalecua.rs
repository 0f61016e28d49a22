//! `scalecua`: bare calls in `<action>`, as `ScaleCUA` writes them.
//!
//! Source: OpenGVLab/ScaleCUA@5d92feea9f1e `evaluation/OSWorld/mm_agents/{prompts,scalecua_agent}.py`.

use crate::dialect::{Dialect, Notation, Row, row};
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{RawCall, Searched, Wrap, find};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "scalecua",
    notations: &[Notation::Own(enveloped), Notation::Lines],
    rows: &ROWS,
    pauses: true,
    clicks_at_pointer: true,
    // Only names that no other dialect writes on a line.
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
    ..Dialect::PLAIN
};

static ROWS: [Row; 17] = [
    row(&["click"], Means::Click(ClickKind::Left)),
    row(&["doubleClick"], Means::Click(ClickKind::Double)),
    row(&["rightClick"], Means::Click(ClickKind::Right)),
    row(&["middleClick"], Means::Click(ClickKind::Middle)),
    row(&["tripleClick"], Means::Click(ClickKind::Triple)),
    row(&["scroll"], Means::Scroll(Wheel::UpNotches)),
    row(&["moveTo"], Means::Move),
    row(&["dragTo", "swipe"], Means::Drag),
    row(&["hotkey"], Means::Chord),
    row(&["press"], Means::Keys),
    row(&["write"], Means::Type(Enter::OrHabit)),
    row(&["wait"], Means::Wait(30)),
    row(&["call_user", "callUser"], Means::Ask),
    row(&["response"], Means::Finish(true)),
    row(&["terminate"], Means::Finish(true)),
    row(
        &["keyDown", "keyUp"],
        Means::Told("keys cannot be held; press the chord with hotkey"),
    ),
    row(
        &["long_press", "open_app", "navigate_home", "navigate_back"],
        Means::Told("there is no phone here; use the mouse and the keyboard"),
    ),
];

/// Finds the calls in an `<action>` after an `<operation>`. No other dialect writes the two together.
fn enveloped(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let operation = find(text, 0, "<operation>");
    let Some(open) = operation.and_then(|operation| find(text, operation, "<action>")) else {
        return Vec::new();
    };
    let calls = DIALECT.written(searched).into_iter().map(|written| &written.call);
    let inside = calls.filter(|call| call.span.start >= open);
    inside
        .map(|call| RawCall {
            wrap: if call.wrap == Wrap::Line { Wrap::Tag } else { call.wrap },
            ..call.clone()
        })
        .collect()
}
