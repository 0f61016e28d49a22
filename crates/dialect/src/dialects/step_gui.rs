//! `step_gui`: tab-separated fields, `action:CLICK\tpoint:1,2`, as `GELab-Zero` writes them on phones. Read only.
//!
//! Source: stepfun-ai/gelab-zero@19465cf337ef `copilot_tools/parser_0920_summary.py`.

use serde_json::Value;

use crate::dialect::{Dialect, Notation, Row, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means};
use crate::notation::{Arguments, Flaw, MOST_CALLS, RawCall, Searched, Wrap, find, lines};

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
    row(&["TYPE"], Means::Type(Enter::OrHabit)),
    row(&["WAIT"], Means::Wait(10)),
    row(&["COMPLETE"], Means::Finish(true)),
    row(&["ABORT"], Means::Finish(false)),
    row(&["INFO"], Means::Ask),
    row(
        &["AWAKE", "SLIDE", "LONGPRESS", "LONG_PRESS", "HOT_KEY"],
        Means::Told("there is no phone here; use the mouse and the keyboard"),
    ),
];

/// The fields, as the prompt names them.
const KEYS: [&str; 8] = [
    "explain", "action", "value", "point1", "point2", "point", "return", "summary",
];

/// Finds lines of fields that name an action, and the fields on the lines that directly follow them.
pub(super) fn calls(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let mut calls: Vec<RawCall> = Vec::new();
    if find(text, 0, "action:").is_none() {
        return calls;
    }
    // Whether the last call can go on.
    let mut open = false;
    for (start, line) in lines(text) {
        let line = line.trim_end();
        let fields = fields(line);
        let actions: Vec<&Field<'_>> = fields.iter().filter(|field| field.key == "action").collect();
        match actions.first() {
            Some(action) => {
                let upper = |name: &str| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
                let is_call = !action.value.is_empty() && upper(action.value) && calls.len() < MOST_CALLS;
                if is_call {
                    let span = start + action.at..start + line.len();
                    calls.push(match actions.len() {
                        1 => RawCall::new(action.value, Arguments::default(), span, Wrap::Tag),
                        _ => RawCall::flawed(Flaw::Broken, span, Wrap::Tag),
                    });
                }
                open = is_call;
            }
            None => open &= fields.first().is_some_and(|field| KEYS.contains(&field.key)),
        }
        let Some(call) = calls.last_mut().filter(|_| open) else {
            continue;
        };
        call.span.end = start + line.len();
        let behind = fields.iter().filter(|field| field.at + start >= call.span.start);
        for Field { key, value, .. } in behind {
            match *key {
                "action" | "explain" | "summary" => {}
                key => call.args.named.push((key.to_owned(), Value::from(*value))),
            }
        }
        open = fields.iter().all(|field| field.key != "summary");
    }
    calls
}

/// A field of a line.
struct Field<'a> {
    /// Where it begins in its line.
    at: usize,
    key: &'a str,
    value: &'a str,
}

/// Splits a line into its fields. Instead of tabs, there can also be spaces or `\\t` before the known fields.
fn fields<'a>(line: &'a str) -> Vec<Field<'a>> {
    let field = |(at, text): (usize, &'a str)| {
        let (key, value) = text.split_once(':')?;
        let (key, value) = (key.trim(), value.trim());
        Some(Field { at, key, value })
    };
    if line.contains('\t') {
        let mut next = 0;
        let parts = line.split('\t').map(|text| {
            let start = next;
            next += text.len() + 1;
            (start, text)
        });
        return parts.filter_map(field).collect();
    }
    let first = line.split(':').next().unwrap_or_default();
    if !KEYS.contains(&first) {
        return Vec::new();
    }
    let begins = |colon: usize| {
        let before = line.get(..colon)?;
        let gap = KEYS.iter().find_map(|key| before.strip_suffix(*key))?;
        (gap.ends_with(' ') || gap.ends_with("\\t")).then_some(gap.len())
    };
    let mut starts = vec![0];
    starts.extend(line.match_indices(':').filter_map(|(colon, _)| begins(colon)));
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    let parts = starts.iter().zip(ends).filter_map(|(start, end)| {
        let text = line.get(*start..end)?.trim_end();
        Some((*start, text.strip_suffix("\\t").unwrap_or(text)))
    });
    parts.filter_map(field).collect()
}
