//! Measures whether a run stays stable over 100,000 turns, and whether its record can be viewed afterwards.

use std::fmt;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;

use super::build;
use super::dashboard::Dashboard;
use super::goal::Row;
use super::model::{MILESTONE, Model};
use super::run::Run;
use super::started::resident_mb;
use crate::process::root;

const TURNS: u64 = 100_000;
/// Small pictures are enough, because only growth is measured.
const SIZE: [&str; 4] = ["--set", "image.width=256", "--set", "image.height=144"];

const COMMAND: &str = "cargo xtask bench long";

/// The requests to measure on the finished record.
const QUESTIONS: [(&str, &str); 5] = [
    ("the state", "/api/state"),
    ("a page of 100 turns", "/api/turns?limit=100"),
    ("a turn in the middle", "/api/turns/50000"),
    ("search for a turn", "/api/search?q=Turn%2050017%3A"),
    (
        "search for text that is not there",
        "/api/search?q=nowhere%20to%20be%20found",
    ),
];

#[derive(Default, Serialize)]
struct Report {
    milestones: Vec<Milestone>,
    /// The disk usage of the run directory in megabytes (10^6 bytes), and its number of files.
    disk_mb: f64,
    files: u64,
    /// The time in milliseconds from the start of `franz replay` until the record can be viewed, and the resident
    /// memory after all requests.
    opened_ms: f64,
    replay_mb: Option<f64>,
    /// The time in milliseconds to answer each request.
    answers_ms: Vec<(&'static str, f64)>,
}

/// The state of a run after a number of turns.
#[derive(Serialize)]
struct Milestone {
    turns: u64,
    /// The time per turn in milliseconds since the previous milestone, including the few milliseconds that the model
    /// takes.
    turn_ms: f64,
    agent_mb: Option<f64>,
    panel_mb: Option<f64>,
}

/// Measures a long run, prints the results and writes them to a file.
pub(super) fn bench() -> Result<Vec<Row>> {
    let directory = root().join("target/bench");
    fs::create_dir_all(&directory)?;
    let program = build::release(&["--package", "franz-agent"], "franz")?;
    let mut report = Report::default();
    let recorded = report.run(&program, &directory)?;
    (report.disk_mb, report.files) = disk(&recorded)?;
    report.replay(&program, &recorded)?;
    print!("{report}");
    let file = directory.join("long.json");
    fs::write(&file, serde_json::to_vec_pretty(&report)?)?;
    println!("written to {}", file.display());
    fs::remove_dir_all(recorded)?;
    Ok(report.rows())
}

impl Report {
    /// Runs all turns. Returns the directory of the recorded run.
    fn run(&mut self, program: &Path, directory: &Path) -> Result<PathBuf> {
        let model = Model::answering(TURNS)?;
        let run = Run::start(program, directory, &model, &SIZE)?;
        let (_, mut last) = model.milestone()?;
        while self.milestones.last().is_none_or(|milestone| milestone.turns < TURNS) {
            let (turns, instant) = model.milestone()?;
            self.milestones.push(Milestone {
                turns,
                turn_ms: (instant - last).as_secs_f64() * 1000.0 / MILESTONE as f64,
                agent_mb: run.agent_mb(),
                panel_mb: run.panel_mb(),
            });
            last = instant;
        }
        let recorded = run.directory.clone();
        run.stop()?;
        Ok(recorded)
    }

    /// Opens and queries the record.
    fn replay(&mut self, program: &Path, recorded: &Path) -> Result<()> {
        let started = Instant::now();
        let mut command = Command::new(program);
        command
            .arg("replay")
            .arg(recorded)
            .args(["--no-open", "--dashboard", "127.0.0.1:0"]);
        let mut replay = Replay(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
        let stdout = replay.0.stdout.take().context("stdout is piped")?;
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let dashboard = lines.find_map(|line| Dashboard::at(line.strip_prefix("look ")?));
        let dashboard = dashboard.context("franz replay printed no link")?;
        dashboard.get("/api/state")?;
        self.opened_ms = started.elapsed().as_secs_f64() * 1000.0;
        for (what, path) in QUESTIONS {
            let asked = Instant::now();
            dashboard.get(path)?;
            self.answers_ms.push((what, asked.elapsed().as_secs_f64() * 1000.0));
        }
        self.replay_mb = resident_mb(replay.0.id());
        Ok(())
    }

    fn rows(&self) -> Vec<Row> {
        let (Some(first), Some(last)) = (self.milestones.first(), self.milestones.last()) else {
            return Vec::new();
        };
        let both = |milestone: &Milestone| Some(milestone.agent_mb? + milestone.panel_mb?);
        let (before, after) = (both(first).unwrap_or_default(), both(last).unwrap_or_default());
        let slowest = self.answers_ms.iter().map(|(_, ms)| *ms).fold(0.0, f64::max);
        vec![
            Row {
                what: "100,000 turns in one run: a turn of the first and of the last 1,000".to_owned(),
                goal: "the last 1,000 at most 10 % slower",
                measured: format!("{:.2} and {:.2} ms", first.turn_ms, last.turn_ms),
                met: last.turn_ms <= first.turn_ms * 1.1,
                ..Row::of(COMMAND)
            },
            Row {
                what: "the same: agent and panel, resident".to_owned(),
                goal: "an index of 25 MB more",
                measured: format!("{before:.0} and {after:.0} MB"),
                met: after - before <= 25.0,
                ..Row::of(COMMAND)
            },
            Row {
                what: "the same: replay open, slowest of five questions".to_owned(),
                goal: "-",
                measured: format!("{:.0} and {slowest:.0} ms", self.opened_ms),
                met: true,
                ..Row::of(COMMAND)
            },
        ]
    }
}

/// A `franz replay` process, which ends when this value is dropped.
struct Replay(Child);

impl Drop for Replay {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the disk usage of a directory in megabytes (10^6 bytes), and the number of files in it.
fn disk(directory: &Path) -> Result<(f64, u64)> {
    let text = crate::process::output(Command::new("du").args(["-s", "-B1"]).arg(directory))?;
    let text = String::from_utf8(text)?;
    let bytes: f64 = text.split_whitespace().next().unwrap_or_default().parse()?;
    Ok((bytes / 1e6, files(directory)?))
}

fn files(directory: &Path) -> Result<u64> {
    let mut count = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        count += if entry.file_type()?.is_dir() {
            files(&entry.path())?
        } else {
            1
        };
    }
    Ok(count)
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:>10}{:>12}{:>12}{:>12}",
            "turns", "ms a turn", "agent MB", "panel MB"
        )?;
        let told =
            |milestone: &&Milestone| milestone.turns == MILESTONE || milestone.turns.is_multiple_of(10 * MILESTONE);
        for milestone in self.milestones.iter().filter(told) {
            writeln!(
                formatter,
                "{:>10}{:>12.2}{:>12.1}{:>12.1}",
                milestone.turns,
                milestone.turn_ms,
                milestone.agent_mb.unwrap_or_default(),
                milestone.panel_mb.unwrap_or_default()
            )?;
        }
        writeln!(formatter, "on disk: {:.0} MB in {} files", self.disk_mb, self.files)?;
        writeln!(formatter, "replay opened after {:.0} ms", self.opened_ms)?;
        for (what, ms) in &self.answers_ms {
            writeln!(formatter, "  {what:<40}{ms:>10.1} ms")?;
        }
        writeln!(
            formatter,
            "resident memory of replay: {:.1} MB",
            self.replay_mb.unwrap_or_default()
        )
    }
}
