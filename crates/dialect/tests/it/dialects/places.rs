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
fn check(family: &str, rows: &[(impl AsRef<str>, &str)]) {
    for (text, action) in rows {
        let text = text.as_ref();
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

#[test]
fn a_place_under_another_name_is_read_or_refused() {
    for (argument, is_read) in [
        (r#""coord": [500, 300]"#, true),
        (r#""center": [500, 300]"#, true),
        (r#""x_coordinate": 500, "y_coordinate": 300"#, true),
        (r#""x1": 490, "y1": 290, "x2": 510, "y2": 310"#, true),
        (r#""target": "[500, 300]""#, true),
        (r#""target": [500, 300]"#, true),
        (r#""coordinate": [500, 300], "x": 500, "y": 300"#, true),
        (r#""bbox": [490, 290, 510, 310], "x": 500, "y": 300"#, true),
        (r#""coordinate": [500, 300], "element": "cell 1, 2""#, true),
        (
            r#""coordinate": [500, 300], "observation": "1 of 2", "id_of_step": 7"#,
            true,
        ),
        (r#""coordiante": [500, 300]"#, false),
        (r#""coordiante": "500, 300""#, false),
        (r#""coordiante": [500]"#, false),
        (r#""bounding_box": [490, 290, 510, 310]"#, false),
        (r#""coordinate2": [500, 300]"#, false),
        (r#""clickX": 500, "clickY": 300"#, false),
        (r#""where": {"x_at": 500, "y_at": 300}"#, false),
        (r#""coordinate": [500, 300], "x": 5, "y": 3"#, false),
        (r#""coordinate": [500, 300], "corner": [510, 310]"#, false),
        (r#""coordinate": [480, 290], "width": 40, "height": 20"#, false),
    ] {
        for (call, action) in [
            (r#""action": "left_click""#, "left_click(500, 300)"),
            (r#""action": "mouse_move""#, "move(500, 300)"),
            (r#""action": "type", "text": "hi""#, "type(\"hi\", 500, 300)"),
            (r#""action": "scroll", "pixels": -3"#, "scroll(3, 500, 300)"),
        ] {
            let arguments = format!("{call}, {argument}");
            check_arguments(&[(&arguments, if is_read { action } else { "" })]);
        }
    }
}

#[test]
fn a_place_next_to_the_arguments_belongs_to_them() {
    let call = |behind: &str, inside: &str| {
        format!(
            r#"<tool_call>{{"name": "computer_use", "arguments": {{"action": "left_click"{inside}}}{behind}}}</tool_call>"#
        )
    };
    for (behind, inside, action) in [
        (r#", "coordinate": [500, 300]"#, "", "left_click(500, 300)"),
        (r#", "coordinate": "[500, 300]""#, "", "left_click(500, 300)"),
        (r#", "x": 500, "y": 300"#, "", "left_click(500, 300)"),
        (r#", "coordinate": [500, 300]"#, r#", "coordinate": [1, 2]"#, ""),
        (r#", "id": 1, "thought": "(1) Click.""#, "", "left_click(5, 6)"),
    ] {
        check("qwen3-vl", &[(call(behind, inside), action)]);
    }
}

#[test]
fn a_box_around_the_place_and_sizes_describe_it() {
    let click = "left_click(500, 300)";
    check_arguments(&[
        (
            r#""action": "left_click", "bbox": [480, 290, 520, 310], "center": [500, 300]"#,
            click,
        ),
        (
            r#""action": "left_click", "coordinate": [500, 300], "bounding_box": [480, 290, 520, 310]"#,
            click,
        ),
        (
            r#""action": "left_click", "x": 500, "y": 300, "x1": 490, "y1": 290, "x2": 510, "y2": 310"#,
            click,
        ),
        (
            r#""action": "left_click", "coordinate": [500, 300], "screen_size": [1920, 1080]"#,
            click,
        ),
        (
            r#""action": "left_click", "coordinate": [500, 300], "bbox": [1, 2, 3, 4]"#,
            "",
        ),
        (
            r#""action": "left_click", "coordinate": [500, 300], "corner": [510, 310]"#,
            "",
        ),
    ]);
    for behind in [
        r#""bbox": [480, 290, 520, 310]"#,
        r#""screen_size": [1920, 1080]"#,
        r#""index": [0]"#,
    ] {
        let inside = r#"{"action": "left_click", "coordinate": [500, 300]}"#;
        let text = format!(r#"<tool_call>{{"name": "computer_use", "arguments": {inside}, {behind}}}</tool_call>"#);
        check("qwen3-vl", &[(text, click)]);
    }
    check(
        "claude",
        &[(
            r#"{"action": "left_click", "coordinate": "x1=1, y1=2, x2=3, y2=4"}"#,
            "",
        )],
    );
}

#[test]
fn keys_are_held_under_every_name() {
    for name in ["modifier_keys", "modifiers", "hold_key"] {
        let arguments = format!(r#""action": "key", "keys": ["c"], "{name}": ["ctrl"]"#);
        check_arguments(&[(&arguments, r#"press("ctrl+c")"#)]);
    }
    check_arguments(&[(
        r#""action": "key", "keys": ["c"], "modifiers": "none""#,
        r#"press("c")"#,
    )]);
}

#[test]
fn a_click_without_a_place_is_at_the_pointer_only_where_that_is_usual() {
    let here = "left_click(5, 6)";
    check_arguments(&[
        (r#""action": "left_click""#, here),
        (r#""action": "left_click", "element": "OK""#, ""),
        (r#""action": "left_click", "start_x": 500, "start_y": 300"#, ""),
    ]);
    check(
        "kimi",
        &[
            ("pyautogui.click()", here),
            ("pyautogui.click(xy=(0.5, 0.3))", "left_click(500, 300)"),
        ],
    );
    check(
        "scalecua",
        &[("<operation>\nClick.\n</operation>\n<action>\nclick()\n</action>", here)],
    );
    check(
        "ui-tars-1.0",
        &[
            ("Action: click()", ""),
            ("Action: click(content='OK')", ""),
            (
                "Action: click(start_box='(500,300)', content='(1,2)')",
                "left_click(500, 300)",
            ),
        ],
    );
    check("cogagent", &[("Grounded Operation: CLICK(element_info='OK')", "")]);
    let holo = |place: &str| {
        format!(
            r#"{{"note": null, "thought": "", "tool_call": {{"tool_name": "click_desktop", "element": "OK"{place}}}}}"#
        )
    };
    check(
        "holo2",
        &[
            (holo(""), ""),
            (holo(r#", "left": 500, "top": 300"#), ""),
            (holo(r#", "x": 500, "y": 300"#), "left_click(500, 300)"),
            (
                holo(r#", "position_x": 500, "position_y": 300"#),
                "left_click(500, 300)",
            ),
        ],
    );
}

#[test]
fn a_selection_with_an_end_is_a_drag() {
    check(
        "ui-tars-1.0",
        &[
            (
                "Action: select(start_box='(100,200)', end_box='(300,200)')",
                "drag(100, 200, 300, 200)",
            ),
            (
                "Action: select(start_point='<point>100 200</point>', end_point='<point>300 200</point>')",
                "drag(100, 200, 300, 200)",
            ),
            ("Action: select(start_box='(100,200)')", "left_click(100, 200)"),
            ("Action: click(start_box='(100,200)', end_box='(300,200)')", ""),
        ],
    );
    let seed = "<seed:tool_call><function=select><parameter=start_point><point>100 200</point></parameter>\
        <parameter=end_point><point>300 200</point></parameter></function></seed:tool_call>";
    check("seed", &[(seed, "drag(100, 200, 300, 200)")]);
}

#[test]
fn a_scroll_takes_place_where_it_starts() {
    check_arguments(&[
        (
            r#""action": "scroll", "start": [500, 800], "pixels": -5"#,
            "scroll(5, 500, 800)",
        ),
        (
            r#""action": "scroll", "start_x": 500, "start_y": 800, "pixels": -5"#,
            "scroll(5, 500, 800)",
        ),
        (
            r#""action": "scroll", "target": [500, 800], "pixels": -5"#,
            "scroll(5, 500, 800)",
        ),
        (
            r#""action": "scroll", "start": [500, 800], "coordinate": [5, 8], "pixels": -5"#,
            "",
        ),
        (r#""action": "scroll", "end": [500, 800], "pixels": -5"#, ""),
        (r#""action": "scroll", "pixels": -5"#, "scroll(5)"),
        (r#""action": "scroll", "pixels": -5, "source": "mouse""#, "scroll(5)"),
        (
            r#""action": "scroll", "coordinate": [5, 8], "pixels": -5, "end_box": """#,
            "scroll(5, 5, 8)",
        ),
    ]);
}

#[test]
fn an_argument_that_changes_a_click_is_read_or_refused() {
    for (argument, action) in [
        (r#""mouse_button": "right""#, "right_click(500, 300)"),
        (r#""click_type": "double""#, "double_left_click(500, 300)"),
        (r#""click_type": "right_click""#, "right_click(500, 300)"),
        (r#""click_type": "single""#, "left_click(500, 300)"),
        (r#""click_count": 2"#, "double_left_click(500, 300)"),
        (
            r#""modifier_keys": ["ctrl"]"#,
            "left_click(500, 300, modifiers=\"ctrl\")",
        ),
        (r#""double_click": false"#, "left_click(500, 300)"),
        (r#""double_click": 0"#, "left_click(500, 300)"),
        (r#""click_type": "left", "button": "left""#, "left_click(500, 300)"),
        (r#""mouse_button": "fourth""#, ""),
        (r#""click_type": "long""#, ""),
        (r#""double_click": true"#, ""),
        (r#""shift": true"#, ""),
    ] {
        let arguments = format!(r#""action": "click", "coordinate": [500, 300], {argument}"#);
        check_arguments(&[(&arguments, action)]);
    }
    check_arguments(&[
        (
            r#""action": "right_click", "coordinate": [500, 300], "click_type": "single""#,
            "right_click(500, 300)",
        ),
        (
            r#""action": "double_click", "coordinate": [500, 300], "click_count": 2"#,
            "double_left_click(500, 300)",
        ),
        (
            r#""action": "left_click_drag", "coordinate": [500, 300], "text": "shift""#,
            "",
        ),
        (
            r#""action": "left_click_drag", "coordinate": [500, 300], "mouse_button": "right""#,
            "",
        ),
        (
            r#""action": "left_click_drag", "coordinate": [500, 300], "text": """#,
            "drag(5, 6, 500, 300)",
        ),
    ]);
}

#[test]
fn an_answer_that_is_a_place_or_a_call_ends_nothing() {
    for (text, answer) in [
        ("<answer>(100,200)</answer>", None),
        ("<answer>[100, 200]</answer>", None),
        ("<answer><point>100 200</point></answer>", None),
        ("<answer>I will click(start_box='(1,2)')</answer>", None),
        ("<answer>100, 200</answer>", Some("100, 200")),
        (
            "<answer>The last click(s) opened (1) and (2).</answer>",
            Some("The last click(s) opened (1) and (2)."),
        ),
    ] {
        let reading = read("doubao-ui-tars", text);
        assert_eq!(reading.answer.as_deref(), answer, "{text}");
        assert_eq!(reading.told.is_empty(), answer.is_some(), "{text}");
        assert!(actions(&reading).is_empty(), "{text}");
    }
}

#[test]
fn fields_of_step_gui_can_be_on_the_lines_below_or_apart_by_spaces() {
    let click = "left_click(500, 300)";
    check(
        "step-gui",
        &[
            (
                "explain:The action:X is old.\taction:CLICK\tpoint:500,300\tsummary:point:1,2",
                click,
            ),
            ("action:CLICK\npoint:500,300", click),
            (
                "explain:I click.\naction:CLICK\npoint:500,300\nsummary:Clicked.\npoint:1,2",
                click,
            ),
            ("action:CLICK point:500,300", click),
            ("explain:I click. action:CLICK point:500 300 summary:Clicked.", click),
            ("action:CLICK\\tpoint:500,300", click),
            (
                "action:TYPE\tvalue:C:\\temp\tpoint:500,300",
                "type(\"C:\\\\temp\", 500, 300)",
            ),
            ("action:CLICK", ""),
            ("action:CLICK\tvalue:OK", ""),
            ("action:CLICK\n\npoint:500,300", ""),
            ("action:CLICK\npoint:500,300\npoint:1,2", ""),
            ("explain:After action:CLICK comes action:CLICK point:500,300", ""),
        ],
    );
}
