//! `franz suite rescore`

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use franz_suite::StoreError;

use super::{fetch_suite, open};
use crate::cli::suite::ResultsArgs;
use crate::stop::Stop;
use crate::suite::allowed_plan::check_suite;
use crate::suite::attempt::HOME;
use crate::suite::check::Check;
use crate::suite::play::RECORD;
use crate::suite::sandbox::SuiteSandbox;
use crate::suite::scratch::{self, Scratch};
use crate::suite::{load, unusable};
use crate::terminal::{complain, say};

/// The text for attempts whose archive is damaged.
const UNREADABLE: &str = "with an archive that cannot be unpacked";

/// Runs the checks again on kept homes, and reports where they differ from the results. The results stay as they are.
pub(super) fn run(arguments: &ResultsArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let scratch = Scratch::new(&crate::random()?)?;
    let files = fetch_suite(&store, &plan, &scratch)?;
    check_suite(&store, &plan, &scratch)?;
    let suite = load(&files)?;
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let sandbox = SuiteSandbox::of_this_machine();
    sandbox.warn();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for result in store.results().map_err(unusable)? {
        let planned = &result.attempt;
        let own = scratch.make(&planned.attempt.to_string())?;
        let (home, record) = (own.join(HOME), own.join(RECORD));
        match store.unpack(planned.attempt, &result.r#try, &own) {
            Ok(_) => {}
            Err(error @ StoreError::Archive(_)) => {
                complain(&error.to_string());
                scratch::remove(&own);
                *counts.entry(UNREADABLE).or_default() += 1;
                continue;
            }
            Err(error) => return Err(unusable(error).into()),
        }
        let Some(task) = suite.task(&planned.task).filter(|_| home.exists()) else {
            scratch::remove(&own);
            *counts.entry("without a kept home").or_default() += 1;
            continue;
        };
        let check = Check {
            sandbox: &sandbox,
            stop: &stop,
            suite: &files,
            task,
            seed: planned.seed,
        };
        let record = record.exists().then_some(record.as_path());
        let Some(checked) = check.run(&home, record, &own, &own)? else {
            return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
        };
        scratch::remove(&own);
        let is_same = checked.outcome == result.outcome;
        *counts
            .entry(if is_same {
                "judged as before"
            } else {
                "judged differently"
            })
            .or_default() += 1;
        if !is_same {
            complain(&format!(
                "attempt {} ({}, {}): {} before, {} now {}",
                planned.attempt,
                planned.task,
                planned.model,
                result.outcome.words(),
                checked.outcome.words(),
                checked.why,
            ));
        }
    }
    for (words, count) in &counts {
        say(&format!("{count} {words}"));
    }
    Ok(u8::from(counts.contains_key(UNREADABLE)))
}
