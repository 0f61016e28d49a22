//! The tests that run in a session.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use franz_action::keys::{Key, Modifier};
use franz_action::{Action, Button, Outcome, Point};
use franz_home::Home;
use franz_screen::desktop::{self, Desktop, DesktopOptions, Display, Hold, Pace, Press};
use franz_screen::{Change, DisplayError, Screen, Target};

use crate::shell::Shell;
use crate::stage::{Never, drawn, perform, until, within_patience, written};
use crate::wayland_client::{COLORS, WaylandClient};

/// Text that no keyboard layout has.
const TEXT: &str = "Grüße 日本語 привет €😀";

fn home() -> PathBuf {
    std::env::var_os("XDG_RUNTIME_DIR").unwrap().into()
}

/// The directory for the person's consent, if a test makes it.
fn consent() -> PathBuf {
    home().join("consent")
}

fn open() -> Box<dyn Display> {
    let consent = Some(consent()).filter(|path| path.exists());
    let display = desktop::open(&Target::Session { consent }).unwrap();
    assert!(display.name().contains("desktop portal"), "{}", display.name());
    assert!(display.consent().unwrap().contains("press Share"));
    display
}

fn desktop_of(mut display: Box<dyn Display>) -> Result<Desktop, DisplayError> {
    display.monitors()?;
    let options = DesktopOptions {
        monitor: None,
        region: None,
        cursor: false,
        pace: Pace::FAST,
    };
    Ok(Desktop::new(display, options).unwrap())
}

/// Opens the desktop while the person answers.
fn asked(shell: &Shell, answer: impl FnOnce(&Shell)) -> Result<Desktop, DisplayError> {
    let display = open();
    let opening = std::thread::spawn(|| desktop_of(display));
    answer(shell);
    opening.join().unwrap()
}

fn screen(shell: &Shell) -> Desktop {
    asked(shell, Shell::allow).unwrap()
}

fn client() -> WaylandClient {
    WaylandClient::on(&home().join("wayland-0"))
}

#[test]
#[ignore = "it runs in a session"]
fn a_click_changes_the_picture_and_nothing_else_does() {
    let shell = Shell::connect();
    let mut screen = screen(&shell);
    assert_eq!(screen.size(), (1280, 800));
    let mut client = client();
    let color = |screen: &Desktop| {
        let at = (140 * 1280 + 160) * 4;
        screen.frame().data()[at..at + 3].to_vec()
    };
    drawn(&mut screen);
    assert_eq!(color(&screen), COLORS[0][..3]);
    screen.capture().unwrap();
    assert_eq!(screen.change(), Change::Nothing);
    perform(&mut screen, &Action::left_click(Point::clamped(500, 500)));
    until("the click is seen", || {
        client.look();
        let began = Instant::now();
        screen.capture().unwrap();
        let whole = Change::Within(Point::clamped(0, 0), Point::clamped(1000, 1000));
        let took = began.elapsed().as_secs_f64() * 1000.0;
        let is_changed = screen.change() == whole;
        eprintln!(
            "frame portal 1280x800 {}: {took:.1} ms",
            if is_changed { "changed" } else { "unchanged" }
        );
        is_changed.then_some(())
    });
    assert_eq!(color(&screen), COLORS[1][..3]);
}

fn points_arrive(shell: &Shell, (width, height): (u32, u32), scale: f64) {
    let mut screen = screen(shell);
    let mut client = client();
    assert_eq!(screen.size(), (width, height));
    let middle = Action::Move(Point::clamped(500, 500));
    // The shell reports no pointer to a window that opens below it.
    until("the window reports the pointer", || {
        perform(&mut screen, &middle);
        client.look().pointer.map(drop)
    });
    for x in [0, 250, 777, 1000] {
        for y in [0, 333, 1000] {
            let at = Point::clamped(x, y);
            perform(&mut screen, &Action::Move(at));
            let (x, y) = (at.x.to_pixel(width), at.y.to_pixel(height));
            let is_there = within_patience(|| {
                client.look().pointer.is_some_and(|(told_x, told_y)| {
                    (told_x * scale - f64::from(x)).abs() <= 1.0 && (told_y * scale - f64::from(y)).abs() <= 1.0
                })
            });
            assert!(is_there, "{x}, {y} at {scale}: {:?}", client.seen.pointer);
        }
    }
}

#[test]
#[ignore = "it runs in a session"]
fn the_pointer_goes_to_the_pixel() {
    points_arrive(&Shell::connect(), (1280, 800), 1.0);
}

#[test]
#[ignore = "it runs in a session"]
fn the_pointer_goes_to_the_pixel_at_scale_2() {
    let mut shell = Shell::connect();
    shell.set_scale_2();
    points_arrive(&shell, (1920, 1200), 2.0);
}

/// Opens a window with a field for text, which the program writes to the file in the end.
fn entry(shell: &Shell) -> (Program, PathBuf) {
    let entry = home().join("entry.txt");
    let program = Command::new("zenity")
        .args(["--entry", "--title=entry", "--text=type"])
        .stdout(std::fs::File::create(&entry).unwrap())
        .spawn()
        .unwrap();
    until("the program has the keyboard", || {
        shell.has_focus("entry").then_some(())
    });
    (Program(program), entry)
}

/// A program that ends with the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It might have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "it runs in a session"]
fn a_text_is_pasted_whatever_layout_is_in_use() {
    let shell = Shell::connect();
    let mut screen = screen(&shell);
    for (number, layouts) in ["us,ru", "ru,us"].into_iter().enumerate() {
        for layout in 0..2 {
            shell.use_layout(layouts, layout);
            let (program, entry) = entry(&shell);
            let text = format!("{number}{layout} Plain {TEXT}\n");
            perform(&mut screen, &Action::typing(text.clone()));
            assert_eq!(written(&entry, &text), text, "layout {layout} of {layouts}");
            drop(program);
        }
    }
}

#[test]
#[ignore = "it runs in a session"]
fn a_text_is_typed_exactly() {
    let shell = Shell::connect();
    let mut screen = screen(&shell);
    let (program, entry) = entry(&shell);
    // The first part is typed by key, the second one is pasted.
    let (plain, rest) = ("Plain {x} ~|\"\\ Yz", format!("{TEXT}\n"));
    perform(&mut screen, &Action::typing(plain.to_owned()));
    perform(&mut screen, &Action::typing(rest.clone()));
    let text = format!("{plain}{rest}");
    assert_eq!(written(&entry, &text), text);
    drop(program);
    perform(&mut screen, &Action::WriteClipboard("second".to_owned()));
    let at = franz_screen::ActionId { turn: 1, index: 0 };
    let read = screen.perform(at, &Action::ReadClipboard, &Never).unwrap();
    assert!(
        matches!(&read, Outcome::Read { text, .. } if text == "second"),
        "{read:?}"
    );
    let outcome = screen
        .perform(at, &Action::typing("a\u{7}b".to_owned()), &Never)
        .unwrap();
    assert!(
        matches!(&outcome, Outcome::NotApplied(why) if why.contains("cannot type U+0007")),
        "{outcome:?}"
    );
}

#[test]
#[ignore = "it runs in a session"]
fn keys_buttons_and_the_wheel_arrive_and_nothing_stays_down() {
    let shell = Shell::connect();
    let mut screen = screen(&shell);
    let mut client = client();
    perform(&mut screen, &Action::Move(Point::clamped(500, 500)));
    until("the pointer is on the window", || client.look().pointer.map(drop));
    perform(&mut screen, &Action::MouseDown(Button::Right, None));
    assert!(within_patience(|| client.look().buttons.contains(&0x111)));
    perform(
        &mut screen,
        &Action::MouseUp(Button::Right, Some(Point::clamped(600, 600))),
    );
    assert!(within_patience(|| client.is_at_rest()));
    for (keys, last) in [("ctrl+shift+f9", 67), ("A", 30), ("ctrl+c", 46), ("pagedown", 109)] {
        perform(&mut screen, &Action::Press(keys.parse().unwrap()));
        let seen = within_patience(|| client.look().pressed.last() == Some(&last));
        assert!(seen, "{keys}: {:?}", client.seen.pressed);
    }
    perform(&mut screen, &"scroll(-2)".parse().unwrap());
    assert!(
        within_patience(|| client.look().scrolled.1 <= -20.0),
        "{:?}",
        client.seen.scrolled
    );
    assert!(within_patience(|| client.is_at_rest()));
}

/// Starts a test of this file in a process of its own.
fn victim(name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", name])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "it is started by another test, and killed"]
fn victim_holds() {
    let mut display = open();
    display.monitors().unwrap();
    display.move_to(300, 200).unwrap();
    display.button(Button::Left, Press::Down).unwrap();
    for key in [
        Key::Modifier(Modifier::Ctrl),
        Key::Modifier(Modifier::Shift),
        Key::Char('x'),
    ] {
        display.key(&key, Press::Down).unwrap();
    }
    std::io::read_to_string(std::io::stdin()).unwrap();
}

#[test]
#[ignore = "it runs in a session"]
fn a_killed_agent_holds_nothing() {
    let shell = Shell::connect();
    let mut agent = victim("inside::victim_holds");
    shell.allow();
    let mut client = client();
    until("all of it is down", || {
        let seen = client.look();
        (seen.buttons.len() == 1 && seen.keys.len() == 3).then_some(())
    });
    agent.kill().unwrap();
    let began = Instant::now();
    assert!(within_patience(|| client.is_at_rest()), "{:?}", client.seen.keys);
    eprintln!(
        "frame portal released after a kill: {:.1} ms",
        began.elapsed().as_secs_f64() * 1000.0
    );
    agent.wait().unwrap();
    // A guardian finds nothing to release, and asks nothing.
    let mut guardian = open();
    assert_eq!(desktop::release(&mut *guardian, &[]).unwrap(), Some(Vec::new()));
    assert!(guardian.consent().is_some());
}

#[test]
#[ignore = "it runs in a session"]
fn a_guardian_releases_what_another_session_keeps_down() {
    let shell = Shell::connect();
    let _other = screen(&shell);
    drop(Home::create(&consent()).unwrap());
    let mut agent = victim("inside::victim_holds");
    shell.allow();
    let mut client = client();
    until("all of it is down", || {
        let seen = client.look();
        (seen.buttons.len() == 1 && seen.keys.len() == 3).then_some(())
    });
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert!(!client.is_at_rest());
    let names = ["left button", "key ctrl", "key shift", "character 78"];
    let known = names.map(|name| name.parse::<Hold>().unwrap());
    let released = desktop::release(&mut *open(), &known).unwrap();
    assert_eq!(released.unwrap(), names);
    assert!(within_patience(|| client.is_at_rest()), "{:?}", client.seen.keys);
}

#[test]
#[ignore = "it runs in a session"]
fn a_refusal_is_named() {
    let shell = Shell::connect();
    let Err(error) = asked(&shell, Shell::deny) else {
        panic!("it was allowed")
    };
    assert!(matches!(error, DisplayError::Withdrawn(_)), "{error:?}");
    let said = error.to_string();
    for word in ["the answer was no", "allow it", "--screen virtual"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
#[ignore = "it runs in a session"]
fn two_monitors_lie_side_by_side() {
    let shell = Shell::connect();
    let mut screen = screen(&shell);
    assert_eq!(screen.size(), (2560, 800));
    for (middle, x) in [(250, 640), (750, 1920)] {
        // A window opens where the pointer is.
        perform(&mut screen, &Action::Move(Point::clamped(middle, 400)));
        let mut client = client();
        until("the window reports the pointer", || {
            perform(&mut screen, &Action::Move(Point::clamped(middle, 500)));
            client.look().pointer.map(drop)
        });
        let (told_x, told_y) = client.seen.pointer.unwrap();
        assert!(
            (told_x - 640.0).abs() <= 2.0 && (told_y - 400.0).abs() <= 1.0,
            "{told_x} {told_y}"
        );
        perform(&mut screen, &Action::left_click(Point::clamped(middle, 500)));
        until("the click is seen", || {
            client.look();
            screen.capture().unwrap();
            let color = |x: usize| screen.frame().data()[(140 * 2560 + x) * 4..][..3].to_vec();
            (color(x) == COLORS[1][..3] && color(2560 - x) != COLORS[1][..3]).then_some(())
        });
    }
}

#[test]
#[ignore = "it runs in a session"]
fn a_remembered_answer_serves_for_every_session() {
    let shell = Shell::connect();
    drop(Home::create(&consent()).unwrap());
    drop(screen(&shell));
    for _ in 0..2 {
        // Nobody presses anything.
        let mut screen = desktop_of(open()).unwrap();
        screen.capture().unwrap();
    }
}

#[test]
#[ignore = "it runs in a session"]
fn an_ended_session_is_lost_and_does_not_begin_again() {
    let shell = Shell::connect();
    let mut screen = screen(&shell);
    screen.capture().unwrap();
    shell.end();
    let lost = until("the session has ended", || {
        screen.capture().err().map(|error| error.is_lost())
    });
    assert!(lost);
    let Err(error) = desktop_of(open()) else {
        panic!("it began again")
    };
    assert!(matches!(error, DisplayError::Withdrawn(_)), "{error:?}");
}
