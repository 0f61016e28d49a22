//! Measurements: of relay and turn beside what people use today, in one run on one machine, and of a whole run.

mod build;
mod figures;
mod model;
mod relay;
mod rivals;
mod run;
mod started;
mod turn;
mod worker;

use anyhow::Result;
use clap::ValueEnum;

/// What can be measured.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Subject {
    /// What the relay costs a request, a streamed chunk, and in memory
    Relay,
    /// What a run takes until its first request, until it is stopped, and in memory after a thousand turns
    Run,
    /// What a turn costs without the model, on a desktop and on the canvas
    Turn,
}

/// Measures, prints a table and writes `target/bench/SUBJECT.json`.
pub(crate) fn bench(subject: Subject) -> Result<()> {
    match subject {
        Subject::Relay => relay::bench(),
        Subject::Run => run::bench(),
        Subject::Turn => turn::bench(),
    }
}
