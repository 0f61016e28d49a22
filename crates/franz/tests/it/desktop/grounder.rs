//! A planner that only names its targets, and a grounder that points at them with noise, in a program and on a page
//! with many buttons.

use std::collections::BTreeMap;

use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, EventMask, Window, WindowClass};

use crate::chat;
use crate::desktop::browser::Browser;
use crate::desktop::client::Client;
use crate::desktop::run::{Care, start};
use crate::desktop::stage::{Stage, until};
use crate::harness::Workplace;
use crate::puppet::Puppet;

const SCREEN: (u32, u32) = (1000, 700);
/// The size of the grounder's picture. Both sides are multiples of 28 pixels.
const PICTURE: (f64, f64) = (980.0, 700.0);
/// The size of a button.
const BUTTON: (u16, u16) = (96, 48);
const COLUMNS: u32 = 8;
const ROWS: u32 = 5;
/// The spread of the grounder's answers, in pixels of its picture.
const NOISE: f64 = 10.0;

/// A page of forty buttons. When the mouse reaches its left edge, the page reports where each button's centre is on the
/// screen, and then which buttons have been clicked so far.
const PAGE: &str =
    "<style>body { display: grid; grid-template-columns: repeat(8, 96px); gap: 24px 10px; padding: 40px 30px }
    button { height: 48px }</style><script>
    const clicked = [];
    for (let number = 0; number < 40; number++) {
        const button = document.createElement('button');
        button.textContent = `button ${number}`;
        document.body.append(button);
    }
    const buttons = [...document.querySelectorAll('button')];
    onmousemove = e => {
        if (e.clientX >= 20) return;
        onmousemove = null;
        const [left, top] = [e.screenX - e.clientX, e.screenY - e.clientY];
        const middle = box => `${left + box.x + box.width / 2},${top + box.y + box.height / 2}`;
        say('at ' + buttons.map(button => middle(button.getBoundingClientRect())).join(' '));
    };
    onclick = e => { clicked.push(buttons.indexOf(e.target)); say(clicked.join(' ')); };
    const wait = () => document.hasFocus() ? say('ready') : requestAnimationFrame(wait);
    wait();
    </script>";

/// Forty buttons in rows.
trait Buttons {
    /// Returns a button's centre on the screen.
    fn middle(&self, number: u32) -> (f64, f64);

    /// Returns the buttons under the next `count` clicks; `None` for a click that hit no button.
    fn clicked(&mut self, count: usize) -> Vec<Option<u32>>;
}

/// A program that covers the desktop with buttons.
struct Program {
    client: Client,
    windows: BTreeMap<Window, u32>,
}

impl Program {
    fn on(stage: &Stage) -> Program {
        let client = Client::of(&*stage.desktop);
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
        Program { client, windows }
    }
}

impl Buttons for Program {
    fn middle(&self, number: u32) -> (f64, f64) {
        let (x, y) = middle(number);
        (x.into(), y.into())
    }

    fn clicked(&mut self, count: usize) -> Vec<Option<u32>> {
        let connection = &self.client.connection;
        connection.get_input_focus().unwrap().reply().unwrap();
        let heard = std::iter::from_fn(|| connection.poll_for_event().unwrap());
        let pressed = heard.filter_map(|event| match event {
            Event::ButtonPress(press) => Some(self.windows.get(&press.event).copied()),
            _ => None,
        });
        let pressed: Vec<_> = pressed.collect();
        assert_eq!(pressed.len(), count, "{pressed:?}");
        pressed
    }
}

/// Returns the centre of one of the program's buttons.
fn middle(number: u32) -> (u32, u32) {
    let (column, row) = (number % COLUMNS, number / COLUMNS);
    (
        (column * 2 + 1) * SCREEN.0 / (COLUMNS * 2),
        (row * 2 + 1) * SCREEN.1 / (ROWS * 2),
    )
}

/// A page in a browser, which does the layout.
struct Page {
    browser: Browser,
    middles: Vec<(f64, f64)>,
    /// How many clicks were reported earlier.
    before: usize,
}

impl Page {
    fn on(stage: &mut Stage) -> Page {
        let browser = Browser::open(stage, PAGE);
        let said = until("the page tells where its buttons are", || {
            for x in [30, 10] {
                let (connection, root) = (&stage.client.connection, stage.client.root);
                let moved = connection.warp_pointer(x11rb::NONE, root, 0, 0, 0, 0, x, 300);
                moved.unwrap().check().unwrap();
            }
            browser.said().strip_prefix("at ").map(str::to_owned)
        });
        let middle = |place: &str| {
            let (x, y) = place.split_once(',').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        let middles: Vec<_> = said.split(' ').map(middle).collect();
        assert_eq!(middles.len() as u32, COLUMNS * ROWS, "{said}");
        Page {
            browser,
            middles,
            before: 0,
        }
    }
}

impl Buttons for Page {
    fn middle(&self, number: u32) -> (f64, f64) {
        self.middles[number as usize]
    }

    fn clicked(&mut self, count: usize) -> Vec<Option<u32>> {
        let clicked = until("the page tells what was clicked", || {
            let said = self.browser.said();
            let clicked = said
                .split(' ')
                .map(|number| Some(number.parse::<i32>().ok()?.try_into().ok()));
            let clicked: Vec<_> = clicked.collect::<Option<_>>()?;
            (clicked.len() >= self.before + count).then_some(clicked)
        });
        assert_eq!(clicked.len(), self.before + count, "{clicked:?}");
        let now = clicked[self.before..].to_vec();
        self.before = clicked.len();
        now
    }
}

/// Points at the button that a request names.
fn pointed(request: &serde_json::Value, buttons: &impl Buttons, chance: &mut fastrand::Rng) -> String {
    let words = request["messages"][1]["content"][1]["text"].as_str().unwrap();
    let number: u32 = words.strip_prefix("Click this: button ").unwrap().parse().unwrap();
    let (x, y) = buttons.middle(number);
    // The Box-Muller transform, which yields two normally distributed numbers.
    let (length, angle) = (
        (-2.0 * chance.f64().max(1e-9).ln()).sqrt(),
        std::f64::consts::TAU * chance.f64(),
    );
    let [right, down] = [angle.cos(), angle.sin()].map(|part| part * length * NOISE);
    let x = x / f64::from(SCREEN.0) * PICTURE.0 + right;
    let y = y / f64::from(SCREEN.1) * PICTURE.1 + down;
    format!("Action: click(start_box='({x:.0},{y:.0})')")
}

#[test]
fn a_grounder_with_noise_hits_what_the_planner_names_in_a_program() {
    let stage = Stage::new();
    assert_hits(&stage, Program::on(&stage));
}

#[test]
fn a_grounder_with_noise_hits_what_the_planner_names_on_a_page() {
    let mut stage = Stage::new();
    let page = Page::on(&mut stage);
    assert_hits(&stage, page);
}

/// Checks that at least 95 % of forty clicks hit their buttons.
fn assert_hits(stage: &Stage, mut buttons: impl Buttons) {
    let place = Workplace::new();
    let (mut planner, mut grounder) = (Puppet::new(), Puppet::new());
    let upstream = format!("grounder.upstream={}", grounder.url());
    let more = [
        "grounder.family=ui-tars-1.5",
        &upstream,
        "grounder.width=1000",
        "grounder.height=700",
    ];
    let more: Vec<&str> = more.iter().flat_map(|setting| ["--set", *setting]).collect();
    let fast = ["--set", "screen.pace=fast"];
    let running = start(stage, &place, &planner.url(), Care::Alone, &[&more[..], &fast].concat());
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
            grounder.reply(&pointed(&request, &buttons, &mut chance));
        }
        let feedback = planner.chat();
        assert!(
            chat::feedback(&feedback).contains("OK: 8 actions executed"),
            "{}",
            chat::feedback(&feedback)
        );
        let clicked = buttons.clicked(wanted.len());
        let hit = |(clicked, wanted): &(Option<u32>, u32)| *clicked == Some(*wanted);
        hits += clicked.into_iter().zip(wanted).filter(hit).count();
    }
    assert!(hits >= 38, "{hits} of 40");
    planner.reply("I rest.");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}
