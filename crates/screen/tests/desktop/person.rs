//! What a person does is told, and what we do is not.

use std::sync::mpsc::{Receiver, channel};

use franz_action::keys::Key;
use franz_action::{Action, Point};
use franz_screen::desktop::{Gesture, Input, Pace, Press, Watch};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::xinput::{self, ConnectionExt as _, Device};

use crate::stage::{Client, Stage, perform};

fn watch(stage: &Stage) -> (Watch, Receiver<Input>) {
    let (tell, told) = channel();
    let watch = stage
        .display()
        .watch(Box::new(move |input| tell.send(input).unwrap_or_default()))
        .unwrap();
    (watch, told)
}

/// Acts by the server's own mouse and keyboard, as a person does.
struct Person {
    client: Client,
    mouse: u8,
    keyboard: u8,
}

const KEY_PRESS: u8 = 1;
const KEY_RELEASE: u8 = 2;
const MOTION: u8 = 5;

/// A movement, not a place.
const BY: u8 = 1;

impl Person {
    fn at(stage: &Stage) -> Person {
        let client = stage.client();
        client
            .connection
            .xinput_xi_query_version(2, 2)
            .unwrap()
            .reply()
            .unwrap();
        let devices = client
            .connection
            .xinput_xi_query_device(Device::ALL)
            .unwrap()
            .reply()
            .unwrap()
            .infos;
        let named = |name: &[u8]| devices.iter().find(|device| device.name == name).unwrap().deviceid as u8;
        let (mouse, keyboard) = (named(b"Xvfb mouse"), named(b"Xvfb keyboard"));
        for device in [mouse, keyboard] {
            client.connection.xinput_open_device(device).unwrap().reply().unwrap();
        }
        Person {
            client,
            mouse,
            keyboard,
        }
    }

    /// The request `FakeInput` for a device, which is longer than the one for the core pointer by its axes.
    fn fake(&self, kind: u8, detail: u8, device: u8, axes: &[i32]) {
        let connection = &self.client.connection;
        let extension = |name| connection.extension_information(name).unwrap().unwrap();
        let xtest = extension(x11rb::protocol::xtest::X11_EXTENSION_NAME).major_opcode;
        let first = extension(xinput::X11_EXTENSION_NAME).first_event;
        let mut request = vec![xtest, 2, 0, 0, first + kind, detail, 0, 0];
        request.resize(35, 0);
        request.push(device);
        if !axes.is_empty() {
            // A DeviceValuator event: its type, the device, how many axes and which is the first, then six values.
            request.extend([first, device, 0, 0, 0, 0, axes.len() as u8, 0]);
            for place in 0..6 {
                request.extend(axes.get(place).copied().unwrap_or_default().to_ne_bytes());
            }
        }
        let length = (request.len() / 4) as u16;
        request[2..4].copy_from_slice(&length.to_ne_bytes());
        let slices = [std::io::IoSlice::new(&request)];
        connection
            .send_request_without_reply(&slices, Vec::new())
            .unwrap()
            .check()
            .unwrap();
        connection.flush().unwrap();
    }
}

#[test]
fn a_person_is_told_from_us() {
    let stage = Stage::new();
    let (watch, told) = watch(&stage);
    let mut screen = stage.screen(Pace::FAST);
    perform(&mut screen, &Action::LeftClick(Point::clamped(300, 300)));
    perform(
        &mut screen,
        &Action::Drag(Point::clamped(300, 300), Point::clamped(500, 500)),
    );
    perform(&mut screen, &Action::Press("esc".parse().unwrap()));
    perform(&mut screen, &Action::Type("some Text äöü".to_owned()));
    let person = Person::at(&stage);
    person.fake(KEY_PRESS, 9, person.keyboard, &[]);
    person.fake(KEY_RELEASE, 9, person.keyboard, &[]);
    assert_eq!(
        told.recv().unwrap(),
        Input::Escape,
        "it is the first thing that is told"
    );
    person.fake(KEY_PRESS, 38, person.keyboard, &[]);
    person.fake(KEY_RELEASE, 38, person.keyboard, &[]);
    assert_eq!(told.recv().unwrap(), Input::Other);
    person.fake(MOTION, BY, person.mouse, &[40, 30]);
    let moved = told
        .iter()
        .find(|input| matches!(input, Input::Moved { dx, .. } if *dx > 0.0));
    let Some(Input::Moved { dx, dy, x, y }) = moved else {
        panic!("{moved:?}")
    };
    assert!(dx > 20.0 && dy > 10.0, "{dx} {dy}");
    assert_eq!((x, y), stage.display().pointer().unwrap());
    drop(watch);
    // Ends only when nobody can tell any more.
    assert!(told.iter().all(|input| matches!(input, Input::Moved { .. })));
}

#[test]
fn a_watch_ends_at_once_also_when_nothing_happens() {
    let stage = Stage::new();
    for _ in 0..20 {
        let (watch, told) = watch(&stage);
        drop(watch);
        assert!(told.recv().is_err());
    }
}

#[test]
fn what_a_person_holds_is_not_released() {
    let stage = Stage::new();
    let person = Person::at(&stage);
    let mut display = stage.display();
    person.fake(KEY_PRESS, 38, person.keyboard, &[]);
    display.key(&Key::Char('x'), Press::Down).unwrap();
    assert_eq!(person.client.down().0, [38, 53]);
    assert_eq!(stage.display().release().unwrap(), ["x"]);
    assert_eq!(person.client.down().0, [38]);
}

#[test]
fn gestures_are_a_persons_alone() {
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
    let person = Person::at(&stage);
    for _ in 0..2 {
        person.fake(KEY_PRESS, 9, person.keyboard, &[]);
        person.fake(KEY_RELEASE, 9, person.keyboard, &[]);
    }
    assert_eq!(told.recv().unwrap(), Gesture::EscapeTwice, "ours count for nothing");
    person.fake(MOTION, BY, person.mouse, &[30, 0]);
    assert_eq!(told.recv().unwrap(), Gesture::TookMouse);
    person.fake(MOTION, BY, person.mouse, &[-5000, -5000]);
    assert_eq!(
        told.iter().find(|gesture| *gesture != Gesture::TookMouse),
        Some(Gesture::Corner)
    );
    drop(watch);
}
