//! X servers that lack one feature or another.

use std::process::Command;

use franz_action::Action;
use franz_frame::{Area, Color, Frame, PixelFormat};
use franz_screen::desktop::{self, Display};
use franz_screen::{DisplayError, Screen, Target};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ChangeGCAux, ConnectionExt as _, CreateGCAux, Rectangle, SubwindowMode};

use crate::bare::Bare;
use crate::stage::perform;

impl Bare {
    fn open(&self) -> Result<Box<dyn Display>, DisplayError> {
        desktop::open(&Target::X11(self.name.clone()))
    }

    fn refusal(&self) -> String {
        match self.open() {
            Ok(_) => panic!("it was opened"),
            Err(error) => error.to_string(),
        }
    }

    /// Fills a part of the screen.
    fn fill(&self, (x, y): (i16, i16), color: u32) {
        let (connection, screen) = x11rb::connect(Some(&self.name)).unwrap();
        let root = connection.setup().roots[screen].root;
        let gc = connection.generate_id().unwrap();
        let aux = CreateGCAux::new().subwindow_mode(SubwindowMode::INCLUDE_INFERIORS);
        connection.create_gc(gc, root, &aux).unwrap();
        connection.change_gc(gc, &ChangeGCAux::new().foreground(color)).unwrap();
        let (width, height) = (10, 20);
        connection
            .poly_fill_rectangle(root, gc, &[Rectangle { x, y, width, height }])
            .unwrap()
            .check()
            .unwrap();
    }
}

#[test]
fn missing_extensions_are_worked_around() {
    // XFIXES is not in this list, because without it this server exits as soon as a program disconnects.
    for missing in [
        &[][..],
        &["MIT-SHM"],
        &["DAMAGE"],
        &["RANDR"],
        &["MIT-SHM", "DAMAGE", "RANDR"],
    ] {
        let without = missing.iter().flat_map(|extension| ["-extension", extension]);
        let arguments: Vec<_> = ["-screen", "0", "320x240x24"].into_iter().chain(without).collect();
        let server = Bare::start(&arguments);
        // The server would reset when its last client disconnects.
        let _stay = x11rb::connect(Some(&server.name)).unwrap();
        let mut display = server.open().unwrap();
        let whole = Area::whole(320, 240);
        assert_eq!(display.monitors().unwrap()[0].area, whole, "without {missing:?}");
        let mut frame = Frame::black(320, 240, PixelFormat::Bgrx8).unwrap();
        let captured = display.capture(whole, &mut frame);
        assert!(captured.is_ok(), "without {missing:?}: {captured:?}");
        server.fill((30, 40), 0x00ff_8000);
        let part = Area {
            x: 30,
            y: 40,
            width: 10,
            height: 20,
        };
        assert_eq!(
            display.capture(whole, &mut frame).unwrap(),
            Some(part),
            "without {missing:?}"
        );
        assert_eq!(frame.color(39, 59), Some(Color::rgb(255, 128, 0)));
        assert_eq!(display.capture(whole, &mut frame).unwrap(), None, "without {missing:?}");
        assert!(display.cursor().unwrap().is_some());
        let options = desktop::DesktopOptions {
            monitor: None,
            region: None,
            cursor: true,
            pace: desktop::Pace::FAST,
        };
        let mut screen = desktop::Desktop::new(display, options).unwrap();
        perform(&mut screen, &Action::typing("Typed to nobody: é".to_owned()));
        screen.capture().unwrap();
    }
}

#[test]
fn unusable_servers_are_reported() {
    let shallow = Bare::start(&["-screen", "0", "320x240x16"]).refusal();
    assert!(
        shallow.contains("16 bits") && shallow.contains("--screen virtual"),
        "{shallow}"
    );
    let deaf = Bare::start(&["-screen", "0", "320x240x24", "-extension", "XTEST"]).refusal();
    assert!(deaf.contains("XTEST") && deaf.contains("--screen canvas"), "{deaf}");
}

#[test]
fn over_a_network_everything_goes_through_the_connection() {
    let server = Bare::start(&["-screen", "0", "320x240x24", "-listen", "tcp"]);
    let _stay = x11rb::connect(Some(&server.name)).unwrap();
    // Use the form of address that ssh -X gives to programs.
    let mut display = desktop::open(&Target::X11(format!("127.0.0.1:{}.0", server.number()))).unwrap();
    let whole = Area::whole(320, 240);
    let mut frame = Frame::black(320, 240, PixelFormat::Bgrx8).unwrap();
    display.capture(whole, &mut frame).unwrap();
    server.fill((30, 40), 0x00ff_8000);
    assert!(display.capture(whole, &mut frame).unwrap().is_some());
    assert_eq!(frame.color(39, 59), Some(Color::rgb(255, 128, 0)));
    display.move_to(17, 23).unwrap();
    assert_eq!(display.pointer().unwrap(), Some((17, 23)));
}

#[test]
fn an_untrusted_connection_says_what_it_lacks() {
    let server = Bare::start(&["-screen", "0", "320x240x24"]);
    let _stay = x11rb::connect(Some(&server.name)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let authority = directory.path().join("authority");
    // ssh -X does this, and ssh -Y does not.
    let generate = ["generate", &server.name, "MIT-MAGIC-COOKIE-1", "untrusted"];
    let made = Command::new("xauth").arg("-f").arg(&authority).args(generate).output();
    let made = made.unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let refused = refused(&[("DISPLAY", &server.name), ("XAUTHORITY", authority.to_str().unwrap())]);
    assert!(
        refused.contains("XTEST") && refused.contains("ssh -Y") && refused.contains("--screen virtual"),
        "{refused}"
    );
}

#[test]
fn xwayland_is_refused_with_advice() {
    let server = Bare::start(&["-screen", "0", "320x240x24"]);
    let _stay = x11rb::connect(Some(&server.name)).unwrap();
    // The proxy replaces one extension's name, so the server appears to have XWAYLAND.
    let name = server.disguised("XWAYLAND", "XINERAMA");
    let refused = refused(&[("DISPLAY", &name)]);
    assert!(
        refused.contains("this is a Wayland session") && refused.contains("--screen virtual"),
        "{refused}"
    );
    // An address that the user names explicitly is used anyway.
    desktop::open(&Target::X11(name)).unwrap();
}

/// Prints why the session's desktop cannot be opened.
#[test]
#[ignore = "it is started by another test"]
fn refusal() {
    let Err(error) = desktop::open(&Target::Session { consent: None }) else {
        panic!("it was opened")
    };
    println!("\nrefused: {error}");
}

#[test]
fn a_session_without_an_x_server_is_refused_with_advice() {
    for (name, value, said) in [
        ("WAYLAND_DISPLAY", "wayland-0", "Wayland"),
        ("UNRELATED", "", "DISPLAY is not set"),
        ("DISPLAY", ":99999", ":99999"),
    ] {
        let refused = refused(&[(name, value)]);
        assert!(
            refused.contains(said) && refused.contains("--screen virtual"),
            "{refused}"
        );
    }
}

/// Returns the refusal that a program gets in a session with these variables.
fn refused(variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", "server::refusal"]);
    command
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .envs(variables.iter().copied());
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let refused = output.lines().find(|line| line.starts_with("refused: "));
    refused.unwrap_or_else(|| panic!("{output}")).to_owned()
}
