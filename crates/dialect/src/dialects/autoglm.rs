//! `autoglm`: `do(action="Tap", element=[1,2])`, as `AutoGLM` writes it on phones. Read only.
//!
//! Source: zai-org/Open-AutoGLM@6b18d7bed0a8 `phone_agent/{config,actions,model}`.

use std::ops::Range;

use memchr::memchr_iter;

use crate::dialect::{Dialect, Notation, Row, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means};
use crate::notation::joined::JoinedPart;
use crate::notation::line::{goes_on_behind, is_separator};
use crate::notation::{Arguments, Flaw, MOST_CALLS, RawCall, Searched, Wrap, literal, rest};

pub(super) static DIALECT: Dialect = Dialect {
    name: "autoglm",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Own(calls)],
    rows: &ROWS,
    signs,
    ..Dialect::PLAIN
};

static ROWS: [Row; 8] = [
    row(&["Tap"], Means::Click(ClickKind::Left)),
    row(&["Double_Tap"], Means::Click(ClickKind::Double)),
    row(&["Type", "Type_Name"], Means::Type(Enter::OrHabit)),
    row(&["Wait"], Means::Wait(10)),
    row(&["finish"], Means::Finish(true)),
    row(&["Take_over", "Interact"], Means::Ask),
    row(&["Note", "Call_API"], Means::Note),
    row(
        &["Launch", "Swipe", "Long_Press", "Back", "Home"],
        Means::Told("there is no phone here; use the mouse and the keyboard"),
    ),
];

/// The maximum length of what separates two calls in a list.
const LONGEST_GAP: usize = 64;

/// Finds `do(action="VERB", ...)` and `finish(message="...")`, wherever they are.
fn calls(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let (mut calls, mut at) = (Vec::<RawCall>::new(), 0);
    for bracket in memchr_iter(b'(', text.as_bytes()) {
        if calls.len() >= MOST_CALLS {
            break;
        }
        let before = text.get(..bracket).unwrap_or_default();
        let Some(before) = ["do", "finish"].iter().find_map(|name| before.strip_suffix(name)) else {
            continue;
        };
        let (start, open) = (before.len(), bracket + 1);
        if start < at || before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        let inside = rest(text, open).trim_start();
        if !(inside.starts_with("action=") || inside.starts_with("message=")) {
            continue;
        }
        let line = calls.last().filter(|last| last.wrap == Wrap::Line);
        let listed = line
            .and_then(|last| text.get(last.span.end..start))
            .is_some_and(|gap| gap.len() < LONGEST_GAP && is_separator(gap));
        let wrap = if listed || begins(before) {
            Wrap::Line
        } else {
            Wrap::Words
        };
        let is_code = |joined: JoinedPart| joined != JoinedPart::Quotes;
        match literal::arguments(text, open) {
            Ok(read) if read.joined.is_some_and(is_code) || goes_on_behind(text, open, &read) => {
                at = read.end;
                calls.push(RawCall::flawed(Flaw::Quotes, start..at, wrap));
            }
            Ok(read) => {
                at = read.end;
                calls.push(verb(read.args, start..read.end, wrap).mended(read.mended));
            }
            Err(unread) => {
                at = text.ceil_char_boundary(unread.at.clamp(open, text.len()));
                calls.push(RawCall::flawed(unread.flaw, start..at, wrap));
            }
        }
    }
    calls
}

/// Checks whether a call after this text begins its line, its answer or the box of GLM-V. Elsewhere, it could be part
/// of a sentence.
fn begins(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    let opens = ["<answer>", "<|begin_of_box|>"];
    before.is_empty() || before.ends_with(['\n', '\r']) || opens.iter().any(|open| before.ends_with(open))
}

fn verb(mut args: Arguments, span: Range<usize>, wrap: Wrap) -> RawCall {
    let name = match args.take(&["action"]) {
        Some(action) => action.as_str().unwrap_or_default().replace(' ', "_"),
        None => "finish".to_owned(),
    };
    RawCall::new(name, args, span, wrap)
}

fn signs(call: &RawCall) -> bool {
    call.wrap == Wrap::Line && ROWS.iter().any(|row| row.names.contains(&&*call.name))
}
