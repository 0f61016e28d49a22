//! Pictures match what the server shows, to the pixel.

use franz_action::{Action, Point};
use franz_frame::{Area, Frame, PixelFormat};
use franz_screen::desktop::{Desktop, DesktopOptions, Display, Pace};
use franz_screen::{Change, Screen};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};
use x11rb::connection::Connection;
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, ImageFormat, Rectangle};

use crate::client::Client;
use crate::stage::{HEIGHT, Stage, WIDTH, area, perform, until};
use crate::witness::Witness;

const WHOLE: Area = Area {
    x: 0,
    y: 0,
    width: WIDTH,
    height: HEIGHT,
};

/// Returns the pixels that the server sends for the simplest request.
fn plain(client: &Client, area: Area) -> Vec<u8> {
    let (x, y, width, height) = (area.x as i16, area.y as i16, area.width as u16, area.height as u16);
    let image = client
        .connection
        .get_image(ImageFormat::Z_PIXMAP, client.root, x, y, width, height, !0);
    image.unwrap().reply().unwrap().data
}

fn black(area: Area) -> Frame {
    Frame::black(area.width, area.height, PixelFormat::Bgrx8).unwrap()
}

/// Returns the smallest area that contains every difference between two pictures.
fn difference(before: &Frame, now: &Frame) -> Option<Area> {
    let mut copy = before.clone();
    copy.update(
        Area::whole(now.width(), now.height()),
        now.data(),
        now.width() as usize * 4,
    )
}

/// Captures, and checks the picture and the change against what the server shows.
fn check(display: &mut dyn Display, client: &Client, part: Area, frame: &mut Frame) -> Option<Area> {
    let before = frame.clone();
    let changed = display.capture(part, frame).unwrap();
    assert!(frame.data() == plain(client, part), "the picture is not what is shown");
    assert_eq!(changed, difference(&before, frame));
    changed
}

#[test]
fn only_drawn_changes_are_captured() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let client = &witness.client;
    let gc = client.connection.generate_id().unwrap();
    client
        .connection
        .create_gc(gc, witness.window, &CreateGCAux::new())
        .unwrap();
    let mut display = stage.display();
    let part = area(50, 30, 800, 600);
    let (mut whole, mut inside) = (black(WHOLE), black(part));
    let mut other = stage.display();
    check(&mut *display, client, WHOLE, &mut whole);
    assert_eq!(check(&mut *display, client, WHOLE, &mut whole), None);
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    for round in 0..60 {
        // Draw from one small rectangle up to more rectangles than are fetched one by one.
        for _ in 0..(round % 7) * (round % 7) {
            let rectangle = Rectangle {
                x: (random.next_u32() % 1100) as i16 - 50,
                y: (random.next_u32() % 800) as i16 - 50,
                width: (random.next_u32() % 60) as u16,
                height: (random.next_u32() % 60) as u16,
            };
            let color = x11rb::protocol::xproto::ChangeGCAux::new().foreground(random.next_u32() & 0x00ff_ffff);
            client.connection.change_gc(gc, &color).unwrap();
            client
                .connection
                .poly_fill_rectangle(witness.window, gc, &[rectangle])
                .unwrap();
        }
        client.connection.get_input_focus().unwrap().reply().unwrap();
        check(&mut *display, client, WHOLE, &mut whole);
        check(&mut *other, client, part, &mut inside);
    }
}

#[test]
fn drawing_programs_are_captured() {
    let mut stage = Stage::new();
    let mut display = stage.display();
    let client = stage.client();
    let mut frame = black(WHOLE);
    check(&mut *display, &client, WHOLE, &mut frame);
    stage.run(
        "xterm",
        &[
            "-e",
            "i=0; while [ $i -lt 400 ]; do echo $i some text; i=$((i+1)); done; touch drawn; cat",
        ],
    );
    stage.run("xterm", &["-geometry", "40x10+400+300", "-e", "cat"]);
    client.focused("xterm");
    // While xterm draws, pictures cannot be compared, because they are taken at different times.
    let drawn = stage.path("drawn");
    until("it is drawn", || {
        display.capture(WHOLE, &mut frame).unwrap();
        drawn.exists().then_some(())
    });
    until("the pictures are the same", || {
        let before = plain(&client, WHOLE);
        display.capture(WHOLE, &mut frame).unwrap();
        let now = plain(&client, WHOLE);
        (before == now).then(|| assert!(frame.data() == now, "damage was missed"))
    });
}

#[test]
fn the_cursor_is_drawn_and_only_the_cursor() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let options = DesktopOptions {
        monitor: None,
        region: None,
        cursor: true,
        pace: Pace::FAST,
    };
    let mut screen = Desktop::new(stage.display(), options).unwrap();
    perform(&mut screen, &Action::Move(Point::clamped(500, 500)));
    let with = screen.capture().unwrap().clone();
    let shown = plain(&witness.client, WHOLE);
    let without = Frame::new(WIDTH, HEIGHT, PixelFormat::Bgrx8, shown).unwrap();
    let cursor = difference(&without, &with).expect("there is a cursor");
    assert!(cursor.width < 64 && cursor.height < 64, "{cursor}");
    assert!((cursor.x - 500).abs() < 40 && (cursor.y - 350).abs() < 40, "{cursor}");
    assert_eq!(screen.capture().cloned().unwrap(), with);
    assert_eq!(screen.change(), Change::Nothing);
    perform(&mut screen, &Action::Move(Point::clamped(100, 100)));
    let moved = screen.capture().unwrap().clone();
    assert_eq!(screen.change(), Change::Cursor);
    assert!(
        difference(&without, &moved).unwrap().x < 200,
        "it is at the other place alone"
    );
    assert_eq!(screen.pointer().current, Some(Point::clamped(100, 100)));
}

#[test]
fn a_region_is_a_screen_of_its_own() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let region = area(100, 50, 400, 300);
    let options = DesktopOptions {
        monitor: Some("1".to_owned()),
        region: Some(region),
        cursor: false,
        pace: Pace::FAST,
    };
    let mut screen = Desktop::new(stage.display(), options).unwrap();
    assert_eq!(screen.size(), (400, 300));
    assert!(screen.capture().unwrap().data() == plain(&witness.client, region));
    perform(&mut screen, &Action::Move(Point::clamped(1000, 1000)));
    assert_eq!(stage.display().pointer().unwrap(), Some((499, 349)));
}

#[test]
fn a_changed_resolution_is_noticed() {
    let stage = Stage::new();
    let client = stage.client();
    let mut display = stage.display();
    let one = display.monitors().unwrap();
    assert_eq!(one.iter().map(|monitor| monitor.area).collect::<Vec<_>>(), [WHOLE]);
    let options = DesktopOptions {
        monitor: None,
        region: None,
        cursor: true,
        pace: Pace::FAST,
    };
    let mut screen = Desktop::new(display, options).unwrap();
    screen.capture().unwrap();
    let expected = (640, 480);
    resize(&client, expected);
    until("the screen has the other size", || {
        let frame = screen.capture().unwrap();
        ((frame.width(), frame.height()) == expected).then_some(())
    });
    assert_eq!(screen.size(), expected);
    assert_eq!(screen.change(), Change::Unknown);
}

/// Changes the screen's size, like `xrandr --fb`.
fn resize(client: &Client, (width, height): (u32, u32)) {
    let connection = &client.connection;
    connection.randr_query_version(1, 5).unwrap().reply().unwrap();
    let resources = connection
        .randr_get_screen_resources(client.root)
        .unwrap()
        .reply()
        .unwrap();
    for crtc in resources.crtcs {
        let rotation = x11rb::protocol::randr::Rotation::ROTATE0;
        let off = connection.randr_set_crtc_config(crtc, 0, resources.config_timestamp, 0, 0, 0, rotation, &[]);
        off.unwrap().reply().unwrap();
    }
    let asked = connection.randr_set_screen_size(client.root, width as u16, height as u16, 100, 100);
    asked.unwrap().check().unwrap();
}

/// Sets up two monitors side by side. `primary` says which one is the primary monitor, counted from the left.
fn two_monitors(client: &Client, primary: usize) {
    let half = (WIDTH / 2) as u16;
    for (place, name) in ["LEFT", "RIGHT"].into_iter().enumerate() {
        let monitor = MonitorInfo {
            name: client.atom(name),
            primary: place == primary,
            automatic: false,
            x: half as i16 * place as i16,
            y: 0,
            width: half,
            height: HEIGHT as u16,
            width_in_millimeters: 300,
            height_in_millimeters: 200,
            outputs: Vec::new(),
        };
        client
            .connection
            .randr_set_monitor(client.root, monitor)
            .unwrap()
            .check()
            .unwrap();
    }
}

#[test]
fn each_of_several_monitors_can_be_the_screen() {
    let stage = Stage::new();
    let client = stage.client();
    two_monitors(&client, 1);
    let half = WIDTH / 2;
    let left = area(0, 0, half, HEIGHT);
    let right = area(half as i32, 0, half, HEIGHT);
    let names: Vec<_> = stage.display().monitors().unwrap();
    assert_eq!(
        (names[0].name.as_str(), names[0].area),
        ("RIGHT", right),
        "the primary one is the first"
    );
    for (wanted, seen) in [("1", right), ("2", left), ("LEFT", left), ("RIGHT", right)] {
        let options = DesktopOptions {
            monitor: Some(wanted.to_owned()),
            region: None,
            cursor: false,
            pace: Pace::FAST,
        };
        let mut screen = Desktop::new(stage.display(), options).unwrap();
        assert_eq!(screen.size(), (half, HEIGHT));
        assert_eq!(screen.capture().unwrap().data(), plain(&client, seen));
        perform(&mut screen, &Action::Move(Point::clamped(1000, 1000)));
        let at = client.connection.query_pointer(client.root).unwrap().reply().unwrap();
        let corner = (seen.x + half as i32 - 1, HEIGHT as i32 - 1);
        assert_eq!((at.root_x.into(), at.root_y.into()), corner, "{wanted}");
    }
    let whole = stage.screen(Pace::FAST);
    assert_eq!(whole.size(), (WIDTH, HEIGHT));
}
