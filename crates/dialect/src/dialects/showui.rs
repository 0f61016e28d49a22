//! `showui`: `{'action': 'CLICK', 'value': None, 'position': [0.49, 0.42]}`, as `ShowUI` writes it.
//!
//! Source: showlab/ShowUI, the navigation prompts of its `README` and training code.

use crate::dialect::{Dialect, Notation, Row, has, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "showui",
    fixed: Some(Space::Fractions),
    notations: &[Notation::Objects],
    verb_keys: &["action"],
    rows: &ROWS,
    signs,
    wording: Some(Wording {
        envelope: Envelope::Dictionary,
        form: PlaceForm::List,
        place: "position",
        label: None,
        drag: Drag::Pair("position"),
        text: "value",
        keys: "value",
        list_of_keys: false,
        between_keys: "+",
        seconds: None,
        scroll: ("value", None),
        status: None,
        answer: Some("value"),
        question: None,
        functions: Functions::None,
    }),
    ..Dialect::PLAIN
};

static ROWS: [Row; 9] = [
    row(&["CLICK", "TAP", "SELECT"], Means::Click(ClickKind::Left)),
    row(&["HOVER"], Means::Move),
    row(&["INPUT", "TYPE"], Means::Type(Enter::OrHabit)),
    row(&["SCROLL"], Means::Scroll(Wheel::Notches(5))),
    row(&["ENTER"], Means::Fixed("enter")),
    row(
        &["COPY"],
        Means::Told("the word COPY copies nothing here; select the text and copy it with the mouse"),
    ),
    row(&["SELECT_TEXT"], Means::Drag),
    row(&["SWIPE"], Means::Told("there is no touch screen here; scroll or drag")),
    row(&["ANSWER"], Means::Finish(true)),
];

fn signs(call: &RawCall) -> bool {
    let verb = call.args.get(&["action"]).and_then(serde_json::Value::as_str);
    let upper = verb.is_some_and(|verb| ROWS.iter().any(|row| row.names.contains(&verb)));
    call.wrap == Wrap::Object && upper && has(&call.args, "value") && has(&call.args, "position")
}
