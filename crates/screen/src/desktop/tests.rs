//! Tests what a desktop does with its display.

mod holding;
mod silent;

use std::time::Duration;

use franz_action::{Action, Click, Outcome, Point};
use franz_frame::Area;

use super::*;
use crate::interrupt::tests::Fake;
use silent::Silent;

/// Returns a screen of this display whose pointer moves in four steps.
fn screen(display: &Silent) -> Desktop {
    let options = DesktopOptions {
        monitor: None,
        region: None,
        cursor: true,
        pace: Pace::FAST,
    };
    Desktop::new(Box::new(display.clone()), options).unwrap()
}

#[test]
fn on_a_part_of_the_desktop_nothing_is_pressed_outside_it() {
    let display = Silent::default();
    let area = |x, width| Area {
        x,
        y: 0,
        width,
        height: 101,
    };
    let options = DesktopOptions {
        monitor: None,
        region: Some(area(50, 51)),
        cursor: true,
        pace: Pace::FAST,
    };
    let mut screen = Desktop::new(Box::new(display.clone()), options).unwrap();
    let (outside, inside, menu) = (area(0, 40), area(60, 40), Some(area(70, 20)));
    for (pointer, active, menu, action, is_done) in [
        (10, outside, None, "press(\"ctrl+w\")", false),
        (10, outside, None, "type(\"a\")", false),
        (10, outside, None, "hold(\"a\", 0.01)", false),
        // The menu has the keyboard.
        (10, outside, menu, "press(\"ctrl+w\")", true),
        (10, outside, Some(area(0, 20)), "press(\"ctrl+w\")", false),
        (10, inside, None, "press(\"ctrl+w\")", true),
        (10, inside, None, "mouse_down()", false),
        (10, inside, None, "scroll(3)", false),
        (60, inside, None, "scroll(3)", true),
        (10, outside, None, "left_click(500, 500)", true),
    ] {
        *display.pointer.lock().unwrap() = Some((pointer, 10));
        *display.active.lock().unwrap() = Some(active);
        *display.menu.lock().unwrap() = menu;
        let outcome = perform(&mut screen, &action.parse().unwrap());
        assert_eq!(outcome.is_done(), is_done, "{action}: {outcome:?}");
    }
}

fn perform(screen: &mut Desktop, action: &Action) -> Outcome {
    let at = ActionId { turn: 1, index: 0 };
    screen.perform(at, action, &Fake::default()).unwrap()
}

#[test]
fn a_pointer_that_is_not_told_is_where_it_was_put() {
    let display = Silent::default();
    let mut screen = screen(&display);
    screen.capture().unwrap();
    assert_eq!(screen.pointer(), Pointer::default());

    perform(&mut screen, &Action::Move(Point::clamped(100, 100)));
    assert_eq!(display.take().last().unwrap(), "at 10 10");
    perform(&mut screen, &Action::Move(Point::clamped(500, 900)));
    assert_eq!(display.take(), ["at 16 23", "at 30 50", "at 44 78", "at 50 90"]);
    screen.capture().unwrap();
    let pointer = screen.pointer();
    assert_eq!(pointer.current, Some(Point::clamped(500, 900)));
    assert_eq!(pointer.previous, Some(Point::clamped(100, 100)));

    // A drag in a single leap would count as a click.
    perform(
        &mut screen,
        &Action::drag(Point::clamped(500, 900), Point::clamped(500, 100)),
    );
    // A person may have moved the pointer, so it goes to the start again.
    let steps = [
        "at 50 90",
        "Left Down",
        "at 50 78",
        "at 50 50",
        "at 50 23",
        "at 50 10",
        "Left Up",
    ];
    assert_eq!(display.take(), steps);
}

#[test]
fn each_line_end_is_one_press_of_enter() {
    let display = Silent::default();
    let outcome = perform(&mut screen(&display), &Action::typing("a\r\nb\rc\n"));
    assert_eq!(outcome, Outcome::DONE);
    let typed: String = display
        .take()
        .iter()
        .filter_map(|what| what.strip_prefix("types "))
        .collect();
    assert_eq!(typed, "a\nb\rc\n");
}

/// Returns a screen of this display whose pointer moves in eight slow steps.
fn slow_screen(display: &Silent) -> Desktop {
    let pace = Pace {
        move_steps: 8,
        ..Pace::HUMAN
    };
    let mut screen = screen(display);
    screen.options.pace = pace;
    screen
}

#[test]
fn an_approach_ends_at_the_border_and_the_action_goes_on_from_there() {
    let display = Silent::default();
    let mut screen = slow_screen(&display);
    let (from, at) = (Point::clamped(0, 500), Point::clamped(1000, 500));
    let click = |at| {
        Action::Click(Click {
            at,
            button: Button::Left,
            count: 1,
            modifiers: Vec::new(),
        })
    };
    assert_eq!(
        screen.approach(&click(from), &Fake::default()),
        None,
        "its place is unknown"
    );
    perform(&mut screen, &Action::Move(from));
    display.take();
    // The neighbourhood of 100 50 is 20 pixels wide.
    let border = screen.approach(&click(at), &Fake::default());
    assert_eq!(border, Some(Point::clamped(840, 500)));
    let way: Vec<String> = [4, 16, 32, 50, 68, 84].map(|x| format!("at {x} 50")).into();
    assert_eq!(display.take(), way, "nothing is pressed");
    assert_eq!(perform(&mut screen, &click(at)), Outcome::DONE);
    assert_eq!(display.take(), ["at 96 50", "at 100 50", "Left Down", "Left Up"]);
    assert_eq!(screen.approach(&click(at), &Fake::default()), None, "it is there");

    // An action elsewhere does not go on with the movement, and a button that is down is not moved.
    let border = screen.approach(&click(from), &Fake::default());
    assert_eq!(border, Some(Point::clamped(160, 500)));
    display.take();
    perform(&mut screen, &Action::MouseDown(Button::Left, Some(at)));
    let done = display.take();
    assert_eq!((done.len(), done[7].as_str()), (9, "at 100 50"), "{done:?}");
    assert_eq!(screen.approach(&click(from), &Fake::default()), None);
    assert_eq!(display.take(), Vec::<String>::new());
}

#[test]
fn only_a_slow_pointer_is_stopped_on_its_way() {
    let display = Silent::default();
    let mut screen = screen(&display);
    perform(&mut screen, &Action::Move(Point::clamped(0, 500)));
    display.take();
    let down = Action::MouseDown(Button::Left, Some(Point::clamped(1000, 500)));
    assert_eq!(screen.approach(&down, &Fake::default()), None);
    screen.options.pace = Pace::HUMAN;
    assert_eq!(
        screen.approach(&Action::Move(Point::clamped(1000, 500)), &Fake::default()),
        None
    );
    let interrupted = Fake {
        set: true,
        ..Fake::default()
    };
    assert_eq!(screen.approach(&down, &interrupted), None);
    assert!(screen.approach(&down, &Fake::default()).is_some());
}

#[test]
fn what_a_person_does_is_passed_on_at_once() {
    let display = Silent::default();
    let mut screen = screen(&display);
    let waits = Fake::default();
    let (at, to) = (Point::clamped(100, 100), Point::clamped(500, 900));
    let twice = [
        Action::MouseDown(Button::Left, Some(at)),
        Action::MouseUp(Button::Left, Some(at)),
    ];
    let rest = [
        Action::Move(to),
        Action::Press("ctrl+c".parse().unwrap()),
        Action::typing("a b".to_owned()),
    ];
    let drag = [
        Action::MouseDown(Button::Left, None),
        Action::Move(at),
        Action::MouseUp(Button::Left, None),
    ];
    for action in twice.iter().chain(&twice).chain(&rest).chain(&drag) {
        assert_eq!(screen.pass_on(action, &waits).unwrap(), Outcome::DONE);
    }
    assert_eq!(waits.slept.get(), Duration::ZERO, "a double click stays one");
    let done = display.take();
    let click = ["at 10 10", "Left Down", "at 10 10", "Left Up"];
    assert_eq!(done[..8], [click, click].concat()[..], "{done:?}");
    assert_eq!(done[8], "at 50 90");
    assert_eq!(done[done.len() - 3..], ["Left Down", "at 10 10", "Left Up"]);
}

#[test]
fn a_display_without_a_watch_says_so() {
    let mut screen = screen(&Silent::default());
    assert!(screen.watch(|_| ()).unwrap().is_none());
}
