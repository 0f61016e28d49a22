//! `franz suite`: plans, runs and reports suites.

mod plan;
mod report;
mod rescore;
mod run;
mod test;

use std::path::Path;

use anyhow::Result;
use franz_suite::ResultStore;
use franz_suite::plan::AttemptPlan;

use crate::cli::suite::{ResultsArgs, SuiteArgs, SuiteCommand, SuiteGatherArgs};
use crate::exit::Unusable;
use crate::terminal::say;

pub(super) fn run(arguments: &SuiteArgs) -> Result<u8> {
    match &arguments.command {
        SuiteCommand::Test(arguments) => test::run(arguments),
        SuiteCommand::Plan(arguments) => plan::run(arguments),
        SuiteCommand::Run(arguments) => run::run(arguments),
        SuiteCommand::Shard(arguments) => run::shard(arguments),
        SuiteCommand::Missing(arguments) => missing(arguments),
        SuiteCommand::Gather(arguments) => gather(arguments),
        SuiteCommand::Report(arguments) => report::run(arguments),
        SuiteCommand::Rescore(arguments) => rescore::run(arguments),
    }
}

/// Opens a folder with a plan. Its path is complete, because scripts and runs get paths in it from another folder.
fn open(folder: &Path) -> Result<(ResultStore, AttemptPlan)> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    Ok(ResultStore::open(&folder).map_err(Unusable::usage)?)
}

fn missing(arguments: &ResultsArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    for attempt in store.missing(&plan).map_err(Unusable::usage)? {
        let Some(planned) = plan.attempts.get(attempt as usize - 1) else {
            continue;
        };
        let failures = store.failures(attempt).map_err(Unusable::usage)?;
        let failed = if failures > 0 {
            format!("  {failures} failed tries")
        } else {
            String::new()
        };
        say(&format!(
            "{attempt}  {}  {}  repeat {}{failed}",
            planned.task, planned.model, planned.repeat
        ));
    }
    Ok(0)
}

fn gather(arguments: &SuiteGatherArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    let id = crate::random()?;
    let mut taken = 0;
    for folder in &arguments.from {
        let (other, _) = open(folder)?;
        taken += store.take_from(&other, &id).map_err(Unusable::usage)?;
    }
    let mended = store.mend().map_err(Unusable::usage)?;
    let results = store.write_results(&id).map_err(Unusable::usage)?;
    for (count, words) in [(taken, "tries copied"), (mended, "results completed that were cut off")] {
        if count > 0 {
            say(&format!("{count} {words}"));
        }
    }
    say(&format!(
        "{} of {} attempts have results",
        results.len(),
        plan.attempts.len()
    ));
    Ok(0)
}
