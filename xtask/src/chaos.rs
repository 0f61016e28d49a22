//! Everything that can go wrong around a run: a model server with every fault, a full disk, closed streams.

use anyhow::Result;

use crate::process::{cargo, run};

/// Runs these tests and shows a table of the faults, each with what the record says about it.
pub(crate) fn chaos() -> Result<()> {
    // One at a time, so that related output stays together.
    run(&mut cargo(&[
        "test",
        "--package=franz-agent",
        "--test=it",
        "e2e::chaos::",
        "--",
        "--nocapture",
        "--test-threads=1",
    ]))
}
