//! `step_gui`: tab-separated fields, `action:CLICK\tpoint:1,2`, as `GELab-Zero` writes them on phones. Read only.
//!
//! Source: stepfun-ai/gelab-zero@19465cf337ef `copilot_tools/parser_0920_summary.py`.

use serde_json::Value;

use crate::dialect::{Dialect, Notation, Row, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means};
use crate::notation::{Arguments, MOST_CALLS, RawCall, Searched, Wrap, find, lines};

pub(super) static DIALECT: Dialect = Dialect {
    name: "step_gui",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Own(calls)],
    rows: &ROWS,
    signs: |call| call.wrap == Wrap::Tag && ROWS.iter().any(|row| row.names.contains(&&*call.name)),
    ..Dialect::PLAIN
};

static ROWS: [Row; 8] = [
    row(&["CLICK"], Means::Click(ClickKind::Left)),
    row(&["DOUBLE_TAP"], Means::Click(ClickKind::Double)),
    row(&["TYPE"], Means::Type(Enter::Asked)),
    row(&["WAIT"], Means::Wait(10)),
    row(&["COMPLETE"], Means::Finish(true)),
    row(&["ABORT"], Means::Finish(false)),
    row(&["INFO"], Means::Ask),
    row(
        &["AWAKE", "SLIDE", "LONGPRESS", "LONG_PRESS", "HOT_KEY"],
        Means::Told("there is no phone here; use the mouse and the keyboard"),
    ),
];

/// Finds lines of tab-separated fields that name an action.
pub(super) fn calls(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let mut calls = Vec::new();
    if find(text, 0, "action:").is_none() {
        return calls;
    }
    for (start, line) in lines(text) {
        let line = line.trim_end();
        let Some(action) = line
            .find("action:")
            .filter(|found| *found == 0 || line.as_bytes().get(found - 1) == Some(&b'\t'))
        else {
            continue;
        };
        let fields = line
            .get(action..)
            .unwrap_or_default()
            .split('\t')
            .filter_map(|field| field.split_once(':'));
        let mut args = Arguments::default();
        let mut name = String::new();
        for (key, value) in fields {
            match key.trim() {
                "action" => value.trim().clone_into(&mut name),
                "summary" | "explain" => {}
                key => args.named.push((key.to_owned(), Value::from(value.trim()))),
            }
        }
        let upper = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if upper && calls.len() < MOST_CALLS {
            calls.push(RawCall::new(name, args, start + action..start + line.len(), Wrap::Tag));
        }
    }
    calls
}
