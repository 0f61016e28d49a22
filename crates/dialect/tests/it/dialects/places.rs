//! Places and other arguments under unusual names: each is read or refused, and none is dropped.

use franz_action::{Point, ToolSet};
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{DialectReader, Family, OwnForm, Reading, ReplyText, ToolsProtocol};

use super::actions;

/// Reads a reply while the pointer is at (5, 6).
fn read(family: &str, text: &str) -> Reading {
    let family = Family::named(family).unwrap();
    let own = ToolsProtocol::from(ReadingSettings::new(ToolSet::all()));
    let reader = DialectReader {
        dialect: family.dialect,
        geometry: family.geometry(Some((1000, 1000)), None),
        own: &own,
        own_form: OwnForm::Tools,
        pointer: Some(Point::clamped(5, 6)),
        manner: family.manner.clone(),
    };
    reader.read(&ReplyText::of(text))
}

/// Checks what each reply does. A reply for which no action is given must be refused with a message.
fn check(family: &str, rows: &[(&str, &str)]) {
    for (text, action) in rows {
        let reading = read(family, text);
        let wanted: Vec<&str> = Some(*action).filter(|action| !action.is_empty()).into_iter().collect();
        assert_eq!(actions(&reading), wanted, "{text}: {}", reading.told);
        assert_eq!(reading.told.is_empty(), !action.is_empty(), "{text}: {}", reading.told);
        assert_eq!(reading.answer, None, "{text}");
    }
}

/// Checks what `computer_use` does with each of these arguments.
fn check_arguments(rows: &[(&str, &str)]) {
    for (arguments, action) in rows {
        let text = format!(r#"<tool_call>{{"name": "computer_use", "arguments": {{{arguments}}}}}</tool_call>"#);
        check("qwen3-vl", &[(&text, action)]);
    }
}

#[test]
fn four_numbers_of_a_drag_are_its_two_places() {
    check_arguments(&[
        (
            r#""action": "left_click_drag", "coordinate": [100, 200, 300, 400]"#,
            "drag(100, 200, 300, 400)",
        ),
        (
            r#""action": "left_click_drag", "coordinate": "(100,200),(300,400)""#,
            "drag(100, 200, 300, 400)",
        ),
        (
            r#""action": "left_click_drag", "coordinate": [[100, 200], [300, 400]]"#,
            "drag(100, 200, 300, 400)",
        ),
        (
            r#""action": "left_click_drag", "coordinate": [300, 400]"#,
            "drag(5, 6, 300, 400)",
        ),
    ]);
    check(
        "showui",
        &[(
            "{'action': 'SELECT_TEXT', 'value': None, 'position': [0.1, 0.2, 0.3, 0.4]}",
            "drag(100, 200, 300, 400)",
        )],
    );
}

#[test]
fn a_drag_begins_and_ends_where_it_says() {
    let dragged = |rows: &[(&str, &str)]| {
        for (arguments, action) in rows {
            let arguments = format!(r#""action": "left_click_drag", {arguments}"#);
            check_arguments(&[(&arguments, action)]);
        }
    };
    let whole = "drag(100, 200, 300, 400)";
    dragged(&[
        (r#""start_coordinates": [100, 200], "coordinate": [300, 400]"#, whole),
        (r#""begin": [100, 200], "coordinate": [300, 400]"#, whole),
        (r#""source": [100, 200], "destination": [300, 400]"#, whole),
        (r#""source": [100, 200], "target": [300, 400]"#, whole),
        (r#""coordinate": [100, 200], "target": [300, 400]"#, whole),
        (r#""x": 100, "y": 200, "target": [300, 400]"#, whole),
        (r#""coordinate": [100, 200], "end_coordinates": [300, 400]"#, whole),
        (r#""coordinate": [100, 200], "target_coordinate": [300, 400]"#, whole),
        (r#""start": {"x": 100, "y": 200}, "end": {"x": 300, "y": 400}"#, whole),
        (r#""path": [[100, 200], [300, 400]]"#, whole),
        (
            r#""coordinate": [300, 400], "target": "the trash""#,
            "drag(5, 6, 300, 400)",
        ),
        (r#""target": [300, 400]"#, "drag(5, 6, 300, 400)"),
        (r#""beginning": [100, 200], "coordinate": [300, 400]"#, ""),
        (r#""coordinate": [100, 200], "goal": "[300, 400]""#, ""),
        (r#""coordinate": [100, 200], "goal_x": 300, "goal_y": 400"#, ""),
        (r#""path": [[100, 200], [300, 400]], "coordinate": [5, 5]"#, ""),
    ]);
}
