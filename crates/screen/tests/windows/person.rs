//! A person's input is reported, and our own is not. The person is played by `xdotool`; all that Wine knows about its
//! events is that they arrived.

use std::process::Command;
use std::sync::mpsc::{self, Receiver};

use franz_action::{Action, Point};
use franz_screen::Gesture;
use franz_screen::desktop::GestureWatch;

use crate::recorder::Recorder;
use crate::stage::{Stage, becomes, display};

/// Makes the person do something; returns before the person has finished.
fn person(does: &[&str]) {
    let started = Command::new("start")
        .args(["/unix", "/usr/bin/xdotool"])
        .args(does)
        .status()
        .unwrap();
    assert!(started.success());
}

fn watched(stage: &mut Stage) -> (GestureWatch, Receiver<Gesture>) {
    let (tell, told) = mpsc::channel();
    let watch = stage
        .desktop
        .watch(move |gesture| tell.send(gesture).unwrap_or_default())
        .unwrap();
    (watch.unwrap(), told)
}

#[test]
fn the_persons_input_is_distinguished_from_our_own() {
    let mut stage = Stage::new();
    // A window of this program covers everything, so that it receives all of the person's input.
    let _everything = Recorder::at(0, 0, 1280, 800);
    // After this movement, the X server no longer reports an earlier position for the window that has come to be under
    // its pointer.
    person(&["mousemove", "640", "400"]);
    becomes(&Some((640, 400)), || display().pointer().unwrap());
    let (watch, told) = watched(&mut stage);
    for action in [
        Action::drag(Point::clamped(300, 300), Point::clamped(500, 600)),
        Action::left_click(Point::clamped(0, 0)),
        Action::Move(Point::clamped(1000, 1000)),
        Action::typing("typed".to_owned()),
        Action::Move(Point::clamped(500, 500)),
    ] {
        stage.act(&action);
    }
    stage.press("esc");
    stage.press("esc");
    person(&["key", "Escape", "key", "Escape"]);
    assert_eq!(
        told.recv().unwrap(),
        Gesture::EscapeTwice,
        "the first that is told is the person's"
    );
    person(&["mousemove", "400", "300", "mousemove", "440", "330"]);
    assert_eq!(told.recv().unwrap(), Gesture::TookMouse);
    person(&["mousemove", "0", "0"]);
    while told.recv().unwrap() != Gesture::Corner {}
    drop(watch);
    assert!(told.recv().is_err(), "nobody tells any more");
}

#[test]
fn a_watch_ends_while_nothing_happens_and_another_can_begin() {
    let mut stage = Stage::new();
    for _ in 0..3 {
        let (watch, told) = watched(&mut stage);
        drop(watch);
        assert!(told.recv().is_err());
    }
}
