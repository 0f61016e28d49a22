//! What a whole run costs: until the first request, until it is stopped, and in memory after a thousand turns.

use std::fmt;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::build;
use super::model::Model;
use super::started::resident_mb;
use crate::process::root;

/// Runs that are started and stopped.
const RUNS: usize = 10;
/// Turns before memory is looked at, and the size of their pictures.
const TURNS: u64 = 1000;
const SIZE: (u32, u32) = (1536, 864);

#[derive(Default, Serialize)]
struct Report {
    /// Milliseconds from the start of the program to its first request, each run, sorted.
    start_ms: Vec<f64>,
    /// Milliseconds from the dashboard's Stop, while the model thinks, until agent and panel are gone, each run, sorted.
    stop_ms: Vec<f64>,
    /// Turns that were done before memory was looked at.
    turns: u64,
    /// What was resident then, in MB; `None` where the system does not tell.
    panel_mb: Option<f64>,
    agent_mb: Option<f64>,
    /// The size of the program, in MB of a million bytes.
    binary_mb: f64,
}

/// Where the dashboard is, and what it wants to see.
#[derive(Deserialize)]
struct Access {
    address: String,
    token: String,
}

/// A run under way, ended with this.
struct Run {
    panel: Child,
    directory: PathBuf,
    started: Instant,
}

/// Measures everything, prints it and writes it down.
pub(crate) fn bench() -> Result<()> {
    let directory = root().join("target/bench");
    fs::create_dir_all(&directory)?;
    let program = build::release(&["--package", "franz"], "franz")?;
    let mut report = Report {
        binary_mb: fs::metadata(&program)?.len() as f64 / 1e6,
        turns: TURNS,
        ..Report::default()
    };
    for _ in 0..RUNS {
        let model = Model::answering(0)?;
        let run = Run::start(&program, &directory, &model, &[])?;
        let asked = model.asked_last()?;
        report.start_ms.push(milliseconds(run.started, asked));
        let (given, gone) = run.stop()?;
        report.stop_ms.push(milliseconds(given, gone));
    }
    report.start_ms.sort_by(f64::total_cmp);
    report.stop_ms.sort_by(f64::total_cmp);

    let model = Model::answering(TURNS)?;
    let (width, height) = (format!("image.width={}", SIZE.0), format!("image.height={}", SIZE.1));
    let run = Run::start(&program, &directory, &model, &["--set", &width, "--set", &height])?;
    model.asked_last()?;
    let panel = run.panel.id();
    report.panel_mb = resident_mb(panel);
    report.agent_mb = child_of(panel).and_then(resident_mb);
    run.stop()?;

    print!("{report}");
    let file = directory.join("run.json");
    fs::write(&file, serde_json::to_vec_pretty(&report)?)?;
    println!("written to {}", file.display());
    Ok(())
}

impl Run {
    fn start(program: &Path, directory: &Path, model: &Model, more: &[&str]) -> Result<Run> {
        let directory = directory.join("run");
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        let mut command = Command::new(program);
        command.args(["run", "--no-open", "--dashboard", "127.0.0.1:0"]);
        command.args(["--set", "loop.executing_delay_s=0", "--upstream"]);
        command.arg(format!("http://{}", model.address));
        command.arg("--run-dir").arg(&directory).args(more);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let started = Instant::now();
        Ok(Run {
            panel: command.spawn()?,
            directory,
            started,
        })
    }

    /// Stops it as a person does; gives when that was asked, and when everything was gone.
    fn stop(mut self) -> Result<(Instant, Instant)> {
        let access = fs::read(self.directory.join("dashboard.json"))?;
        let access: Access = serde_json::from_slice(&access)?;
        let address = access.address.trim_start_matches("http://");
        let body = r#"{"do":"stop"}"#;
        let request = format!(
            "POST /api/control HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            access.token,
            body.len()
        );
        let mut stream = TcpStream::connect(address)?;
        let given = Instant::now();
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        ensure!(answer.starts_with("HTTP/1.0 200"), "the run was not stopped: {answer}");
        let status = self.panel.wait().context("the panel cannot be waited for")?;
        ensure!(status.success(), "the run ended with {status}");
        Ok((given, Instant::now()))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // One that has ended already needs neither.
        let _ = self.panel.kill();
        let _ = self.panel.wait();
    }
}

/// The process that this one has started; `None` where the system does not tell.
fn child_of(id: u32) -> Option<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).ok()?;
    let mut children = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok());
    children.find_map(|ids| ids.split_whitespace().next()?.parse().ok())
}

fn milliseconds(from: Instant, to: Instant) -> f64 {
    (to - from).as_secs_f64() * 1000.0
}

/// Of values that are sorted.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    let below = sorted
        .get(sorted.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or_default();
    f64::midpoint(below, middle)
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:<44}{:>12}{:>12}{:>12}",
            "milliseconds", "least", "median", "most"
        )?;
        for (what, values) in [
            ("from start to the first request", &self.start_ms),
            ("from Stop until agent and panel are gone", &self.stop_ms),
        ] {
            let (least, most) = (values.first().copied(), values.last().copied());
            writeln!(
                formatter,
                "{what:<44}{:>12.1}{:>12.1}{:>12.1}",
                least.unwrap_or_default(),
                median(values),
                most.unwrap_or_default()
            )?;
        }
        writeln!(
            formatter,
            "resident after {} turns at {}x{}, MB",
            self.turns, SIZE.0, SIZE.1
        )?;
        for (name, mb) in [("panel", self.panel_mb), ("agent", self.agent_mb)] {
            match mb {
                Some(mb) => writeln!(formatter, "  {name:<42}{mb:>12.1}")?,
                None => writeln!(formatter, "  {name:<42}{:>12}", "not told")?,
            }
        }
        writeln!(formatter, "{:<44}{:>12.1}", "the program, MB", self.binary_mb)
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_in_the_middle() {
        for (values, middle) in [
            (&[][..], 0.0),
            (&[1.0], 1.0),
            (&[1.0, 3.0], 2.0),
            (&[1.0, 2.0, 9.0], 2.0),
        ] {
            assert!((median(values) - middle).abs() < 1e-9, "{values:?}");
        }
    }
}
