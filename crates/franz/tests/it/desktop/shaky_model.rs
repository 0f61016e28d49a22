//! A model that reads better than it aims: it knows only the text of its requests, and its hand shakes. It hits what it
//! names, in real GTK and Qt programs.

use crate::chat;
use crate::desktop::run::{Care, command};
use crate::harness::{Running, Workplace, spawn};
use crate::puppet::Puppet;

/// How far off an inaccurate model aims, in pixels of its picture.
const NOISE: f64 = 40.0;

/// The keys that the model tries to click. There is no 0, because an untouched display shows one.
const DIGITS: std::ops::Range<u32> = 1..10;

/// A model that reads better than it aims. It knows only the text of its requests, and its hand shakes.
struct ShakyModel {
    server: Puppet,
    chance: fastrand::Rng,
    feedback: String,
}

impl ShakyModel {
    fn asked(mut server: Puppet) -> ShakyModel {
        let chat = serde_json::from_slice(&server.asked()).unwrap();
        ShakyModel {
            server,
            chance: fastrand::Rng::with_seed(40),
            feedback: chat::feedback(&chat).to_owned(),
        }
    }

    fn reply(&mut self, calls: &str) {
        let chat = self.server.then(&format!("```python\n{calls}\n```"));
        chat::feedback(&chat).clone_into(&mut self.feedback);
    }

    /// Waits until an element is listed. Returns the list's line for it: `[12] toggle button "7" (512, 88)`.
    fn line(&mut self, role: &str, name: &str) -> String {
        let start = format!("] {role} \"{name}\" (");
        loop {
            if let Some(line) = self.feedback.lines().find(|line| line.contains(&start)) {
                return line.to_owned();
            }
            self.reply("wait(1)");
        }
    }

    /// Clicks the element by its number.
    fn click_by_number(line: &str) -> String {
        let number = line.split_once(']').unwrap().0.trim_start_matches('[');
        format!("left_click(element={number})")
    }

    /// Aims at the element's centre, at the coordinates in the list.
    fn click_by_place(&mut self, line: &str) -> String {
        let place = line.rsplit_once('(').unwrap().1.trim_end_matches(')');
        let (x, y) = place.split_once(", ").unwrap();
        let length = NOISE * (-2.0 * (1.0 - self.chance.f64()).ln()).sqrt();
        let angle = std::f64::consts::TAU * self.chance.f64();
        let off = |at: &str, by: f64, side: f64| at.parse::<f64>().unwrap() + by * length / side * 1000.0;
        let (x, y) = (off(x, angle.cos(), 1568.0), off(y, angle.sin(), 896.0));
        format!("left_click({x:.0}, {y:.0})")
    }

    /// Clicks each digit once. Returns how many of the digits appeared on the calculator's display without any others.
    fn digits(&mut self, mut click: impl FnMut(&mut ShakyModel, &str) -> String) -> usize {
        let is_hit = |digit: &u32| {
            let line = self.line("toggle button", &digit.to_string());
            let click = click(self, &line);
            self.reply(&format!(
                "write_clipboard('-')\npress('escape')\n{click}\npress('ctrl+c')\nread_clipboard()"
            ));
            // The calculator copies in its own time, and never a dash. After a bad click it may copy nothing.
            for _ in 0..20 {
                let is_copied = !["read_clipboard() -> \"-\"", "does not hand it over"]
                    .iter()
                    .any(|told| self.feedback.contains(told));
                if is_copied {
                    break;
                }
                self.reply("wait(1)\nread_clipboard()");
            }
            self.feedback.contains(&format!("read_clipboard() -> \"{digit}\""))
        };
        DIGITS.filter(is_hit).count()
    }

    /// Opens each menu once. Returns how many of them showed their entry, which is listed only while the menu is open,
    /// after at most this number of waits.
    fn menus(
        &mut self,
        program: &Program,
        waits: u32,
        mut click: impl FnMut(&mut ShakyModel, &str) -> String,
    ) -> usize {
        let is_hit = |(menu, entry): &&(&str, &str)| {
            let entry = format!("] {} \"{entry}\" (", program.entry);
            // A click is held while the menu before is still fading away.
            loop {
                let line = self.line(program.menu, menu);
                let click = click(self, &line);
                self.reply(&click);
                if !self.feedback.starts_with("Held:") {
                    break;
                }
            }
            // A program may report its entries later than it paints them.
            for _ in 0..waits {
                if self.feedback.contains(&entry) {
                    break;
                }
                self.reply("wait(0.3)");
            }
            let is_hit = self.feedback.contains(&entry);
            self.reply("press('escape escape')");
            is_hit
        };
        program.menus.iter().filter(is_hit).count()
    }
}

/// A program with menus, as it names them to others.
struct Program {
    start: &'static str,
    /// The roles of its menus and of their entries.
    menu: &'static str,
    entry: &'static str,
    /// Its menus, each with an entry that no other menu has.
    menus: &'static [(&'static str, &'static str)],
}

const PROGRAMS: [Program; 5] = [
    Program {
        start: "galculator",
        menu: "menu",
        entry: "menu item",
        menus: &[
            ("File", "Quit"),
            ("Edit", "Copy Display Value"),
            ("View", "Scientific Mode"),
            ("Help", "About"),
        ],
    },
    Program {
        start: "mousepad --disable-server",
        menu: "menu",
        entry: "menu item",
        menus: &[
            ("File", "Save As..."),
            ("Edit", "Undo"),
            ("Search", "Find"),
            ("View", "Select Font..."),
            ("Document", "Write Unicode BOM"),
            ("Help", "About"),
        ],
    },
    Program {
        start: "l3afpad",
        menu: "menu",
        entry: "menu item",
        menus: &[
            ("File", "Quit"),
            ("Edit", "Undo"),
            ("Search", "Find..."),
            ("Options", "Font..."),
            ("Help", "About"),
        ],
    },
    Program {
        start: "featherpad",
        menu: "menu item",
        entry: "menu item",
        menus: &[
            ("File", "Quit"),
            ("Edit", "Paste"),
            ("Options", "Preferences"),
            ("Search", "Find"),
            ("Help", "About"),
        ],
    },
    Program {
        start: "speedcrunch",
        menu: "menu item",
        entry: "menu item",
        menus: &[
            ("Session", "Quit"),
            ("Edit", "Paste"),
            ("View", "Keypad"),
            ("Settings", "Behavior"),
            ("Help", "About SpeedCrunch"),
        ],
    },
];

/// Starts a run on a private desktop with this program and these tools.
fn start(place: &Workplace, program: &str, tools: &[&str]) -> (Running, ShakyModel) {
    let server = Puppet::new();
    let mut settings = vec![
        format!("screen.start={program}"),
        "eyes.elements=true".to_owned(),
        "loop.executing_delay_s=0".to_owned(),
    ];
    settings.extend(tools.iter().map(|tool| format!("protocol.tools.{tool}=true")));
    let url = server.url();
    let mut run = vec!["--run-dir", "run", "--upstream", &url, "--screen", "virtual"];
    run.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let running = spawn(command(place, Care::Alone, &run));
    (running, ShakyModel::asked(server))
}

fn end(running: Running) {
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn a_model_that_aims_badly_hits_what_it_names() {
    let place = Workplace::new();
    let (running, mut model) = start(&place, "galculator", &["read_clipboard", "write_clipboard"]);
    let named = model.digits(|_, line| ShakyModel::click_by_number(line));
    let aimed = model.digits(ShakyModel::click_by_place);
    let all = DIGITS.count();
    eprintln!("{named} of {all} keys hit by number, {aimed} aimed at with {NOISE} pixels of noise");
    assert!(
        named * 10 >= all * 9 && aimed < named,
        "{named} by number, {aimed} by place"
    );
    end(running);
}

/// `ELEMENTS_OF` names programs from the list, separated by commas; `cargo xtask elements` tests all of them.
#[test]
fn a_model_that_aims_badly_opens_the_menus_that_it_names() {
    let wanted = std::env::var("ELEMENTS_OF").unwrap_or_else(|_| "featherpad".to_owned());
    for wanted in wanted.split(',') {
        let is_wanted = |program: &&Program| program.start.split(' ').next() == Some(wanted);
        let program = PROGRAMS.iter().find(is_wanted).expect("it is listed");
        let place = Workplace::new();
        let (running, mut model) = start(&place, program.start, &[]);
        let named = model.menus(program, 40, |_, line| ShakyModel::click_by_number(line));
        let aimed = model.menus(program, 3, ShakyModel::click_by_place);
        let all = program.menus.len();
        eprintln!("{wanted}: {named} of {all} menus opened by number, {aimed} aimed at with {NOISE} pixels of noise");
        assert!(
            named * 10 >= all * 9 && aimed < named,
            "{wanted}: {named} by number, {aimed} by place"
        );
        end(running);
    }
}
