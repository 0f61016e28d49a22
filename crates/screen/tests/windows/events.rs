//! The events that a program gets.

use franz_action::keys::Key;
use franz_screen::desktop::{Button, Press};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    WM_KEYDOWN, WM_KEYUP, WM_LBUTTONDOWN, WM_LBUTTONUP, WM_MBUTTONDOWN, WM_MBUTTONUP, WM_MOUSEHWHEEL, WM_MOUSEMOVE,
    WM_MOUSEWHEEL, WM_RBUTTONDOWN, WM_RBUTTONUP, WM_SYSKEYDOWN, WM_SYSKEYUP,
};

use crate::recorder::Recorder;
use crate::stage::{alone, comes_soon, display, eventually};

#[test]
fn buttons_are_pressed_where_the_pointer_was_put() {
    let _alone = alone();
    let (recorder, mut display) = (Recorder::at(200, 150, 600, 400), display());
    let buttons = [
        (Button::Left, WM_LBUTTONDOWN, WM_LBUTTONUP),
        (Button::Middle, WM_MBUTTONDOWN, WM_MBUTTONUP),
        (Button::Right, WM_RBUTTONDOWN, WM_RBUTTONUP),
    ];
    for ((button, down, up), (x, y)) in buttons.into_iter().zip([(200, 150), (799, 549), (333, 222)]) {
        let places = |message| -> Vec<_> {
            let heard = recorder.of(message);
            heard.iter().map(|(.., at)| (at & 0xffff, at >> 16)).collect()
        };
        let place = [(x as isize - 200, y as isize - 150)];
        until_heard(|| {
            recorder.take();
            display.move_to(x, y).unwrap();
            display.button(button, Press::Down).unwrap();
            display.button(button, Press::Up).unwrap();
            comes_soon(|| places(down) == place && places(up) == place)
        });
    }
}

/// Acts until the effect is as intended, at most five times. When a window has just come to be under the X server's
/// pointer, the server reports the pointer's earlier position. Wine then moves the pointer back there, possibly between
/// a movement and the next event.
#[track_caller]
fn until_heard(mut act: impl FnMut() -> bool) {
    assert!((0..5).any(|_| act()), "it never came to what was meant");
}

#[test]
fn the_wheel_turns_by_notches_along_both_axes() {
    let _alone = alone();
    let (recorder, mut display) = (Recorder::at(200, 150, 600, 400), display());
    for ((dx, dy), message, turned) in [
        ((0, 1), WM_MOUSEWHEEL, -120),
        ((0, -1), WM_MOUSEWHEEL, 120),
        ((1, 0), WM_MOUSEHWHEEL, 120),
        ((-1, 0), WM_MOUSEHWHEEL, -120),
    ] {
        let turns = || -> Vec<_> {
            let heard = recorder.of(message);
            heard.iter().map(|(_, data, _)| (data >> 16) as u16 as i16).collect()
        };
        until_heard(|| {
            recorder.take();
            display.move_to(400, 300).unwrap();
            display.notch(dx, dy).unwrap();
            comes_soon(|| turns() == [turned])
        });
    }
}

/// Returns each key with the virtual code that programs see.
fn codes() -> impl Iterator<Item = (Key, u32)> {
    let named = [
        ("enter", 0x0d),
        ("esc", 0x1b),
        ("tab", 0x09),
        ("space", 0x20),
        ("backspace", 0x08),
        ("delete", 0x2e),
        ("insert", 0x2d),
        ("home", 0x24),
        ("end", 0x23),
        ("pageup", 0x21),
        ("pagedown", 0x22),
        ("up", 0x26),
        ("down", 0x28),
        ("left", 0x25),
        ("right", 0x27),
        ("capslock", 0x14),
        ("numlock", 0x90),
        ("scrolllock", 0x91),
        ("printscreen", 0x2c),
        ("pause", 0x13),
        ("menu", 0x5d),
    ];
    let named = named.into_iter().map(|(name, code)| (Key::Named(name), code));
    named.chain((1..=24).map(|number| (Key::Function(number), 0x6f + u32::from(number))))
}

#[test]
fn every_key_arrives_as_the_named_one() {
    let _alone = alone();
    let (recorder, mut display) = (Recorder::at(200, 150, 600, 400), display());
    assert_eq!(
        codes().filter(|(key, _)| matches!(key, Key::Named(_))).count(),
        Key::NAMED.len()
    );
    display.move_to(400, 300).unwrap();
    for (key, code) in codes() {
        recorder.take();
        display.key(&key, Press::Down).unwrap();
        display.key(&key, Press::Up).unwrap();
        let ups = || [recorder.of(WM_KEYUP), recorder.of(WM_SYSKEYUP)].concat();
        eventually(&key.to_string(), || !ups().is_empty());
        let codes: Vec<_> = ups().iter().map(|(_, code, _)| *code as u32).collect();
        assert_eq!(codes, [code], "{key}");
        // Windows reports only the release of this key.
        if key != Key::Named("printscreen") {
            assert_eq!(
                recorder.of(WM_KEYDOWN).len() + recorder.of(WM_SYSKEYDOWN).len(),
                1,
                "{key}"
            );
        }
    }
    for lock in ["capslock", "numlock", "scrolllock"] {
        display.key(&Key::Named(lock), Press::Down).unwrap();
        display.key(&Key::Named(lock), Press::Up).unwrap();
    }
}

#[test]
fn a_movement_is_seen_on_its_way() {
    let _alone = alone();
    let (recorder, mut display) = (Recorder::at(200, 150, 600, 400), display());
    let places = || {
        recorder
            .of(WM_MOUSEMOVE)
            .iter()
            .map(|(.., at)| (at & 0xffff, at >> 16))
            .collect::<Vec<_>>()
    };
    // Wine can move the pointer back to its earlier position.
    eventually("the last place", || {
        display.move_to(210, 160).unwrap();
        display.move_to(410, 260).unwrap();
        places().last() == Some(&(210, 110))
    });
}
