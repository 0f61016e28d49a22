//! `seed`: `<seed:tool_call><function=click><parameter=point>...`, as Doubao-Seed and UI-TARS-2 write it.
//!
//! Sources: bytedance/UI-TARS-desktop@239b6544a0ea `multimodal/omni-tars`, bytedance/UI-TARS@369043fc3481, `PyPI`
//! `ui-tars` 0.5.1.

use memchr::memchr_iter;

use crate::dialect::{Dialect, Notation};
use crate::geometry::Space;
use crate::notation::{Arguments, MOST_CALLS, RawCall, Searched, Wrap, lines, rest};
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

/// Reads the rest of a call from which a server has stripped the special tokens: `click>point><point>18 59</point>`,
/// or `click>point>point>18 59` if it has stripped more.
fn fragments(searched: &Searched<'_>) -> Vec<RawCall> {
    let mut calls = Vec::new();
    for (start, line) in lines(searched.text) {
        if calls.len() >= MOST_CALLS {
            break;
        }
        let begin = start + line.len() - line.trim_start().len();
        let line = line.trim();
        if let Some((name, args)) = fragment(line) {
            calls.push(RawCall::new(name, args, begin..begin + line.len(), Wrap::Seed));
        }
    }
    calls
}

fn fragment(line: &str) -> Option<(&str, Arguments)> {
    let name = crate::notation::word(line);
    let mut values = rest(line, name.len()).strip_prefix('>')?;
    DIALECT.row(name)?;
    let mut args = Arguments::default();
    while !values.is_empty() {
        let key = KEYS
            .iter()
            .find(|key| values.strip_prefix(**key).is_some_and(|behind| behind.starts_with('>')))?;
        values = values.get(key.len() + 1..)?;
        if key.ends_with("point") {
            let tagged = values.strip_prefix("<point>").or_else(|| values.strip_prefix("point>"));
            values = tagged.unwrap_or(values);
        }
        let end = if *key == "content" { None } else { next_key(values) };
        let (value, behind) = values.split_at_checked(end.unwrap_or(values.len()))?;
        if args.named.len() >= MOST_ARGUMENTS {
            return None;
        }
        let value = value.trim();
        let value = value.strip_suffix("</point>").unwrap_or(value);
        args.named.push(((*key).to_owned(), value.into()));
        values = behind;
    }
    (!args.named.is_empty()).then_some((name, args))
}

/// Returns where the next key begins. A tag around a point is not a key.
fn next_key(values: &str) -> Option<usize> {
    memchr_iter(b'>', values.as_bytes()).find_map(|mark| {
        let before = values.get(..mark)?;
        let keys = KEYS.iter().filter_map(|key| before.strip_suffix(key));
        let begin = keys.min_by_key(|before| before.len())?;
        (!begin.ends_with(['<', '/'])).then_some(begin.len())
    })
}

const KEYS: [&str; 8] = [
    "start_point",
    "end_point",
    "point",
    "content",
    "direction",
    "key",
    "time",
    "button",
];
/// The maximum number of arguments. No honest call has this many.
const MOST_ARGUMENTS: usize = 64;
