//! The places in a call's arguments: which arguments contain them, and what a call with several of them means.

mod unread;
mod value;

use franz_action::text::shortened;
use serde_json::Value;

use crate::geometry::Spot;
use crate::notation::{Arguments, Contradiction, same};
pub(crate) use unread::unread;
pub(crate) use value::{is_place, number, of};

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

fn no_place(value: &Value) -> SpotError {
    SpotError::NoPlace(shortened(&value.to_string(), 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
