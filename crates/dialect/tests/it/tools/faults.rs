//! Faulty calls: every type of error, and every form of arguments.

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Axes, Geometry, Protocol, ReplyText, Space, ToolsProtocol};

use crate::tools::{call, kinds, performed, reported, results};

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn every_function_does_what_its_tool_does() {
    let cases = [
        ("observe_screen", "", "observe()"),
        ("observe_screen", "{}", "observe()"),
        ("observe_screen", "null", "observe()"),
        (
            "click_element",
            r#"{"label":"OK","box":[500,300]}"#,
            "left_click(500, 300)",
        ),
        (
            "click_element",
            r#"{"box":[[10,20],[30,40]],"label":"OK"}"#,
            "left_click(20, 30)",
        ),
        ("click_element", r#"{"label":"OK","box":"[1, 2]"}"#, "left_click(1, 2)"),
        (
            "click_element",
            r#""{\"label\":\"OK\",\"box\":[1,2]}""#,
            "left_click(1, 2)",
        ),
        (
            "click_element",
            "{'label': 'it\\'s', 'box': (1, 2),}",
            "left_click(1, 2)",
        ),
        ("click_element", r#"{" label":"OK"," box ":[1,2]}"#, "left_click(1, 2)"),
        ("click_element", r#"{"label":"\ud800","box":[1,2]}"#, "left_click(1, 2)"),
        ("type_text", r#"{"text":"héllo\n😀"}"#, r#"type("héllo\n😀")"#),
        ("type_text", r#"{"text":" "}"#, r#"type(" ")"#),
        ("press_key", r#"{"key":"Ctrl+S"}"#, r#"press("ctrl+s")"#),
        ("press_key", r#"{"key":" "}"#, r#"press("space")"#),
        ("scroll_at_position", "{}", "scroll(1, 500, 500)"),
        (
            "scroll_at_position",
            r#"{"box":null,"direction":null,"amount":null}"#,
            "scroll(1, 500, 500)",
        ),
        (
            "scroll_at_position",
            r#"{"box":[10,20,30,40],"direction":" Up ","amount":3}"#,
            "scroll(-3, 20, 30)",
        ),
        (
            "scroll_at_position",
            r#"{"direction":"right","amount":"2"}"#,
            "scroll(0, 500, 500, dx=2)",
        ),
        (
            "scroll_at_position",
            r#"{"direction":"left"}"#,
            "scroll(0, 500, 500, dx=-1)",
        ),
        ("double_click", r#"{"box":[1,2]}"#, "double_left_click(1, 2)"),
        (
            "double_click",
            r#"{"box":[1,2],"label":"icon"}"#,
            "double_left_click(1, 2)",
        ),
        ("right_click", r#"{"box":[1,2],"label":null}"#, "right_click(1, 2)"),
        ("drag", r#"{"x1":1,"y1":2,"x2":3.4,"y2":"4"}"#, "drag(1, 2, 3.4, 4)"),
        ("move", r#"{"box":[1,2]}"#, "move(1, 2)"),
        ("wait", r#"{"seconds":1.5}"#, "wait(1.5)"),
        ("observe_screen", r#"{"seconds":1.5}"#, "wait(1.5)"),
        ("drag", r#"{"from":[1,2],"to":[3.4,"4"]}"#, "drag(1, 2, 3.4, 4)"),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"kind":"left"}"#,
            "left_click(1, 2)",
        ),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"kind":" Double"}"#,
            "double_left_click(1, 2)",
        ),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"kind":"right"}"#,
            "right_click(1, 2)",
        ),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"kind":"hover"}"#,
            "move(1, 2)",
        ),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"count":4,"modifiers":"ctrl+shift"}"#,
            "left_click(1, 2, count=4, modifiers=\"ctrl+shift\")",
        ),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"kind":"double","count":2}"#,
            "double_left_click(1, 2)",
        ),
        ("type_text", r#"{"text":"a","box":[1,2]}"#, "type(\"a\", 1, 2)"),
        (
            "type_text",
            r#"{"text":"","box":[1,2],"replace":true}"#,
            "type(\"\", 1, 2, replace=True)",
        ),
        (
            "type_text",
            r#"{"text":"a\n","box":[1,2,3,4],"replace":"true","enter":true}"#,
            "type(\"a\\n\", 2, 3, replace=True)",
        ),
        ("press_key", r#"{"key":"ctrl+a Delete"}"#, "press(\"ctrl+a delete\")"),
        (
            "press_key",
            r#"{"key":["ctrl+a","Delete"]}"#,
            "press(\"ctrl+a delete\")",
        ),
        ("press_key", r#"{"key":"Tab","count":3}"#, "press(\"tab\", count=3)"),
        (
            "drag",
            r#"{"from":[1,2],"to":[5,6],"via":[[3,4]]}"#,
            "drag(points=[[1, 2], [3, 4], [5, 6]])",
        ),
        ("drag", r#"{"points":[[1,2],[3,4]]}"#, "drag(1, 2, 3, 4)"),
        ("mouse_down", "{}", "mouse_down()"),
        ("mouse_up", r#"{"box":[1,2],"button":"left"}"#, "mouse_up(1, 2)"),
        ("mouse_up", r#"{"button":"right"}"#, "mouse_up(button=\"right\")"),
        (
            "hold",
            r#"{"what":"left button","seconds":2,"box":[1,2]}"#,
            "hold(\"left button\", 2, 1, 2)",
        ),
        ("hold", r#"{"what":"Shift","seconds":"0.5"}"#, "hold(\"shift\", 0.5)"),
        ("clipboard", "{}", "read_clipboard()"),
        ("clipboard", r#"{"text":""}"#, "read_clipboard()"),
        ("clipboard", r#"{"text":"a"}"#, "write_clipboard(\"a\")"),
    ];
    for (name, arguments, action) in cases {
        assert_eq!(
            performed(&reported(&call(name, arguments))),
            [action],
            "{name} {arguments}"
        );
    }
}

#[test]
fn every_error_has_its_type() {
    let cases = [
        ("click_element", r#"{"label":"OK","box":[500"#, "invalid_json"),
        ("click_element", r#"{"label":"OK","box":[1,2],"#, "invalid_json"),
        (
            "click_element",
            r#"{"label":"a "quoted" word","box":[1,2]}"#,
            "invalid_json",
        ),
        ("click_element", "the OK button", "invalid_json"),
        ("click_element", "[500, 300]", "invalid_args"),
        ("click_element", "5", "invalid_args"),
        ("click_element", r#""\"\\\"{}\\\"\"""#, "invalid_args"),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"index":4}"#,
            "invalid_args",
        ),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"relative":true}"#,
            "invalid_args",
        ),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"kind":"long"}"#,
            "invalid_args",
        ),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"kind":"double","button":"right"}"#,
            "invalid_args",
        ),
        ("type_text", r#"{"text":"<the text>"}"#, "invalid_args"),
        ("type_text", r#"{"text":["a","b"]}"#, "invalid_args"),
        ("type_text", r#"{"text":"a","replace":true}"#, "invalid_args"),
        ("press_key", r#"{"key":"a","count":1000000}"#, "invalid_args"),
        ("press_key", r#"{"key":5}"#, "invalid_args"),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"count":1000000}"#,
            "invalid_args",
        ),
        (
            "click_element",
            r#"{"label":"OK","box":[1,2],"modifiers":"hyper"}"#,
            "invalid_args",
        ),
        ("drag", r#"{"points":[[1,2]]}"#, "invalid_args"),
        ("drag", r#"{"from":[1,2],"to":[3,4],"via":["here"]}"#, "invalid_args"),
        ("hold", r#"{"what":"w","seconds":3600}"#, "invalid_args"),
        ("hold", r#"{"what":"flurb","seconds":1}"#, "invalid_args"),
        ("hold", r#"{"seconds":1}"#, "invalid_args"),
        ("mouse_down", r#"{"button":"fourth"}"#, "invalid_args"),
        ("scroll_at_position", r#"{"direction":"sideways"}"#, "invalid_args"),
        ("scroll_at_position", r#"{"direction":5}"#, "invalid_args"),
        ("scroll_at_position", r#"{"amount":"much"}"#, "invalid_args"),
        ("scroll_at_position", r#"{"amount":NaN}"#, "invalid_args"),
        ("drag", r#"{"x1":1,"y1":2,"x2":3}"#, "invalid_args"),
        ("drag", r#"{"x1":1,"y1":2,"x2":3,"y2":Infinity}"#, "invalid_args"),
        ("wait", "{}", "invalid_args"),
        ("wait", r#"{"seconds":true}"#, "invalid_args"),
        ("click_element", r#"{"label":"OK","box":[1,2,3]}"#, "invalid_box"),
        ("click_element", r#"{"label":"OK","box":[NaN,2]}"#, "invalid_box"),
        ("click_element", r#"{"label":"OK","box":[1e999,2]}"#, "invalid_box"),
        ("click_element", r#"{"label":"OK","box":{"x":1}}"#, "invalid_box"),
        ("click_element", r#"{"label":"OK","box":"here"}"#, "invalid_box"),
        ("scroll_at_position", r#"{"box":[]}"#, "invalid_box"),
        ("click_element", r#"{"box":[1,2]}"#, "missing_label"),
        ("click_element", r#"{"label":" ","box":[1,2]}"#, "missing_label"),
        ("click_element", "", "missing_label"),
        ("click_element", r#"{"label":"OK"}"#, "missing_box"),
        ("click_element", r#"{"label":"OK","box":null}"#, "missing_box"),
        ("click_element", r#"{"label":"OK","x":1}"#, "missing_box"),
        ("double_click", r#"{"y":2}"#, "missing_box"),
        ("right_click", "{}", "missing_box"),
        ("move", "{}", "missing_box"),
        ("press_key", "{}", "missing_key"),
        ("press_key", r#"{"key":""}"#, "missing_key"),
        ("press_key", r#"{"key":"\n"}"#, "missing_key"),
        ("type_text", "{}", "empty_text"),
        ("type_text", r#"{"text":""}"#, "empty_text"),
        ("press_key", r#"{"key":"ctrl+flurb"}"#, "invalid_key"),
        ("press_key", r#"{"key":"a+b"}"#, "invalid_key"),
        ("swipe", r#"{"box":[1,2]}"#, "invalid_args"),
        ("Click", r#"{"label":"OK","box":[1,2]}"#, "unknown_tool"),
        ("click", r#"{"start_box":"(1,2)"}"#, "invalid_args"),
        ("click", r#"{"index":4}"#, "invalid_args"),
        ("hotkey", r#"{"key":"flurb"}"#, "invalid_args"),
        ("", "{}", "unknown_tool"),
    ];
    for (name, arguments, kind) in cases {
        let plan = reported(&call(name, arguments));
        assert_eq!(kinds(&plan), [kind], "{name} {arguments}");
        assert!(performed(&plan).is_empty());
        let why = plan.all_done()[0].why().unwrap_or_default().to_owned();
        assert!(why.starts_with(&format!("{kind}: ")), "{why}");
    }
    let long = format!(r#"{{"text":"{}"}}"#, "a".repeat(10_001));
    assert_eq!(kinds(&reported(&call("type_text", &long))), ["invalid_args"]);
}

#[test]
fn what_stands_around_all_arguments_is_removed() {
    let arguments = r#"{"label":"OK","box":[1,2]}"#;
    for name in ["arguments", "parameters", "properties", "args", "input"] {
        let wrapped = reported(&call("click_element", &format!("{{\"{name}\":{arguments}}}")));
        assert_eq!(performed(&wrapped), ["left_click(1, 2)"], "{name}");
        let beside = reported(&call(
            "click_element",
            &format!("{{\"{name}\":{arguments},\"box\":[3,4]}}"),
        ));
        assert_eq!(kinds(&beside), ["missing_label"], "{name}");
    }
    let wrapped = reported(&call("left_click", r#"{"parameters":{"coordinate":[5,3]}}"#));
    assert_eq!(performed(&wrapped), ["left_click(5, 3)"]);
}

#[test]
fn messages_show_how_to_do_it() {
    let message = |name, arguments| {
        let plan = reported(&call(name, arguments));
        results(&plan)[0]["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        message("click_element", r#"{"label":"OK","x":1}"#),
        r#"the place is missing: write it as 'box'; write arguments like {"label":"<what is there>","box":[<number>, <number>]}"#
    );
    assert_eq!(
        message("click_element", r#"{"label":"OK","box":[1,2],"index":4}"#),
        r#"click_element has no argument 'index'; write arguments like {"label":"<what is there>","box":[<number>, <number>]}"#
    );
    assert_eq!(
        message("press_key", r#"{"key":"ctrl+flurb"}"#),
        "unknown key 'flurb'; write a key, or keys joined by +"
    );
    assert_eq!(
        message("wait", "{}"),
        r#"'seconds' is missing; write arguments like {"seconds":<seconds>}"#
    );
}

#[test]
fn common_foreign_names_are_accepted_but_never_offered() {
    let cases = [
        ("click", r#"{"label":"OK","box":[1,2]}"#, "left_click(1, 2)"),
        ("click", r#"{"x":500,"y":300}"#, "left_click(500, 300)"),
        ("click", r#"{"x":5,"y":3,"button":"right"}"#, "right_click(5, 3)"),
        ("left_click", r#"{"coordinate":[500,300]}"#, "left_click(500, 300)"),
        ("left_click", r#"{"coordinate":"[500, 300]"}"#, "left_click(500, 300)"),
        ("leftClick", r#"{"position":{"x":5,"y":3}}"#, "left_click(5, 3)"),
        ("tap", r#"{"point":[5,3]}"#, "left_click(5, 3)"),
        ("click_element", r#"{"label":"OK","x":1,"y":2}"#, "left_click(1, 2)"),
        (
            "click_element",
            r#"{"label":5,"box":[1,2],"button":"left"}"#,
            "left_click(1, 2)",
        ),
        ("dblclick", r#"{"x":5,"y":3}"#, "double_left_click(5, 3)"),
        ("move_to", r#"{"x":5,"y":3}"#, "move(5, 3)"),
        ("mouse_move", r#"{"coordinate":[5,3]}"#, "move(5, 3)"),
        ("drag", r#"{"from":[1,2],"to":[3,4]}"#, "drag(1, 2, 3, 4)"),
        (
            "left_click_drag",
            r#"{"start_coordinate":[1,2],"coordinate":[3,4]}"#,
            "drag(1, 2, 3, 4)",
        ),
        (
            "scroll",
            r#"{"coordinate":[5,3],"direction":"down","amount":3}"#,
            "scroll(3, 5, 3)",
        ),
        ("scroll", r#"{"direction":"up","clicks":2}"#, "scroll(-2)"),
        ("scroll_down", "{}", "scroll(5)"),
        ("type", r#"{"text":"hello"}"#, "type(\"hello\")"),
        ("type_text", r#"{"content":"hello"}"#, "type(\"hello\")"),
        ("type_text", r#"{"text":5}"#, "type(\"5\")"),
        ("write", r#"{"text":"a","press_enter":false}"#, "type(\"a\")"),
        ("key", r#"{"text":"ctrl+s"}"#, "press(\"ctrl+s\")"),
        ("hotkey", r#"{"keys":["ctrl","c"]}"#, "press(\"ctrl+c\")"),
        ("press_key", r#"{"key":["ctrl","s"]}"#, "press(\"ctrl+s\")"),
        ("press", r#"{"keys":"Return"}"#, "press(\"enter\")"),
        ("screenshot", "{}", "observe()"),
        ("take_screenshot", r#"{"full":true}"#, "observe()"),
        ("observe_screen", r#"{"reason":"to see"}"#, "observe()"),
        ("wait", r#"{"time":2}"#, "wait(2)"),
        ("set_clipboard", r#"{"text":"a"}"#, "write_clipboard(\"a\")"),
        ("type", r#"{"text":"a","x":1,"y":2}"#, "type(\"a\", 1, 2)"),
        ("type_text", r#"{"text":"a","press_enter":true}"#, "type(\"a\\n\")"),
        (
            "input_text",
            r#"{"text":"a","coordinate":[1,2],"clear":true}"#,
            "type(\"a\", 1, 2, replace=True)",
        ),
        ("press", r#"{"key":"tab","presses":3}"#, "press(\"tab\", count=3)"),
        (
            "drag",
            r#"{"path":[[1,2],[3,4],[5,6]]}"#,
            "drag(points=[[1, 2], [3, 4], [5, 6]])",
        ),
        (
            "left_click",
            r#"{"x":1,"y":2,"modifiers":["ctrl","shift"]}"#,
            "left_click(1, 2, modifiers=\"ctrl+shift\")",
        ),
        (
            "click",
            r#"{"x":1,"y":2,"button":"right","count":2}"#,
            "right_click(1, 2, count=2)",
        ),
        ("left_mouse_down", r#"{"coordinate":[1,2]}"#, "mouse_down(1, 2)"),
        ("hold_key", r#"{"text":"ctrl+w","duration":2}"#, "hold(\"ctrl+w\", 2)"),
    ];
    for (name, arguments, action) in cases {
        assert_eq!(
            performed(&reported(&call(name, arguments))),
            [action],
            "{name} {arguments}"
        );
    }
    let schema = crate::tools::protocol().schema().unwrap();
    for name in ["left_click", "hotkey", "take_screenshot", "coordinate"] {
        assert!(!schema.contains(name), "{name}");
    }
}

#[test]
fn ambiguous_or_compound_calls_are_reported() {
    let cases = [
        ("type", r#"{"text":"a","clear":true}"#),
        ("press", r#"{"key":"tab","presses":1000}"#),
        ("drag", r#"{"path":[[1,2]]}"#),
        ("left_click", r#"{"x":1,"y":2,"button":"right"}"#),
        ("left_click", r#"{"x":1,"y":2,"modifiers":["hyper"]}"#),
        ("click", r#"{"x":1,"y":2,"count":1000000}"#),
        ("hold_key", r#"{"text":"w","duration":3600}"#),
        ("drag_to", r#"{"x":1,"y":2}"#),
        ("scroll", r#"{"amount":3}"#),
        ("wait", r#"{"seconds":1000}"#),
        ("long_press", r#"{"x":1,"y":2}"#),
        ("done", "{}"),
        ("left_click", r#"{"x":1200,"y":2}"#),
    ];
    for (name, arguments) in cases {
        let plan = reported(&call(name, arguments));
        assert!(
            performed(&plan).is_empty() && plan.finish.is_none(),
            "{name} {arguments}"
        );
        assert_ne!(kinds(&plan), ["ok"], "{name} {arguments}");
    }
}

#[test]
fn tools_that_are_switched_off_are_unknown() {
    let protocol = ToolsProtocol::from(ReadingSettings::new(ToolSet::of(["left_click", "observe"])));
    let tool_calls = call("press_key", r#"{"key":"enter"}"#);
    let plan = protocol.read(&ReplyText {
        tool_calls: Some(&tool_calls),
        ..ReplyText::default()
    });
    assert_eq!(
        results(&plan)[0]["error"]["message"],
        "there is no tool 'press_key'; use observe_screen, click_element, finish"
    );
    let schema = protocol.schema().unwrap();
    assert!(
        schema.contains("click_element") && !schema.contains("press_key"),
        "{schema}"
    );
}

#[test]
fn values_out_of_range_are_refused_and_never_clamped() {
    let outside = "the place is outside: x goes from 0 to 1000 and y from 0 to 1000";
    let fractions = "fractions are not used here: x goes from 0 to 1000 and y from 0 to 1000";
    let turned = "the second corner of the box is not beyond the first: a box is [x1, y1, x2, y2]";
    let cases = [
        ("click_element", r#"{"label":"OK","box":[1920,300]}"#, outside),
        ("click_element", r#"{"label":"OK","box":[900,0,1500,10]}"#, outside),
        ("click_element", r#"{"label":"OK","box":[0.36,0.92]}"#, fractions),
        ("click_element", r#"{"label":"OK","box":[0.1,0.2,0.3,0.4]}"#, fractions),
        (
            "click_element",
            r#"{"label":"OK","box":"[[0, 0], [1, 0.5]]"}"#,
            fractions,
        ),
        ("click_element", r#"{"label":"OK","box":[30,40,10,20]}"#, turned),
        ("drag", r#"{"x1":-5,"y1":2,"x2":3,"y2":4}"#, outside),
        ("drag", r#"{"x1":5,"y1":2,"x2":0.5,"y2":0.4}"#, fractions),
        ("scroll_at_position", r#"{"box":[5000,1]}"#, outside),
        (
            "scroll_at_position",
            r#"{"amount":900}"#,
            "scroll(): the wheel can turn at most 100 notches at a time",
        ),
        (
            "wait",
            r#"{"seconds":1000}"#,
            "wait(): a wait must last from 0 to 30 seconds",
        ),
    ];
    for (name, arguments, why) in cases {
        let plan = reported(&call(name, arguments));
        assert!(performed(&plan).is_empty(), "{arguments}");
        let told = results(&plan)[0]["error"]["message"].clone();
        assert!(told.as_str().unwrap().starts_with(why), "{told}");
    }
    for arguments in [r#"{"label":"OK","box":[0.5,10]}"#, r#"{"label":"OK","box":[0,0,1,1]}"#] {
        assert_eq!(performed(&reported(&call("click_element", arguments))).len(), 1);
    }
}

#[test]
fn boxes_and_labels_use_the_models_numbers_in_both_directions() {
    let read = |geometry, name: &str, arguments: &str| {
        let protocol = ToolsProtocol::from(ReadingSettings {
            geometry,
            ..ReadingSettings::new(ToolSet::all())
        });
        let tool_calls = call(name, arguments);
        protocol.read(&ReplyText {
            tool_calls: Some(&tool_calls),
            ..ReplyText::default()
        })
    };
    let pixels = Geometry {
        space: Space::Pixels,
        picture: Some((1001, 501)),
        ..Geometry::THOUSANDTHS
    };
    let plan = read(pixels, "click_element", r#"{"label":"OK","box":[500,250]}"#);
    assert_eq!(performed(&plan), ["left_click(500, 500)"]);
    assert_eq!(results(&plan)[0]["clicked_at"], serde_json::json!([500, 250]));
    let yx = Geometry {
        axes: Axes::Yx,
        ..Geometry::THOUSANDTHS
    };
    let plan = read(yx, "click_element", r#"{"label":"OK","box":[100,200,300,400]}"#);
    assert_eq!(performed(&plan), ["left_click(300, 200)"]);
    let plan = read(yx, "drag", r#"{"x1":1,"y1":2,"x2":3,"y2":4}"#);
    assert_eq!(performed(&plan), ["drag(1, 2, 3, 4)"]);
    for arguments in [
        r#"{"label":"OK","x":500,"y":300}"#,
        r#"{"label":"OK","y":300,"x":500}"#,
        r#"{"label":"OK","box":{"x":500,"y":300}}"#,
        r#"{"label":"OK","box":"x=500, y=300"}"#,
        r#"{"label":"OK","box":[300,500]}"#,
    ] {
        let plan = read(yx, "click_element", arguments);
        assert_eq!(performed(&plan), ["left_click(500, 300)"], "{arguments}");
    }
    let fractions = Geometry::THOUSANDTHS.counting(Space::Fractions);
    let plan = read(fractions, "drag", r#"{"x1":0.1,"y1":0.2,"x2":0.3,"y2":1}"#);
    assert_eq!(performed(&plan), ["drag(100, 200, 300, 1000)"]);
    assert_eq!(results(&plan)[0]["dragged"], serde_json::json!([0.1, 0.2, 0.3, 1]));
}
