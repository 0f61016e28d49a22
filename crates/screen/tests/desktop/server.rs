//! X servers that lack this or that.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use franz_action::Action;
use franz_frame::{Area, Color, Frame, PixelFormat};
use franz_screen::desktop::{self, Display};
use franz_screen::{DisplayError, Screen};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ChangeGCAux, ConnectionExt as _, CreateGCAux, Rectangle, SubwindowMode};

use crate::stage::perform;

/// An X server without secrets, which ends with this.
struct Bare {
    process: Child,
    name: String,
}

impl Bare {
    fn start(arguments: &[&str]) -> Bare {
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-nolisten", "tcp"]).args(arguments);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut number = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut number)
            .unwrap();
        let name = format!(":{}", number.trim());
        Bare { process, name }
    }

    fn open(&self) -> Result<Box<dyn Display>, DisplayError> {
        desktop::open(Some(&self.name))
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

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn what_is_missing_is_done_otherwise() {
    // Without XFIXES this server ends as soon as a program leaves it.
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
        // The server starts anew when its last program leaves it.
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
        let options = desktop::Options {
            monitor: None,
            region: None,
            cursor: true,
            pace: desktop::Pace::FAST,
        };
        let mut screen = desktop::Desktop::new(display, options).unwrap();
        perform(&mut screen, &Action::Type("Typed to nobody: é".to_owned()));
        screen.capture().unwrap();
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let shallow = Bare::start(&["-screen", "0", "320x240x16"]).refusal();
    assert!(
        shallow.contains("16 bits") && shallow.contains("--screen virtual"),
        "{shallow}"
    );
    let deaf = Bare::start(&["-screen", "0", "320x240x24", "-extension", "XTEST"]).refusal();
    assert!(deaf.contains("XTEST") && deaf.contains("--screen canvas"), "{deaf}");
}

/// Says why the session's desktop cannot be opened.
#[test]
#[ignore = "it is started by another test"]
fn refusal() {
    let Err(error) = desktop::open(None) else {
        panic!("it was opened")
    };
    println!("\nrefused: {error}");
}

#[test]
fn a_session_without_an_x_server_is_told_what_to_do() {
    for (name, value, said) in [
        ("WAYLAND_DISPLAY", "wayland-0", "Wayland"),
        ("UNRELATED", "", "DISPLAY is not set"),
        ("DISPLAY", ":99999", ":99999"),
    ] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "--nocapture", "server::refusal"]);
        command
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env(name, value);
        let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let refused = output
            .lines()
            .find(|line| line.starts_with("refused: "))
            .unwrap_or_else(|| panic!("{output}"));
        assert!(
            refused.contains(said) && refused.contains("--screen virtual"),
            "{refused}"
        );
    }
}
