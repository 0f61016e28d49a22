//! Measures the relay and single turns against the tools that people use today, all in one run on one machine. Also
//! measures whole runs.

mod act;
mod build;
mod cache;
mod clean;
mod compare;
mod competitors;
mod constrain;
mod dashboard;
mod examples;
mod figures;
mod goal;
mod llama_server;
mod load;
mod long;
mod mcp;
mod model;
mod page;
mod panel;
mod relay;
mod run;
mod scripted_model;
mod shared;
mod started;
mod suite;
mod turn;
mod whole;
mod worker;

use std::fs;
use std::path::Path;

use anyhow::Result;
use clap::ValueEnum;

use crate::process::root;
use goal::{Row, table};
use load::Load;

/// The subjects that can be measured.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Subject {
    /// How long a turn takes without the model, on a desktop and on the canvas
    Turn,
    /// How long acting on a private desktop takes: looking, typing, settling, and preparing the next request
    Act,
    /// How much the relay delays a request and a streamed chunk, and how much memory it uses
    Relay,
    /// What a panel adds to the requests of twenty agents at once, and how much memory it uses
    Panel,
    /// How long reading a block of Python takes
    Block,
    /// How long reading a reply of 4 kB takes, with all dialects on
    Reply,
    /// How much of each request a llama.cpp server reads despite its cache, over 60 turns
    Cache,
    /// How much a grammar slows down a llama.cpp server
    Constrain,
    /// How long opening and searching 10,000 recorded turns takes
    History,
    /// How long the browser takes to show 10,000 recorded turns
    Page,
    /// How large an exported run of 500 turns on a desktop is, and how long it takes to open (about ten minutes)
    Shared,
    /// How long a release build from scratch takes (a few minutes)
    Build,
    /// How long a run takes to send its first request and to stop, and how much memory it uses after a thousand turns
    Run,
    /// How long a call to franz mcp takes, not counting the action
    Mcp,
    /// How long attempts of a suite take, and how long planning and reporting take
    Suite,
    /// Whether a turn's time and memory stay the same over 100,000 turns (about half an hour)
    Long,
}

/// The subjects to compare if none is named. They take only minutes and exist in older checkouts, too.
const COMPARED: [Subject; 5] = [
    Subject::Turn,
    Subject::Relay,
    Subject::Block,
    Subject::History,
    Subject::Run,
];

/// Measures these subjects, alternating between the checkout at `other` and this one. If none is named, measures those
/// that take only minutes.
pub(crate) fn compare(subjects: &[Subject], other: &Path, rounds: usize) -> Result<()> {
    let subjects = if subjects.is_empty() { &COMPARED[..] } else { subjects };
    let values: Vec<_> = subjects.iter().filter_map(Subject::to_possible_value).collect();
    let names: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
    compare::against(other, &names, rounds)
}

/// Measures these subjects, or all of them. Prints tables and writes `target/bench/SUBJECT.json`. After measuring all
/// subjects, also writes `report.json` and `report.md`, which show the goals next to the figures.
pub(crate) fn bench(subjects: &[Subject]) -> Result<()> {
    let is_all = subjects.is_empty();
    let subjects = if is_all { Subject::value_variants() } else { subjects };
    let load = Load::before();
    let mut rows = Vec::new();
    for subject in subjects {
        rows.extend(match subject {
            Subject::Turn => turn::bench()?,
            Subject::Act => act::bench()?,
            Subject::Relay => relay::bench()?,
            Subject::Panel => panel::bench()?,
            Subject::Block => examples::block()?,
            Subject::Reply => examples::reply()?,
            Subject::Cache => cache::bench()?,
            Subject::Constrain => constrain::bench()?,
            Subject::History => examples::history()?,
            Subject::Page => page::bench()?,
            Subject::Shared => shared::bench()?,
            Subject::Build => clean::build()?,
            Subject::Run => whole::bench()?,
            Subject::Mcp => mcp::bench()?,
            Subject::Suite => suite::bench()?,
            Subject::Long => long::bench()?,
        });
    }
    let load = load.after();
    println!("\n{}\n{load}", table(&rows, load));
    if is_all {
        write(&rows, load)?;
    }
    Ok(())
}

fn write(rows: &[Row], load: Load) -> Result<()> {
    let directory = root().join("target/bench");
    fs::create_dir_all(&directory)?;
    fs::write(directory.join("report.json"), serde_json::to_vec_pretty(rows)?)?;
    fs::write(directory.join("report.md"), format!("{}\n{load}\n", table(rows, load)))?;
    println!("written to {}/report.json and report.md", directory.display());
    Ok(())
}
