//! A planner that only names its targets, and a grounder that points at them with noise, on a program with many buttons.

use std::collections::BTreeMap;

use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, EventMask, Window, WindowClass};

use crate::chat;
use crate::desktop::client::Client;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::Stage;
use crate::harness::Workplace;
use crate::puppet::Puppet;

const SCREEN: (u32, u32) = (1000, 700);
/// What the grounder is shown: sides of 28 pixels each.
const PICTURE: (f64, f64) = (980.0, 700.0);
/// The size of a button.
const BUTTON: (u16, u16) = (96, 48);
const COLUMNS: u32 = 8;
const ROWS: u32 = 5;
/// The spread of the grounder's answers, in pixels of its picture.
const NOISE: f64 = 10.0;

/// A program of forty buttons that covers the desktop.
struct Buttons {
    client: Client,
    windows: BTreeMap<Window, u32>,
}

impl Buttons {
    fn on(stage: &Stage) -> Buttons {
        let client = Client::of(&stage.desktop);
        let connection = &client.connection;
        let open = |parent: Window, (x, y): (i16, i16), (width, height): (u16, u16), colour: u32| {
            let window = connection.generate_id().unwrap();
            let aux = CreateWindowAux::new()
                .override_redirect(1)
                .background_pixel(colour)
                .event_mask(EventMask::BUTTON_PRESS | EventMask::EXPOSURE);
            let class = WindowClass::INPUT_OUTPUT;
            let made = connection.create_window(0, window, parent, x, y, width, height, 0, class, 0, &aux);
            made.unwrap().check().unwrap();
            connection.map_window(window).unwrap().check().unwrap();
            window
        };
        let size = (SCREEN.0 as u16, SCREEN.1 as u16);
        let ground = open(client.root, (0, 0), size, 0x0020_4060);
        let windows = (0..COLUMNS * ROWS).map(|number| {
            let (x, y) = middle(number);
            let corner = ((x as i16) - (BUTTON.0 / 2) as i16, (y as i16) - (BUTTON.1 / 2) as i16);
            (open(ground, corner, BUTTON, 0x00c0_c0c0), number)
        });
        let windows = windows.collect();
        Buttons { client, windows }
    }

    /// The buttons that were pressed since the last call; `None` stands for a press beside them.
    fn pressed(&self) -> Vec<Option<u32>> {
        let connection = &self.client.connection;
        connection.get_input_focus().unwrap().reply().unwrap();
        let heard = std::iter::from_fn(|| connection.poll_for_event().unwrap());
        heard
            .filter_map(|event| match event {
                Event::ButtonPress(press) => Some(self.windows.get(&press.event).copied()),
                _ => None,
            })
            .collect()
    }
}

/// The middle of a button on the screen.
fn middle(number: u32) -> (u32, u32) {
    let (column, row) = (number % COLUMNS, number / COLUMNS);
    (
        (column * 2 + 1) * SCREEN.0 / (COLUMNS * 2),
        (row * 2 + 1) * SCREEN.1 / (ROWS * 2),
    )
}

/// Points at the button that a request names.
fn pointed(request: &serde_json::Value, chance: &mut fastrand::Rng) -> String {
    let words = request["messages"][1]["content"][1]["text"].as_str().unwrap();
    let number: u32 = words.strip_prefix("Click this: button ").unwrap().parse().unwrap();
    let (x, y) = middle(number);
    // Box and Muller's way to two normal numbers.
    let (length, angle) = (
        (-2.0 * chance.f64().max(1e-9).ln()).sqrt(),
        std::f64::consts::TAU * chance.f64(),
    );
    let [right, down] = [angle.cos(), angle.sin()].map(|part| part * length * NOISE);
    let x = f64::from(x) / f64::from(SCREEN.0) * PICTURE.0 + right;
    let y = f64::from(y) / f64::from(SCREEN.1) * PICTURE.1 + down;
    format!("Action: click(start_box='({x:.0},{y:.0})')")
}

#[test]
fn a_grounder_with_noise_hits_what_the_planner_names() {
    let (stage, place) = (Stage::new(), Workplace::new());
    let (mut planner, mut grounder) = (Puppet::new(), Puppet::new());
    let buttons = Buttons::on(&stage);
    let upstream = format!("grounder.upstream={}", grounder.url());
    let more = [
        "grounder.family=ui-tars-1.5",
        &upstream,
        "grounder.width=1000",
        "grounder.height=700",
    ];
    let more: Vec<&str> = more.iter().flat_map(|setting| ["--set", *setting]).collect();
    let fast = ["--set", "screen.pace=fast"];
    let running = start(
        &stage,
        &place,
        &planner.url(),
        Care::Alone,
        &[&more[..], &fast].concat(),
    );
    planner.asked();
    let mut chance = fastrand::Rng::with_seed(7);
    let mut hits = 0;
    for row in 0..ROWS {
        let wanted: Vec<u32> = (row * COLUMNS..(row + 1) * COLUMNS).collect();
        let calls: Vec<String> = wanted
            .iter()
            .map(|number| format!("left_click(target='button {number}')"))
            .collect();
        planner.reply(&format!("```python\n{}\n```", calls.join("\n")));
        for _ in &wanted {
            let request = grounder.chat();
            grounder.reply(&pointed(&request, &mut chance));
        }
        let feedback = planner.chat();
        assert!(
            chat::feedback(&feedback).contains("OK: 8 actions executed"),
            "{}",
            chat::feedback(&feedback)
        );
        let pressed = buttons.pressed();
        assert_eq!(pressed.len(), wanted.len(), "{pressed:?}");
        hits += pressed
            .iter()
            .zip(&wanted)
            .filter(|(pressed, wanted)| **pressed == Some(**wanted))
            .count();
    }
    assert!(hits >= 38, "{hits} of 40");
    planner.reply("I rest.");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}
