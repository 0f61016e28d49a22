//! What families write: every line reads back as the action it was written for, and prompts offer only tools that are
//! switched on.

use franz_action::{Action, Point, ToolSet};
use franz_dialect::{Axes, Family, Geometry, OwnForm, ReadStep, ReplyText, Space};
use proptest::prelude::*;
use serde_json::Value;

use super::{actions, read};

/// Returns the families that are asked to write their own dialect.
fn writing() -> Vec<Family> {
    let families = Family::all().into_iter();
    families
        .filter(|family| !family.dialect.is_read_only() && family.dialect.name != "franz")
        .collect()
}

const PICTURE: (u32, u32) = (1344, 896);

fn geometry(family: &mut Family) -> Geometry {
    if family.space == Space::Unknown {
        family.space = Space::Thousandths;
    }
    family.geometry(Some(PICTURE), None)
}

const KEYS: [&str; 9] = [
    "enter",
    "ctrl+s",
    "ctrl+shift+t",
    "alt+f4",
    "f5",
    "a",
    "space",
    "ctrl++",
    "pagedown",
];

fn any_action() -> impl Strategy<Value = Action> {
    // Multiples of ten thousandths, which are whole numbers in percent.
    let point = || (0u32..=100, 0u32..=100).prop_map(|(x, y)| Point::clamped(i64::from(x) * 10, i64::from(y) * 10));
    let keys = prop::sample::select(&KEYS[..]);
    let text = "[ -~é家\n]{1,20}".prop_filter("tags are masked or end elements", |text| !text.contains('<'));
    prop_oneof![
        point().prop_map(Action::left_click),
        point().prop_map(Action::right_click),
        point().prop_map(Action::middle_click),
        point().prop_map(Action::double_click),
        point().prop_map(Action::triple_click),
        point().prop_map(Action::Move),
        (point(), point()).prop_map(|(from, to)| Action::drag(from, to)),
        (-100i32..=100, prop::option::of(point())).prop_map(|(dy, at)| Action::Scroll { dy, dx: 0, at }),
        (-100i32..=100, prop::option::of(point())).prop_map(|(dx, at)| Action::Scroll { dy: 0, dx, at }),
        text.prop_map(Action::typing),
        keys.prop_map(|keys| Action::Press(keys.parse().unwrap())),
        (0u32..=300).prop_map(|tenths| Action::Wait(f64::from(tenths) / 10.0)),
        Just(Action::Screenshot),
    ]
}

/// Checks whether two actions are the same, with places at most about a pixel apart.
fn same(one: &Action, other: &Action) -> bool {
    let near = |one: &Point, other: &Point| {
        let near = |a: f64, b: f64| (a - b).abs() <= 1.2;
        near(one.x.get(), other.x.get()) && near(one.y.get(), other.y.get())
    };
    match (one, other) {
        (Action::Click(a), Action::Click(b)) => a.verb() == b.verb() && near(&a.at, &b.at),
        (Action::Move(a), Action::Move(b)) => near(a, b),
        (Action::Drag(a), Action::Drag(b)) => {
            let mut places = a.points().iter().zip(b.points());
            a.points().len() == b.points().len() && places.all(|(a, b)| near(a, b))
        }
        (
            Action::Scroll { dy, dx, at: Some(at) },
            Action::Scroll {
                dy: dy2,
                dx: dx2,
                at: Some(at2),
            },
        ) => (dy, dx) == (dy2, dx2) && near(at, at2),
        _ => one == other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_line_written_for_a_family_reads_back_unchanged(action in any_action(), axes in prop::sample::select(vec![Axes::Xy, Axes::Yx])) {
        for mut family in writing() {
            family.axes = axes;
            let geometry = geometry(&mut family);
            let Some(line) = family.line(&action, &geometry) else { continue };
            let reading = read(&family, &ReplyText::of(&line), PICTURE);
            let done: Vec<&Action> = reading.steps.iter().filter_map(|step| step.action()).collect();
            let is_same = matches!(done[..], [done] if same(done, &action));
            prop_assert!(is_same, "{}: {line} reads as {done:?}, told {}", family.name, reading.told);
            prop_assert!(!reading.recognised && reading.problems.is_empty(), "{}: {line} {:?}", family.name, reading.problems);
        }
    }

    #[test]
    fn a_finish_line_reads_back_unchanged(answer in "[ -;=-~é家]{0,30}", success: bool) {
        assert_finish_reads_back(&answer, success);
    }

    #[test]
    fn a_question_line_reads_back_unchanged(question in "[ -;=-~é家]{1,30}") {
        for mut family in writing() {
            let geometry = geometry(&mut family);
            let Some(line) = family.line(&Action::Ask(question.clone()), &geometry) else { continue };
            let reading = read(&family, &ReplyText::of(&line), PICTURE);
            prop_assert_eq!(reading.question(), Some(&*question), "{}: {}", &family.name, line);
        }
    }
}

fn assert_finish_reads_back(answer: &str, success: bool) {
    for family in writing() {
        let Some(line) = family.finish_line(answer, success) else {
            continue;
        };
        let reading = read(&family, &ReplyText::of(&line), PICTURE);
        assert_eq!(
            reading.answer.as_deref().map(str::trim),
            Some(answer.trim()),
            "{}: {line}",
            family.name
        );
        assert_eq!(reading.success, success, "{}: {line}", family.name);
    }
}

#[test]
fn an_open_quote_in_an_answer_hides_no_finish() {
    for answer in ["A.('", "e.g.(\"", "see os.path.join('", "self.x = f.y([1, '"] {
        assert_finish_reads_back(answer, true);
        assert_finish_reads_back(answer, false);
    }
}

#[test]
fn a_read_only_family_is_told_to_write_a_readable_form() {
    let point = || Point::clamped(400, 600);
    let actions_told = [
        Action::left_click(point()),
        Action::right_click(point()),
        Action::double_click(point()),
        Action::Move(point()),
        Action::drag(point(), Point::clamped(0, 20)),
        Action::typing("a".to_owned()),
        Action::Press("enter".parse().unwrap()),
        Action::Wait(2.5),
        Action::Screenshot,
    ];
    let families = Family::all().into_iter();
    for mut family in families.filter(|family| family.dialect.is_read_only()) {
        let geometry = geometry(&mut family);
        for action in &actions_told {
            let line = OwnForm::Tools.line(action, &geometry);
            let reading = read(&family, &ReplyText::of(&line), PICTURE);
            let done = |step: &ReadStep| step.action().is_some_and(|one| same(one, action));
            assert!(
                matches!(reading.steps.as_slice(), [step] if done(step)),
                "{}: {line}: {reading:?}",
                family.name
            );
        }
    }
}

#[test]
fn every_family_can_click_type_and_end() {
    for mut family in writing() {
        let geometry = geometry(&mut family);
        let at = Point::clamped(500, 500);
        for action in [Action::left_click(at), Action::typing("a".to_owned())] {
            assert!(family.line(&action, &geometry).is_some(), "{}: {action}", family.name);
        }
        assert!(family.finish_line("done", true).is_some(), "{}", family.name);
    }
}

#[test]
fn actions_are_wrapped_in_the_familys_envelope() {
    let line = |name: &str, action: &Action| {
        let mut family = Family::named(name).unwrap();
        let geometry = geometry(&mut family);
        family.line(action, &geometry).unwrap()
    };
    let click = Action::left_click(Point::clamped(497, 342));
    let drag = Action::drag(Point::clamped(100, 200), Point::clamped(300, 400));
    let type_ = Action::typing("a".to_owned());
    let down = Action::Scroll { dy: 3, dx: 0, at: None };
    for (name, action, wanted) in [
        (
            "qwen3-vl",
            &click,
            r#"<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [497, 342]}}</tool_call>"#,
        ),
        (
            "qwen3.5",
            &click,
            "<tool_call><function=computer_use><parameter=action>left_click</parameter><parameter=coordinate>[497, 342]</parameter></function></tool_call>",
        ),
        ("ui-tars-1.0", &click, "Action: click(start_box='(497,342)')"),
        (
            "seed",
            &click,
            "<seed:tool_call><function=click><parameter=point><point>497 342</point></parameter></function></seed:tool_call>",
        ),
        (
            "glm-v",
            &click,
            "<|begin_of_box|>left_click(start_box='[497,342]')<|end_of_box|>",
        ),
        (
            "kimi",
            &drag,
            "pyautogui.moveTo(x=0.1, y=0.2); pyautogui.dragTo(x=0.3, y=0.4)",
        ),
        (
            "holo3",
            &type_,
            r#"{"note": null, "thought": "", "tool_call": {"tool_name": "write_desktop", "content": "a"}}"#,
        ),
        (
            "holo1",
            &down,
            r#"{"note": "", "thought": "", "action": {"action": "scroll", "direction": "down", "scroll_size": 3}}"#,
        ),
        (
            "showui",
            &drag,
            "{'action': 'SELECT_TEXT', 'value': None, 'position': [[0.1, 0.2], [0.3, 0.4]]}",
        ),
        (
            "gui-owl-1.5",
            &down,
            r#"<tool_call>{"name": "computer_use", "arguments": {"action": "scroll", "pixels": -3}}</tool_call>"#,
        ),
        (
            "fara-1.5",
            &down,
            r#"<tool_call>{"name": "computer_use", "arguments": {"action": "scroll", "pixels": -300}}</tool_call>"#,
        ),
        (
            "fara",
            &type_,
            r#"<tool_call>{"name": "computer_use", "arguments": {"action": "type", "text": "a", "press_enter": false}}</tool_call>"#,
        ),
    ] {
        assert_eq!(line(name, action), wanted, "{name}");
    }
}

#[test]
fn a_swipe_goes_where_the_family_means() {
    let done = |name: &str, text: &str| actions(&read(&Family::named(name).unwrap(), &ReplyText::of(text), PICTURE));
    let swipe = r#"<tool_call>{"name": "mobile_use", "arguments": {"action": "swipe", "direction": "up"}}</tool_call>"#;
    assert_eq!(done("mai-ui", swipe), ["scroll(5)"]);
    assert_eq!(done("qwen3-vl", swipe), ["scroll(-5)"]);
}

#[test]
fn only_enabled_tools_are_offered() {
    for mut family in writing() {
        let geometry = geometry(&mut family);
        let all = family.verbs(&ToolSet::all(), &geometry);
        assert!(all.len() >= 4, "{}: {all:?}", family.name);
        let one = family.verbs(&ToolSet::of(["type"]), &geometry);
        assert_eq!(one.len(), 1, "{}: {one:?}", family.name);
        assert!(all.contains(&one[0]), "{}", family.name);
        assert!(family.verbs(&ToolSet::of([]), &geometry).is_empty());
        for line in all {
            let (call, does) = line.rsplit_once(" -- ").unwrap();
            assert!(!call.is_empty() && !does.is_empty() && !line.contains('\n'), "{line}");
        }
    }
}

#[test]
fn published_functions_cover_only_enabled_tools() {
    for mut family in writing() {
        let geometry = geometry(&mut family);
        let Some(all) = family.schema(&ToolSet::all(), &geometry) else {
            continue;
        };
        let typing = family.schema(&ToolSet::of(["type"]), &geometry).unwrap();
        assert!(typing.len() < all.len(), "{}", family.name);
        let functions: Value = serde_json::from_str(&all).unwrap_or_else(|error| panic!("{error}: {all}"));
        for function in functions.as_array().unwrap() {
            assert_eq!(function["type"], "function");
            assert!(
                function["function"]["parameters"]["properties"].is_object(),
                "{function}"
            );
        }
        assert!(!typing.contains("click"), "{typing}");
    }
}
