//! `showui`: `{'action': 'CLICK', 'value': None, 'position': [0.49, 0.42]}`, as `ShowUI` writes.
//!
//! Source: showlab/ShowUI, the navigation prompts of its `README` and training code.

use crate::dialect::{Dialect, Notation, Row, has};
use crate::geometry::Space;
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::{RawCall, Wrap};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "showui",
    fixed: Some(Space::Fractions),
    notations: &[Notation::Objects],
    tools: &[],
    verb_keys: &["action"],
    batches: &[],
    qualifiers: &[],
    rows: &ROWS,
    boxes: true,
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
};

static ROWS: [Row; 9] = [
    Row {
        names: &["CLICK", "TAP", "SELECT"],
        means: Means::Click(Click::Left),
    },
    Row {
        names: &["HOVER"],
        means: Means::Move,
    },
    Row {
        names: &["INPUT", "TYPE"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["SCROLL"],
        means: Means::Scroll(Wheel::Notches(5)),
    },
    Row {
        names: &["ENTER"],
        means: Means::Fixed("enter"),
    },
    Row {
        names: &["COPY"],
        means: Means::Told("the word COPY copies nothing here; select the text and copy it with the mouse"),
    },
    Row {
        names: &["SELECT_TEXT"],
        means: Means::Drag,
    },
    Row {
        names: &["SWIPE"],
        means: Means::Told("there is no touch screen here; scroll or drag"),
    },
    Row {
        names: &["ANSWER"],
        means: Means::Finish(true),
    },
];

fn signs(call: &RawCall) -> bool {
    let verb = call.args.get(&["action"]).and_then(serde_json::Value::as_str);
    let upper = verb.is_some_and(|verb| ROWS.iter().any(|row| row.names.contains(&verb)));
    call.wrap == Wrap::Object && upper && has(&call.args, "value") && has(&call.args, "position")
}
