//! `seed`: `<seed:tool_call><function=click><parameter=point>...`, as Doubao-Seed and UI-TARS-2 write it.
//!
//! Sources: bytedance/UI-TARS-desktop@239b6544a0ea `multimodal/omni-tars`, bytedance/UI-TARS@369043fc3481, `PyPI`
//! `ui-tars` 0.5.1.

use crate::dialect::{Dialect, Notation};
use crate::geometry::Space;
use crate::notation::{Arguments, RawCall, Searched, Wrap, lines, rest};
use crate::wording::{Drag, Envelope, Functions, PlaceForm, Wording};

pub(super) static DIALECT: Dialect = Dialect {
    name: "seed",
    fixed: Some(Space::Thousandths),
    notations: &[
        Notation::Tags,
        Notation::Lines,
        Notation::Objects,
        Notation::Own(fragments),
    ],
    rows: &super::uitars::ROWS,
    signs: |call| call.wrap == Wrap::Seed,
    wording: Some(Wording {
        envelope: Envelope::Elements,
        form: PlaceForm::Tag,
        place: "point",
        label: None,
        drag: Drag::Named(&[("", "start_point", "end_point")]),
        text: "content",
        keys: "key",
        list_of_keys: false,
        between_keys: " ",
        seconds: Some("time"),
        scroll: ("direction", None),
        status: None,
        answer: Some("content"),
        question: Some("content"),
        functions: Functions::Each,
    }),
    ..Dialect::PLAIN
};

/// Reads the rest of a call from which a server has stripped the special tokens: `click>point><point>18 59</point>`.
fn fragments(searched: &Searched<'_>) -> Vec<RawCall> {
    let mut calls = Vec::new();
    for (start, line) in lines(searched.text) {
        if let Some((name, args)) = fragment(line.trim_end()) {
            calls.push(RawCall::new(
                name,
                args,
                start..start + line.trim_end().len(),
                Wrap::Seed,
            ));
        }
    }
    calls
}

fn fragment(line: &str) -> Option<(&str, Arguments)> {
    let name = crate::notation::word(line);
    let mut values = rest(line, name.len()).strip_prefix('>')?;
    DIALECT.row(name)?;
    let mut args = Arguments::default();
    let keys = [
        "start_point",
        "end_point",
        "point",
        "content",
        "direction",
        "key",
        "time",
        "button",
    ];
    while !values.is_empty() {
        let key = keys
            .iter()
            .find(|key| values.strip_prefix(**key).is_some_and(|behind| behind.starts_with('>')))?;
        values = values.get(key.len() + 1..)?;
        let next = keys
            .iter()
            .filter_map(|key| values.find(&format!("{key}>")))
            .filter(|next| *key != "content" || *next > 0);
        let end = if *key == "content" {
            values.len()
        } else {
            next.min().unwrap_or(values.len())
        };
        let value = values.get(..end)?;
        args.named.push(((*key).to_owned(), value.trim().into()));
        values = values.get(end..)?;
    }
    (!args.named.is_empty()).then_some((name, args))
}
