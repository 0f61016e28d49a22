//! Everything that can go wrong around a run: a model server with every fault, a full disk, closed streams.

use anyhow::Result;

use crate::process::{cargo, run};

/// Runs those tests and shows the table of faults, each with what the record says of it.
pub(crate) fn chaos() -> Result<()> {
    // One after the other, so that what is printed stays together.
    run(&mut cargo(&[
        "test",
        "--package=franz",
        "--test=e2e",
        "chaos::",
        "--",
        "--nocapture",
        "--test-threads=1",
    ]))
}
