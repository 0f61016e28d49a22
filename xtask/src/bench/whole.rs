//! Measures the cost of a whole run: the time until its first request, the time until it has stopped, and the memory
//! after a thousand turns.

use std::fmt;
use std::fs;
use std::time::Instant;

use anyhow::Result;
use serde::Serialize;

use super::build;
use super::goal::Row;
use super::model::Model;
use super::run::Run;
use crate::process::root;

/// The number of runs to start and stop.
const RUNS: usize = 10;
/// The number of turns before memory is measured, and the size of their pictures.
const TURNS: u64 = 1000;
const SIZE: (u32, u32) = (1536, 864);

const COMMAND: &str = "cargo xtask bench run";

#[derive(Default, Serialize)]
struct Report {
    /// For each run, the time in milliseconds from the start of the program to its first request, in ascending order.
    start_ms: Vec<f64>,
    /// For each run, the time in milliseconds from pressing Stop in the dashboard, while the model thinks, until agent
    /// and panel have ended. In ascending order.
    stop_ms: Vec<f64>,
    /// The number of turns before memory was measured.
    turns: u64,
    /// The resident memory at that point in MB; `None` if the system does not report it.
    panel_mb: Option<f64>,
    agent_mb: Option<f64>,
    /// The program's size, in megabytes (10^6 bytes).
    binary_mb: f64,
}

/// Measures everything, prints the results and writes them to a file.
pub(super) fn bench() -> Result<Vec<Row>> {
    let directory = root().join("target/bench");
    fs::create_dir_all(&directory)?;
    let program = build::release(&["--package", "franz-agent"], "franz")?;
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
    report.panel_mb = run.panel_mb();
    report.agent_mb = run.agent_mb();
    run.stop()?;

    print!("{report}");
    let file = directory.join("run.json");
    fs::write(&file, serde_json::to_vec_pretty(&report)?)?;
    println!("written to {}", file.display());
    Ok(report.rows())
}

impl Report {
    fn rows(&self) -> Vec<Row> {
        let start = median(&self.start_ms);
        let resident = self.panel_mb.zip(self.agent_mb).map(|(panel, agent)| panel + agent);
        vec![
            Row {
                what: "from start to the first request, canvas".to_owned(),
                goal: "150 ms",
                measured: format!(
                    "{start:.0} ms (most {:.0})",
                    self.start_ms.last().copied().unwrap_or_default()
                ),
                met: start <= 150.0,
                ..Row::of(COMMAND)
            },
            Row {
                what: "agent and panel after 1,000 turns at 1536x864, resident".to_owned(),
                goal: "60 MB",
                measured: resident.map_or_else(|| "not told".to_owned(), |mb| format!("{mb:.0} MB")),
                met: resident.is_some_and(|mb| mb <= 60.0),
                ..Row::of(COMMAND)
            },
            Row {
                what: "the release binary".to_owned(),
                goal: "24 MB",
                measured: format!("{:.1} MB", self.binary_mb),
                met: self.binary_mb <= 24.0,
                ..Row::of(COMMAND)
            },
        ]
    }
}

fn milliseconds(from: Instant, to: Instant) -> f64 {
    (to - from).as_secs_f64() * 1000.0
}

/// Returns the median of sorted values.
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
