//! Finds places in arguments that a call does not read, so that none is dropped.

use serde_json::Value;

use super::{EDGES, all_edges, number, of};
use crate::geometry::Spot;
use crate::notation::{Arguments, same};

/// Returns the name of an argument that contains a place other than these, and other than a box around one of them.
pub(crate) fn unread<'a>(args: &'a Arguments, read: &[Spot]) -> Option<&'a str> {
    let whole: Vec<f64> = read.iter().flat_map(Spot::numbers).copied().collect();
    let middles: Vec<[f64; 2]> = read.iter().map(Spot::middle).collect();
    let is_read = |numbers: &[f64]| match numbers {
        [number] => whole.contains(number) || middles.as_flattened().contains(number),
        [a, b, c, d]
            if middles
                .iter()
                .any(|[x, y]| (a..=c).contains(&x) && (b..=d).contains(&y)) =>
        {
            true
        }
        numbers => {
            let place = |spot: &Spot| spot.numbers() == numbers || spot.middle().as_slice() == numbers;
            whole == numbers || read.iter().any(place)
        }
    };
    let around = all_edges(args).is_some_and(|edges| is_read(edges.numbers()));
    let is_edge = |key: &str| EDGES.as_flattened().iter().any(|edge| same(edge, key));
    let other = |(key, value): &&(String, Value)| {
        !(around && is_edge(key)) && held(key, value).is_some_and(|numbers| !is_read(&numbers))
    };
    args.named.iter().find(other).map(|(key, _)| key.as_str())
}

/// Names of arguments whose text is never a place.
const TEXTS: [&str; 20] = [
    "text",
    "content",
    "value",
    "message",
    "input_text",
    "string",
    "text_value",
    "description",
    "element_description",
    "element_info",
    "element_name",
    "element",
    "target",
    "label",
    "name",
    "title",
    "thought",
    "reason",
    "time",
    "duration",
];
/// Names of arguments whose numbers are never a place.
const NO_PLACES: [&str; 13] = [
    "key",
    "keys",
    "modifiers",
    "hold_keys",
    "scroll_x",
    "scroll_y",
    "delta_x",
    "delta_y",
    "screen_size",
    "image_size",
    "viewport_size",
    "size",
    "resolution",
];

/// Returns the numbers of an argument that could be a place or a part of one.
fn held(key: &str, value: &Value) -> Option<Vec<f64>> {
    let named = |names: &[&str]| names.iter().any(|name| same(name, key));
    if named(&NO_PLACES) || value.is_string() && named(&TEXTS) {
        return None;
    }
    let numbers: Vec<f64> = match (of(value), value) {
        (Some(spot), _) => spot.numbers().to_vec(),
        (None, Value::Array(list)) if list.iter().all(|one| number(one).is_some()) => {
            list.iter().filter_map(number).collect()
        }
        (None, Value::Array(list)) => {
            let spots: Option<Vec<Spot>> = list.iter().map(of).collect();
            spots?.iter().flat_map(Spot::numbers).copied().collect()
        }
        (None, Value::Object(members)) => {
            let named = members.iter().filter(|(key, _)| names_axis(key));
            named.filter_map(|(_, value)| number(value)).collect()
        }
        (None, _) if names_axis(key) => number(value).into_iter().collect(),
        (None, _) => Vec::new(),
    };
    Some(numbers).filter(|numbers| !numbers.is_empty())
}

/// Checks whether a name ends or begins with the name of an axis, as in `click_x`, `clickX` and `y1`.
pub(super) fn names_axis(key: &str) -> bool {
    let is_axis = |part: &str| {
        let letter = part.trim_end_matches(|c: char| c.is_ascii_digit());
        ["x", "y", "left", "top"]
            .iter()
            .any(|axis| letter.eq_ignore_ascii_case(axis))
    };
    let before = key.strip_suffix(['X', 'Y']);
    let camel = before.is_some_and(|before| before.ends_with(|c: char| c.is_ascii_lowercase()));
    camel || key.split(['_', '-', ' ']).any(is_axis)
}
