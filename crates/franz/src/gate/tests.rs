use super::*;
use crate::config::flags::set_flags;
use crate::config::layer::Layer;

fn settings(set: &[&str]) -> Settings {
    let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
    Settings::resolve(&Layer::defaults().over(set_flags(&set).unwrap()))
}

fn action(text: &str) -> Action {
    text.parse().unwrap()
}

/// Judges the last of these actions after the others have been performed. The pointer is at (900, 900).
fn judged(set: &[&str], actions: &[&str]) -> &'static str {
    let (settings, mut gate) = (settings(set), Gatekeeper::default());
    let (last, before) = actions.split_last().unwrap();
    for done in before {
        gate.passed(&action(done));
        gate.came_to(&action(done), &Outcome::Done(None));
    }
    match gate.judge(&settings, &action(last), Some(Point::clamped(900, 900))) {
        Passage::Free => "free",
        Passage::Ask(_) => "ask",
        Passage::Shut(_) => "shut",
    }
}

#[test]
fn a_button_is_down_until_it_has_been_released() {
    let mut gate = Gatekeeper::default();
    let (press, release) = (action("mouse_down(900, 900)"), action("mouse_up(900, 900)"));
    gate.came_to(&press, &Outcome::BLOCKED);
    assert!(!gate.drags());
    gate.came_to(&press, &Outcome::Done(None));
    gate.came_to(&press, &Outcome::NotApplied("it is still down".to_owned()));
    gate.came_to(&release, &Outcome::BLOCKED);
    assert!(gate.drags());
    gate.came_to(&release, &Outcome::Done(None));
    assert!(!gate.drags());
}

#[test]
fn a_mode_lets_actions_pass_wait_or_not() {
    for (call, in_free, in_ask, in_watch) in [
        ("left_click(1, 2)", "free", "ask", "shut"),
        ("type(\"a\")", "free", "ask", "shut"),
        ("press(\"enter\")", "free", "ask", "shut"),
        ("drag(1, 2, 3, 4)", "free", "ask", "shut"),
        ("move(1, 2)", "free", "free", "shut"),
        ("scroll(3)", "free", "free", "shut"),
        ("observe()", "free", "free", "free"),
        ("wait(1)", "free", "free", "free"),
        ("zoom(1, 2, 300, 400)", "free", "free", "free"),
    ] {
        for (mode, wanted) in [("free", in_free), ("ask", in_ask), ("watch", in_watch)] {
            assert_eq!(
                judged(&[&format!("gate.mode={mode}")], &[call]),
                wanted,
                "{mode} {call}"
            );
        }
    }
    let only_keys = ["gate.mode=ask", "gate.ask=[\"press\"]"];
    assert_eq!(judged(&only_keys, &["left_click(1, 2)"]), "free");
    // A click with a modifier key presses that key.
    assert_eq!(judged(&only_keys, &["left_click(1, 2, modifiers=\"ctrl\")"]), "ask");
}

#[test]
fn a_rule_applies_by_place_key_text_and_tool() {
    let area = "{area=[0,0,100,100],then='deny'}";
    let middle = "{area=[400,400,600,600],then='deny'}";
    let outside = "{outside=[0,0,500,500],tools=['left_click'],then='ask'}";
    let keys = "{keys=['ctrl+w','enter'],then='deny'}";
    let text = "{text='rm ',then='deny'}";
    for (rule, actions, wanted) in [
        (area, &["left_click(100, 100)"][..], "shut"),
        (area, &["left_click(101, 100)"], "free"),
        (area, &["move(50, 50)"], "shut"),
        (area, &["drag(50, 200, 200, 50)"], "free"),
        (area, &["drag(50, 140, 140, 50)"], "shut"),
        (area, &["drag(points=[[500, 500], [900, 50], [50, 900]])"], "free"),
        (area, &["scroll(3)"], "free"),
        ("{area=[800,800,1000,1000],then='deny'}", &["scroll(3)"], "shut"),
        ("{area=[800,800,1000,1000],then='deny'}", &["type(\"a\")"], "free"),
        (middle, &["mouse_down(900, 900)", "move(100, 100)"], "shut"),
        (middle, &["mouse_down(900, 900)", "mouse_up(100, 100)"], "shut"),
        (
            middle,
            &["mouse_down(900, 900)", "mouse_up(900, 900)", "move(100, 100)"],
            "free",
        ),
        (middle, &["mouse_down(900, 900)", "press(\"shift\")"], "free"),
        ("{tools=['windows'],then='deny'}", &["windows()"], "shut"),
        (area, &["zoom(50, 50, 300, 400)"], "free"),
        (outside, &["left_click(499, 499)"], "free"),
        (outside, &["left_click(600, 1)"], "ask"),
        (outside, &["right_click(600, 1)"], "free"),
        (outside, &["type(\"a\", 600, 1)"], "ask"),
        (keys, &["press(\"ctrl+w\")"], "shut"),
        (keys, &["press(\"ctrl+shift+W\")"], "shut"),
        (keys, &["press(\"ctrl+a ctrl+w\")"], "shut"),
        (keys, &["hold(\"ctrl+w\", 1)"], "shut"),
        (keys, &["press(\"w\")"], "free"),
        (keys, &["type(\"a\\n\")"], "shut"),
        (keys, &["type(\"a\\r\")"], "shut"),
        (text, &["type(\"RM -r\")"], "shut"),
        (text, &["type(\"rm\")"], "free"),
        (text, &["type(\"rm\")", "type(\" x\")"], "shut"),
        (text, &["type(\"r\")", "observe()", "press(\"m space\")"], "shut"),
        (text, &["type(\"rm\")", "left_click(5, 5)", "type(\" x\")"], "free"),
        (text, &["write_clipboard(\"rm -r\")"], "shut"),
        (
            text,
            &["hold(\"r\", 0.05)", "hold(\"m\", 0.05)", "press(\"space\")"],
            "shut",
        ),
        (text, &["type(\"rm\")", "hold(\"space\", 0.05)"], "shut"),
        (text, &["press(\"r shift m\")", "type(\" x\")"], "shut"),
        (text, &["type(\"r\")", "move(5, 5)", "type(\"m -r x\")"], "shut"),
        (text, &["type(\"r\")", "scroll(3)", "type(\"m -r x\")"], "shut"),
        (text, &["type(\"r\")", "mouse_up()", "type(\"m -r x\")"], "shut"),
        (
            text,
            &["type(\"r\")", "focus(\"Terminal\")", "type(\"m -r x\")"],
            "shut",
        ),
        (text, &["type(\"r\")", "hold(\"shift\", 1)", "type(\"m -r x\")"], "shut"),
        (
            text,
            &["type(\"r\")", "press(\"capslock\")", "type(\"M -r x\")"],
            "shut",
        ),
        (
            text,
            &["write_clipboard(\"r\")", "press(\"ctrl+v\")", "type(\"m -r x\")"],
            "shut",
        ),
        (
            text,
            &["type(\"r\")", "write_clipboard(\"m -r\")", "press(\"shift+insert\")"],
            "shut",
        ),
        (text, &["press(\"ctrl+v\")", "type(\"m -r x\")"], "free"),
        (
            middle,
            &[
                "mouse_down(900, 900)",
                "mouse_down(button=\"right\")",
                "mouse_up(button=\"right\")",
                "move(100, 100)",
            ],
            "shut",
        ),
        (text, &["type(\"rm\")", "hold(\"left\", 1)", "type(\" x\")"], "free"),
        (text, &["type(\"rm \")", "press(\"shift\")"], "free"),
    ] {
        assert_eq!(
            judged(&[&format!("gate.rule=[{rule}]")], actions),
            wanted,
            "{rule} {actions:?}"
        );
    }
}

#[test]
fn the_strictest_rule_counts() {
    let rules = "gate.rule=[{area=[0,0,500,500],then='ask'},{keys=['enter'],then='deny'},{text='x',then='ask'}]";
    for (call, wanted) in [
        ("type(\"x\")", "ask"),
        ("type(\"x\\n\")", "shut"),
        ("left_click(1, 1)", "ask"),
        ("left_click(900, 1)", "free"),
    ] {
        assert_eq!(judged(&[rules], &[call]), wanted, "{call}");
    }
    // With `watch`, no action is performed, so the person is not asked to approve any.
    assert_eq!(judged(&[rules, "gate.mode=watch"], &["left_click(1, 1)"]), "shut");
}

#[test]
fn every_mistake_in_the_rules_is_named() {
    let mistakes = |rules: &str| set_flags(&[format!("gate.rule={rules}")]).unwrap_err().to_string();
    let told = mistakes(
        "[{area=[500,0,100,100],then='deny'},{tools=['clik'],then='ask'},{keys=['ctrl+nokey'],text=' ',then='deny'},{then='ask'},{area=[0,0,9,9],then='perhaps'},{aera=[0,0,9,9],then='ask'}]",
    );
    for mistake in [
        "rule 1: area must be [left, top, right, bottom] in thousandths",
        "rule 2: there is no tool \"clik\"",
        "rule 3: keys: unknown key 'nokey'",
        "rule 3: text is empty",
        "rule 4: it has no condition",
        "rule 5: unknown variant `perhaps`",
        "rule 6: unknown field `aera`",
    ] {
        assert!(told.contains(mistake), "{mistake}: {told}");
    }
    let told = set_flags(&["gate.ask=['clik']".to_owned()]).unwrap_err().to_string();
    assert!(told.contains("there is no tool \"clik\""), "{told}");
}

#[test]
fn an_edited_action_has_the_limits_of_a_reply() {
    for (text, told) in [
        ("watch(-1)", "0 to 30 seconds"),
        ("wait(1e30)", "0 to 30 seconds"),
        ("hold(\"ctrl\", 31)", "0 to 30 seconds"),
        ("press(\"a\", count=4000000000)", "100 times"),
        ("left_click(1, 2, count=21)", "20 times"),
        ("scroll(-101)", "100 notches"),
        ("ask(\"Why?\")", "write the action itself"),
    ] {
        let why = edited(text).unwrap_err();
        assert!(why.contains(told), "{text}: {why}");
    }
    assert!(edited("watch(30)").is_ok() && edited("press(\"a\", count=100)").is_ok());
}

#[test]
fn an_edited_action_is_read_as_records_write_it() {
    assert_eq!(edited(" left_click(1, 2)\n").unwrap(), action("left_click(1, 2)"));
    let placed = "write left_click(x, y), with places from 0 to 1000";
    for (text, told) in [
        ("", "write a call such as left_click(x, y) or press(\"enter\")"),
        ("rm -r", "write a call such as left_click(x, y) or press(\"enter\")"),
        ("left_click(1)", placed),
        (" left_click(1001, 5)", placed),
        ("drag(5,5)", "write drag(x1, y1, x2, y2), with places from 0 to 1000"),
        ("type(hello)", "write type(\"text\")"),
        ("wait()", "write wait(seconds)"),
    ] {
        let why = edited(text).unwrap_err();
        assert_eq!(why, format!("{text:?} is not an action; {told}"));
    }
}
