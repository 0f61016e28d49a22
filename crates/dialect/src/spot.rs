//! Places as models write them: numbers in lists, objects, tags, brackets and words. Only numbers are read, and nothing
//! is evaluated.

use serde_json::Value;

use crate::geometry::Spot;
use crate::notation::{Arguments, Contradiction, same};

/// Why an argument is not a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpotError {
    #[error("the place is missing")]
    Missing,
    #[error("give both x and y; one of them is missing")]
    Half,
    #[error("{0} is not a place: write two numbers")]
    NoPlace(String),
    #[error("a place with a width or a height is unclear: write the middle of the box as two numbers")]
    Sized,
    #[error("{0}")]
    Contradiction(String),
}

impl From<Contradiction> for SpotError {
    fn from(Contradiction(what): Contradiction) -> SpotError {
        SpotError::Contradiction(what)
    }
}

/// Names of arguments that contain one place.
const PLACES: [&str; 22] = [
    "coordinate",
    "coordinates",
    "coord",
    "coords",
    "xy",
    "point",
    "click_point",
    "center",
    "centre",
    "center_point",
    "position",
    "pos",
    "start_box",
    "start_point",
    "box_2d",
    "box",
    "bbox",
    "bbox_2d",
    "point_2d",
    "loc",
    "location",
    "start_coordinate",
];
/// Those of them that contain a box.
const BOXES: [&str; 5] = ["start_box", "box_2d", "box", "bbox", "bbox_2d"];
/// Names of arguments that contain either a place or words.
const WORDY: [&str; 4] = ["element", "target", "label", "locate"];
/// Those of them that cannot contain the end of a drag.
const NO_TARGET: [&str; 3] = ["element", "label", "locate"];
const PATHS: [&str; 2] = ["path", "points"];
const FROM: [&str; 24] = [
    "start_box",
    "start_point",
    "start_coordinate",
    "start_coordinates",
    "start_coord",
    "start_coords",
    "start_position",
    "start_pos",
    "start_location",
    "start",
    "from",
    "from_coordinate",
    "from_coordinates",
    "from_coord",
    "from_coords",
    "from_point",
    "from_position",
    "coordinate1",
    "point1",
    "begin",
    "begin_point",
    "source",
    "source_point",
    "source_coordinate",
];
const TO: [&str; 28] = [
    "end_box",
    "end_point",
    "end_coordinate",
    "end_coordinates",
    "end_coord",
    "end_coords",
    "end_position",
    "end_pos",
    "end_location",
    "end",
    "to",
    "to_coordinate",
    "to_coordinates",
    "to_coord",
    "to_coords",
    "to_point",
    "to_position",
    "coordinate2",
    "point2",
    "destination",
    "destination_point",
    "destination_coordinate",
    "destination_coordinates",
    "target_point",
    "target_coordinate",
    "target_coordinates",
    "target_position",
    "target_box",
];
/// Names of a box's edges: left, top, right and bottom.
const EDGES: [[&str; 4]; 3] = [
    ["x1", "y1", "x2", "y2"],
    ["xmin", "ymin", "xmax", "ymax"],
    ["left", "top", "right", "bottom"],
];
/// Names of a box's size. Next to x and y, it is unclear whether these are its corner or its middle.
const SIZE: [&str; 4] = ["width", "height", "w", "h"];
/// Names of the numbers of one place.
const XY: [(&str, &str); 8] = [
    ("x", "y"),
    ("coordinate_x", "coordinate_y"),
    ("x_coordinate", "y_coordinate"),
    ("x_coord", "y_coord"),
    ("position_x", "position_y"),
    ("pos_x", "pos_y"),
    ("center_x", "center_y"),
    ("point_x", "point_y"),
];
const FROM_XY: [(&str, &str); 4] = [
    ("x1", "y1"),
    ("start_x", "start_y"),
    ("from_x", "from_y"),
    ("source_x", "source_y"),
];
const TO_XY: [(&str, &str); 5] = [
    ("x2", "y2"),
    ("end_x", "end_y"),
    ("to_x", "to_y"),
    ("destination_x", "destination_y"),
    ("target_x", "target_y"),
];

/// Checks whether an argument with this name can contain a place, or a part of one.
pub(crate) fn reads(key: &str) -> bool {
    let pairs = XY.iter().chain(&FROM_XY).chain(&TO_XY).flat_map(|(x, y)| [*x, *y]);
    let single = [&PLACES[..], &WORDY, &FROM, &TO].concat();
    let mut names = single.into_iter().chain(pairs).chain(PATHS);
    names.any(|name| same(name, key))
}

/// Reads a call's only place, if it has one.
pub(crate) fn place(args: &Arguments) -> Result<Option<Spot>, SpotError> {
    place_under(args, &WORDY)
}

/// Reads a call's only place, which can also be under one of these names for a place or words.
fn place_under(args: &Arguments, wordy: &[&str]) -> Result<Option<Spot>, SpotError> {
    if let Some(edges) = edges(args) {
        return Ok(Some(edges));
    }
    let place = point(args, wordy)?;
    if place.is_some() && args.get(&SIZE).is_some() {
        return Err(SpotError::Sized);
    }
    Ok(place)
}

/// Reads a box whose edges have names, unless the call also gives a place of another form.
fn edges(args: &Arguments) -> Option<Spot> {
    let alone = args.get(&PLACES).is_none() && args.get(&["x"]).is_none() && args.get(&["y"]).is_none();
    all_edges(args).filter(|_| alone)
}

/// Reads a box whose edges have names.
fn all_edges(args: &Arguments) -> Option<Spot> {
    let given = |names: &[&str]| -> Option<Vec<f64>> { names.iter().map(|name| number(args.get(&[name])?)).collect() };
    let edges = EDGES.iter().find_map(|names| given(names)).or_else(|| {
        let [left, top, width, height] = given(&["left", "top", "width", "height"])?[..] else {
            return None;
        };
        Some(vec![left, top, left + width, top + height])
    })?;
    Some(Spot::NamedCorners(edges.try_into().ok()?))
}

fn point(args: &Arguments, wordy: &[&str]) -> Result<Option<Spot>, SpotError> {
    // A box next to a point only describes it.
    let points: Vec<&str> = PLACES.into_iter().filter(|name| !BOXES.contains(name)).collect();
    let value = match args.agreed(&points)? {
        Some(value) => Some(value),
        None => args.agreed(&BOXES)?,
    };
    if let Some(value) = value {
        return of(value).map(Some).ok_or_else(|| no_place(value));
    }
    if let Some(value) = args.get(wordy).filter(|value| !value.is_string()) {
        return of(value).map(Some).ok_or_else(|| no_place(value));
    }
    if let Some(pair) = pair(args, &XY)? {
        return Ok(Some(pair));
    }
    // A description can have numbers, so only a place in brackets counts.
    let text = args.get(wordy).and_then(Value::as_str);
    let marked = text.filter(|text| text.trim_start().starts_with(['(', '[', '<']));
    Ok(marked.and_then(|text| of(&Value::from(text))))
}

/// Reads where a scroll takes place: at the call's place or, like a drag, at its start.
pub(crate) fn scrolled(args: &Arguments) -> Result<Option<Spot>, SpotError> {
    match place_under(args, &NO_TARGET)? {
        Some(place) => Ok(Some(place)),
        // A source or a start can also be words here.
        None => match start(args) {
            Ok(Some(start)) => Ok(Some(start)),
            _ => place(args),
        },
    }
}

/// Reads where a scroll with a start ends, if the call says so.
pub(crate) fn lifted(args: &Arguments) -> Option<Spot> {
    let begins = start(args).ok().flatten().is_some();
    end_alone(args).ok().flatten().filter(|_| begins)
}

/// Reads where a drag begins, if the call says so.
pub(crate) fn start(args: &Arguments) -> Result<Option<Spot>, SpotError> {
    if let Some(value) = args.agreed(&FROM)? {
        return of(value).map(Some).ok_or_else(|| no_place(value));
    }
    if let Some(pair) = pair(args, &FROM_XY)? {
        return Ok(Some(pair));
    }
    // If the call also gives an end, its single place is the start.
    if end_alone(args)?.is_some() {
        place_under(args, &NO_TARGET)
    } else {
        Ok(None)
    }
}

/// Reads where a drag ends.
pub(crate) fn end(args: &Arguments) -> Result<Option<Spot>, SpotError> {
    match end_alone(args)? {
        Some(end) => Ok(Some(end)),
        None if args.get(&FROM).is_some() => {
            match args.agreed(&["coordinate", "coordinates", "point", "position", "loc"])? {
                Some(value) => of(value).map(Some).ok_or_else(|| no_place(value)),
                None => Ok(None),
            }
        }
        None => place(args),
    }
}

fn end_alone(args: &Arguments) -> Result<Option<Spot>, SpotError> {
    if let Some(value) = args.agreed(&TO)? {
        return of(value).map(Some).ok_or_else(|| no_place(value));
    }
    if let Some(pair) = pair(args, &TO_XY)? {
        return Ok(Some(pair));
    }
    // If the call also gives another place, its target is the end.
    match args.get(&["target"]).filter(|value| !value.is_string()) {
        Some(value) if args.get(&FROM).is_some() || place_under(args, &NO_TARGET)?.is_some() => {
            of(value).map(Some).ok_or_else(|| no_place(value))
        }
        _ => Ok(None),
    }
}

/// Checks whether a call says where a drag ends.
pub(crate) fn has_end(args: &Arguments) -> bool {
    args.get(&TO).is_some() || TO_XY.iter().any(|(x, y)| args.get(&[x, y]).is_some())
}

/// Reads the points of a path, if the call gives one.
pub(crate) fn path(args: &Arguments) -> Result<Option<Vec<Spot>>, SpotError> {
    let Some(value) = args.get(&PATHS).or_else(|| pair_of_places(args)) else {
        return Ok(four_numbers(args));
    };
    let Value::Array(points) = value else {
        return Err(no_place(value));
    };
    let points: Option<Vec<Spot>> = points.iter().map(of).collect();
    let points = points.ok_or_else(|| no_place(value))?;
    Ok(Some(points))
}

/// Returns a list of two places that is given under a single place's name: `[[1, 2], [3, 4]]`.
fn pair_of_places(args: &Arguments) -> Option<&Value> {
    let value = args.get(&PLACES)?;
    let is_pair = |value: &Value| value.as_array().is_some_and(|numbers| numbers.len() == 2);
    let list = value
        .as_array()
        .filter(|list| list.len() == 2 && list.iter().all(is_pair));
    list.filter(|_| !has_end(args)).map(|_| value)
}

/// Returns both places of a drag from four numbers that are given under a single point's name: `[1, 2, 3, 4]`.
fn four_numbers(args: &Arguments) -> Option<Vec<Spot>> {
    if has_end(args) || args.get(&FROM).is_some() {
        return None;
    }
    let points = PLACES.iter().filter(|name| !BOXES.contains(name));
    match of(args.get(&points.copied().collect::<Vec<_>>())?)? {
        Spot::Corners([a, b, c, d]) => Some(vec![Spot::Point([a, b]), Spot::Point([c, d])]),
        Spot::NamedCorners([a, b, c, d]) => Some(vec![Spot::Named([a, b]), Spot::Named([c, d])]),
        Spot::Point(_) | Spot::Named(_) => None,
    }
}

fn pair(args: &Arguments, names: &[(&str, &str)]) -> Result<Option<Spot>, SpotError> {
    for (x, y) in names {
        match (args.get(&[x]), args.get(&[y])) {
            (None, None) => {}
            (Some(x), Some(y)) => {
                let number = |value: &Value| number(value).ok_or_else(|| no_place(value));
                return Ok(Some(Spot::Named([number(x)?, number(y)?])));
            }
            _ => return Err(SpotError::Half),
        }
    }
    Ok(None)
}

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
fn names_axis(key: &str) -> bool {
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

fn no_place(value: &Value) -> SpotError {
    SpotError::NoPlace(crate::plan::shortened(&value.to_string(), 60))
}

/// Reads a number, which can also be in a string.
pub(crate) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().trim_matches(['\'', '"']).trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// Reads a place from one value.
pub(crate) fn of(value: &Value) -> Option<Spot> {
    let mut found = Gathered::default();
    found.gather(value, 3)?;
    let spot = match found.numbers[..] {
        [x, y] => Spot::Point([x, y]),
        [a, b, c, d] if (a, b) == (c, d) => Spot::Point([a, b]),
        [a, b, c, d] => Spot::Corners([a, b, c, d]),
        _ => return None,
    };
    match found.named {
        0 => Some(spot),
        named if named == found.numbers.len() => Some(spot.named()),
        _ => None,
    }
}

/// The numbers found in a value.
#[derive(Default)]
struct Gathered {
    numbers: Vec<f64>,
    /// How many of them are named x or y.
    named: usize,
}

impl Gathered {
    /// Collects the numbers in a value. Returns `None` if it contains anything else, or more numbers than a place can
    /// have.
    fn gather(&mut self, value: &Value, depth: usize) -> Option<()> {
        if self.numbers.len() > 4 || depth == 0 {
            return None;
        }
        match value {
            Value::Number(one) => self.numbers.push(one.as_f64().filter(|one| one.is_finite())?),
            Value::Array(list) => {
                for one in list.iter().take(5) {
                    self.gather(one, depth - 1)?;
                }
                if list.len() > 4 {
                    return None;
                }
            }
            Value::String(text) => self.named += written(text, &mut self.numbers)?,
            Value::Object(members) => {
                let spot = place(&Arguments::of(members.clone())).ok()??;
                let other = |(key, value): (&String, &Value)| {
                    names_axis(key) && number(value).is_some_and(|number| !spot.numbers().contains(&number))
                };
                if members.iter().any(other) {
                    return None;
                }
                self.numbers.extend(spot.numbers());
                if matches!(spot, Spot::Named(_) | Spot::NamedCorners(_)) {
                    self.named += spot.numbers().len();
                }
            }
            Value::Null | Value::Bool(_) => return None,
        }
        Some(())
    }
}

/// The maximum length of a place that is written as text.
const LONGEST_PLACE: usize = 120;
const MARKS: [&str; 10] = [
    "<|box_start|>",
    "<|box_end|>",
    "<point>",
    "</point>",
    "<bbox>",
    "</bbox>",
    "<|point_start|>",
    "<|point_end|>",
    "<box>",
    "</box>",
];

/// Reads the numbers in a place written as text: `(1, 2)`, `<point>1 2</point>`, `x=1, y=2`. Returns how many of them
/// have names.
fn written(text: &str, numbers: &mut Vec<f64>) -> Option<usize> {
    if text.len() > LONGEST_PLACE {
        return None;
    }
    let mut plain = text.to_owned();
    for mark in MARKS {
        plain = plain.replace(mark, " ");
    }
    let is_between = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | ';' | '(' | ')' | '[' | ']' | '\'' | '"' | '{' | '}' | '=' | ':'
            )
            || matches!(c, '\u{ff0c}' | '\u{ff08}' | '\u{ff09}' | '\u{ff1a}' | '\u{3001}')
    };
    let mut labels = Vec::new();
    for word in plain.split(is_between).filter(|word| !word.is_empty()) {
        if ["x", "y", "x1", "y1", "x2", "y2"].contains(&word) {
            labels.push((numbers.len(), word));
            continue;
        }
        numbers.push(word.parse().ok().filter(|number: &f64| number.is_finite())?);
        if numbers.len() > 4 {
            return None;
        }
    }
    // Labels must be in order, each before its number.
    let ordered = |(index, (place, label)): (usize, &(usize, &str))| {
        *place == index && label.starts_with(if index % 2 == 0 { 'x' } else { 'y' })
    };
    let in_order = labels.iter().enumerate().all(ordered);
    (labels.is_empty() || (in_order && labels.len() == numbers.len())).then_some(labels.len())
}

/// Checks whether numbers can be a place. If the last two of four numbers are smaller than the first two, the four are
/// a corner, a width and a height.
pub(crate) fn is_place(spot: &Spot) -> bool {
    match *spot {
        Spot::Point(_) | Spot::Named(_) => true,
        Spot::Corners([a, b, c, d]) | Spot::NamedCorners([a, b, c, d]) => c > a || d > b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_read_in_every_notation() {
        let point = [
            json!([640, 380]),
            json!("640,380"),
            json!("[640, 380]"),
            json!("(640,380)"),
            json!([[640, 380]]),
            json!({"coordinate": [640, 380]}),
            json!(["640", "380.0"]),
            json!("<point>640 380</point>"),
            json!("<|box_start|>(640,380)<|box_end|>"),
            json!("<bbox>640 380 640 380</bbox>"),
            json!("<point>640 380</point>'"),
        ];
        for value in point {
            assert_eq!(of(&value), Some(Spot::Point([640.0, 380.0])), "{value}");
        }
        for value in [
            json!("x=640, y=380"),
            json!({"x": 640, "y": "380"}),
            json!({"y": 380, "x": 640}),
        ] {
            assert_eq!(of(&value), Some(Spot::Named([640.0, 380.0])), "{value}");
        }
        for value in [
            json!([1, 2, 3, 4]),
            json!([[1, 2], [3, 4]]),
            json!([[1, 2, 3, 4]]),
            json!("(1,2),(3,4)"),
        ] {
            assert_eq!(of(&value), Some(Spot::Corners([1.0, 2.0, 3.0, 4.0])), "{value}");
        }
        for value in [
            json!("x1=1, y1=2, x2=3, y2=4"),
            json!([{"x": 1, "y": 2}, {"x": 3, "y": 4}]),
            json!({"x1": 1, "y1": 2, "x2": 3, "y2": 4}),
            json!({"x_min": 1, "y_min": 2, "x_max": 3, "y_max": "4"}),
            json!({"left": 1, "top": 2, "right": 3, "bottom": 4}),
            json!({"left": 1, "top": 2, "width": 2, "height": 2}),
        ] {
            assert_eq!(of(&value), Some(Spot::NamedCorners([1.0, 2.0, 3.0, 4.0])), "{value}");
        }
    }

    #[test]
    fn nothing_else_is_a_place() {
        for value in [
            json!("somewhere"),
            json!(""),
            json!("[]"),
            json!("="),
            json!("(1.1)"),
            json!([100]),
            json!([1, 2, 3]),
            json!(["bad", 200]),
            json!("[x, y]"),
            json!("_payload()"),
            json!("y=1, x=2"),
            json!("1e999,2"),
            json!(true),
            json!([true, 1]),
            json!([[10, 20], 5, 1, 2, 3]),
            json!([{"x": 1, "y": 2}, [3, 4]]),
            json!({"x": 480, "y": 290, "width": 40, "height": 20}),
            json!({"x": 480, "y": 290, "w": 40, "h": 20}),
            json!({"left": 1, "top": 2}),
            json!({"x": 1, "y": 2, "x2": 3, "y2": 4}),
        ] {
            assert_eq!(of(&value), None, "{value}");
        }
    }

    #[test]
    fn place_arguments_are_found_by_name() {
        let args = |value: Value| Arguments::of(value.as_object().unwrap().clone());
        assert_eq!(place(&args(json!({"x": 1}))), Err(SpotError::Half));
        for other in [
            json!({"text": "a"}),
            json!({"element": "OK"}),
            json!({"target": "Section 1, 2"}),
        ] {
            assert_eq!(place(&args(other)), Ok(None));
        }
        let named = json!({"target": "[1, 2]"});
        assert_eq!(place(&args(named)), Ok(Some(Spot::Point([1.0, 2.0]))));
        assert!(place(&args(json!({"coordinate": [1, 2], "point": [3, 4]}))).is_err());
        let sized = json!({"coordinate": [1, 2], "width": 3, "height": 4});
        assert_eq!(place(&args(sized)), Err(SpotError::Sized));
        let both = args(json!({"coordinate": [1, 2], "coordinate2": [3, 4]}));
        assert_eq!(start(&both), Ok(Some(Spot::Point([1.0, 2.0]))));
        assert_eq!(end(&both), Ok(Some(Spot::Point([3.0, 4.0]))));
        let ended = args(json!({"coordinate": [1, 2]}));
        assert_eq!(
            (start(&ended), end(&ended)),
            (Ok(None), Ok(Some(Spot::Point([1.0, 2.0]))))
        );
        let started = args(json!({"start_coordinate": [1, 2], "coordinate": [3, 4]}));
        assert_eq!(start(&started), Ok(Some(Spot::Point([1.0, 2.0]))));
        assert_eq!(end(&started), Ok(Some(Spot::Point([3.0, 4.0]))));
        let turned = args(json!({"y": 2, "x": 1}));
        assert_eq!(place(&turned), Ok(Some(Spot::Named([1.0, 2.0]))));
        let both = Ok(Some(vec![Spot::Point([1.0, 2.0]), Spot::Point([3.0, 4.0])]));
        for value in [json!([1, 2, 3, 4]), json!([[1, 2], [3, 4]]), json!("(1,2),(3,4)")] {
            assert_eq!(path(&args(json!({"coordinate": value}))), both);
        }
        assert_eq!(path(&args(json!({"box": [1, 2, 3, 4]}))), Ok(None));
        let dropped = args(json!({"x": 1, "y": 2, "destination_x": 3, "destination_y": 4}));
        assert_eq!(start(&dropped), Ok(Some(Spot::Named([1.0, 2.0]))));
    }
}
