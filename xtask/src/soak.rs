//! Killing agent and panel at random instants, again and again, and proving after each kill that nothing was lost.

use anyhow::{Context as _, Result};

use crate::process::{cargo, output};

/// The test that does it. With fewer kills it is one of all tests.
const TEST: [&str; 8] = [
    "test",
    "--package=franz",
    "--test=e2e",
    "--quiet",
    "--",
    "--exact",
    "--nocapture",
    "soak::killed_at_random_instants",
];

/// Kills so often and prints what was found; a failure tells the seed, the kill, and where the run's directory is.
pub(crate) fn soak(kills: u64, seed: Option<u64>) -> Result<()> {
    let mut test = cargo(&TEST);
    test.env("SOAK_KILLS", kills.to_string());
    if let Some(seed) = seed {
        test.env("SOAK_SEED", seed.to_string());
    }
    let printed = String::from_utf8_lossy(&output(&mut test)?).into_owned();
    let found = printed.lines().find(|line| line.starts_with("seed "));
    println!("{}", found.context("the test has not run: it needs Linux")?);
    Ok(())
}
