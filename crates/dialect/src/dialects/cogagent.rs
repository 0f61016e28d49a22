//! `cogagent`: `Grounded Operation: CLICK(box=[[1,2,3,4]], ...)`, as `CogAgent` writes. Read only.
//!
//! Source: THUDM/CogAgent, the `README` of CogAgent-9B-20241220.

use crate::dialect::{Dialect, Notation, Row};
use crate::geometry::Space;
use crate::meaning::{Click, Enter, Means, Wheel};
use crate::notation::Wrap;

pub(super) static DIALECT: Dialect = Dialect {
    name: "cogagent",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Lines],
    tools: &[],
    verb_keys: &[],
    batches: &[],
    qualifiers: &[],
    rows: &ROWS,
    boxes: true,
    signs: |call| {
        call.wrap == Wrap::Line
            && call.args.get(&["box"]).is_some()
            && ROWS.iter().any(|row| row.names.contains(&&*call.name))
    },
    wording: None,
};

static ROWS: [Row; 14] = [
    Row {
        names: &["CLICK"],
        means: Means::Click(Click::Left),
    },
    Row {
        names: &["RIGHT_CLICK"],
        means: Means::Click(Click::Right),
    },
    Row {
        names: &["DOUBLE_CLICK"],
        means: Means::Click(Click::Double),
    },
    Row {
        names: &["HOVER"],
        means: Means::Move,
    },
    Row {
        names: &["TYPE"],
        means: Means::Type(Enter::Asked),
    },
    Row {
        names: &["SCROLL_DOWN"],
        means: Means::Scroll(Wheel::Toward("down", 5)),
    },
    Row {
        names: &["SCROLL_UP"],
        means: Means::Scroll(Wheel::Toward("up", 5)),
    },
    Row {
        names: &["SCROLL_LEFT"],
        means: Means::Scroll(Wheel::Toward("left", 5)),
    },
    Row {
        names: &["SCROLL_RIGHT"],
        means: Means::Scroll(Wheel::Toward("right", 5)),
    },
    Row {
        names: &["KEY_PRESS"],
        means: Means::Chord,
    },
    Row {
        names: &["GESTURE"],
        means: Means::Gesture,
    },
    Row {
        names: &["END"],
        means: Means::Finish(true),
    },
    Row {
        names: &["QUOTE_TEXT", "QUOTE_CLIPBOARD"],
        means: Means::Note,
    },
    Row {
        names: &["LAUNCH", "LLM"],
        means: Means::Told("there is no such call here; use the mouse and the keyboard"),
    },
];
