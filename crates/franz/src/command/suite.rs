//! `franz suite`: plans, runs and reports suites.

mod grounding;
mod import;
mod plan;
mod report;
mod rescore;
mod run;
mod submit;
mod test;

use std::path::Path;

use anyhow::Result;
use franz_suite::plan::AttemptPlan;
use franz_suite::suite::own_files_of_servers;
use franz_suite::{ResultStore, folder};

use crate::cli::suite::{ResultsArgs, SuiteArgs, SuiteCommand, SuiteGatherArgs};
use crate::exit::Unusable;
use crate::suite::chosen::is_built_in;
use crate::suite::scratch::Scratch;
use crate::suite::trust;
use crate::terminal::say;

pub(super) fn run(arguments: &SuiteArgs) -> Result<u8> {
    match &arguments.command {
        SuiteCommand::Test(arguments) => test::run(arguments),
        SuiteCommand::Import(arguments) => import::run(arguments),
        SuiteCommand::Plan(arguments) => plan::run(arguments),
        SuiteCommand::Run(arguments) => run::run(arguments),
        SuiteCommand::Shard(arguments) => run::shard(arguments),
        SuiteCommand::Submit(arguments) => submit::run(arguments),
        SuiteCommand::Missing(arguments) => missing(arguments),
        SuiteCommand::Gather(arguments) => gather(arguments),
        SuiteCommand::Report(arguments) => report::run(arguments),
        SuiteCommand::Rescore(arguments) => rescore::run(arguments),
        SuiteCommand::Grounding(arguments) => grounding::run(arguments),
    }
}

/// Opens a folder with a plan. Its path is complete, because scripts and runs get paths in it from another folder.
fn open(folder: &Path) -> Result<(ResultStore, AttemptPlan)> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    Ok(ResultStore::open(&folder).map_err(Unusable::usage)?)
}

/// Checks that the suite's files are those that were planned, and that the person lets them run.
fn may_run(store: &ResultStore, plan: &AttemptPlan) -> Result<()> {
    check_files(store, plan)?;
    let scratch = Scratch::new(&crate::random()?)?;
    let digest = &plan.header.digest;
    if is_built_in(digest, scratch.folder())? || trust::has(digest) {
        return Ok(());
    }
    let folder = store.suite_folder();
    let words = "a suite runs code: look at what it does and allow it with: franz trust";
    Err(Unusable::usage(format!("{words} {}", folder.display())).into())
}

/// Checks that the suite's files are those that were planned.
fn check_files(store: &ResultStore, plan: &AttemptPlan) -> Result<()> {
    let files = store.suite_folder();
    let without = own_files_of_servers(&plan.header.models, &files);
    if folder::digest(&files, &without).map_err(Unusable::usage)? == plan.header.digest {
        return Ok(());
    }
    let words = format!(
        "the files in {} are not those that were planned; make a new plan",
        files.display()
    );
    Err(Unusable::usage(words).into())
}

fn missing(arguments: &ResultsArgs) -> Result<u8> {
    let (store, plan) = open(&arguments.results)?;
    for attempt in store.missing(&plan).map_err(Unusable::usage)? {
        let Some(planned) = plan.attempts.get(attempt as usize - 1) else {
            continue;
        };
        let failures = store.failures(attempt).map_err(Unusable::usage)?;
        let failed = match failures {
            0 => String::new(),
            1 => "  1 failed try".to_owned(),
            _ => format!("  {failures} failed tries"),
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
