//! Measures the cost of a turn without the model, on real desktops and on the canvas, compared with Python programs
//! that do the same.

mod goals;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Serialize;

use super::figures::Samples;
use super::goal::Row;
use super::worker::Worker;
use super::{build, competitors};
use crate::desktop;
use crate::process::root;

/// The number of rounds on a desktop, and the number of turns on the canvas. In each round, every program does one
/// turn.
const ROUNDS: usize = 60;
const CANVAS_TURNS: usize = 40;

/// The 1920x1080 desktop on which every pixel changes every time, and the sizes of its pictures.
const PATTERN: &str = "pattern";
const SIZES: [(u32, u32); 2] = [(1536, 864), (512, 288)];

/// Typical desktops, whose pictures keep the original size.
const REAL: [&str; 4] = ["terminal", "windows", "page", "wallpaper"];
const REAL_SIZE: (u32, u32) = (1568, 896);

/// The series of turns on the canvas.
const CANVAS: &str = "canvas 512x288, 8 drags, recorded";
/// The same turns performed by a chain of processes.
const CHAIN_OF_PROCESSES: &str = "chain of processes";

/// The rivals' scripts, in a directory next to this file.
const PICTURE: &str = "xtask/src/bench/peers/picture.py";
const CHAIN: &str = "xtask/src/bench/peers/chain.py";

/// The stages of our turns, in order.
const STAGES: [&str; 7] = ["act", "capture", "scale", "mark", "encode", "request", "record"];

/// FRANZ's name in the table. The other programs are compared with FRANZ.
const OURS: &str = "franz";
/// A typical Python program for agents, which captures with mss and compresses at Pillow's level 1.
const MSS: &str = "mss";
const PYAUTOGUI: &str = "pyautogui";

#[derive(Default, Serialize)]
struct Report {
    /// The system's load before, during and after the measurement.
    load: Vec<String>,
    /// The rivals' packages.
    packages: Vec<String>,
    /// The results by series, then by program.
    took: BTreeMap<String, BTreeMap<String, Took>>,
    /// The medians of our stages in milliseconds, by series.
    stages: BTreeMap<String, Vec<(String, f64)>>,
    /// Rivals that could not be started, with the reason.
    left_out: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Took {
    /// The median and the 90th percentile in milliseconds.
    median: f64,
    p90: f64,
    /// The ratio of this median to ours.
    ratio: f64,
    /// The median size of the pictures in kB.
    png: f64,
}

struct Bench {
    directory: PathBuf,
    program: PathBuf,
    ours: Worker,
    /// The Python interpreter for the rivals; `None` if there are no rivals.
    python: Option<PathBuf>,
    /// Programs that take pictures of the desktop.
    rivals: Vec<(&'static str, Worker)>,
    chain: Option<Worker>,
    samples: Samples,
    report: Report,
}

/// Measures everything in one run, prints the results and writes them to a file.
pub(super) fn bench() -> Result<Vec<Row>> {
    let directory = root().join("target/bench");
    fs::create_dir_all(&directory)?;
    desktop::provide()?;
    let program = build::release(&["--package", "franz-agent", "--example", "turn"], "examples/turn")?;
    let mut bench = Bench {
        directory,
        ours: on(&program, PATTERN)?,
        program,
        python: None,
        rivals: Vec::new(),
        chain: None,
        samples: Samples::default(),
        report: Report::default(),
    };
    bench.find_rivals();
    bench.invite(&[MSS, PYAUTOGUI]);
    bench.note_load();
    bench.pattern()?;
    bench.note_load();
    bench.canvas()?;
    bench.note_load();
    for name in REAL {
        // If a desktop ignores a request to hide all windows, set it up again.
        let measured = bench.real(name).or_else(|_| bench.real(name));
        if let Err(error) = measured {
            bench.leave_out(name, &error);
        }
        bench.note_load();
    }
    bench.conclude();
    print!("{}", bench.report);
    let file = bench.directory.join("turn.json");
    fs::write(&file, serde_json::to_vec_pretty(&bench.report)?)?;
    println!("written to {}", file.display());
    Ok(bench.report.rows())
}

impl Bench {
    /// Looks for the programs and packages that the rivals need. Leaves out rivals that lack any.
    fn find_rivals(&mut self) {
        let python = match competitors::pictures(&self.directory) {
            Ok((python, packages)) => {
                self.report.packages = packages;
                python
            }
            Err(error) => return self.leave_out("python", &error),
        };
        match chain(&python, &self.directory) {
            Ok(worker) => self.chain = Some(worker),
            Err(error) => self.leave_out(CHAIN_OF_PROCESSES, &error),
        }
        self.python = Some(python);
    }

    /// Starts these rivals on our desktop.
    fn invite(&mut self, names: &[&'static str]) {
        self.rivals.clear();
        let greeting = self.ours.greeting.clone();
        let (display, authority) = greeting.split_once(' ').unwrap_or_default();
        for name in names {
            let Some(python) = &self.python else { return };
            let mut command = Command::new(python);
            command.arg(root().join(PICTURE)).arg(name);
            command.env("DISPLAY", display).env("XAUTHORITY", authority);
            command.env_remove("WAYLAND_DISPLAY").env("XDG_SESSION_TYPE", "x11");
            match Worker::start(&mut command) {
                Ok(worker) => self.rivals.push((name, worker)),
                Err(error) => self.leave_out(name, &error),
            }
        }
    }

    fn leave_out(&mut self, name: &str, error: &anyhow::Error) {
        self.report.left_out.insert(name.to_owned(), format!("{error:#}"));
    }

    /// Measures turns on the desktop that changes every time. All programs see the same screen. It changes before each
    /// of our turns, except for the turns on an unchanged screen.
    fn pattern(&mut self) -> Result<()> {
        // The first pictures are a warm-up.
        for round in 0..=ROUNDS {
            for (width, height) in SIZES {
                let (series, size) = (format!("desktop {width}x{height}"), format!("{width} {height}"));
                let is_counted = round > 0;
                self.ours.ask("change")?;
                // FRANZ and the rivals take turns at going first.
                if round % 2 == 0 {
                    self.rivals(&series, &size, is_counted)?;
                }
                self.ours(OURS, &series, &format!("desktop {size} none"), is_counted)?;
                if round % 2 == 1 {
                    self.rivals(&series, &size, is_counted)?;
                }
                let unchanged = format!("{series}, unchanged");
                self.ours(OURS, &unchanged, &format!("desktop {size} none"), is_counted)?;
                self.ours.ask("change")?;
                let marked = format!("{OURS}, classic marks");
                self.ours(&marked, &series, &format!("desktop {size} classic"), is_counted)?;
            }
        }
        Ok(())
    }

    /// Measures turns on a desktop that always looks the same. FRANZ treats it as new each time.
    fn real(&mut self, name: &str) -> Result<()> {
        self.ours = on(&self.program, name)?;
        self.invite(&[MSS]);
        let (width, height) = REAL_SIZE;
        let (series, size) = (format!("{name} {width}x{height}"), format!("{width} {height}"));
        for round in 0..=ROUNDS {
            let is_counted = round > 0;
            self.ours.ask("change")?;
            if round % 2 == 0 {
                self.rivals(&series, &size, is_counted)?;
            }
            self.ours(OURS, &series, &format!("desktop {size} none"), is_counted)?;
            if round % 2 == 1 {
                self.rivals(&series, &size, is_counted)?;
            }
        }
        let picture = self.directory.join(format!("{name}.png"));
        self.ours.ask(&format!("show {}", picture.display()))?;
        Ok(())
    }

    fn canvas(&mut self) -> Result<()> {
        let ask = format!("canvas {}", self.directory.join("turns").display());
        for turn in 0..=CANVAS_TURNS {
            self.ours(OURS, CANVAS, &ask, turn > 0)?;
            if let Some(chain) = &mut self.chain {
                let answer = chain.ask(&(turn + 1).to_string())?;
                self.take(CHAIN_OF_PROCESSES, CANVAS, &answer, turn > 0)?;
            }
        }
        Ok(())
    }

    fn ours(&mut self, who: &str, series: &str, ask: &str, is_counted: bool) -> Result<()> {
        let answer = self.ours.ask(ask)?;
        let values: BTreeMap<&str, u64> = answer
            .split(' ')
            .filter_map(|word| word.split_once('='))
            .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
            .collect();
        let (all, bytes) = (values.get("all").copied(), values.get("bytes").copied());
        let all = all.with_context(|| format!("expected a time, got {answer:?}"))?;
        if is_counted && who == OURS {
            for (name, micros) in values.iter().filter(|(name, _)| STAGES.contains(name)) {
                self.samples.add(&stages_of(series), name, *micros);
            }
        }
        let bytes = bytes.unwrap_or_default();
        self.take(who, series, &format!("{all} {bytes}"), is_counted)
    }

    fn rivals(&mut self, series: &str, size: &str, is_counted: bool) -> Result<()> {
        let mut failed = Vec::new();
        for place in 0..self.rivals.len() {
            let (name, worker) = &mut self.rivals[place];
            match (*name, worker.ask(size)) {
                (name, Ok(answer)) => self.take(name, series, &answer, is_counted)?,
                (name, Err(error)) => failed.push((name, error)),
            }
        }
        for (name, error) in failed {
            self.leave_out(name, &error);
            self.rivals.retain(|(rival, _)| *rival != name);
        }
        Ok(())
    }

    /// Records the time in microseconds and, if there is one, the size of the picture.
    fn take(&mut self, who: &str, series: &str, answer: &str, is_counted: bool) -> Result<()> {
        let mut numbers = answer.split(' ').map(str::parse);
        let micros = numbers.next().and_then(Result::ok);
        let micros = micros.with_context(|| format!("expected a time from {who}, got {answer:?}"))?;
        if is_counted {
            self.samples.add(series, who, micros);
        }
        if let Some(Ok(bytes)) = numbers.next().filter(|_| is_counted) {
            self.samples.add(&format!("{series}{OF_PNG}"), who, bytes);
        }
        Ok(())
    }

    fn note_load(&mut self) {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
        self.report.load.push(load);
    }

    /// Computes medians and ratios from the samples.
    fn conclude(&mut self) {
        for (series, who) in self.samples.names() {
            let at = |hundredth| self.samples.at(&series, &who, hundredth).unwrap_or_default();
            if series.ends_with(OF_STAGES) || series.ends_with(OF_PNG) {
                continue;
            }
            // Leave out stages with few samples. They come from turns on a screen that changed although it should not
            // have, so their figures are meaningless.
            let most = self.samples.count(&series, OURS);
            let stages = STAGES.iter().filter_map(|stage| {
                let of = stages_of(&series);
                let median = self.samples.at(&of, stage, 50)?;
                if self.samples.count(&of, stage) * 2 < most {
                    return None;
                }
                Some(((*stage).to_owned(), median))
            });
            self.report.stages.insert(series.clone(), stages.collect());
            let ours = self.samples.at(&series, OURS, 50).unwrap_or_default();
            // Sizes are divided by a thousand, just as times are.
            let png = self.samples.at(&format!("{series}{OF_PNG}"), &who, 50);
            let took = Took {
                median: at(50),
                p90: at(90),
                ratio: at(50) / ours,
                png: png.unwrap_or_default(),
            };
            self.report.took.entry(series).or_default().insert(who, took);
        }
    }
}

/// The suffixes of a series name for the samples of our stages and for the picture sizes.
const OF_STAGES: &str = ", stages";
const OF_PNG: &str = ", PNG";

fn stages_of(series: &str) -> String {
    format!("{series}{OF_STAGES}")
}

/// Starts our turns on a separate desktop.
fn on(program: &Path, desktop: &str) -> Result<Worker> {
    Worker::start(Command::new(program).arg(desktop))
        .with_context(|| format!("cannot measure our own turns on the desktop '{desktop}'"))
}

/// Starts the chain of processes in a directory where nothing has been drawn.
fn chain(python: &Path, directory: &Path) -> Result<Worker> {
    let directory = directory.join("chain");
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;
    let mut command = Command::new(python);
    Worker::start(command.arg(root().join(CHAIN)).arg("loop").arg(directory))
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:<40}{:>10}{:>10}{:>14}{:>14}",
            "milliseconds", "median", "p90", "times franz", "PNG kB"
        )?;
        for (series, all) in &self.took {
            writeln!(formatter, "{series}")?;
            for (who, took) in all {
                let Took {
                    median,
                    p90,
                    ratio,
                    png,
                } = took;
                writeln!(
                    formatter,
                    "  {who:<38}{median:>10.3}{p90:>10.3}{ratio:>14.1}{png:>14.0}"
                )?;
            }
            let stages = self.stages.get(series).into_iter().flatten();
            for (stage, median) in stages {
                writeln!(formatter, "      {stage:<34}{median:>10.3}")?;
            }
        }
        for (name, why) in &self.left_out {
            writeln!(formatter, "left out: {name}: {why}")?;
        }
        writeln!(formatter, "compared with {}", self.packages.join(", "))?;
        writeln!(formatter, "load {}", self.load.join(" | "))
    }
}
