//! The instructions and questions for a model during a calibration.

use franz_action::{Action, Point, ToolSet};
use franz_dialect::calibration::{Look, Target};
use franz_dialect::{Family, Geometry};

use crate::idiom;

/// The instructions for a model that reads a number.
pub(super) const LOOK: &str = "You see one picture. Answer the question about it in as few words as you can.";
/// The question about the number.
pub(super) const NUMBER: &str = "Which four-digit number is in the picture? Answer with the number only.";

/// The coordinates in the example, in thousandths. No target is at that position.
const EXAMPLE: (i64, i64) = (420, 370);

/// Returns the instructions for a model that clicks by writing text.
pub(crate) fn in_text(family: &Family, picture: (u32, u32)) -> String {
    let geometry = family.geometry(Some(picture), None);
    let example = family_click(family, &geometry);
    let numbers = numbers(&geometry);
    format!(
        "You see one picture, and point at things in it. Each task names one thing. Click it once, in its middle. \
         Answer with the click alone, written like this click on something else:\n{example}{numbers}"
    )
}

/// Returns the instructions for a model that clicks by calling a tool.
pub(crate) fn natively(family: &Family, picture: (u32, u32)) -> String {
    let numbers = numbers(&family.geometry(Some(picture), None));
    format!(
        "You see one picture, and point at things in it. Each task names one thing. Click it once, in its middle, by \
         calling the tool.{numbers}"
    )
}

/// Returns the task to click a target.
pub(super) fn task(target: &Target) -> String {
    match target.look {
        Look::Figure(..) => format!("Click the middle of {}.", target.look),
        Look::Button(label) => format!("Click the button labelled \"{label}\"."),
    }
}

/// Returns the task to click a named thing.
pub(crate) fn named(thing: &str) -> String {
    format!("Click this: {thing}")
}

/// Returns the array of tools for clicking: the family's own tool if its models were trained on one.
pub(crate) fn tools(family: &Family, picture: (u32, u32)) -> String {
    let geometry = family.geometry(Some(picture), None);
    family
        .schema(&ToolSet::of(["left_click"]), &geometry)
        .unwrap_or_else(own_tools)
}

fn own_tools() -> String {
    serde_json::json!([{
        "type": "function",
        "function": {
            "name": "left_click",
            "description": "Click the left mouse button once at a place in the picture.",
            "parameters": {
                "type": "object",
                "properties": {
                    "point": {
                        "type": "array",
                        "items": {"type": "number"},
                        "minItems": 2,
                        "maxItems": 2,
                        "description": "The place, as two numbers."
                    }
                },
                "required": ["point"]
            }
        }
    }])
    .to_string()
}

/// Returns a click in the family's format.
fn family_click(family: &Family, geometry: &Geometry) -> String {
    let click = Action::left_click(Point::clamped(EXAMPLE.0, EXAMPLE.1));
    family.line(&click, geometry).unwrap_or_else(|| geometry.spoken(&click))
}

/// Explains the unit of the numbers if the family states it. Never guesses, because the model would take a guess for an
/// instruction.
fn numbers(geometry: &Geometry) -> String {
    match idiom::coordinates(geometry) {
        nothing if nothing.is_empty() => nothing,
        said => format!("\n{said}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use franz_dialect::Space;
    use franz_dialect::calibration::Chart;

    #[test]
    fn the_example_uses_the_familys_form_and_hits_no_target() {
        let picture = (1344, 896);
        let chart = Chart::new(picture).unwrap();
        let at = (EXAMPLE.0 as f64 * 1.343, EXAMPLE.1 as f64 * 0.895);
        for target in &chart.targets {
            let off = (target.middle.0 - at.0).hypot(target.middle.1 - at.1);
            assert!(off > 100.0, "{}", target.look);
        }
        for (name, example) in [
            ("ui-tars-1.5", "click(start_box='(564,331)')"),
            ("qwen3-vl", "\"coordinate\": [420, 370]"),
            ("showui", "0.42"),
            ("franz", "left_click(420, 370)"),
            ("gemma", "left_click(370, 420)"),
        ] {
            let family = Family::named(name).unwrap();
            let told = in_text(&family, picture);
            assert!(told.contains(example), "{told}");
        }
    }

    #[test]
    fn an_unknown_space_names_no_range() {
        for family in Family::all() {
            let told = [in_text(&family, (1344, 896)), natively(&family, (1344, 896))];
            for told in told {
                let known = family.space != Space::Unknown;
                assert_eq!(told.contains("Coordinates are"), known, "{}: {told}", family.name);
            }
        }
    }
}
