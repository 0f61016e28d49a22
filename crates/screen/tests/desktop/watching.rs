//! A person's input is reported, and our own is not.

use std::sync::mpsc::{Receiver, channel};

use franz_action::keys::Key;
use franz_action::{Action, Point};
use franz_screen::desktop::{Gesture, GestureWatch, Input, Pace, Press};

use crate::person::{ESCAPE, Person};
use crate::stage::{Stage, perform};

fn watch(stage: &Stage) -> (GestureWatch, Receiver<Input>) {
    let (tell, told) = channel();
    let watch = stage
        .display()
        .watch(Box::new(move |input| tell.send(input).unwrap_or_default()))
        .unwrap();
    (watch.unwrap(), told)
}

/// The key for the letter a.
const A: u8 = 38;

#[test]
fn a_persons_input_is_distinguished_from_ours() {
    let stage = Stage::new();
    let (watch, told) = watch(&stage);
    let mut screen = stage.screen(Pace::FAST);
    perform(&mut screen, &Action::left_click(Point::clamped(300, 300)));
    perform(
        &mut screen,
        &Action::drag(Point::clamped(300, 300), Point::clamped(500, 500)),
    );
    perform(&mut screen, &Action::Press("esc".parse().unwrap()));
    perform(&mut screen, &Action::typing("some Text äöü".to_owned()));
    let person = Person::at(stage.client());
    person.strike(ESCAPE);
    assert_eq!(
        told.recv().unwrap(),
        Input::Escape,
        "it is the first thing that is told"
    );
    person.strike(A);
    assert_eq!(told.recv().unwrap(), Input::Other);
    person.move_by(40, 30);
    let moved = told
        .iter()
        .find(|input| matches!(input, Input::Moved { dx, .. } if *dx > 0.0));
    let Some(Input::Moved { dx, dy, x, y }) = moved else {
        panic!("{moved:?}")
    };
    assert!(dx > 20.0 && dy > 10.0, "{dx} {dy}");
    assert_eq!(Some((x, y)), stage.display().pointer().unwrap());
    drop(watch);
    // The iteration ends only once nothing can report any more.
    assert!(told.iter().all(|input| matches!(input, Input::Moved { .. })));
}

#[test]
fn an_idle_watch_ends_at_once() {
    let stage = Stage::new();
    for _ in 0..20 {
        let (watch, told) = watch(&stage);
        drop(watch);
        assert!(told.recv().is_err());
    }
}

#[test]
fn keys_held_by_a_person_are_not_released() {
    let stage = Stage::new();
    let person = Person::at(stage.client());
    let mut display = stage.display();
    person.hold(A);
    display.key(&Key::Char('x'), Press::Down).unwrap();
    assert_eq!(person.client.down().0, [A, 53]);
    assert_eq!(stage.display().release().unwrap().unwrap(), ["x"]);
    assert_eq!(person.client.down().0, [A]);
}

#[test]
fn only_a_persons_input_makes_gestures() {
    let stage = Stage::new();
    let mut screen = stage.screen(Pace::FAST);
    let (tell, told) = channel();
    let watch = screen
        .watch(move |gesture| tell.send(gesture).unwrap_or_default())
        .unwrap();
    for place in [Point::clamped(500, 500), Point::clamped(0, 0), Point::clamped(300, 400)] {
        perform(&mut screen, &Action::Move(place));
        perform(&mut screen, &Action::Press("esc".parse().unwrap()));
    }
    let person = Person::at(stage.client());
    person.press_escape_twice();
    assert_eq!(told.recv().unwrap(), Gesture::EscapeTwice, "ours count for nothing");
    person.move_by(30, 0);
    assert_eq!(told.recv().unwrap(), Gesture::TookMouse);
    person.move_by(-5000, -5000);
    assert_eq!(
        told.iter().find(|gesture| *gesture != Gesture::TookMouse),
        Some(Gesture::Corner)
    );
    drop(watch);
}
