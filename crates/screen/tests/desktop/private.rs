//! A private desktop.

use std::path::Path;
use std::time::Duration;

use franz_action::{Action, Norm, Point};
use franz_frame::Color;
use franz_screen::child::Environment;
use franz_screen::{DisplayError, Pace, Screen as _, Target, WindowId, private_desktop};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, EventMask, Window, WindowClass};

use crate::client::Client;
use crate::stage::{HEIGHT, Stage, WIDTH, perform, until};

/// Returns whether a process is running. A zombie does not count as running.
pub(crate) fn runs(process: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = state.rsplit_once(')').map(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, None | Some(None | Some('Z' | 'X')))
}

/// A program that has left its parent, its group and its session, and does not use X. It writes its process ID to the
/// file `stray`.
pub(crate) const STRAY: &str = "(setsid sh -c 'echo $$ > new; mv new stray; exec sleep 1000' &)";

/// Waits for the process ID of such a program.
pub(crate) fn stray(file: &Path) -> u32 {
    until("the stray has written", || {
        std::fs::read_to_string(file).ok()?.trim().parse().ok()
    })
}

#[test]
fn programs_run_on_a_private_desktop_and_end_with_it() {
    let mut stage = Stage::new();
    assert!(stage.desktop.window_manager().is_some());
    let process = stage
        .desktop
        .spawn("xterm -e 'sleep 1000'", &Environment::guest(&[]))
        .unwrap();
    assert!(stage.desktop.wait_for_windows(1, Duration::from_secs(20)).unwrap());
    assert!(!stage.desktop.wait_for_windows(2, Duration::ZERO).unwrap());
    let client = stage.client();
    client.focused("xterm");
    stage.run("sh", &["-c", STRAY]);
    let stray = stray(&stage.path("stray"));
    assert!(runs(process) && runs(stray));
    drop(client);
    drop(stage);
    assert!(!runs(process) && !runs(stray));
}

/// A program shows its window before doing anything else. A window manager that is not listening yet would leave the
/// window unmanaged or invisible.
#[test]
fn a_window_that_is_shown_at_once_is_managed_painted_and_clicked() {
    for _ in 0..5 {
        let stage = Stage::new();
        let hasty = Hasty::on(&stage);
        let mut screen = stage.screen(Pace::FAST);
        let middle = until("it is managed and painted", || {
            let listed = screen.windows().unwrap().expect("a window manager");
            let window = listed.into_iter().find(|window| window.id == hasty.id())?;
            let (first, last) = window.place?;
            let middle = Point {
                x: Norm::clamped((first.x.get() + last.x.get()) as i64 / 2),
                y: Norm::clamped((first.y.get() + last.y.get()) as i64 / 2),
            };
            let (x, y) = (middle.x.to_pixel(WIDTH), middle.y.to_pixel(HEIGHT));
            (screen.capture().unwrap().color(x, y) == Some(Hasty::COLOR)).then_some(middle)
        });
        perform(&mut screen, &Action::left_click(middle));
        until("the first click reaches it", || hasty.was_clicked().then_some(()));
    }
}

/// A program with a window of a single colour.
struct Hasty {
    client: Client,
    window: Window,
}

impl Hasty {
    const COLOR: Color = Color::rgb(0x20, 0x90, 0x60);

    fn on(stage: &Stage) -> Hasty {
        let client = stage.client();
        let connection = &client.connection;
        let window = connection.generate_id().unwrap();
        let aux = CreateWindowAux::new()
            .event_mask(EventMask::BUTTON_PRESS | EventMask::EXPOSURE)
            .background_pixel(0x0020_9060);
        let class = WindowClass::INPUT_OUTPUT;
        connection
            .create_window(0, window, client.root, 0, 0, 400, 300, 0, class, 0, &aux)
            .unwrap();
        connection.map_window(window).unwrap().check().unwrap();
        // The first event says that the window is visible.
        until("it is shown", || connection.poll_for_event().unwrap());
        Hasty { client, window }
    }

    fn id(&self) -> WindowId {
        WindowId(self.window.into())
    }

    fn was_clicked(&self) -> bool {
        let event = self.client.connection.poll_for_event().unwrap();
        matches!(event, Some(Event::ButtonPress(_)))
    }
}

#[test]
fn a_private_desktop_refuses_strangers() {
    let stage = Stage::new();
    let name = stage.desktop.name();
    let stranger = stage
        .command("xprop")
        .args(["-root", "-display", name])
        .env("XAUTHORITY", "/dev/null")
        .output()
        .unwrap();
    assert!(!stranger.status.success());
    let known = stage
        .command("xprop")
        .args(["-root", "-display", name])
        .output()
        .unwrap();
    assert!(known.status.success());
    let Err(error) = franz_screen::desktop::open(&Target::X11(name.to_owned())) else {
        panic!("it was opened without its cookie")
    };
    assert!(error.to_string().contains("XAUTHORITY"), "{error}");
}

#[test]
fn an_impossible_desktop_is_reported() {
    let options = private_desktop::PrivateDesktopOptions {
        width: 0,
        height: 0,
        elements: false,
    };
    let Err(DisplayError::Unavailable(said)) = private_desktop::start(&options) else {
        panic!("a desktop without size was started")
    };
    assert!(said.contains("Xvfb") && said.contains("1280x800"), "{said}");
    let Err(error) = franz_screen::desktop::open(&Target::X11(":nonsense".to_owned())) else {
        panic!("nonsense was opened")
    };
    assert!(error.to_string().contains(":0"), "{error}");
}
