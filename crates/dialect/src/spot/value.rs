//! Places as models write them: numbers in lists, objects, tags, brackets and words. Only numbers are read, and nothing
//! is evaluated.

use serde_json::Value;

use super::place;
use super::unread::names_axis;
use crate::geometry::Spot;
use crate::notation::Arguments;

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
}
