//! Tests everything that can go wrong around a run: a model server with every possible fault, a full disk, and closed
//! streams.

use anyhow::Result;

use crate::process::{cargo, run};

/// Runs these tests, and prints a table of the faults with the error recorded for each.
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
