//! `cogagent`: `Grounded Operation: CLICK(box=[[1,2,3,4]], ...)`, as `CogAgent` writes it. Read only.
//!
//! Source: THUDM/CogAgent, the `README` of CogAgent-9B-20241220.

use crate::dialect::{Dialect, Notation, Row, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::Wrap;

pub(super) static DIALECT: Dialect = Dialect {
    name: "cogagent",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Lines],
    rows: &ROWS,
    signs: |call| {
        call.wrap == Wrap::Line
            && call.args.get(&["box"]).is_some()
            && ROWS.iter().any(|row| row.names.contains(&&*call.name))
    },
    ..Dialect::PLAIN
};

static ROWS: [Row; 14] = [
    row(&["CLICK"], Means::Click(ClickKind::Left)),
    row(&["RIGHT_CLICK"], Means::Click(ClickKind::Right)),
    row(&["DOUBLE_CLICK"], Means::Click(ClickKind::Double)),
    row(&["HOVER"], Means::Move),
    row(&["TYPE"], Means::Type(Enter::OrHabit)),
    row(&["SCROLL_DOWN"], Means::Scroll(Wheel::Toward("down", 5))),
    row(&["SCROLL_UP"], Means::Scroll(Wheel::Toward("up", 5))),
    row(&["SCROLL_LEFT"], Means::Scroll(Wheel::Toward("left", 5))),
    row(&["SCROLL_RIGHT"], Means::Scroll(Wheel::Toward("right", 5))),
    row(&["KEY_PRESS"], Means::Chord),
    row(&["GESTURE"], Means::Gesture),
    row(&["END"], Means::Finish(true)),
    row(&["QUOTE_TEXT", "QUOTE_CLIPBOARD"], Means::Note),
    row(
        &["LAUNCH", "LLM"],
        Means::Told("there is no such call here; use the mouse and the keyboard"),
    ),
];
