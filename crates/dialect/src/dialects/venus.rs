//! `venus`: `<action>Click(box=(1,2))</action>`, as `UI-Venus` writes it on phones. Read only.
//!
//! Source: inclusionAI/UI-Venus@c6ce41fa2e97 `Venus_framework/{policy/ui_venus_policy,processor/uivenus_processor}.py`.

use serde_json::Value;

use crate::dialect::{Dialect, Notation, Row, has, row};
use crate::geometry::Spot;
use crate::meaning::{ClickKind, Enter, Means, Wheel};
use crate::notation::{Arguments, RawCall, Searched, Wrap, find};
use crate::spot;

pub(super) static DIALECT: Dialect = Dialect {
    name: "venus",
    notations: &[Notation::Own(calls)],
    rows: &ROWS,
    signs,
    ..Dialect::PLAIN
};

static ROWS: [Row; 10] = [
    row(&["Click"], Means::Click(ClickKind::Left)),
    row(&["Drag"], Means::Drag),
    row(&["Scroll"], Means::Scroll(Wheel::Down)),
    row(&["Type"], Means::Type(Enter::OrHabit)),
    row(&["Wait"], Means::Wait(10)),
    row(&["Finished"], Means::Finish(true)),
    row(&["CallUser"], Means::Ask),
    row(&["PressEnter"], Means::Fixed("enter")),
    row(&["Launch"], Means::Open),
    row(
        &["LongPress", "PressBack", "PressHome", "PressRecent"],
        Means::Told("there is no phone here; use the mouse and the keyboard"),
    ),
];

/// Finds the calls in `<action>` or, without this tag, on lines of their own. In small letters, they would be FRANZ's.
fn calls(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let calls = DIALECT.written(searched).into_iter().map(|written| &written.call);
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(open) = find(text, at, "<action>") {
        at = find(text, open, "</action>").unwrap_or(text.len());
        parts.push(open..at);
    }
    if parts.is_empty() {
        parts.push(0..text.len());
    }
    let inside = |call: &&RawCall| parts.iter().any(|part| part.contains(&call.span.start));
    let known = |call: &&RawCall| ROWS.iter().any(|row| row.names.contains(&&*call.name));
    let calls = calls.filter(inside).filter(known);
    calls.cloned().map(turned).collect()
}

/// Turns a scroll between two places into one at the first place, in the direction in which the page moves under the
/// finger. No other call says how far to scroll.
fn turned(mut call: RawCall) -> RawCall {
    let ends = (spot::start(&call.args), spot::end(&call.args));
    if call.name != "Scroll" || call.flaw.is_some() {
        return call;
    }
    let (Ok(Some(Spot::Point(start))), Ok(Some(Spot::Point(end)))) = ends else {
        return call;
    };
    let [x, y] = [end[0] - start[0], end[1] - start[1]];
    let direction = match () {
        () if y.abs() > 2.0 * x.abs() && y < 0.0 => "down",
        () if y.abs() > 2.0 * x.abs() => "up",
        () if x.abs() > 2.0 * y.abs() && x < 0.0 => "right",
        () if x.abs() > 2.0 * y.abs() => "left",
        // Neither is clear, whatever the call says.
        () => "",
    };
    call.args = Arguments {
        positional: Vec::new(),
        named: vec![
            ("point".to_owned(), Value::from(start.to_vec())),
            ("direction".to_owned(), Value::from(direction)),
        ],
    };
    call
}

fn signs(call: &RawCall) -> bool {
    let own = [
        "PressEnter",
        "PressBack",
        "PressHome",
        "PressRecent",
        "LongPress",
        "CallUser",
    ];
    call.wrap == Wrap::Line && (own.contains(&&*call.name) || call.name == "Click" && has(&call.args, "box"))
}
