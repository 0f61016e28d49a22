//! Measurements, each beside what people use today, in one run on one machine.

mod figures;
mod relay;
mod rivals;
mod started;

use anyhow::Result;
use clap::ValueEnum;

/// What can be measured.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Subject {
    /// What the relay costs a request, a streamed chunk, and in memory
    Relay,
}

/// Measures, prints a table and writes `target/bench/SUBJECT.json`.
pub(crate) fn bench(subject: Subject) -> Result<()> {
    match subject {
        Subject::Relay => relay::bench(),
    }
}
