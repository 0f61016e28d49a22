//! Tests of binding.

use super::*;
use crate::geometry::Space;

#[test]
fn tools_are_listed_in_the_order_of_the_axes() {
    let tools = ToolSet::of(["drag", "scroll"]);
    let listed = listed(&tools, Axes::Yx);
    assert!(listed[0].starts_with("drag(y1, x1, y2, x2) -- drag in a straight line from (y1,x1) to (y2,x2)"));
    assert!(listed[1].starts_with("scroll(dy, y=None, x=None, dx=0) -- scroll by wheel notches at (y,x)"));
}

fn call(tool: &str, args: &[Arg]) -> Result<Action, BindError> {
    call_in(&Geometry::THOUSANDTHS, tool, args)
}

fn call_in(geometry: &Geometry, tool: &str, args: &[Arg]) -> Result<Action, BindError> {
    bind(
        Tool::named(tool).unwrap(),
        args.to_vec(),
        Vec::new(),
        &ToolSet::all(),
        geometry,
    )
}

fn click(geometry: &Geometry, x: f64, y: f64) -> Result<Action, BindError> {
    call_in(geometry, "left_click", &[Arg::Float(x), Arg::Float(y)])
}

#[test]
fn a_path_of_one_point_and_a_million_clicks_are_refused_with_what_would_be_right() {
    let named = |tool: &str, args: &[Arg], name: &str, value: Arg| {
        let named = vec![(name.to_owned(), value)];
        let bound = bind(
            Tool::named(tool).unwrap(),
            args.to_vec(),
            named,
            &ToolSet::all(),
            &Geometry::THOUSANDTHS,
        );
        bound.unwrap_err().to_string()
    };
    let point = Arg::Sequence("list".to_owned(), vec![Arg::Int(1.0), Arg::Int(2.0)]);
    let path = Arg::Sequence("list".to_owned(), vec![point]);
    assert_eq!(
        named("drag", &[], "points", path),
        "drag(): a drag needs two or more points: points=[[x, y], [x, y]]"
    );
    let many = named("left_click", &[Arg::Int(1.0), Arg::Int(2.0)], "count", Arg::Int(1e6));
    assert_eq!(many, "left_click(): a click can be repeated 1 to 20 times in one call");
}

#[test]
fn out_of_range_arguments_are_refused_and_never_clamped() {
    let outside = "the place is outside: x goes from 0 to 1000 and y from 0 to 1000";
    let fractions = "fractions are not used here: x goes from 0 to 1000 and y from 0 to 1000";
    let cases = [
        ("left_click", vec![1200.0, 5.0], outside),
        ("left_click", vec![1000.1, 5.0], outside),
        ("left_click", vec![-1.0, 5.0], outside),
        ("drag", vec![1.0, 2.0, 3.0, 1001.0], outside),
        ("scroll", vec![1.0, 2000.0, 3.0], outside),
        ("left_click", vec![0.36, 0.92], fractions),
        ("drag", vec![10.0, 20.0, 0.5, 1.0], fractions),
        ("wait", vec![31.0], "a wait must last from 0 to 30 seconds"),
        ("wait", vec![-1.0], "a wait must last from 0 to 30 seconds"),
        (
            "scroll",
            vec![101.0],
            "the wheel can turn at most 100 notches at a time",
        ),
    ];
    for (tool, numbers, why) in cases {
        let args: Vec<Arg> = numbers.iter().copied().map(Arg::Float).collect();
        let told = call(tool, &args).unwrap_err().to_string();
        assert_eq!(told, format!("{tool}(): {why}"), "{numbers:?}");
    }
    for (x, y) in [(0.0, 0.0), (1.0, 1.0), (1000.0, 1000.0), (0.5, 300.0), (499.5, 0.4)] {
        let clicked = click(&Geometry::THOUSANDTHS, x, y);
        assert_eq!(clicked, Ok(Action::left_click(Point::nearest(x, y))));
    }
}

#[test]
fn numbers_are_interpreted_by_the_geometry() {
    let pixels = Geometry {
        space: Space::Pixels,
        picture: Some((1344, 896)),
        ..Geometry::THOUSANDTHS
    };
    assert_eq!(
        click(&pixels, 1343.0, 895.0),
        Ok(Action::left_click(Point::clamped(1000, 1000)))
    );
    assert!(click(&pixels, 900.0, 1000.0).is_err());
    let fractions = Geometry::THOUSANDTHS.counting(Space::Fractions);
    assert_eq!(
        click(&fractions, 0.36, 0.92),
        Ok(Action::left_click(Point::clamped(360, 920)))
    );
    assert!(click(&fractions, 36.0, 92.0).is_err());
    assert!(click(&Geometry::THOUSANDTHS.counting(Space::Unknown), 1.0, 2.0).is_err());
}

#[test]
fn axis_order_applies_to_positional_but_not_to_named_arguments() {
    let yx = Geometry {
        axes: Axes::Yx,
        ..Geometry::THOUSANDTHS
    };
    let args = |numbers: &[f64]| -> Vec<Arg> { numbers.iter().copied().map(Arg::Float).collect() };
    let called = |tool, numbers: &[f64]| call_in(&yx, tool, &args(numbers)).unwrap().to_string();
    assert_eq!(called("left_click", &[300.0, 400.0]), "left_click(400, 300)");
    assert_eq!(called("drag", &[1.0, 2.0, 3.0, 4.0]), "drag(2, 1, 4, 3)");
    assert_eq!(called("scroll", &[3.0, 10.0, 20.0, 2.0]), "scroll(3, 20, 10, dx=2)");
    let named = vec![("x".to_owned(), Arg::Int(400.0)), ("y".to_owned(), Arg::Int(300.0))];
    let bound = bind(
        Tool::named("left_click").unwrap(),
        Vec::new(),
        named,
        &ToolSet::all(),
        &yx,
    )
    .unwrap();
    assert_eq!(bound.to_string(), "left_click(400, 300)");
    assert_eq!(yx.spoken(&bound), "left_click(300, 400)");
}

#[test]
fn wrong_types_and_values_are_named() {
    let cases = [
        (
            "left_click",
            vec![Arg::Text("a".into()), Arg::Int(1.0)],
            "left_click() argument 'x' must be a number, not str",
        ),
        (
            "type",
            vec![Arg::Int(5.0)],
            "type() argument 'text' must be str, not int",
        ),
        (
            "type",
            vec![Arg::Float(5.0)],
            "type() argument 'text' must be str, not float",
        ),
        (
            "type",
            vec![Arg::Bool(true)],
            "type() argument 'text' must be str, not bool",
        ),
        (
            "left_click",
            vec![Arg::Int(1.0), Arg::Float(f64::NAN)],
            "left_click() argument 'y' must be finite, not nan",
        ),
        (
            "type",
            vec![Arg::Text("a".repeat(10_001))],
            "type() argument 'text' must have at most 10000 characters, not 10001",
        ),
        (
            "write_clipboard",
            vec![Arg::Text("a".repeat(100_001))],
            "write_clipboard() argument 'text' must have at most 100000 characters, not 100001",
        ),
        (
            "read_clipboard",
            vec![Arg::Int(1.0)],
            "read_clipboard() takes 0 positional arguments but 1 was given",
        ),
        (
            "press",
            vec![Arg::Text("ctrl+blah".into())],
            "press(): unknown key 'blah'",
        ),
        (
            "scroll",
            vec![Arg::Int(1.0), Arg::Int(2.0)],
            "scroll() needs both 'x' and 'y', or neither",
        ),
    ];
    for (tool, args, message) in cases {
        assert_eq!(call(tool, &args).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_target_is_read_only_where_somebody_finds_it() {
    let alone = ToolSet::all();
    let found = ToolSet::all().with_targets();
    let text = |text: &str| Arg::Text(text.to_owned());
    let named = |name: &str, arg: Arg| (Vec::new(), vec![(name.to_owned(), arg)]);
    let called = |tools: &ToolSet, tool: &str, (positional, keywords)| {
        bind(
            Tool::named(tool).unwrap(),
            positional,
            keywords,
            tools,
            &Geometry::THOUSANDTHS,
        )
    };
    for (tool, args, action) in [
        (
            "left_click",
            named("target", text(" Save ")),
            Some("left_click(target=\"Save\")"),
        ),
        (
            "click",
            (vec![text("Save")], Vec::new()),
            Some("left_click(target=\"Save\")"),
        ),
        (
            "move",
            named("label", text("a \"b\"")),
            Some("move(target=\"a \\\"b\\\"\")"),
        ),
        ("left_click", named("target", text(" ")), None),
        (
            "left_click",
            named("target", text(&"a".repeat(LONGEST_TARGET + 1))),
            None,
        ),
        ("left_click", named("where", text("Save")), None),
        ("left_click", named("target", Arg::Int(5.0)), None),
        ("left_click", (vec![text("Save"), Arg::Int(5.0)], Vec::new()), None),
        ("drag", named("target", text("Save")), None),
        (
            "left_click",
            (vec![Arg::Int(1.0), Arg::Int(2.0)], Vec::new()),
            Some("left_click(1, 2)"),
        ),
    ] {
        let read = called(&found, tool, args.clone()).ok().map(|action| action.to_string());
        assert_eq!(read.as_deref(), action, "{tool} {args:?}");
        let is_place = action.is_some_and(|action| !action.contains("target"));
        assert_eq!(called(&alone, tool, args.clone()).is_ok(), is_place, "{tool} {args:?}");
    }
    let line = "left_click(target) -- click the left mouse button at the target";
    assert!(listed(&found, Axes::Xy).iter().any(|listed| listed == line));
}

#[test]
fn an_element_is_read_by_its_number_only_where_the_model_is_told_of_them() {
    let alone = ToolSet::all();
    let told = ToolSet::all().with_elements();
    let both = ToolSet::all().with_elements().with_targets();
    let called = |tools: &ToolSet, tool: &str, name: &str, arg: &Arg| {
        let keywords = vec![(name.to_owned(), arg.clone())];
        let tool = Tool::named(tool).unwrap();
        bind(tool, Vec::new(), keywords, tools, &Geometry::THOUSANDTHS)
    };
    let text = |text: &str| Arg::Text(text.to_owned());
    for (tool, name, arg, action) in [
        ("click", "element", Arg::Int(12.0), Some("left_click(element=12)")),
        ("move", "element", Arg::Float(3.0), Some("move(element=3)")),
        ("right_click", "element", text(" [7] "), Some("right_click(element=7)")),
        ("left_click", "element", Arg::Int(0.0), None),
        ("left_click", "element", Arg::Int(-1.0), None),
        ("left_click", "element", Arg::Float(1.5), None),
        ("left_click", "element", Arg::Float(f64::NAN), None),
        ("left_click", "element", Arg::Int(1e18), None),
        ("left_click", "element", text("Save"), None),
        ("left_click", "number", Arg::Int(3.0), None),
        ("drag", "element", Arg::Int(3.0), None),
    ] {
        for tools in [&told, &both] {
            let read = called(tools, tool, name, &arg).ok().map(|action| action.to_string());
            assert_eq!(read.as_deref(), action, "{tool} {name} {arg:?}");
        }
        assert!(called(&alone, tool, name, &arg).is_err(), "{tool} {name} {arg:?}");
    }
    // A call can still give a place.
    let place = bind(
        Tool::named("left_click").unwrap(),
        vec![Arg::Int(1.0), Arg::Int(2.0)],
        Vec::new(),
        &told,
        &Geometry::THOUSANDTHS,
    );
    assert_eq!(place.unwrap().to_string(), "left_click(1, 2)");
}
