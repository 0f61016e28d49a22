//! Tries FRANZ on a screen, in several runs with a model whose replies are scripted.

use std::fmt;
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::partner_screen::{Started, Takes, until};
use super::witness::Stroke;
use crate::partners::guarded::Guarded;
use crate::process::succeeds;

/// Text that every keyboard can type.
const PLAIN: &str = "Hello, World! 0123456789 \"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
/// How many times to repeat it. QEMU queues no more than 1024 key presses and releases.
const LONG: usize = 12;
/// Text that few keyboards can type.
const WIDE: &str = "Grüße 日本語 привет €😀";

/// The maximum time after a stop until all keys and buttons are released.
const STOP: Duration = Duration::from_millis(200);
/// How long to watch a stop that takes longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How far from its target a click may land, in pixels. Terminals do not count their margins when they report
/// positions.
const NEAR: f64 = 4.0;

/// The results of a visit.
pub(super) struct Visit {
    picture: String,
    click: f64,
    text: &'static str,
    drag: f64,
    stop: Duration,
}

impl Visit {
    /// Captures, clicks, drags and types, and stops a run in the middle of a drag.
    pub(super) fn pay(franz: &Path, place: &Path, screen: &Started) -> Result<Visit> {
        let visitor = Visitor { franz, place, screen };
        let picture = visitor.sees()?;
        let (click, drag) = visitor.acts()?;
        let text = visitor.types()?;
        let stop = visitor.stops()?;
        Ok(Visit {
            picture,
            click,
            text,
            drag,
            stop,
        })
    }
}

/// FRANZ on a screen, recording its runs in `place`.
struct Visitor<'a> {
    franz: &'a Path,
    place: &'a Path,
    screen: &'a Started,
}

impl Visitor<'_> {
    /// Returns how many milliseconds the first picture took.
    fn sees(&self) -> Result<String> {
        let mut doctor = self.franz(&["doctor", "--upstream", "demo"]);
        let told = String::from_utf8_lossy(&doctor.output()?.stdout).into_owned();
        fs::write(self.place.join("doctor.txt"), &told)?;
        let took = told
            .split_once("captured in ")
            .and_then(|(_, rest)| rest.split_once(" ms"));
        let (took, _) = took.context("franz doctor captured nothing")?;
        Ok(took.to_owned())
    }

    /// Clicks and drags. Returns the largest distance from the target for each.
    fn acts(&self) -> Result<(f64, f64)> {
        self.turns("acts", "left_click(500, 500)\ndrag(300, 250, 700, 750)")?;
        until("the drag has not ended", || self.holds().1.len() == 2)?;
        let (presses, releases) = self.holds();
        ensure!(
            presses.len() == 2,
            "the button was pressed {} times, not twice",
            presses.len()
        );
        let click = self.miss(presses[0], 0.5, 0.5).max(self.miss(releases[0], 0.5, 0.5));
        let drag = self.miss(presses[1], 0.3, 0.25).max(self.miss(releases[1], 0.7, 0.75));
        ensure!(
            click <= NEAR,
            "a click missed by {click:.1} pixels: {presses:?} {releases:?}"
        );
        ensure!(
            drag <= NEAR,
            "a drag missed by {drag:.1} pixels: {presses:?} {releases:?}"
        );
        Ok((click, drag))
    }

    /// Types text that every keyboard can type, and then text that few keyboards can type.
    fn types(&self) -> Result<&'static str> {
        let long = PLAIN.repeat(LONG);
        let outcomes = self.turns("types", &format!("type({})", json!(format!("{long}\n"))))?;
        let text = || self.screen.witness.arrived().text;
        let plain = format!("{long}\r");
        let _ = until("not all was typed", || text().len() >= plain.len());
        ensure!(text() == plain, "{long:?} arrived as {:?} ({outcomes})", text());
        let outcomes = self.turns("types-wide", &format!("type({})", json!(format!("{WIDE}\n"))))?;
        let wide = format!("{plain}{WIDE}\r");
        match self.screen.takes {
            Takes::Any => {
                let _ = until("not all was typed", || text().len() >= wide.len());
                ensure!(
                    text() == wide,
                    "{WIDE:?} arrived as {:?} ({outcomes})",
                    &text()[plain.len()..]
                );
                Ok("exact, any character")
            }
            Takes::Us => {
                ensure!(text() == plain, "refused text arrived as {:?}", &text()[plain.len()..]);
                let lacking = "the keyboard cannot type ü";
                ensure!(
                    outcomes.contains(lacking),
                    "text that cannot be typed was not refused: {outcomes}"
                );
                Ok("exact; others refused by name")
            }
        }
    }

    /// Interrupts a run in the middle of a drag. Returns how long the button was held after that.
    fn stops(&self) -> Result<Duration> {
        let model = self.model("stops", "drag(100, 100, 900, 900)")?;
        let held = self.holds().0.len();
        let mut run = self.run(
            "stops",
            &model,
            &["--set", "screen.pace=human", "--set", "screen.move_steps=400"],
        );
        let mut run = Ended(run.spawn().context("cannot start franz")?);
        until("no drag has begun", || self.holds().0.len() > held)?;
        let began = Instant::now();
        ensure!(
            succeeds(Command::new("kill").args(["-INT", &run.0.id().to_string()])),
            "cannot interrupt the run"
        );
        while self.holds().1.len() <= held {
            ensure!(
                began.elapsed() < PATIENCE,
                "a button is still held {PATIENCE:?} after a stop"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        let took = began.elapsed();
        let status = run.0.wait()?;
        ensure!(status.code() == Some(130), "the stopped run ended with {status}");
        ensure!(took <= STOP, "a stop took {took:?}");
        Ok(took)
    }

    /// Performs the calls in a separate run. Returns their outcomes.
    fn turns(&self, name: &str, calls: &str) -> Result<String> {
        let model = self.model(name, calls)?;
        let mut run = Ended(
            self.run(name, &model, &["--max-turns", "2"])
                .spawn()
                .context("cannot start franz")?,
        );
        let status = run.0.wait()?;
        let folder = self.place.join(name);
        ensure!(status.success(), "franz ended with {status}, see {}", folder.display());
        let record = fs::read_to_string(folder.join("run/turns_0001_1000.jsonl"))?;
        let last: Value = serde_json::from_str(record.lines().next_back().context("no turn is recorded")?)?;
        Ok(last["acted"].to_string())
    }

    /// Starts a model that makes these calls in its first reply, and none after that.
    fn model(&self, name: &str, calls: &str) -> Result<Model> {
        let folder = self.place.join(name);
        fs::create_dir_all(&folder)?;
        let script = folder.join("script.jsonl");
        let say = |calls: &str| json!({ "text": format!("```python\n{calls}\n```") });
        fs::write(&script, format!("{}\n{}\n", say(calls), say("pass")))?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let program = self.franz.to_str().context("the path of franz is not valid UTF-8")?;
        let script = script.to_str().context("the folder's name is not valid UTF-8")?;
        let command = [program, "demo-model", "--port", &port.to_string(), "--script", script];
        let running = Guarded::start(self.franz, &command, &[], &folder.join("model.log"))?;
        until("the model is not responding", || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
        })?;
        Ok(Model {
            _running: running,
            url: format!("http://127.0.0.1:{port}"),
        })
    }

    fn run(&self, name: &str, model: &Model, more: &[&str]) -> Command {
        let folder = self.place.join(name);
        let mut run = self.franz(&[
            "run",
            "--no-open",
            "--dashboard",
            "127.0.0.1:0",
            "--upstream",
            &model.url,
        ]);
        run.args(["--set", "loop.executing_delay_s=0"]).args(more);
        run.arg("--run-dir").arg(folder.join("run")).arg("Try this screen");
        if let Ok(told) = File::create(folder.join("told.txt")) {
            run.stdout(told);
        }
        run
    }

    /// Returns a command for `franz` with these arguments for this screen.
    fn franz(&self, arguments: &[&str]) -> Command {
        let mut franz = Command::new(self.franz);
        franz
            .args(arguments)
            .arg("--screen")
            .arg(format!("vnc://127.0.0.1:{}", self.screen.port));
        franz
            .env("XDG_STATE_HOME", self.place)
            .env("XDG_CONFIG_HOME", self.place);
        franz.stdin(Stdio::null());
        franz
    }

    /// Returns where the left button was pressed and where it was released, in order.
    fn holds(&self) -> (Vec<Stroke>, Vec<Stroke>) {
        let (mut presses, mut releases) = (Vec::new(), Vec::new());
        let mut was_down = false;
        for stroke in self.screen.witness.arrived().strokes {
            match (was_down, stroke.is_down) {
                (false, true) => presses.push(stroke),
                (true, false) => releases.push(stroke),
                _ => {}
            }
            was_down = stroke.is_down;
        }
        (presses, releases)
    }

    /// Returns the distance in pixels between a stroke and a point, which is given as fractions of the screen's size.
    fn miss(&self, stroke: Stroke, x: f64, y: f64) -> f64 {
        let (width, height) = self.screen.size;
        (stroke.x - x * width).abs().max((stroke.y - y * height).abs())
    }
}

/// A model server with scripted replies.
struct Model {
    _running: Guarded,
    url: String,
}

/// A run, which is killed when this value is dropped.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes the cells of a table row.
impl fmt::Display for Visit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Visit {
            picture,
            click,
            text,
            drag,
            stop,
        } = self;
        write!(
            f,
            "{picture} ms | within {click:.1} pixels | {text} | within {drag:.1} pixels, released | {} ms",
            stop.as_millis()
        )
    }
}
