//! The windows of programs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use franz_screen::desktop::{self, Desktop, DesktopOptions, Display, Pace};
use franz_screen::{Screen, Target, Window, WindowId};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, WindowClass};
use x11rb::wrapper::ConnectionExt as _;

use crate::bare::Bare;
use crate::client::Client;
use crate::stage::{Stage, area, until};
use crate::witness::Witness;

fn list(display: &mut dyn Display) -> Vec<Window> {
    display.windows().unwrap().expect("a window manager lists them")
}

/// Returns the titles, the topmost first.
fn titles(display: &mut dyn Display) -> Vec<String> {
    list(display).into_iter().map(|window| window.title).collect()
}

/// Waits until the windows have these titles and the first one is in front.
fn become_titles(display: &mut dyn Display, expected: &[&str]) -> Vec<Window> {
    until(&format!("there are {expected:?}"), || {
        let windows = list(display);
        let titles: Vec<_> = windows.iter().map(|window| window.title.as_str()).collect();
        (titles == expected && windows.first().is_none_or(|window| window.is_active)).then_some(windows)
    })
}

fn terminal(stage: &mut Stage, title: &str, geometry: &str) {
    let arguments = ["-T", title, "-geometry", geometry, "-e", "read line"];
    stage.run("xterm", &arguments);
}

#[test]
fn windows_are_listed_as_they_lie() {
    let mut stage = Stage::new();
    let mut display = stage.display();
    assert_eq!(titles(&mut *display), [""; 0]);
    terminal(&mut stage, "lower Grüße 日本", "30x8+40+60");
    become_titles(&mut *display, &["lower Grüße 日本"]);
    terminal(&mut stage, "upper \"quoted\"", "30x8+300+200");
    let windows = become_titles(&mut *display, &["upper \"quoted\"", "lower Grüße 日本"]);
    let classes: Vec<_> = windows.iter().map(|window| window.class.as_str()).collect();
    assert_eq!(classes, ["XTerm", "XTerm"]);
    assert!(windows[0].is_active && !windows[1].is_active);

    // A window includes its frame.
    let client = stage.client();
    let asked = client
        .connection
        .translate_coordinates(windows[0].id.0 as u32, client.root, 0, 0);
    let inside = asked.unwrap().reply().unwrap();
    let (x, y) = (i32::from(inside.dst_x), i32::from(inside.dst_y));
    let area = windows[0].place.unwrap();
    assert!(area.contains(x, y) && !area.contains(x - 40, y), "{area} {x} {y}");
    assert!((10..60).contains(&(y - area.y)), "no title bar: {area} {y}");

    // Anything that the window manager does not know about, such as a menu, is not a window.
    let menu = Witness::on(&stage);
    assert_eq!(titles(&mut *display), ["upper \"quoted\"", "lower Grüße 日本"]);
    drop(menu);

    assert!(display.focus(windows[1].id).unwrap());
    let turned = become_titles(&mut *display, &["lower Grüße 日本", "upper \"quoted\""]);
    assert_eq!(turned[0].place, windows[1].place);

    // A minimised window has no place until it is restored.
    minimise(&client, turned[0].id);
    until("it is minimised", || {
        let of_it = list(&mut *display).into_iter().find(|window| window.id == turned[0].id);
        of_it.unwrap().place.is_none().then_some(())
    });
    assert!(display.focus(turned[0].id).unwrap());
    // The window is listed before its frame is back in place.
    let back = until("it is back where it was", || {
        Some(list(&mut *display)).filter(|list| *list == turned)
    });

    // A window that has closed is gone, which is not an error.
    client
        .connection
        .kill_client(back[0].id.0 as u32)
        .unwrap()
        .check()
        .unwrap();
    let left = become_titles(&mut *display, &["upper \"quoted\""]);
    assert!(!display.focus(back[0].id).unwrap());
    assert!(!display.focus(WindowId(u64::MAX)).unwrap());
    assert_eq!(list(&mut *display), left);
}

fn minimise(client: &Client, WindowId(id): WindowId) {
    const ICONIC: u32 = 3;
    let message = ClientMessageEvent::new(32, id as u32, client.atom("WM_CHANGE_STATE"), [ICONIC, 0, 0, 0, 0]);
    let to_manager = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    let sent = client.connection.send_event(false, client.root, to_manager, message);
    sent.unwrap().check().unwrap();
}

#[test]
fn a_screen_tells_its_windows_in_its_own_points() {
    let mut stage = Stage::new();
    let mut screen = stage.screen(Pace::FAST);
    assert_eq!(screen.windows().unwrap(), Some(Vec::new()));
    terminal(&mut stage, "large", "400x100+0+0");
    let whole = Some((
        franz_action::Point::clamped(0, 0),
        franz_action::Point::clamped(1000, 1000),
    ));
    // The window is listed before it has its place and its title.
    let is_whole = |window: &franz_screen::ScreenWindow| window.place == whole && window.title == "large";
    until("it covers the screen", || {
        screen.windows().unwrap()?.pop().filter(is_whole)
    });
}

#[test]
fn windows_outside_the_chosen_part_are_not_told() {
    let mut stage = Stage::new();
    terminal(&mut stage, "inside", "10x4+0+0");
    terminal(&mut stage, "outside", "10x4-0-0");
    let part = |region| {
        let options = DesktopOptions {
            monitor: None,
            region,
            cursor: false,
            pace: Pace::FAST,
        };
        Desktop::new(stage.display(), options).unwrap()
    };
    let titles = |screen: &mut Desktop| {
        let windows = screen.windows().unwrap().expect("a window manager");
        let mut titles: Vec<String> = windows.into_iter().map(|window| window.title).collect();
        titles.sort();
        titles
    };
    let (mut whole, mut corner) = (part(None), part(Some(area(0, 0, 250, 150))));
    until("both are shown, and only one in the part", || {
        (titles(&mut whole) == ["inside", "outside"] && titles(&mut corner) == ["inside"]).then_some(())
    });
}

#[test]
fn without_a_window_manager_nothing_is_known_of_windows() {
    let server = Bare::start(&[]);
    let mut display = desktop::open(&Target::X11(server.name.clone())).unwrap();
    assert_eq!(display.windows().unwrap(), None);
    assert!(!display.focus(WindowId(1)).unwrap());
}

#[test]
fn windows_may_vanish_while_they_are_listed() {
    let stage = Stage::new();
    let mut display = stage.display();
    let is_over = AtomicBool::new(false);
    let client = stage.client();
    let (mut most, mut least) = (0, usize::MAX);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                flash(&client);
            }
        });
        let _over = Over(&is_over);
        for _ in 0..2000 {
            let count = list(&mut *display).len();
            (most, least) = (most.max(count), least.min(count));
            if most > 0 && least < most {
                break;
            }
        }
        for _ in 0..300 {
            list(&mut *display);
        }
    });
    assert!(most > least, "always {most} windows");
}

/// Stops the other thread, however this one ends.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Shows a window until the window manager has processed it, then destroys it.
fn flash(client: &Client) {
    let connection = &client.connection;
    let window = connection.generate_id().unwrap();
    let aux = CreateWindowAux::new().event_mask(EventMask::STRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE);
    connection
        .create_window(
            0,
            window,
            client.root,
            5,
            5,
            80,
            60,
            0,
            WindowClass::INPUT_OUTPUT,
            0,
            &aux,
        )
        .unwrap();
    connection.map_window(window).unwrap();
    connection.sync().unwrap();
    until("the window manager takes it in", || {
        connection.poll_for_event().unwrap()
    });
    connection.destroy_window(window).unwrap();
    connection.sync().unwrap();
    while connection.poll_for_event().unwrap().is_some() {}
}
