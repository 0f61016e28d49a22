//! `os_atlas`: `CLICK <point>[[1, 2]]</point>` and bare words, as `OS-Atlas-Pro` writes them. Read only.
//!
//! Sources: OS-Copilot/OS-Atlas@bad08407ab54 `README.md`, OpenBMB/AgentCPM-GUI@acbaf509b8af
//! `eval/run_predict_os_atlas.py`.

use serde_json::Value;

use crate::dialect::{Dialect, Notation, Row, row};
use crate::geometry::Space;
use crate::meaning::{ClickKind, Enter, Means};
use crate::notation::{Arguments, MOST_CALLS, RawCall, Searched, Wrap, lines, rest, word};

pub(super) static DIALECT: Dialect = Dialect {
    name: "os_atlas",
    fixed: Some(Space::Thousandths),
    notations: &[Notation::Own(calls)],
    rows: &ROWS,
    signs: |call| call.wrap == Wrap::Tag,
    ..Dialect::PLAIN
};

static ROWS: [Row; 7] = [
    row(&["CLICK"], Means::Click(ClickKind::Left)),
    row(&["TYPE"], Means::Type(Enter::OrHabit)),
    row(&["ENTER"], Means::Fixed("enter")),
    row(&["WAIT"], Means::Wait(20)),
    row(&["COMPLETE"], Means::Finish(true)),
    row(&["SCROLL"], Means::Swipe),
    row(
        &["LONG_PRESS", "OPEN_APP", "PRESS_BACK", "PRESS_HOME", "PRESS_RECENT"],
        Means::Told("there is no phone here; use the mouse and the keyboard"),
    ),
];

/// Finds lines that consist of a single verb in capitals with its argument.
pub(super) fn calls(searched: &Searched<'_>) -> Vec<RawCall> {
    let text = searched.text;
    let (mut calls, mut labelled) = (Vec::new(), false);
    for (at, line) in lines(text) {
        let start = at + line.len() - line.trim_start().len();
        let line = line.trim();
        let below = std::mem::take(&mut labelled);
        // Only a verb or the label begins like this.
        if !line.starts_with(|c: char| c.is_ascii_uppercase() || c == 'a') {
            labelled = below && line.is_empty();
            continue;
        }
        let announced = line
            .get(..8)
            .is_some_and(|label| label.eq_ignore_ascii_case("actions:"));
        let skip = if announced {
            line.len() - rest(line, 8).trim_start().len()
        } else {
            0
        };
        let said = rest(line, skip);
        labelled = below || announced;
        let name = word(said);
        if !ROWS.iter().any(|row| row.names.contains(&name)) || calls.len() >= MOST_CALLS {
            labelled &= said.is_empty();
            continue;
        }
        let behind = rest(said, name.len()).trim();
        let mut args = Arguments::default();
        if let Some(point) = behind.strip_prefix("<point>") {
            let point = point.split("</point>").next().unwrap_or_default();
            args.named.push(("point".to_owned(), Value::from(point)));
        } else if let Some(text) = behind.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            let name_of = match name {
                "SCROLL" => "direction",
                "CLICK" | "LONG_PRESS" => "point",
                _ => "text",
            };
            args.named.push((name_of.to_owned(), Value::from(text)));
        } else if !behind.is_empty() {
            labelled = false;
            continue;
        }
        // A verb alone on a line could also be a word of the screen.
        let wrap = if labelled || !behind.is_empty() {
            Wrap::Tag
        } else {
            Wrap::Line
        };
        calls.push(RawCall::new(name, args, start + skip..start + line.len(), wrap));
    }
    calls
}
