//! `franz suite rescore`

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

use super::{may_run, open};
use crate::cli::suite::ResultsArgs;
use crate::exit::Unusable;
use crate::stop::Stop;
use crate::suite::check::Check;
use crate::suite::load;
use crate::suite::sandbox::SuiteSandbox;
use crate::suite::scratch::Scratch;
use crate::terminal::{complain, say};

/// Runs the checks again on kept homes, and says where they differ from the results. The results stay as they are.
pub(super) fn run(arguments: &ResultsArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    may_run(&store, &plan)?;
    let scratch = Scratch::new(&crate::random()?)?;
    let files = store.suite_folder();
    let suite = load(&files)?;
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let sandbox = SuiteSandbox::of_this_machine();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for result in store.results().map_err(Unusable::usage)? {
        let planned = &result.attempt;
        let folder = store.try_folder(planned.attempt, &result.r#try);
        let (home, record) = (folder.join("home"), folder.join("run"));
        let Some(task) = suite.task(&planned.task).filter(|_| home.exists() || record.exists()) else {
            *counts.entry("have no kept home").or_default() += 1;
            continue;
        };
        let check = Check {
            sandbox: &sandbox,
            stop: &stop,
            suite: &files,
            task,
            seed: planned.seed,
        };
        let own = scratch.make(&planned.attempt.to_string())?;
        // A home without any file is not kept.
        let home = if home.exists() {
            home
        } else {
            scratch.make(&format!("{}-home", planned.attempt))?
        };
        let record = record.exists().then_some(record.as_path());
        let Some(checked) = check.run(&home, record, &folder, &own)? else {
            return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
        };
        let is_same = checked.outcome == result.outcome;
        *counts
            .entry(if is_same {
                "are judged as before"
            } else {
                "are judged differently"
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
    for (words, count) in counts {
        say(&format!("{count} {words}"));
    }
    Ok(0)
}
