//! Tests that whatever is held is told first, and released in the end.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use franz_action::keys::Key;
use franz_action::{Action, Button, Outcome, Point};

use super::silent::Silent;
use super::{perform, screen};
use crate::desktop::{Desktop, Hold, release};
use crate::interrupt::Interrupt;
use crate::screen::{ActionId, Screen as _};

/// Interrupts the action after being asked this many times.
struct After(std::cell::Cell<u32>);

impl Interrupt for After {
    fn is_set(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }

    fn sleep(&self, _: Duration) -> bool {
        self.is_set()
    }
}

fn call(text: &str) -> Action {
    text.parse().unwrap()
}

#[test]
fn nothing_is_held_after_a_mouse_down_that_failed() {
    let display = Silent::default();
    let mut screen = screen(&display);
    let told = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&told);
    screen.tell_holds(move |holds| {
        noted.lock().unwrap().push(holds.iter().map(Hold::to_string).collect());
        Ok(())
    });
    let down = Action::MouseDown(Button::Left, None);
    display.fails.store(true, Ordering::Relaxed);
    let outcome = perform(&mut screen, &down);
    assert_eq!(outcome, Outcome::NotApplied("it was not understood".to_owned()));
    assert_eq!(display.take(), ["Left Down", "Left Up"]);
    assert_eq!(*told.lock().unwrap(), ["left button", ""]);
    assert_eq!(screen.let_go().unwrap(), Vec::<String>::new());

    // A failed call also releases what an earlier one holds.
    display.fails.store(false, Ordering::Relaxed);
    assert_eq!(perform(&mut screen, &down), Outcome::DONE);
    display.fails.store(true, Ordering::Relaxed);
    perform(&mut screen, &Action::MouseDown(Button::Right, None));
    assert_eq!(display.take(), ["Left Down", "Right Down", "Right Up", "Left Up"]);
    assert_eq!(told.lock().unwrap().last().unwrap(), "");
    assert_eq!(screen.let_go().unwrap(), Vec::<String>::new());
}

/// Returns the two entries that a hold adds to the record: when it is reported and when it begins.
fn names(hold: Hold) -> [String; 2] {
    match hold {
        Hold::Button(button) => [format!("{button:?} Down"), String::new()],
        Hold::Place(x, y) => [format!("{x} {y}"), String::new()],
        Hold::Key(Key::Named("enter")) => ["enter Down".to_owned(), "types \n".to_owned()],
        Hold::Key(key) => [format!("{key} Down"), format!("types {key}")],
    }
}

#[test]
fn everything_is_told_before_it_is_held_and_after_it_is_released() {
    let actions = [
        Action::left_click(Point::clamped(1, 2)),
        Action::triple_click(Point::clamped(1, 2)),
        Action::drag(Point::clamped(100, 100), Point::clamped(900, 900)),
        Action::Press("ctrl+shift+f9".parse().unwrap()),
        Action::typing("Grü\nße".to_owned()),
        Action::Move(Point::clamped(7, 7)),
        call("left_click(1, 2, count=4, modifiers=\"ctrl+shift\")"),
        call("drag(points=[[100, 100], [900, 100], [500, 900]])"),
        call("type(\"ab\", 1, 2, replace=True)"),
        call("type(\"\", 1, 2, replace=True)"),
        call("press(\"ctrl+a delete\", count=2)"),
        call("hold(\"ctrl+w\", 2)"),
        call("hold(\"right button\", 2, 7, 7)"),
    ];
    let told = Arc::new(Mutex::new(Vec::<Hold>::new()));
    let display = Silent::default();
    let mut screen = screen(&display);
    let (now, notes) = (Arc::clone(&told), display.clone());
    screen.tell_holds(move |holds| {
        let known: Vec<_> = holds.iter().flat_map(|hold| names(*hold)).collect();
        notes.note(format!("told {}", known.join(";")));
        *now.lock().unwrap() = holds.to_vec();
        Ok(())
    });
    let mut tellings = 0;
    for action in &actions {
        for asked in 1.. {
            let at = ActionId { turn: 1, index: 0 };
            let outcome = screen.perform(at, action, &After(asked.into())).unwrap();
            assert_eq!(*told.lock().unwrap(), [], "{action:?}, broken off at {asked}");
            let mut known = Vec::new();
            for note in display.take() {
                if let Some(names) = note.strip_prefix("told ") {
                    known = names.split(';').map(str::to_owned).collect();
                    tellings += 1;
                } else if note.ends_with("Down") || note.starts_with("types") {
                    assert!(
                        known.contains(&note),
                        "{action:?}, broken off at {asked}: {note} is not in {known:?}"
                    );
                }
            }
            if outcome == Outcome::DONE {
                break;
            }
        }
    }
    assert!(tellings > 20, "{tellings}");
}

#[test]
fn a_button_stays_down_until_it_is_let_go() {
    let told = Arc::new(Mutex::new(Vec::<Hold>::new()));
    let display = Silent::default();
    let mut screen = screen(&display);
    let now = Arc::clone(&told);
    screen.tell_holds(move |holds| {
        *now.lock().unwrap() = holds.to_vec();
        Ok(())
    });
    let left = [Hold::Button(Button::Left)];
    let down = call("mouse_down(100, 100)");
    let refused = |screen: &mut Desktop, action: &Action| {
        let outcome = perform(screen, action);
        assert!(matches!(outcome, Outcome::NotApplied(_)), "{action}: {outcome:?}");
    };

    assert_eq!(perform(&mut screen, &down), Outcome::DONE);
    assert_eq!(display.take().last().unwrap(), "Left Down");
    for action in [
        "left_click(1, 2)",
        "drag(1, 2, 3, 4)",
        "mouse_down()",
        "hold(\"left button\", 1)",
    ] {
        refused(&mut screen, &call(action));
    }
    refused(&mut screen, &call("mouse_up(button=\"right\")"));
    perform(&mut screen, &call("press(\"x\")"));
    assert_eq!(*told.lock().unwrap(), left, "whatever else is pressed meanwhile");
    display.take();
    perform(&mut screen, &call("mouse_up(500, 100)"));
    let moved = ["at 16 10", "at 30 10", "at 44 10", "at 50 10", "Left Up"];
    assert_eq!(display.take(), moved);
    assert_eq!(*told.lock().unwrap(), []);

    perform(&mut screen, &down);
    display.take();
    assert_eq!(screen.let_go().unwrap(), ["the left button"]);
    assert_eq!(display.take(), ["Left Up"]);
    assert_eq!(screen.let_go().unwrap(), [""; 0]);

    // An interrupted action does not drop what it drags at an arbitrary position.
    perform(&mut screen, &down);
    perform(&mut screen, &call("move(700, 700)"));
    display.take();
    let at = ActionId { turn: 1, index: 0 };
    let stopped = After(2.into());
    let outcome = screen.perform(at, &call("move(100, 700)"), &stopped).unwrap();
    assert_eq!(outcome, Outcome::Interrupted);
    let done = display.take();
    assert!(
        done.ends_with(&["esc Down".to_owned(), "esc Up".to_owned(), "Left Up".to_owned()]),
        "{done:?}"
    );
    assert_eq!(*told.lock().unwrap(), []);

    perform(&mut screen, &down);
    display.take();
    drop(screen);
    assert_eq!(display.take(), ["Left Up"]);
}

#[test]
fn what_could_not_be_released_is_still_known() {
    let told = Arc::new(Mutex::new(Vec::<Hold>::new()));
    let display = Silent::default();
    let mut screen = screen(&display);
    let now = Arc::clone(&told);
    screen.tell_holds(move |holds| {
        *now.lock().unwrap() = holds.to_vec();
        Ok(())
    });
    display.stuck.store(true, Ordering::Relaxed);
    perform(&mut screen, &Action::left_click(Point::clamped(0, 0)));
    screen.close().unwrap_err();
    let left = [Hold::Button(Button::Left)];
    assert_eq!(*told.lock().unwrap(), left);
    perform(&mut screen, &Action::Move(Point::clamped(0, 0)));
    assert_eq!(*told.lock().unwrap(), left, "another action changes nothing about it");
    display.stuck.store(false, Ordering::Relaxed);
    screen.close().unwrap();
    assert_eq!(*told.lock().unwrap(), []);
    assert_eq!(display.take().last().unwrap(), "Left Up");
}

#[test]
fn what_could_not_be_released_is_released_at_the_end_of_the_reply() {
    let display = Silent::default();
    let mut screen = screen(&display);
    display.stuck.store(true, Ordering::Relaxed);
    perform(&mut screen, &Action::left_click(Point::clamped(0, 0)));
    display.stuck.store(false, Ordering::Relaxed);
    display.take();
    screen.let_go().unwrap();
    assert_eq!(display.take(), ["Left Up"]);
}

#[test]
fn nothing_is_pressed_that_cannot_be_told() {
    let display = Silent::default();
    let mut screen = screen(&display);
    screen.tell_holds(|_| Err(io::ErrorKind::BrokenPipe.into()));
    for action in [
        Action::left_click(Point::clamped(0, 0)),
        Action::Press("ctrl+c".parse().unwrap()),
        Action::typing("a".to_owned()),
    ] {
        let outcome = perform(&mut screen, &action);
        assert!(
            matches!(&outcome, Outcome::NotApplied(why) if why.contains("guardian")),
            "{outcome:?}"
        );
        let done = display.take();
        assert!(done.iter().all(|done| done.starts_with("at ")), "{done:?}");
    }
}

#[test]
fn what_a_display_does_not_know_of_is_released_by_those_who_do() {
    let mut display = Silent::default();
    assert_eq!(release(&mut display, &[]).unwrap(), None);
    let known = [
        Hold::Key(Key::Named("esc")),
        Hold::typing('A'),
        Hold::Button(Button::Left),
    ];
    let released = release(&mut display, &known).unwrap().unwrap();
    assert_eq!(released, ["key esc", "character 41", "left button"]);
    assert_eq!(display.take(), ["Left Up", "A Up", "esc Up"]);
}
