//! A VNC server's screen: seen, acted on and typed into.

use std::sync::Arc;

use franz_action::{Action, Button, Outcome, Point};
use franz_rfb::VncPassword;
use franz_screen::desktop::{self, Desktop, DesktopOptions, Pace};
use franz_screen::{Change, DisplayError, Screen, Target, VncServer};

use crate::stage::{drawn, perform, until, within_patience, written};
use crate::vnc_host::{PASSWORD, Security, VncHost};

/// Text that can be typed only on a server that finds a key for each character.
const TEXT: &str = "Grüße 日本語 привет €😀 <tab>|~\"\\";

pub(crate) fn screen(server: VncServer) -> Result<Desktop, DisplayError> {
    let options = DesktopOptions {
        monitor: None,
        region: None,
        cursor: true,
        pace: Pace::FAST,
    };
    let display = desktop::open_until(&Target::Vnc(Box::new(server)), Arc::new(|| false))?;
    Ok(Desktop::new(display, options).unwrap())
}

fn with_password(host: &VncHost, password: &str) -> VncServer {
    VncServer {
        password: VncPassword::new(password),
        ..host.server()
    }
}

/// Opens a terminal that covers the whole screen and writes what is typed to a file.
fn terminal(host: &mut VncHost) {
    host.run("xterm", &["-u8", "-geometry", "400x100+0+0", "-e", "cat > typed.txt"]);
}

#[test]
fn a_text_is_typed_exactly_with_and_without_a_password() {
    for security in [Security::Open, Security::Password] {
        let mut host = VncHost::start(security);
        let server = match security {
            Security::Open => host.server(),
            Security::Password => with_password(&host, PASSWORD),
        };
        let mut screen = screen(server).unwrap();
        assert_eq!(screen.size(), (1000, 700));
        assert!(screen.name().contains("vnc://127.0.0.1:"), "{}", screen.name());
        screen.capture().unwrap();
        terminal(&mut host);
        until("the terminal is seen", || {
            screen.capture().unwrap();
            matches!(screen.change(), Change::Within(..)).then_some(())
        });
        drawn(&mut screen);
        perform(&mut screen, &Action::left_click(Point::clamped(500, 500)));
        perform(&mut screen, &Action::typing(format!("{TEXT}\n")));
        let text = format!("{TEXT}\n");
        assert_eq!(written(&host.directory.path().join("typed.txt"), &text), text);
        until("the text is seen", || {
            screen.capture().unwrap();
            matches!(screen.change(), Change::Within(..)).then_some(())
        });
        assert_eq!(host.client().down(), (vec![], 0));
    }
}

#[test]
fn a_wrong_password_and_none_are_refused() {
    let host = VncHost::start(Security::Password);
    let none = screen(host.server()).err().unwrap();
    assert!(matches!(none, DisplayError::PasswordWanted(_)), "{none}");
    let wrong = screen(with_password(&host, "wrong")).err().unwrap();
    assert!(matches!(wrong, DisplayError::Refused(_)), "{wrong}");
    assert!(wrong.to_string().contains("does not accept the password"), "{wrong}");
    assert!(screen(with_password(&host, PASSWORD)).is_ok());
}

#[test]
fn pointer_buttons_and_keys_go_where_they_are_sent() {
    let host = VncHost::start(Security::Open);
    let client = host.client();
    let mut screen = screen(host.server()).unwrap();
    perform(&mut screen, &Action::Move(Point::clamped(250, 500)));
    assert!(
        within_patience(|| client.pointer() == (250, 350)),
        "{:?}",
        client.pointer()
    );
    perform(&mut screen, &Action::MouseDown(Button::Left, None));
    assert!(within_patience(|| client.down().1 == 0x100), "{:?}", client.down());
    perform(
        &mut screen,
        &Action::MouseUp(Button::Left, Some(Point::clamped(500, 500))),
    );
    assert!(within_patience(
        || client.down().1 == 0 && client.pointer() == (500, 350)
    ));
    for keys in ["ctrl+shift+f9", "alt+tab", "win", "A", "pagedown"] {
        perform(&mut screen, &Action::Press(keys.parse().unwrap()));
    }
    perform(&mut screen, &"scroll(-2)".parse().unwrap());
    assert!(within_patience(|| client.down() == (vec![], 0)), "{:?}", client.down());
}

#[test]
fn a_picture_is_what_the_server_shows_and_tells_what_changed() {
    let mut host = VncHost::start(Security::Open);
    let mut screen = screen(host.server()).unwrap();
    screen.capture().unwrap();
    drawn(&mut screen);
    host.run(
        "xterm",
        &["-geometry", "20x4+100+100", "-bg", "#0000ff", "-e", "sleep 1000"],
    );
    let place = until("the terminal is seen", || {
        screen.capture().unwrap();
        match screen.change() {
            Change::Within(from, to) => Some((from, to)),
            _ => None,
        }
    });
    assert!(place.0.x.get() >= 99.0 && place.1.x.get() < 400.0, "{place:?}");
    drawn(&mut screen);
    let frame = screen.capture().unwrap();
    let at = (140 * 1000 + 140) * 4;
    assert_eq!(frame.data()[at..at + 4], [255, 0, 0, 0], "blue");
    assert_eq!(screen.change(), Change::Nothing);
}

#[test]
fn a_screen_that_changes_its_size_is_seen_whole() {
    let host = VncHost::start(Security::Open);
    let mut screen = screen(host.server()).unwrap();
    screen.capture().unwrap();
    for (width, height) in [(800, 600), (1280, 1024)] {
        host.resize(width, height);
        until("the new size is seen", || {
            screen.capture().unwrap();
            (screen.size() == (width.into(), height.into())).then_some(())
        });
        perform(&mut screen, &Action::Move(Point::clamped(1000, 1000)));
        let corner = (width as i16 - 1, height as i16 - 1);
        assert!(within_patience(|| host.client().pointer() == corner));
    }
}

#[test]
fn a_lost_server_is_lost_until_it_is_opened_again() {
    let mut host = VncHost::start(Security::Open);
    let mut lost = screen(host.server()).unwrap();
    lost.capture().unwrap();
    host.kill();
    assert!(lost.capture().unwrap_err().is_lost());
    let outcome = lost.perform(
        franz_screen::ActionId { turn: 1, index: 0 },
        &Action::left_click(Point::clamped(500, 500)),
        &crate::stage::Never,
    );
    let Outcome::NotApplied(why) = outcome.unwrap() else {
        panic!("it is lost")
    };
    assert!(why.contains("the display is lost"), "{why}");
    let host = VncHost::start_at(host.port, Security::Open);
    screen(host.server()).unwrap().capture().unwrap();
}
