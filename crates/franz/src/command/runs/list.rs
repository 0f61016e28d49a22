//! `franz runs`: lists runs, one per line, newest first.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use console::{Term, pad_str, truncate_str};
use franz_record::{Exit, RunOverview, Tokens};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::config::flags::Flags;
use crate::known_runs::{self, KnownRun};
use crate::quantity::size;
use crate::run_location;
use crate::terminal::{one_line, write_json};

/// The width of a list that is not printed to a terminal.
const WIDTH: usize = 160;

pub(super) fn print(as_json: bool) -> Result<u8> {
    let settings = run_location::shown(&Flags::default())?;
    let record_dir = Path::new(&settings.record.dir);
    let runs = known_runs::all(record_dir);
    let mut out = io::stdout().lock();
    if as_json {
        for run in &runs {
            write_json(&mut out, &Listed::of(run))?;
        }
        return Ok(0);
    }
    if runs.is_empty() {
        writeln!(out, "no runs yet; start one with: franz run")?;
        return Ok(0);
    }
    let width = Term::stdout()
        .size_checked()
        .map_or(WIDTH, |(_, columns)| columns.into());
    for line in table(&runs, record_dir, width) {
        writeln!(out, "{line}")?;
    }
    Ok(0)
}

/// A run in machine-readable form.
#[derive(Serialize)]
#[serde(untagged)]
enum Listed<'a> {
    Run {
        name: &'a str,
        path: PathBuf,
        began: Option<String>,
        touched: Option<String>,
        goal: Option<&'a str>,
        model: Option<&'a str>,
        turns: u64,
        tokens: Tokens,
        outcome: &'static str,
        reason: Option<&'a str>,
        exit_code: Option<u8>,
        conversations: Option<usize>,
        bytes: u64,
    },
    Unreadable {
        name: String,
        path: PathBuf,
        error: String,
    },
}

impl Listed<'_> {
    fn of(run: &KnownRun) -> Listed<'_> {
        let path = std::path::absolute(&run.path).unwrap_or_else(|_| run.path.clone());
        match &run.seen {
            Ok(seen) => Listed::Run {
                name: &seen.name,
                path,
                began: seen.began.map(|time| time.to_string()),
                touched: seen.touched.map(|time| time.to_string()),
                goal: seen.goal.as_deref(),
                model: seen.model.as_deref(),
                turns: seen.turns,
                tokens: seen.tokens,
                outcome: outcome(seen),
                reason: seen.end.as_ref().map(|end| end.reason.as_str()),
                exit_code: seen.end.as_ref().map(|end| end.exit_code),
                conversations: seen.conversations,
                bytes: seen.bytes,
            },
            Err(error) => Listed::Unreadable {
                name: run.name(),
                path,
                error: error.to_string(),
            },
        }
    }
}

/// Arranges the runs in columns. The goal gets the rest of each line.
fn table(runs: &[KnownRun], record_dir: &Path, width: usize) -> Vec<String> {
    let mut rows = vec![["RUN", "WHEN", "TURNS", "OUTCOME", "SIZE", "GOAL"].map(str::to_owned)];
    let mut namesakes: HashMap<String, usize> = HashMap::new();
    for run in runs {
        *namesakes.entry(run.name()).or_default() += 1;
    }
    rows.extend(runs.iter().map(|run| {
        let is_only_one = namesakes.get(&run.name()) == Some(&1);
        row(run, called(run, is_only_one, record_dir))
    }));
    let wide = |column: usize| rows.iter().map(|row| console::measure_text_width(&row[column])).max();
    let widths: [usize; 5] = std::array::from_fn(|column| wide(column).unwrap_or_default());
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            let side = if [2, 4].contains(&column) {
                console::Alignment::Right
            } else {
                console::Alignment::Left
            };
            pad_str(cell, width, side, None).into_owned()
        });
        let line = cells.chain([row[5].clone()]).collect::<Vec<_>>().join("  ");
        truncate_str(line.trim_end(), width, "…").into_owned()
    };
    rows.iter().map(line).collect()
}

/// Returns the shortest word by which commands find a run: its name, or its path if the name means something else or is
/// no run's.
fn called(run: &KnownRun, is_only_one: bool, record_dir: &Path) -> String {
    let name = run.name();
    let is_here = run.path.parent() == Some(record_dir);
    if (is_here || is_only_one && run.seen.is_ok()) && !is_taken(&name, &run.path) {
        name
    } else {
        run.path.display().to_string()
    }
}

/// Returns whether commands take a run's name for something else: they look into the working directory first.
fn is_taken(name: &str, run: &Path) -> bool {
    let here = Path::new(name);
    name == "last" || here.is_dir() && here.canonicalize().ok() != run.canonicalize().ok()
}

fn row(run: &KnownRun, name: String) -> [String; 6] {
    let cells = match &run.seen {
        Ok(seen) => [
            name,
            seen.touched.map(local).unwrap_or_default(),
            seen.conversations
                .map_or_else(|| seen.turns.to_string(), |_| String::new()),
            outcome(seen).to_owned(),
            size(seen.bytes),
            what(seen),
        ],
        Err(error) => {
            let empty = String::new;
            [
                name,
                empty(),
                empty(),
                "unreadable".to_owned(),
                empty(),
                error.to_string(),
            ]
        }
    };
    cells.map(|cell| one_line(&cell))
}

fn what(seen: &RunOverview) -> String {
    match seen.conversations {
        Some(1) => "a panel: 1 conversation".to_owned(),
        Some(count) => format!("a panel: {count} conversations"),
        None => seen.goal.clone().unwrap_or_default(),
    }
}

/// Describes the state of a run in a word or two.
pub(super) fn outcome(seen: &RunOverview) -> &'static str {
    if seen.is_live {
        return "running";
    }
    let Some(end) = &seen.end else { return "open" };
    match Exit::of(end.exit_code.into()) {
        Some(Exit::Finished) => "finished",
        Some(Exit::Server) => "no server",
        Some(Exit::Screen) => "no screen",
        Some(Exit::ReportedFailure) => "gave up",
        Some(Exit::NoCall) => "no calls",
        Some(Exit::Stuck) => "stuck",
        Some(Exit::Stopped | Exit::Terminated) => "stopped",
        _ => "failed",
    }
}

/// Returns a time in the person's time zone.
pub(super) fn local(time: Timestamp) -> String {
    time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}
