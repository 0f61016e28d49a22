//! Dialogs are shown as windows, painted over the page, and answered by clicks and keys.

use std::time::{Duration, Instant};

use franz_screen::{Change, Desktop, Screen};

use crate::stage::{Stage, perform, says, title, until, windows};

fn wait_for(screen: &mut Desktop, wanted: &str) {
    until(wanted, || (title(screen) == wanted).then_some(()));
}

#[test]
fn dialogs_are_windows_and_are_answered_by_keys() {
    let stage = Stage::new(
        "<style>html{height:100%}</style><script>\
         let step = 0; onclick = () => { step++;\
         if (step == 1) { alert('First\\nline'); say('alerted') }\
         if (step == 2) say('confirmed ' + confirm('Sure?'));\
         if (step == 3) say('confirmed ' + confirm('Really?'));\
         if (step == 4) say('prompted ' + prompt('Name?', 'old'));\
         if (step == 5) say('prompted ' + prompt('Again?', 'old')) }</script>",
    );
    let mut screen = stage.screen();
    for (dialog, calls, said) in [
        ("alert: First\nline", &["press(\"enter\")"][..], "alerted"),
        ("confirm: Sure?", &["press(\"enter\")"], "confirmed true"),
        ("confirm: Really?", &["press(\"esc\")"], "confirmed false"),
        ("prompt: Name?", &["type(\"Grüße €\\n\")"], "prompted Grüße €"),
        (
            "prompt: Again?",
            &["press(\"end backspace\")", "press(\"enter\")"],
            "prompted ol",
        ),
    ] {
        perform(&mut screen, "left_click(50, 50)");
        wait_for(&mut screen, dialog);
        let list = windows(&mut screen);
        assert_eq!(list.len(), 2);
        assert!(list[0].is_active && list[0].dialog_of == Some(list[1].id) && !list[1].is_active);
        screen.capture().unwrap();
        assert!(matches!(screen.change(), Change::Within(..)), "{dialog} is painted");
        for call in calls {
            perform(&mut screen, call);
        }
        says(&mut screen, said);
        screen.capture().unwrap();
        assert!(matches!(screen.change(), Change::Within(..)), "{dialog} is gone");
    }
}

#[test]
fn the_buttons_of_a_dialog_can_be_clicked() {
    let stage =
        Stage::new("<style>html{height:100%}</style><script>onclick = () => say('' + confirm('Sure?'))</script>");
    let mut screen = stage.screen();
    screen.tell_elements(stage.browser.elements());
    for (name, said) in [("OK", "true"), ("Cancel", "false")] {
        perform(&mut screen, "left_click(50, 50)");
        wait_for(&mut screen, "confirm: Sure?");
        perform(&mut screen, "left_click(50, 50)");
        wait_for(&mut screen, "confirm: Sure?");
        let list = screen.elements().unwrap().unwrap().list;
        let place = list.iter().find(|element| element.name == name).unwrap().place;
        let middle = |one: f64, other: f64| one.midpoint(other);
        let (x, y) = (
            middle(place.0.x.get(), place.1.x.get()),
            middle(place.0.y.get(), place.1.y.get()),
        );
        perform(&mut screen, &format!("left_click({x:.0}, {y:.0})"));
        says(&mut screen, said);
    }
}

#[test]
fn a_page_is_left_only_if_the_dialog_says_so() {
    let stage = Stage::new(
        "<style>html{height:100%}</style><script>onbeforeunload = e => { e.preventDefault(); return 'x' };\
         let n = 0; onclick = () => { if (++n > 1) location = 'other.html'; else say('ready') }</script>",
    );
    stage.add("other.html", "<script>say('other')</script>");
    let mut screen = stage.screen();
    perform(&mut screen, "left_click(500, 500)");
    says(&mut screen, "ready");
    let question = "Leave this page? Changes that you made may not be saved.";
    perform(&mut screen, "left_click(500, 500)");
    wait_for(&mut screen, question);
    perform(&mut screen, "press(\"esc\")");
    says(&mut screen, "ready");
    perform(&mut screen, "left_click(500, 500)");
    wait_for(&mut screen, question);
    perform(&mut screen, "press(\"enter\")");
    says(&mut screen, "other");
}

#[test]
fn a_page_that_opens_dialogs_or_calculates_for_ever_holds_nobody_up() {
    let stage = Stage::new(
        "<a id=a href=busy.html target=_blank style='position:absolute;width:1000px;height:300px;background:#eee'>busy</a>\
         <button style='position:absolute;top:400px;width:1000px;height:300px' onclick='while (true) alert(1)'>for ever</button>",
    );
    stage.add(
        "busy.html",
        "<style>html{height:100%}</style>busy<script>say('busy'); onclick = () => { while (true); }</script>",
    );
    let mut screen = stage.screen();
    perform(&mut screen, "left_click(500, 200)");
    says(&mut screen, "busy");
    crate::stage::drawn(&mut screen);
    let began = Instant::now();
    perform(&mut screen, "left_click(500, 500)");
    perform(&mut screen, "press(\"a\")");
    screen.capture().unwrap();
    // The page calculates for ever.
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    assert!(title(&mut screen).ends_with("(not responding)"));
    perform(&mut screen, "press(\"ctrl+w\")");
    says(&mut screen, "");
    assert_eq!(windows(&mut screen).len(), 1);
    crate::stage::drawn(&mut screen);
    perform(&mut screen, "left_click(500, 800)");
    for _ in 0..5 {
        wait_for(&mut screen, "alert: 1");
        screen.capture().unwrap();
        perform(&mut screen, "press(\"enter\")");
    }
    wait_for(&mut screen, "alert: 1");
    perform(&mut screen, "press(\"ctrl+w\")");
    wait_for(&mut screen, "about:blank");
    screen.capture().unwrap();
}
