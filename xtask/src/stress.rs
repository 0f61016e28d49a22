//! Runs tests for longer than the suite does, with larger numbers.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::desktop;
use crate::packages;
use crate::process::{cargo, output, run as run_process, succeeds};

/// Kills the agent or the panel this many times. `seed` determines which one, and when.
pub(crate) fn soak(kills: u64, seed: Option<u64>) -> Result<()> {
    run(
        "e2e::soak::killed_at_random_instants",
        &[("SOAK_KILLS", Some(kills)), ("SOAK_SEED", seed)],
    )
}

/// Kills runners of a suite this many times. `seed` determines when.
pub(crate) fn soak_suite(kills: u64, seed: Option<u64>) -> Result<()> {
    run(
        "e2e::suite::every_attempt_of_killed_runners_has_exactly_one_result",
        &[("SUITE_KILLS", Some(kills)), ("SUITE_KILLS_SEED", seed)],
    )
}

/// Sends this many hostile replies through the loop. `seed` determines which ones.
pub(crate) fn stories(count: u64, seed: Option<u64>) -> Result<()> {
    run(
        "e2e::stories::random_ones_come_back_through_restarts",
        &[("STORIES", Some(count)), ("STORIES_SEED", seed)],
    )
}

/// Clicks this many times on each page that changes while the model thinks, and starts each program a quarter as many
/// times. Prints how many clicks were held and how many first pictures were complete.
pub(crate) fn look(clicks: u64) -> Result<()> {
    desktop::provide()?;
    let mut command = cargo(&[
        "test",
        "--package=franz-agent",
        "--features=desktop-tests",
        "--test=it",
        "--quiet",
    ]);
    command.args([
        "--",
        "--nocapture",
        "--test-threads=1",
        "desktop::moving::",
        "desktop::starting::",
    ]);
    command.env("LOOK_CLICKS", clicks.to_string());
    command.env("LOOK_STARTS", clicks.div_ceil(4).to_string());
    let printed = String::from_utf8_lossy(&output(&mut command)?).into_owned();
    let found: Vec<_> = printed.lines().filter(|line| line.contains(" of ")).collect();
    anyhow::ensure!(!found.is_empty(), "the tests did not run: they need Linux");
    println!("{}", found.join("\n"));
    Ok(())
}

/// Looks for known parts of five programs in the elements that they report. Prints how many were reported, how many with
/// the right box, and how many menus a run opened for a model that names them but aims badly.
pub(crate) fn elements() -> Result<()> {
    desktop::provide()?;
    let is_missing = |program: &&str| !succeeds(Command::new("which").arg(program));
    let missing: Vec<_> = ["l3afpad", "speedcrunch"].into_iter().filter(is_missing).collect();
    packages::install("looking for elements needs these programs", &missing)?;
    for (package, tests, test) in [
        (
            "franz-screen",
            "desktop",
            "things_that_are_seen_are_told_where_they_are",
        ),
        (
            "franz-agent",
            "it",
            "a_model_that_aims_badly_opens_the_menus_that_it_names",
        ),
    ] {
        let mut command = cargo(&["test", "--features=desktop-tests", "--quiet", "--package", package]);
        command.args(["--test", tests, "--", "--nocapture", test]);
        command.env("ELEMENTS_OF", "galculator,mousepad,l3afpad,featherpad,speedcrunch");
        run_process(&mut command)?;
    }
    Ok(())
}

/// Runs the test and prints its findings. A failing test reports its seed.
fn run(test: &str, numbers: &[(&str, Option<u64>)]) -> Result<()> {
    let mut command = cargo(&["test", "--package=franz-agent", "--test=it", "--quiet", "--"]);
    command.args(["--exact", "--nocapture", test]);
    for (variable, number) in numbers {
        command.envs(number.map(|number| (variable, number.to_string())));
    }
    let printed = String::from_utf8_lossy(&output(&mut command)?).into_owned();
    let found = printed.lines().find(|line| line.starts_with("seed "));
    println!("{}", found.context("the test did not run: it needs Linux")?);
    Ok(())
}
