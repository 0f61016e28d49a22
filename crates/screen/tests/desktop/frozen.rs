//! A server that is not responding does not delay a stop.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use franz_action::keys::Key;
use franz_frame::{Area, Frame, PixelFormat};
use franz_screen::desktop::{self, Button, Display, Press, Target};
use franz_screen::{DisplayError, WindowId};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, CreateWindowAux, PropMode, WindowClass};
use x11rb::wrapper::ConnectionExt as _;

use crate::bare::Bare;

/// How long a stop may take on a busy machine. Without a stop, each wait takes 20 s.
const SOON: Duration = Duration::from_secs(15);

/// How many times a wait asks whether the run is over before the answer is yes.
const ASKED: u32 = 5;

type Work = fn(&mut dyn Display) -> Result<(), DisplayError>;

const WHOLE: Area = Area {
    x: 0,
    y: 0,
    width: 320,
    height: 240,
};

fn capture(display: &mut dyn Display) -> Result<(), DisplayError> {
    let mut frame = Frame::black(WHOLE.width, WHOLE.height, PixelFormat::Bgrx8).unwrap();
    display.capture(WHOLE, &mut frame).map(drop)
}

#[test]
fn whatever_waits_for_a_frozen_server_ends_with_the_run() {
    let works: [(&str, Work); 8] = [
        ("capture", capture),
        ("cursor", |display| display.cursor().map(drop)),
        ("move", |display| display.move_to(10, 10)),
        ("button", |display| display.button(Button::Left, Press::Down)),
        ("key", |display| display.key(&Key::Char('a'), Press::Down)),
        ("type", |display| display.type_text("aAä漢", &mut |_| true)),
        ("clipboard", |display| display.clipboard().map(drop)),
        ("release", |display| display.release().map(drop)),
    ];
    let server = Bare::start(&["-screen", "0", "320x240x24"]);
    // The server would reset when its last client disconnects.
    let _stay = x11rb::connect(Some(&server.name)).unwrap();
    for (what, work) in works {
        let (frozen, over) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
        let (counts, since, asked) = (Arc::clone(&frozen), Arc::clone(&over), AtomicU32::new(0));
        let is_over = move || {
            let is_over = counts.load(Ordering::Relaxed) && asked.fetch_add(1, Ordering::Relaxed) >= ASKED;
            if is_over {
                since.lock().unwrap().get_or_insert_with(Instant::now);
            }
            is_over
        };
        let mut display = desktop::open_until(&Target::X11(server.name.clone()), Arc::new(is_over)).unwrap();
        display.claim().unwrap();
        let watch = display.watch(Box::new(|_| ())).unwrap();
        capture(&mut *display).unwrap();
        server.freeze();
        frozen.store(true, Ordering::Relaxed);
        let failed = work(&mut *display);
        assert!(failed.is_err_and(|error| error.is_lost()), "{what}: nothing answered");
        drop(watch);
        let again = capture(&mut *display);
        assert!(
            again.is_err_and(|error| error.is_lost()),
            "the connection is gone for good"
        );
        drop(display);
        let took = over.lock().unwrap().unwrap().elapsed();
        server.thaw();
        eprintln!("{what}: {took:?}");
        assert!(took < SOON, "{what}: {took:?}");
    }
}

#[test]
fn whatever_waits_for_another_program_ends_with_the_run() {
    let server = Bare::start(&["-screen", "0", "320x240x24"]);
    let (client, screen) = x11rb::connect(Some(&server.name)).unwrap();
    let root = client.setup().roots[screen].root;
    let atom = |name: &str| {
        let asked = client.intern_atom(false, name.as_bytes());
        asked.unwrap().reply().unwrap().atom
    };
    // A window that never hands over its text, and that nothing brings to the front.
    let window = client.generate_id().unwrap();
    let (class, aux) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
    let made = client.create_window(0, window, root, 0, 0, 1, 1, 0, class, 0, &aux);
    made.unwrap().check().unwrap();
    let owned = client.set_selection_owner(window, atom("CLIPBOARD"), x11rb::CURRENT_TIME);
    owned.unwrap().check().unwrap();
    let list = atom("_NET_CLIENT_LIST_STACKING");
    let listed = client.change_property32(PropMode::REPLACE, root, list, AtomEnum::WINDOW, &[window]);
    listed.unwrap().check().unwrap();
    for what in ["clipboard", "focus"] {
        let waits = Arc::new(AtomicBool::new(false));
        let (counts, asked) = (Arc::clone(&waits), AtomicU32::new(0));
        let is_over = move || counts.load(Ordering::Relaxed) && asked.fetch_add(1, Ordering::Relaxed) >= ASKED;
        let mut display = desktop::open_until(&Target::X11(server.name.clone()), Arc::new(is_over)).unwrap();
        waits.store(true, Ordering::Relaxed);
        let done = match what {
            "focus" => display.focus(WindowId(window.into())).map(drop),
            _ => display.clipboard().map(drop),
        };
        let why = done.unwrap_err();
        assert!(
            why.is_lost() && why.to_string().contains("the run is over"),
            "{what}: {why}"
        );
    }
}

#[test]
fn a_lost_display_stays_lost_until_it_is_opened_again() {
    let mut server = Bare::start_apart();
    let target = Target::X11(server.name.clone());
    let mut display = desktop::open(&target).unwrap();
    display.claim().unwrap();
    let (tell, told) = std::sync::mpsc::channel::<()>();
    let watch = display
        .watch(Box::new(move |_| tell.send(()).unwrap_or_default()))
        .unwrap();
    capture(&mut *display).unwrap();
    server.kill();
    assert!(told.recv().is_err(), "the watch ends by itself");
    for work in [
        capture,
        |display: &mut dyn Display| display.move_to(1, 1),
        |display: &mut dyn Display| display.lacks("a").map(drop),
    ] {
        assert!(work(&mut *display).is_err_and(|error| error.is_lost()));
    }
    let Err(missing) = desktop::open(&target) else {
        panic!("a server that is gone was opened")
    };
    assert!(!missing.is_lost(), "{missing}");
    let server = Bare::start_at(&server.name);
    assert!(
        capture(&mut *display).is_err_and(|error| error.is_lost()),
        "it is another one"
    );
    let mut again = desktop::open(&target).unwrap();
    again.claim().unwrap();
    capture(&mut *again).unwrap();
    drop((watch, server));
}
